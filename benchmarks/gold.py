"""Claims about a workflow after an edit, as gold edits state them: `edge review>pay`, `no step audit`, …

A `?` stands for the new step. `branch check>pay 5,000` is an edge on a condition with these words,
`cron 0 4 * * *` a schedule, `called Archive` a step of that name, `retry pay -` a step that is not retried.
"""

from collections.abc import Callable, Mapping, Sequence

from workflow_agent.workflows.model.durations import seconds_of
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

_WHOLE = frozenset({"unchanged", "restored"})
"""Claims about the workflow as a whole."""

Check = Callable[[Workflow, str], bool]


def claims_that_fail(before: Workflow, after: Workflow, claims: Sequence[str], added: int | None) -> list[str]:
    """Return the claims that do not hold; too many or too few new steps, and touched fields, count too.

    A step that no claim names must come out as it went in. None for `added` leaves the number of steps open.
    """
    new = [one.id for one in after.steps if one.id not in {step.id for step in before.steps}]
    failed = [claim for claim in claims if not _holds(before, after, claim, new)]
    named = {word for claim in claims for part in claim.split() for word in part.split(">")}
    kept = {step.id: step for step in after.steps}
    failed += (
        []
        if _WHOLE.intersection(claims)
        else [
            f"{step.id} changed"
            for step in before.steps
            if step.id not in named and step.id in kept and kept[step.id] != step
        ]
    )
    if added is not None and len(after.steps) - len(before.steps) != added:
        failed.append(f"{len(after.steps) - len(before.steps)} more steps, not {added}")
    return failed


def _holds(before: Workflow, after: Workflow, claim: str, new: Sequence[str]) -> bool:
    if claim == "unchanged":
        return workflow_document(before)["steps"] == workflow_document(after)["steps"] and (
            before.version == after.version
        )
    if claim == "restored":
        return all(
            workflow_document(before)[part] == workflow_document(after)[part]
            for part in ("name", "steps", "transitions")
        )
    if claim.startswith("no "):
        return not _holds(before, after, claim.removeprefix("no "), new)
    kind, _, rest = claim.partition(" ")
    if kind == "edge" and "?" in rest:
        return any(_edge(after, rest.replace("?", one)) for one in new)
    if kind == "branch":
        return _branch(after, rest, new)
    if kind == "new":
        return any(_field(after, f"{one} {rest.partition(' ')[2]}", rest.partition(" ")[0]) for one in new)
    check = _CHECKS.get(kind)
    return check(after, rest) if check else _field(after, rest, kind)


def _edge(after: Workflow, ends: str) -> bool:
    return any(f"{edge.from_}>{edge.to}" == ends for edge in after.transitions)


def _branch(after: Workflow, claim: str, new: Sequence[str]) -> bool:
    """Return whether there is an edge on a condition with the given words; a `?` is any of the new steps."""
    ends, _, words = claim.partition(" ")
    from_, _, to = ends.partition(">")
    return any(
        edge.when is not None
        and words.casefold() in edge.when.text.casefold()
        and edge.from_ in (new if from_ == "?" else [from_])
        and edge.to in (new if to == "?" else [to])
        for edge in after.transitions
    )


def _field(after: Workflow, claim: str, name: str) -> bool:
    own_id, _, wanted = claim.partition(" ")
    step = next((one for one in after.steps if one.id == own_id), None)
    if step is None:
        return False
    if name == "retry" and wanted == "-":
        return step.retry is None or step.retry.max_attempts == 1
    if name == "retry":
        return step.retry is not None and step.retry.max_attempts == int(wanted)
    if name == "timeout" and step.timeout and wanted != "-":
        return seconds_of(step.timeout) == seconds_of(wanted)
    value = {"escalate": step.escalate_to, "assignee": step.assignee, "timeout": step.timeout, "name": step.name}[name]
    return slug(value or "-") == slug(wanted)


_CHECKS: Mapping[str, Check] = {
    "step": lambda after, own_id: any(one.id == own_id for one in after.steps),
    "edge": _edge,
    "title": lambda after, name: after.name.casefold() == name.casefold(),
    "tag": lambda after, tag: tag in after.tags,
    "called": lambda after, name: any(one.name.casefold() == name.casefold() for one in after.steps),
    "cron": lambda after, cron: any(one.type == "schedule" and one.cron == cron for one in after.triggers),
    "start": lambda after, own_id: after.start == own_id,
    "trigger": lambda after, kind: any(one.type == kind for one in after.triggers),
    "description": lambda after, words: words.casefold() in after.description.casefold(),
}
