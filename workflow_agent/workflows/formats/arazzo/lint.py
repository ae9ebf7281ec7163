"""What is wrong with an Arazzo description that has the right shape."""

from collections.abc import Iterator, Sequence
from typing import Any

from workflow_agent.workflows.formats.lint import LintRule, lint_rule
from workflow_agent.workflows.formats.schemas import schema_check
from workflow_agent.workflows.formats.shapes import Place, list_in, object_in

RULES: list[LintRule] = []
_SCHEMA = "arazzo_generator/validator/arazzo_schema/1.0.1/arazzo-schema.yaml"


@lint_rule(RULES, "arazzo-schema", "warning", "Tools that hold to the schema refuse the description.")
def _against_schema(document: Any, place: Place) -> None:
    """Find what the published schema of descriptions does not allow."""
    check = schema_check("arazzo-generator", _SCHEMA)
    if check is not None:
        check(document, place)


def steps_at(parts: Sequence[str], document: Any) -> Iterator[str]:
    """Yield the ids of the step and the workflow around a place, the innermost first."""
    here: Any = document
    found: list[str] = []
    for part in parts:
        here = list_in(here)[int(part)] if part.isdigit() and list_in(here) else object_in(here).get(part)
        found += [object_in(here)[key] for key in ("workflowId", "stepId") if key in object_in(here)]
    yield from reversed(found)
