"""What is wrong with the expressions of a GitHub Actions workflow, and the values they name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workflow_agent.workflows.formats.github_actions.expressions import CONTEXTS, Expression, expressions_in
from workflow_agent.workflows.formats.github_actions.shapes import VOCABULARY, events_of, needs_of
from workflow_agent.workflows.formats.lint import LintRule, lint_rule, texts_in
from workflow_agent.workflows.formats.plain import list_in, object_in
from workflow_agent.workflows.formats.shapes import Place

RULES: list[LintRule] = []
_ANYWHERE = frozenset({"github", "inputs", "vars"})
_JOB = _ANYWHERE | {"needs", "strategy", "matrix"}
_STEP = _JOB | {"job", "runner", "env", "secrets", "steps"}
_ALLOWED: tuple[tuple[str, frozenset[str]], ...] = (
    (r"/(run-name|concurrency)(/.*)?", _ANYWHERE),
    (r"/env/.*", _ANYWHERE | {"secrets"}),
    (r"/on/workflow_call/outputs/.*", _ANYWHERE | {"jobs"}),
    (r"/on/.*", _ANYWHERE),
    (r"/jobs/[^/]+/if", _ANYWHERE | {"needs"}),
    (r"/jobs/[^/]+/strategy/.*", _ANYWHERE | {"needs"}),
    (r"/jobs/[^/]+/(name|runs-on|continue-on-error|timeout-minutes|concurrency|with)(/.*)?", _JOB),
    (r"/jobs/[^/]+/environment/url", _STEP - {"secrets"}),
    (r"/jobs/[^/]+/environment(/.*)?", _JOB),
    (r"/jobs/[^/]+/(env|secrets)/.*", _JOB | {"secrets"}),
    (r"/jobs/[^/]+/defaults/.*", _JOB | {"env"}),
    (r"/jobs/[^/]+/(container|services/[^/]+)/(credentials|env)/.*", _STEP - {"steps"}),
    (r"/jobs/[^/]+/(container|services)(/.*)?", _JOB),
    (r"/jobs/[^/]+/outputs/.*", _STEP),
    (r"/jobs/[^/]+/steps/\d+/if", _STEP - {"secrets"}),
    (r"/jobs/[^/]+/steps/.*", _STEP),
)
"""Which values an expression may name, by where it stands; the first place that fits counts."""
_STATUS = frozenset({"success", "failure", "always", "cancelled"})
_PROPERTIES: Mapping[str, frozenset[str]] = VOCABULARY["properties"]
"""What the values are that GitHub gives, in lower case."""
_WITH_PARTS = frozenset({"event", "container", "services"})


def placed_expressions(document: Any, place: Place) -> Iterator[tuple[Expression, Place]]:
    """Yield the expressions of a document, each with its place."""
    for text, here in texts_in(document, place):
        if "${{" in text or here.path[-1:] == ("if",):
            for one in expressions_in(text, is_condition=here.path[-1:] == ("if",)):
                yield one, here


@lint_rule(RULES, "github-expression", "error", "GitHub refuses the whole file.")
def _unreadable(document: Any, place: Place) -> None:
    """Find expressions that GitHub cannot read, and functions that do not exist."""
    for one, here in placed_expressions(document, place):
        if one.problem:
            here.refuse(f"the expression {one.text[:60]!r} {one.problem}")


@lint_rule(RULES, "github-context", "error", "GitHub refuses the file, or the value is empty.")
def _misplaced(document: Any, place: Place) -> None:
    """Find values and functions that are not known where they are used."""
    for one, here in placed_expressions(document, place):
        where = "/" + "/".join(map(str, here.path))
        allowed = next((names for pattern, names in _ALLOWED if re.fullmatch(pattern, where)), CONTEXTS)
        for root in {value[0] for value in one.values} - allowed:
            here.refuse(f"`{root}` is not known here", sorted(allowed))
        if one.functions & _STATUS and here.path[-1:] != ("if",):
            here.refuse("asks how the steps before ended, which only `if` can")
        if "hashfiles" in one.functions and here.path[:1] == ("jobs",) and here.path[2:3] != ("steps",):
            here.refuse("calls `hashFiles`, which only steps can, because they have files")


@lint_rule(RULES, "github-unknown-value", "warning", "The value is always empty.")
def _unknown_values(document: Any, place: Place) -> None:
    """Find steps, jobs, inputs and matrix values that an expression names and nothing defines."""
    told = events_of(document)
    inputs = {
        name.lower()
        for event in ("workflow_dispatch", "workflow_call")
        for name in object_in(object_in(told.get(event)).get("inputs"))
    }
    named = object_in(document.get("jobs"))
    everywhere = {**_PROPERTIES, "inputs": inputs, "jobs": {str(name).lower() for name in named}}
    for one, here in placed_expressions(document, place):
        job = object_in(named.get(str(here.path[1]))) if here.path[:1] == ("jobs",) and len(here.path) > 1 else {}
        known = everywhere | _known(job, here.path)
        for root, *rest in one.values:
            if not rest or rest[0] == "*":
                continue
            names = known.get(root)
            if names is not None and rest[0] not in names:
                here.refuse(f"there is no `{root}.{rest[0]}`", sorted(names))
            elif root == "needs" and len(rest) > 2 and rest[1] == "outputs" and rest[2] != "*":
                _check_output(named, rest[0], rest[2], here)
            elif root in ("github", "runner") and len(rest) > 1 and rest[0] not in _WITH_PARTS:
                here.refuse(f"`{root}.{rest[0]}` is text, and has no `{rest[1]}`")


def _known(job: Mapping[str, Any], path: Sequence[str | int]) -> dict[str, set[str]]:
    """Return the names below `steps`, `needs` and `matrix` in a place of a job, where that can be told."""
    if not job:
        return {}
    listed = list_in(job.get("steps"))
    before = listed[: int(path[3])] if path[2:3] == ("steps",) and len(path) > 3 else listed
    known = {
        "steps": {str(object_in(step).get("id", "")).lower() for step in before},
        "needs": {name.lower() for name in needs_of(job)},
    }
    strategy = job.get("strategy", {})
    matrix = object_in(strategy).get("matrix", {})
    include = object_in(matrix).get("include", [])
    # An expression in place of any of them may bring whatever it likes.
    if not any(isinstance(one, str) for one in (strategy, matrix, include)):
        said = [object_in(matrix), *(object_in(one) for one in list_in(include))]
        known["matrix"] = {str(key).lower() for one in said for key in one} - {"include", "exclude"}
    return known


def _check_output(jobs: Mapping[str, Any], needed: str, output: str, here: Place) -> None:
    job = object_in(next((one for name, one in jobs.items() if name.lower() == needed), None))
    outputs = {str(name).lower() for name in object_in(job.get("outputs"))}
    if "steps" in job and output not in outputs:
        here.refuse(f"the job {needed!r} has no output {output[:60]!r}", sorted(outputs))
