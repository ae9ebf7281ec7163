"""Which workflow a conversation is about, which others it met, and which step was spoken of last."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.turn.outcome import Candidate, JsonObject
from workflow_agent.assistant.offline.turn.reading import Exchange, PastTurn, Turn, WorkflowRef

_ABOUT_ONE = word_set("focus.about_one")
_CHANGES = word_set("focus.changes")
_LISTED = re.compile(r"^\s*(\d{1,3})\. (?:\*\*)?(.{1,200}?)(?:\*\*)? \(`([a-z0-9_-]{1,64})`", re.MULTILINE)
_NAMED = re.compile(r"(\*\*)([^*\n]{1,200})\*\* \(`(wf_[a-z0-9_-]{1,61})`")
_TOLD_STEP = re.compile(r"\(`([a-z0-9][a-z0-9_-]{0,63})`\)")


@dataclass(frozen=True)
class Spoken:
    """What was spoken of last."""

    refs: tuple[WorkflowRef, ...] = ()
    is_offered: bool = False
    """Whether it was found or named, and nobody opened it."""


def focus(turn: Turn) -> WorkflowRef | None:
    """Return the workflow that "it" means, or None when nothing says.

    The one spoken of last comes before the open workflow; what was opened is open until another one is.
    """
    spoken = _spoken_of(turn, several_too=False)
    return spoken.refs[0] if spoken.refs else turn.facts.open


def meant_to_change(turn: Turn) -> Spoken:
    """Return the workflow that a change means which names none, or those to ask about.

    One that was only found is meant where it is all there was: beside another one that is open, or after one
    was deleted, all are offered.
    """
    spoken = _spoken_of(turn, several_too=True)
    both = {ref.id: ref for ref in (*_opened(turn), *spoken.refs)}
    is_settled = len(both) == 1 and not (spoken.is_offered and _deleted(turn))
    return Spoken(tuple(both.values()), is_offered=not is_settled)


def _opened(turn: Turn) -> list[WorkflowRef]:
    return [turn.facts.open] if turn.facts.open else []


def _spoken_of(turn: Turn, *, several_too: bool) -> Spoken:
    """Return what the newest turn dealt with that dealt with any."""
    gone, opened = _deleted(turn), turn.facts.open
    for past in reversed(turn.past):
        if told := _told_by_others(turn, past):
            spoken = Spoken(tuple(told), is_offered=True)
        elif touched := last_touched(past):
            # Whatever is dealt with is opened: another one that is open was opened since.
            spoken = Spoken((opened or touched,))
        else:
            spoken = _found(past)
        refs = tuple(ref for ref in spoken.refs if ref.id not in gone)
        if len(refs) == 1 or (refs and several_too):
            return Spoken(refs, spoken.is_offered)
    if turn.past and surveyed(turn.past[-1]):
        return Spoken()
    if opened is not None:
        return Spoken((opened,))
    dated = sorted(turn.facts.known, key=lambda ref: ref.turn or 0)
    return Spoken(tuple(dated[-1:]), is_offered=True)


def _told_by_others(turn: Turn, past: PastTurn) -> list[WorkflowRef]:
    """Return the workflows that another agent's last reply names; the open one alone where it told of it."""
    if not past.others:
        return []
    text = past.others[-1]
    by_id = {m[3]: WorkflowRef(m[3], m[2]) for m in _NAMED.finditer(text)}
    opened = turn.facts.open
    known = [*_opened(turn), *turn.facts.known, *_from_turns(turn)]
    named = {ref.id: ref for ref in known if f"**{ref.name}**" in text} | by_id
    if opened is not None and opened.id in named and not text.rstrip().endswith("?"):
        return [opened]
    return list(named.values())


def _found(past: PastTurn) -> Spoken:
    """Return what a turn's last call found; a list of several is no offer of any."""
    shown = _workflows_in(past)
    if len(shown) == 1:
        return Spoken(tuple(shown), is_offered=True)
    last = past.exchanges[-1] if past.exchanges else None
    hits = _hits(last) if last else []
    if last is None or (last.tool != "search_workflows" and len(hits) > 1):
        return Spoken()
    return Spoken(tuple(hits), is_offered=last.tool == "search_workflows")


def _deleted(turn: Turn) -> set[str]:
    """Return the ids of the workflows that were deleted in the turns before."""
    results = (_fields(exchange.result) for past in turn.past for exchange in past.exchanges)
    return {ref.id for one in results if (ref := _ref(one.get("deleted")))}


def deleted_here(turn: Turn) -> list[WorkflowRef]:
    """Return what was deleted in the conversation, the last first, where it was not dealt with since."""
    gone: dict[str, WorkflowRef] = {}
    for past in turn.past:
        for exchange in past.exchanges:
            if (ref := _ref(_fields(exchange.result).get("deleted"))) is not None:
                gone[ref.id] = ref
            elif ref_of(exchange.result) is not None and exchange.failure is None:
                gone.clear()
    return list(gone.values())[::-1]


