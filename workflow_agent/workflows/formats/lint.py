"""Rules on documents of one format: what its own linters find beyond the shape."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from workflow_agent.errors import Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.shapes import Place, list_in, object_in
from workflow_agent.workflows.model.findings import EditDocument
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

Check = Callable[[Any, Place], None]
"""Refuses, in the document it is given, what the rule is about; the document has the format's shape."""
Fix = Callable[[Workflow, Step, Problem, Any], Sequence[EditDocument]]
"""Gives the edits that mend a problem with a step in a document; none where nothing safe is known."""


def setting(fields_of: Callable[[Step, Problem, Any], JsonObject]) -> Fix:
    """Return the fix that sets the fields of the step which a function gives; none where it gives none."""

    def fix(workflow: Workflow, step: Step, problem: Problem, document: Any) -> Sequence[EditDocument]:
        del workflow
        fields = fields_of(step, problem, document)
        return [{"op": "update_step", "step": step.id, "set": fields}] if fields else []

    return fix


@dataclass(frozen=True, slots=True)
class LintRule:
    """One question asked of every document of a format."""

    id: str
    severity: Literal["error", "warning", "info"]
    check: Check
    why: str
    """Why it matters, one short sentence."""
    finds: str
    """What it reports, in words for the table of rules."""
    fix: Fix | None = None
    is_spare: bool = False
    """Whether it is left out at places that another rule of the format speaks of."""

    def problems(self, document: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield what the rule finds in a document, each with its place."""
        place = Place([])
        self.check(document, place)
        yield from place.problems


def lint_rule(
    rules: list[LintRule],
    rule_id: str,
    severity: Literal["error", "warning", "info"],
    why: str,
    *,
    fix: Fix | None = None,
    is_spare: bool = False,
) -> Callable[[Check], Check]:
    """Return a decorator that adds a check to the rules of a format; its docstring says what it finds: "Find ..."."""

    def listed(check: Check) -> Check:
        finds = (check.__doc__ or "").removeprefix("Find ").removesuffix(".")
        rules.append(LintRule(rule_id, severity, check, why, finds, fix, is_spare))
        return check

    return listed


def texts_in(value: Any, place: Place, without: Container[str] = ()) -> Iterator[tuple[str, Place]]:
    """Yield the texts of a value with their places, but for those below fields of some names."""
    if isinstance(value, str):
        yield value, place
    for key, item in object_in(value).items():
        if key not in without:
            yield from texts_in(item, place / str(key), without)
    for at, item in enumerate(list_in(value)):
        yield from texts_in(item, place / at, without)
