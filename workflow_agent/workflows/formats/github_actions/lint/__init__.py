"""What is wrong with a GitHub Actions workflow that has the right shape."""

from typing import Any

from workflow_agent.workflows.formats.github_actions.lint import events, jobs, values
from workflow_agent.workflows.formats.lint import LintRule, lint_rule
from workflow_agent.workflows.formats.schemas import schema_check
from workflow_agent.workflows.formats.shapes import Place, list_in, object_in

RULES: list[LintRule] = [*values.RULES, *events.RULES, *jobs.RULES]
_SCHEMA = "check_jsonschema/builtin_schemas/vendor/github-workflows.json"


@lint_rule(RULES, "github-schema", "warning", "GitHub may refuse the file.", is_spare=True)
def _against_schema(document: Any, place: Place) -> None:
    """Find what the published schema of workflows does not allow."""
    check = schema_check("check-jsonschema", _SCHEMA)
    if check is not None:
        check(_as_schema_wants(document), place)


def _as_schema_wants(value: Any, key: str = "") -> Any:
    """Return a document without what GitHub takes and the schema does not: blank values, strategies without matrix."""
    if isinstance(value, list):
        return [_as_schema_wants(one) for one in list_in(value)]
    if not isinstance(value, dict):
        return value
    return {
        name: _as_schema_wants(one, name)
        for name, one in object_in(value).items()
        if not (one is None and key in ("with", "env")) and not (name == "strategy" and "matrix" not in object_in(one))
    }
