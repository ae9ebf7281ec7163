"""Signs that edits may not be what a message means; each is told, and makes the change a preview."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, cast

from workflow_agent.assistant.offline.clauses import phrase_at
from workflow_agent.assistant.offline.nlu.hedges import hedges
from workflow_agent.assistant.offline.plan import Plan, step_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.assistant.offline.walks import reach
from workflow_agent.workflows.model.durations import seconds_of
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

_SHORTEST = 60
"""Seconds below which nobody does a piece of work."""
LENGTHS: Final = ("timeout", "duration")
"""Fields of a step that tell how long it takes."""
_AS_FAR_AS = 3
"""Words in front of an amount that may say whether those above or below it are meant."""


def doubts(plan: Plan, before: Workflow, tokens: Tokens) -> Iterator[str]:
    """Yield what is not sure in edits: what the workflow becomes, how many things were meant, whether it is ordered."""
    yield from _graph_doubts(plan, before, tokens)
    yield from _left_open(plan, tokens)
    yield from _below_nought(tokens)
    yield from hedges(plan.edits, tokens, plan.without_reasons(tokens))


def _graph_doubts(plan: Plan, before: Workflow, tokens: Tokens) -> Iterator[str]:
    if not _turns_away(plan):
        yield from _cut_off(before, plan.workflow)
    gone = [str(edit["step"]) for edit in plan.edits if edit["op"] == "remove_step"]
    # Of an approval only the way on stays.
    approvals = [edit["from"] for edit in plan.edits if edit["op"] == "disconnect"]
    for step in filter(None, map(before.step, gone)):
        parts = sum(edge.when is not None for edge in before.outgoing(step.id)) > 1
        if parts and step.id not in approvals and not any(edge.when for edge in before.incoming(step.id)):
            yield f"the cases of “{step.name}” would be those of the step before it"
    names = {step.name.casefold() for step in before.steps}
    for edit in plan.edits:
        step = before.step(str(edit.get("step")))
        if step is not None:
            yield from _misfits(edit, step)
        if edit["op"] == "rename_workflow" and str(edit["name"]).casefold() in names:
            yield f"“{edit['name']}” is a step, and this would be the name of the whole workflow"
    if not any(edit["op"] == "move_step" for edit in plan.edits):
        yield from _into_branch(before, plan.workflow)
    if len(gone) == 1 == len(plan.edits) and any(t.is_("both") for t in tokens):
        yield "You said “both”, and I found one"
    yield from _turned(plan.edits, tokens)
    yield from _of_other_step(plan.edits, before, tokens)


def _into_branch(before: Workflow, after: Workflow) -> Iterator[str]:
    """Yield where a new way leads past a fork right into one of its branches."""
    known = {(edge.from_, edge.to) for edge in before.transitions}
    old = {step.id for step in before.steps}
    new = [e for e in after.transitions if {e.from_, e.to} <= old and (e.from_, e.to) not in known]
    if not new:
        return
    joins = frozenset(step.id for step in before.steps if step.type == "join")
    for fork in (step for step in before.steps if step.type == "fork"):
        inner = set[str]().union(*(reach(before, edge.to, joins) for edge in before.outgoing(fork.id))) - joins
        for edge in new:
            moved = before.incoming(edge.from_) != after.incoming(edge.from_)
            step = after.step(edge.to)
            if step is not None and edge.to in inner and not moved and edge.from_ not in {fork.id, *inner}:
                yield f"“{step.name}” is one of several things done at the same time"


def _left_open(plan: Plan, tokens: Tokens) -> Iterator[str]:
    """Yield what is told to lead back otherwise, or to wait, where neither was drawn."""
    parts = [part for edit in plan.edits for part in _parts_of(edit)]
    if any(part.get("id") and part.get("timeout") for part in parts) and any(token.is_("wait") for token in tokens):
        yield "I took the time to wait for a deadline"
    otherwise = next((at for at, token in enumerate(tokens) if token.is_("otherwise")), len(tokens))
    drawn = any(part.get("type") == "default" or part.get("when") for part in parts)
    if not drawn and any(token.is_("back") for token in tokens[otherwise:]):
        yield f"I did not draw what happens “{plan.said(tokens[otherwise:])}”"


def _below_nought(tokens: Tokens) -> Iterator[str]:
    """Yield a doubt for a number that a minus stands in front of."""
    for at, (token, behind) in enumerate(pairwise(tokens)):
        apart = at == 0 or tokens[at - 1].end < token.start
        minus = token.is_("minus") or (token.text == "-" and token.end == behind.start and apart)
        if minus and behind.value is not None:
            yield "I took no number for one below nought"


def _misfits(edit: JsonObject, step: Step) -> Iterator[str]:
    """Yield why what is set of a step does not go with what it is."""
    length = edit.get("timeout")
    if edit["op"] in ("set_timeout", "set_assignee", "set_retry") and step.type == "end":
        yield f"“{step.name}” is an end"
    if edit["op"] == "set_timeout" and length and step.type == "decision":
        yield f"“{step.name}” is a question that takes no time"
    if edit["op"] == "set_timeout" and step.type == "human" and 0 < seconds_of(str(length or "")) < _SHORTEST:
        yield f"“{step.name}” is done by people, and hardly within seconds"


def consequences(plan: Plan, before: Workflow) -> Iterator[str]:
    """Yield what follows from edits that were ordered as they are, and may not have been thought of."""
    if _turns_away(plan):
        yield from _cut_off(before, plan.workflow)


def _turns_away(plan: Plan) -> bool:
    """Say whether edits only lead somewhere else: "start with the offer", "no reply goes to the archive"."""
    return all(edit["op"] == "set_start" or "to" in edit.get("set", ()) for edit in plan.edits)


def _cut_off(before: Workflow, after: Workflow) -> Iterator[str]:
    """Yield a sentence for each step that is there still and is never reached any more, though what led to it is."""
    lost = reach(before, before.start) - reach(after, after.start)
    for step in after.steps:
        if step.id in lost and step.type != "end" and all(after.step(e.from_) for e in before.incoming(step.id)):
            yield f"“{step.name}” would never be reached"


def _parts_of(edit: JsonObject) -> Iterator[JsonObject]:
    """Yield an edit and the objects in it: a new step, and the fields that are set."""
    yield edit
    yield from (cast("JsonObject", edit[key]) for key in ("step", "with", "set") if isinstance(edit.get(key), dict))


def _turned(edits: Sequence[JsonObject], tokens: Sequence[Token]) -> Iterator[str]:
    """Yield a doubt where a message says "below" of a number, and an edit "above", or the other way round."""
    said = dict(_directions(tokens))
    cases = (part.get("when") for edit in edits for part in _parts_of(edit))
    for condition in (str(cast("JsonObject", case).get("text") or "") for case in cases if isinstance(case, dict)):
        for number, direction in _directions(read_tokens(condition)):
            if said.get(number, direction) != direction:
                yield f"I am not sure that “{condition}” is the case you mean"


def _of_other_step(edits: Sequence[JsonObject], before: Workflow, tokens: Tokens) -> Iterator[str]:
    """Yield the step that has the time which a message tells as the old one, where another step is changed.

    Of "four weeks, three is too short" it is three weeks.
    """
    set_to = {value for edit in edits for part in _parts_of(edit) for key, value in part.items() if key in LENGTHS}
    new = {seconds_of(str(value)) for value in set_to if value}
    told = durations_in(tokens)
    said = [(first, length.end) for first, length in told if seconds_of(length.value) in new]
    counts = [token.value for first, end in said for token in tokens[first:end] if token.value]
    if len(new) != 1 or not counts:
        return
    unit, inside = next(iter(new)) / counts[0], {at for first, end in said for at in range(first, end)}
    # "Three is too short", and neither "three shifts" nor "step 3".
    alone = (t.value for at, t in enumerate(tokens) if t.value and at not in inside and _stands_alone(tokens, at))
    others = {value * unit for value in alone} | {seconds_of(length.value) for _, length in told} - new
    has = {step.id: seconds_of(own) for step in before.steps for own in (step.timeout, step.duration) if own}
    having = {step.id: step.name for step in before.steps if has.get(step.id) in others}
    if having.keys().isdisjoint(map(step_of, edits)):
        yield from (f"“{name}” takes that time now" for name in having.values())


def _stands_alone(tokens: Tokens, at: int) -> bool:
    """Say whether a number counts nothing that is told behind it, and numbers nothing in front of it."""
    behind, numbers = tokens[at + 1 : at + 2], at and tokens[at - 1].is_("step", "number", "version", "no")
    return not numbers and all(token.kind == "punct" or token.has("aux") for token in behind)


def _directions(tokens: Sequence[Token]) -> Iterator[tuple[float, str]]:
    """Yield the amounts in words, each with whether those above or those below it are meant."""
    for at, token in enumerate(tokens):
        if token.kind != "number" or token.value is None:
            continue
        for first in range(max(at - _AS_FAR_AS, 0), at):
            _, kinds = phrase_at(tokens, first, "markers.tsv")
            if tokens[first].is_("up") and any(t.among("doubts.raising") for t in tokens):
                # "Raise it up to 100".
                continue
            if found := [kind for kind in kinds if kind in ("above", "below")]:
                yield token.value, found[0]
                break