def deleted_last(turn: Turn) -> WorkflowRef | None:
    """Return the workflow that was deleted last, where nothing was changed since."""
    for past in reversed(turn.past):
        for exchange in reversed(past.exchanges):
            told = _fields(exchange.result)
            if exchange.failure is not None or not told:
                continue
            if (gone := _ref(told.get("deleted"))) is not None:
                return gone
            if exchange.tool in _CHANGES and told.get("applied") is not False and not told.get("dry_run"):
                return None
    return None


def last_touched(past: PastTurn) -> WorkflowRef | None:
    """Return the workflow that the tools of a turn dealt with last; none where they only looked through many."""
    if surveyed(past):
        return None
    dealt_with = (ref_of(one.result) for one in reversed(past.exchanges) if one.tool in _ABOUT_ONE)
    return next(filter(None, dealt_with), None)


def surveyed(past: PastTurn) -> bool:
    """Say whether a turn read several workflows to answer about all, and opened none of them after."""
    read = [one.args.get("workflow") for one in past.exchanges if one.tool == "get_workflow"]
    listed = any(one.tool == "list_workflows" for one in past.exchanges)
    return listed and len(set(read)) > 2 and read[-1] not in read[:-1]


def ref_of(result: Any) -> WorkflowRef | None:
    """Return the workflow that a tool's result is about."""
    return _ref(_fields(result).get("workflow"))


def _ref(described: Any) -> WorkflowRef | None:
    plain = _fields(described)
    is_ref = isinstance(plain.get("id"), str) and isinstance(plain.get("name"), str)
    return WorkflowRef(plain["id"], plain["name"]) if is_ref else None


def _fields(value: Any) -> JsonObject:
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def _hits(exchange: Exchange) -> list[WorkflowRef]:
    result = _fields(exchange.result)
    listed: Any = result.get("hits") or result.get("workflows") or []
    return [ref for item in cast("list[Any]", listed) if (ref := _ref(item))] if isinstance(listed, list) else []


def last_changed(turn: Turn) -> WorkflowRef | None:
    """Return the workflow that this conversation changed last, whoever did; None where it changed none."""
    changed = [ref for ref in turn.facts.known if ref.change in ("created", "modified")]
    return max(changed, key=lambda ref: ref.turn or 0, default=None)


def known_workflows(turn: Turn) -> list[WorkflowRef]:
    """Return every workflow the conversation met, newest first, each once."""
    refs = [*_from_turns(turn), *_opened(turn), *turn.facts.known]
    gone = _deleted(turn)
    return list({ref.id: ref for ref in reversed(refs) if ref.id not in gone}.values())[::-1]


def two_spoken_of(turn: Turn) -> list[WorkflowRef]:
    """Return what "the two" means: all that the last reply listed, or the two met last."""
    shown = workflows_in_reply(turn)
    return shown if len(shown) > 1 else known_workflows(turn)[:2][::-1]


def _from_turns(turn: Turn) -> Iterator[WorkflowRef]:
    for past in reversed(turn.past):
        for exchange in reversed(past.exchanges):
            if ref := ref_of(exchange.result):
                yield ref
            yield from _hits(exchange)


def listed_in_reply(turn: Turn) -> list[Candidate]:
    """Return what the last reply numbered, so that "the second one" means what the person saw."""
    if not turn.past:
        return []
    return [Candidate(m[3], m[2]) for m in _LISTED.finditer(turn.past[-1].said_last)]


def workflows_in_reply(turn: Turn) -> list[WorkflowRef]:
    """Return the workflows that the last reply numbered."""
    return _workflows_in(turn.past[-1]) if turn.past else []


def _workflows_in(past: PastTurn) -> list[WorkflowRef]:
    return [WorkflowRef(m[3], m[2]) for m in _LISTED.finditer(past.said_last) if m[3].startswith("wf_")]


def last_step(turn: Turn) -> str | None:
    """Return the id of the step that the turn before edited or asked about, or None."""
    if not turn.past:
        return None
    edited = [one for one in turn.past[-1].exchanges if one.tool == "edit_workflow" and one.failure is None]
    if edited and (edits := list(edited[-1].args.get("edits") or [])):
        return _step_of(edits[-1])
    told = turn.past[-1].said_last
    steps = _steps_told(told)
    # "After **Legal review**:" and a list is about that step, whatever the list names.
    first, _, rest = told.partition("\n")
    if len(steps) > 1 and rest and first.endswith(":"):
        steps = _steps_told(first)
    return steps[0] if len(steps) == 1 else None


def last_told(turn: Turn) -> str | None:
    """Return the id of the step that a question like "and after that?" goes on from, or None.

    Of a reply in one line that is the step it ends with; one with branches leaves it open.
    """
    reply = turn.past[-1].said_last if turn.past else ""
    steps = [] if "\n" in reply else _steps_told(reply)
    return last_step(turn) or (steps[-1] if steps else None)


def _steps_told(reply: str) -> list[str]:
    return [step for step in dict.fromkeys(_TOLD_STEP.findall(reply)) if not step.startswith("wf_")]


def _step_of(edit: Any) -> str | None:
    named = (_fields(edit).get(key) for key in ("step", "from", "before", "after"))
    ids = (_fields(one).get("id") if isinstance(one, dict) else one for one in named)
    return next((one for one in ids if isinstance(one, str)), None)
