"""Short messages that put right what was just ordered, or go on from it: "no, 3 days", "before that", "the nurse".

They say what is other than before and leave the rest out. So they are read with the edits, or the question, of the
turns before.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, cast

from workflow_agent.assistant.offline.mood import is_question
from workflow_agent.assistant.offline.nlu.fragments import Fragment, Kind, Said, acts, said_in
from workflow_agent.assistant.offline.nlu.slots import length_of, names_doer_alone, step_meant
from workflow_agent.assistant.offline.people import is_somebody, written
from workflow_agent.assistant.offline.plan import NotRead, Plan, step_of, taken_for, titled
from workflow_agent.assistant.offline.references import Steps, StepUnclear
from workflow_agent.assistant.offline.skills.changing import apply_edits, shown_edits, shown_first
from workflow_agent.assistant.offline.skills.targets import read_workflow
from workflow_agent.assistant.offline.skills.versions import read_undo
from workflow_agent.assistant.offline.tokens import Tokens, read_tokens
from workflow_agent.assistant.offline.turn.focus import last_step, last_touched, ref_of
from workflow_agent.assistant.offline.turn.outcome import Candidate, JsonObject, Offer, Proposal, Reply, Skill
from workflow_agent.assistant.offline.turn.reading import PastTurn, Turn
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.assistant.offline.wording import clipped
from workflow_agent.workflows.model.durations import duration_in_words, seconds_of
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

_MOST_TURNS = 4
"""How many turns back a message may put something right, where each of them changed the workflow."""
_LIKELY = 0.75
"""How probable it must be that words which are no name of a step mean it: little else can be meant."""
_SECONDS = 60
"""Seconds below which a time may be said to the assistant, and not of a step."""
_COUNTED = re.compile(r"(PT?)(\d+(?:\.\d+)?)([YMWDHS])")
"""A length of time that is so many of one unit."""
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?!\w)")
_SIDES = ("before", "after", "between", "position")
_FIELDS: Mapping[str, str] = {
    "set_timeout": "timeout",
    "set_assignee": "assignee",
    "set_retry": "retry",
    "set_permission": "permission",
    "rename_step": "name",
}
"""Edits that set one field of a step."""
_NEW = frozenset({"insert_step", "add_step", "replace_step"})
_ONCE = frozenset({"insert_step", "move_step", "rename_step"})
"""Edits that say nothing of a step which another can have too."""
_WAYS = frozenset({"connect", "disconnect", "update_transition", "wrap_in_approval", "parallelize", "add_error_path"})
"""Edits beside which a step that was put in is not moved without them."""
_NO_WORK = frozenset({"end", "fork", "join", "decision", "loop"})

Edits = tuple[JsonObject, ...]


@dataclass(frozen=True, slots=True)
class Before:
    """What a message may go on from: the edits of the turn before, or the step that it asked about."""

    workflow: Candidate
    edits: Edits = ()
    is_made: bool = True
    """Whether the edits were made, and not only shown."""
    version: int = 0
    """The version that they made."""
    earlier: tuple[Edits, ...] = ()
    """What the turns before that made of the same workflow, the last first."""
    words: Tokens = ()
    """The words of the message before."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A value that an edit has set, and where it stands in the edit."""

    edit: JsonObject
    path: tuple[str, ...]
    value: Any


@dataclass(frozen=True, slots=True)
class Change:
    """What a value may be meant for."""

    edits: list[JsonObject]
    """What is to be done where the edits of before are made."""
    was: JsonObject | None = None
    """The one of these edits that it changes; none where it adds to them."""
    shown: JsonObject = field(default_factory=dict[str, Any])
    """That edit with the value in it."""


def put_right(turn: Turn, offer: Offer | None, otherwise: Skill, *, agreed: bool = False) -> Skill:
    """Make the change of a message that puts right, or goes on from, the one before; else do something else.

    What was to be shown first is shown again, unless the message agrees: "yes, but 3 days". What was shown in doubt is
    done with what was wrong put right.
    """
    before = _before(turn, offer)
    said = said_in(turn.text) if before is not None else None
    if said is None or before is None or (said.names_something and read_undo(turn.text) is not None):
        # "Take that back" names no step.
        return (yield from otherwise)
    if not said.fragments:
        remark = clipped(said.reasons[0], 80)
        return Reply(f"I took “{remark}” for a remark; nothing was changed. Say what it should be, and I change it.")
    workflow = yield from read_workflow(turn, before.workflow.id, to_change=True)
    former = workflow
    if said.corrects and before.version > 1 and said.names_something:
        former = yield from read_workflow(turn, workflow.id, before.version - 1)
    correction = _Correction(said, before, workflow, former, last_step(turn))
    if not (edits := correction.edits()):
        if correction.is_several():
            return Reply(
                "What was set before is more than one thing; nothing was changed. Say for which step this is, "
                "for example: “3 days for the review”."
            )
        if (named := correction.named_alone()) is not None:
            return Reply(f"I can't tell what you mean for **{named}** too; nothing was changed. What is to be done?")
        return (yield from otherwise)
    meant = Candidate(workflow.id, workflow.name)
    asked_only = not before.edits and not said.wants
    in_doubt = said.doubtful or asked_only or _is_hasty(edits) or bool(correction.guessed)
    if (not before.is_made and turn.facts.pending is None) or in_doubt:
        return (yield from shown_edits(meant, workflow, edits, correction.told))
    again = not agreed and _was_to_be_shown(turn)
    done = yield from apply_edits(meant, edits, dry_run=again)
    reasons = [f"I took “{clipped(one, 80)}” for the reason, and not for an order." for one in said.reasons]
    return replace(done, text="\n\n".join((done.text, *correction.told, *reasons)))


def _was_to_be_shown(turn: Turn) -> bool:
    """Say whether the change that is shown was to be shown first, with what was put right since."""
    shown = takewhile(lambda past: not has_changed(past), reversed(turn.past[-_MOST_TURNS:]))
    return any(shown_first(past.text) is not None for past in shown)


def has_changed(past: PastTurn) -> bool:
    """Say whether a turn changed a workflow last."""
    return (edited := _edited(past)) is not None and edited.is_made


def _before(turn: Turn, offer: Offer | None) -> Before | None:
    """Return what the turn before did, showed or was asked; None where it did something else."""
    last = turn.past[-1] if turn.past else None
    if last is None or last.others:
        return None
    edited = [one for past in turn.past[: -_MOST_TURNS - 1 : -1] if (one := _edited(past)) is not None]
    if (now := _edited(last)) is not None:
        same = takewhile(lambda one: one.is_made and one.workflow == now.workflow, edited[1:])
        return replace(now, earlier=tuple(one.edits for one in same), words=read_tokens(last.text))
    if isinstance(offer, Proposal) and len(offer.groups) == 1:
        return Before(offer.workflow, offer.groups[0], is_made=False, words=read_tokens(last.text))
    about = last_touched(last) if is_question(last.text) else None
    return Before(Candidate(about.id, about.name), words=read_tokens(last.text)) if about is not None else None


def _edited(past: PastTurn) -> Before | None:
    """Return the edits that a turn made last, or showed."""
    found = [one for one in past.exchanges if one.tool == "edit_workflow" and one.failure is None]
    about = ref_of(found[-1].result) if found else None
    if about is None or past.exchanges[-1].failure is not None:
        return None
    is_made = found[-1].result.get("applied") is not False and not found[-1].args.get("dry_run")
    # Of several changes of one turn all are meant, those of a trial before it are not.
    same = [one for one in found if ref_of(one.result) == about and bool(one.args.get("dry_run")) != is_made]
    edits = tuple(edit for one in same for edit in one.args["edits"])
    version = same[0].result["workflow"]["version"] if is_made and same else 0
    return Before(Candidate(about.id, about.name), edits, is_made, version) if edits else None


Found = Iterator[Change]


@dataclass(frozen=True, slots=True)
class _Correction:
    """A message over what was before it, and the workflow as that left it, and as it was before."""

    said: Said
    before: Before
    workflow: Workflow
    former: Workflow
    spoken: str | None
    told: list[str] = field(default_factory=list[str])
    """Which step words were taken for."""
    guessed: list[str] = field(default_factory=list[str])
    """Fields whose value was set in an earlier turn than the one before: that it is meant is a guess."""

    def edits(self) -> list[JsonObject]:
        """Return the edits to make, or to show in place of those shown; none where several may be meant, or nothing."""
        made: list[JsonObject] = []
        now = self
        fragments = self.said.fragments
        # Of "the thirty days were meant for the review" the thirty days are set already.
        for one in [one for one in fragments if not (len(fragments) > 1 and self._is_set(one))]:
            found = list(_READERS[one.kind](now, one))
            if len(found) != 1:
                return []
            change = found[0]
            if change.was is None or self.before.is_made:
                made += change.edits
            else:
                shown = tuple(change.shown if edit is change.was else edit for edit in now.before.edits)
                now = replace(now, before=replace(now.before, edits=shown))
        return made if self.before.is_made else [*now.before.edits, *made]

    def named_alone(self) -> str | None:
        """Return which step or who is all that a message names with "and" or "too": an order it is not."""
        words = self.said.fragments[0].words
        if not words or len(self.said.fragments) > 1 or not (self.said.repeats or self.said.joins):
            return None
        if is_somebody(self.workflow, words):
            return written(self.workflow, words)
        step = self.named_step(words)
        return step.name if step is not None else None

    def _is_set(self, one: Fragment) -> bool:
        timed = self.settings("timeout", "duration") if one.kind == "length" else ()
        return any(seconds_of(setting.value) == seconds_of(one.value) for setting in timed)

    def is_several(self) -> bool:
        """Say whether a value may be meant for several that were set."""
        return any(len(list(_READERS[one.kind](self, one))) > 1 for one in self.said.fragments)

    def settings(self, *keys: str) -> list[Setting]:
        """Return the values that the last edits with any set in fields of these names."""
        for edits in (self.before.edits, *(self.before.earlier if self.said.corrects else ())):
            found = [
                one for edit in edits for one in _settings(edit, edit, ()) if not {*keys}.isdisjoint(one.path[-2:])
            ]
            if set_ := [one for one in found if one.value is not None and self._stands(one)]:
                return set_
        return []

    def touched(self) -> Step | None:
        """Return the one step that was changed or asked about, where it is work, or a wait."""
        named = {step_of(edit) for edit in self.before.edits} or {self.spoken}
        only = self.workflow.step(next(iter(named)) or "") if len(named) == 1 else None
        return only if only is not None and only.type not in _NO_WORK else None

    def asks(self, name: str) -> bool:
        """Say whether the question of before has a word of a list."""
        return not self.before.edits and any(t.among(name) for t in self.before.words)

    def lengths(self, one: Fragment) -> Found:
        """Yield what another length of time may be meant for."""
        timed = self.settings("timeout", "duration")
        for setting in timed:
            self._doubt_earlier(setting)
            yield self._timed_anew(setting, one.value)
        # Behind a retry it may be the time between two attempts.
        retried = any(edit["op"] == "set_retry" for edit in self.before.edits)
        if not timed and not retried and not self.said.corrects:
            yield from self._added("timeout", one.value)

    def _doubt_earlier(self, setting: Setting) -> None:
        if all(setting.edit is not edit for edit in self.before.edits):
            self.guessed.append(setting.path[-1])

    def _stands(self, setting: Setting) -> bool:
        """Say whether what was set is as it was set: it may have been undone, removed or set anew."""
        step, key = self.workflow.step(step_of(setting.edit) or ""), setting.path[-1]
        if not self.before.is_made or key not in ("timeout", "duration", "assignee", "escalate_to"):
            return True
        return step is not None and getattr(step, key) == setting.value

    def _timed_anew(self, setting: Setting, length: str) -> Change:
        """Return the change of a time, and of a name that tells it: "Wait 2 days"."""
        found, step = _changed(setting, length), self.workflow.step(step_of(setting.edit) or "")
        told, now = duration_in_words(setting.value), duration_in_words(length)
        draft = setting.edit.get(setting.path[0])
        if isinstance(draft, dict) and told in str(name := cast("JsonObject", draft).get("name")):
            found = replace(
                found, shown=_replaced(found.shown, (setting.path[0], "name"), str(name).replace(told, now))
            )
        if step is not None and told in step.name:
            found.edits.append({"op": "rename_step", "step": step.id, "name": step.name.replace(told, now)})
        return found

    def _of_unit(self, length: str, amount: float) -> str | None:
        """Return so many of the unit that a length of time was said in, or is kept in; None where it has several."""
        for _, found in durations_in(self.before.words):
            if length and seconds_of(found.value) == seconds_of(length):
                unit = self.before.words[found.end - 1].text
                return next((one.value for _, one in durations_in(read_tokens(f"{_written(amount)} {unit}"))), None)
        kept = _COUNTED.fullmatch(length)
        return f"{kept[1]}{int(amount)}{kept[3]}" if kept is not None and amount == int(amount) else None

    def _added(self, key: str, value: Any) -> Found:
        """Yield a field more of the step that was changed, shown as new or asked about."""
        new = [edit for edit in self.before.edits if edit["op"] in _NEW]
        if len(new) == 1 and not self.before.is_made:
            draft = "with" if "with" in new[0] else "step"
            yield Change([], new[0], _replaced(new[0], (draft, key), value))
        elif (step := self.touched()) is not None and (key == "timeout" or step.type != "wait"):
            yield Change(
                _timed(step, value) if key == "timeout" else [{"op": "set_assignee", "step": step.id, key: value}]
            )

    def numbers(self, one: Fragment) -> Found:
        """Yield what another number may be meant for."""
        for setting in self.settings("max_attempts") if one.value == int(one.value) and one.kind != "amount" else ():
            self._doubt_earlier(setting)
            yield _changed(setting, int(one.value))
        step = None if self.before.edits else self.touched()
        if step is not None and step.retry is not None and self.asks("correcting.attempts"):
            yield Change(_retried(step, int(one.value)))
        if one.kind == "attempts":
            return
        for setting in self.settings("timeout", "duration") if one.kind == "number" else ():
            if (length := self._of_unit(setting.value, one.value)) is not None:
                self._doubt_earlier(setting)
                yield self._timed_anew(setting, length)
        for setting in self.settings("when"):
            if len(_NUMBER.findall(setting.value)) == 1:
                yield self._on(setting, _NUMBER.sub(_written(one.value), setting.value))
        timed = step is not None and self.asks("correcting.timed")
        if step is not None and timed and (length := self._of_unit(length_of(step) or "", one.value)):
            yield Change(_timed(step, length))

    def _on(self, setting: Setting, text: str) -> Change:
        """Return the change that lets a way be taken, or a step be done, on another condition."""
        edit, when = setting.edit, {"text": text}
        if edit["op"] == "connect":
            ways = [one for one in self.workflow.transitions if (one.from_, one.to) == (edit["from"], edit["to"])]
            edits = [{"op": "update_transition", "transition": one.id, "set": {"when": when}} for one in ways]
        elif edit["op"] == "update_transition":
            edits = [{"op": "update_transition", "transition": edit["transition"], "set": {"when": when}}]
        else:
            edits = [{"op": "update_step", "step": step_of(edit), "set": {"when": when}}]
        return Change(edits, edit, _replaced(edit, setting.path, text))

    def _edits_with(self, ops: Collection[str], *, also_earlier: bool) -> Edits:
        """Return the edits of the last turn that has one of some kind."""
        turns = (self.before.edits, *(self.before.earlier if also_earlier else ()))
        return next((edits for edits in turns if any(edit["op"] in ops for edit in edits)), ())

    def places(self, one: Fragment) -> Found:
        """Yield where else what was put in may be meant to go."""
        if self.said.repeats:
            # "And also after the trial run" is one more.
            return
        edits = self._edits_with(("insert_step", "move_step"), also_earlier=self.said.corrects)
        placed = [edit for edit in edits if edit["op"] in ("insert_step", "move_step")]
        if len(placed) != 1 or any(edit["op"] in _WAYS for edit in edits):
            return
        edit, side, own = placed[0], str(one.value), str(step_of(placed[0]))
        if side == "between":
            yield from self._between(edit, one.words)
            return
        anchor = self.step_in(one.words) if one.words else self.workflow.step(_anchor(edit, side))
        if anchor is not None and anchor.id != own and edit.get(side) != anchor.id:
            yield _moved(edit, side, anchor.id)

    def _between(self, edit: JsonObject, words: Tokens) -> Found:
        """Yield the place between two steps, of words that name both."""
        for at in (at for at, token in enumerate(words) if token.is_("and", "&")):
            first, second = self.step_in(words[:at]), self.step_in(words[at + 1 :])
            if first is None or second is None:
                continue
            ways = {one.to for one in self.workflow.transitions if one.from_ == first.id}
            # "Between X and Y" is right behind X where Y is further on.
            place = ("between", [first.id, second.id]) if second.id in ways else ("after", first.id)
            if second.id in ways or len(ways) == 1:
                yield _moved(edit, *place)
            return

    def names(self, one: Fragment) -> Found:
        """Yield what may get another name."""
        for setting in self.settings("name", "tag", "alias"):
            # "And "X" too" behind a new step is one step more.
            more = self.said.repeats or self.said.joins
            is_meant = (setting.edit["op"] not in _NEW and not more) or self.said.corrects or self.said.names
            if is_meant and (edits := _named(setting, one.value)):
                yield Change(edits, setting.edit, _replaced(setting.edit, setting.path, one.value))

    def words(self, one: Fragment) -> Found:
        """Yield for whom, or for which other step, words may be meant."""
        if self.said.names:
            yield from self.names(replace(one, value=titled(" ".join(t.text for t in one.words))))
        elif self._names_somebody(one.words):
            who = written(self.workflow, one.words)
            done_by = self.settings("assignee") or ([] if self.said.does else self.settings("escalate_to"))
            # "And the clerk too" is no other one.
            for setting in () if self.said.repeats or self.said.joins else done_by:
                yield _changed(setting, who)
            is_new = any(edit["op"] in _NEW for edit in self.before.edits)
            escalated = bool(self.settings("escalate_to"))
            if not done_by and (is_new or escalated or self.asks("correcting.who")):
                yield from self._added("assignee", who)
        elif (step := self.named_step(one.words)) is not None:
            yield from self._repeated(step) if self.said.repeats or self.said.joins else self._elsewhere(step)

    def following(self, one: Fragment) -> Found:
        """Yield a step behind the one that was put in."""
        new = [edit for edit in self._edits_with(_NEW, also_earlier=True) if edit["op"] in _NEW]
        last = self.workflow.step(step_of(new[0]) or "") if len(new) == 1 and self.before.is_made else None
        work = read_tokens(one.value)
        is_work = not is_somebody(self.workflow, work) and not Steps(self.workflow).fits(work)
        if last is not None and is_work and (not one.words or self._names_somebody(one.words)):
            plan = Plan("", self.workflow, Steps(self.workflow))
            draft = plan.draft_named(titled(one.value), written(self.workflow, one.words) if one.words else None)
            yield Change([{"op": "insert_step", "step": draft, "after": last.id}])

    def _names_somebody(self, words: Tokens) -> bool:
        """Say whether words name somebody; where it is asked who, or put right, by a name that is new here."""
        if acts(words) or any(t.is_("to") for t in words) or Steps(self.workflow).is_named(words):
            return False
        named = all(t.text[:1].isupper() and not t.entry.known for t in words)
        expected = (self.said.wants and bool(self.settings("assignee", "escalate_to"))) or self.asks("correcting.who")
        return is_somebody(self.workflow, words) or (named and expected)

    def named_step(self, words: Tokens) -> Step | None:
        """Return the step of a message that names one and says nothing of it; "and X" names it as it is called."""
        if self.said.corrects or self.said.repeats or (self.said.joins and Steps(self.workflow).is_named(words)):
            return self.step_in(words)
        return None

    def step_in(self, words: Tokens) -> Step | None:
        """Return the one step that words surely mean; "the second one" is one of those called like the last one."""
        own = self.workflow.step(step_of(self.before.edits[0]) or "") if self.before.edits else None
        if own is not None and all(t.value is not None for t in words):
            words = (*words, *read_tokens(own.name)[-1:])
        plan = Plan("", self.workflow, Steps(self.workflow))
        try:
            step = step_meant(plan, words, "step")
        except (StepUnclear, NotRead):
            return None
        if (
            names_doer_alone(step, words)
            or plan.unread
            or plan.notes
            or any(likely < _LIKELY for _, likely in plan.likened.values())
        ):
            return None
        self.told.extend(f"{taken_for(' '.join(t.text for t in words), name)}." for name, _ in plan.likened.values())
        return step

    @property
    def _said(self) -> list[tuple[JsonObject, tuple[str, ...]]]:
        """What was said of steps, and where it stands; what was put back as it was is not said of another step."""
        return [(edit, path) for edit in self.before.edits if (path := _path(edit)) is not None]

    def _repeated(self, step: Step) -> Found:
        """Yield all that was said of one step, said of another."""
        edits = [edit for edit, _ in self._said]
        steps = {step_of(edit) for edit in edits}
        fits = all(_may_have(step, path) for _, path in self._said)
        if fits and len(steps) == 1 and step.id not in steps and not any(edit["op"] in _ONCE for edit in edits):
            yield Change([edit | {"step": step.id} for edit in edits])

    def _elsewhere(self, step: Step) -> Found:
        """Yield the field that was set, set of another step, and where that one was meant put back as it was."""
        # After one correction the field is set of two steps: of the one meant, and of the other as it was.
        paths = {path for _, path in self._said}
        is_one = len(self._said) == 1 or (len(self._said) == 2 and len(paths) == 1 and bool(self.before.earlier))
        only, path = self._said[-1] if is_one else ({}, ())
        own = step_of(only)
        if not only or own == step.id or not _may_have(step, path):
            return
        if only["op"] in ("insert_step", "move_step"):
            side = next(one for one in _SIDES if only.get(one) is not None)
            if side in ("before", "after") and only[side] != step.id:
                yield _moved(only, side, step.id)
        elif not self.before.is_made:
            yield Change([], only, only | {"step": step.id})
        elif path and (was := self.former.step(own or "")) is not None:
            back = was.model_dump(mode="json", exclude_defaults=True).get(path[-1])
            yield Change([_replaced(only, path, back), only | {"step": step.id}])


_READERS: Mapping[Kind, Callable[[_Correction, Fragment], Found]] = {
    "length": _Correction.lengths,
    "number": _Correction.numbers,
    "attempts": _Correction.numbers,
    "amount": _Correction.numbers,
    "place": _Correction.places,
    "name": _Correction.names,
    "words": _Correction.words,
    "next": _Correction.following,
}


def _may_have(step: Step, path: tuple[str, ...]) -> bool:
    """Say whether a step can have a field: what waits takes its time, and nobody does it."""
    if step.type == "wait":
        return path[-1:] not in (("timeout",), ("assignee",), ("retry",))
    return path[-1:] != ("duration",)


def _path(edit: JsonObject) -> tuple[str, ...] | None:
    """Return where an edit says what becomes of a step; nothing where it says so by itself, None where it is no such.

    What takes a field off is none: it puts right what was set before.
    """
    match edit["op"]:
        case "insert_step" | "move_step" | "remove_step":
            return ()
        case "update_step" if len(edit["set"]) == 1:
            return ("set", *edit["set"]) if None not in edit["set"].values() else None
        case op:
            key = _FIELDS.get(op, "")
            return (key,) if edit.get(key) is not None else None


def _settings(edit: JsonObject, part: JsonObject, path: tuple[str, ...]) -> Iterator[Setting]:
    for key, value in part.items():
        if isinstance(value, dict):
            yield from _settings(edit, cast("JsonObject", value), (*path, key))
        else:
            yield Setting(edit, (*path, key), value)


def _replaced(part: JsonObject, path: tuple[str, ...], value: Any) -> JsonObject:
    """Return an edit with another value in one place."""
    key, *rest = path
    return part | {key: _replaced(part[key], tuple(rest), value) if rest else value}


def _changed(setting: Setting, value: Any) -> Change:
    """Return the change that sets a field of a step, which an edit has set, to another value."""
    step, key = step_of(setting.edit), setting.path[-1]
    shown = _replaced(setting.edit, setting.path, value)
    if key in ("timeout", "assignee"):
        edit: JsonObject = {"op": f"set_{key}", "step": step, key: value}
    elif key == "max_attempts":
        retry: Any = shown
        for one in setting.path[:-1]:
            retry = retry[one]
        edit = {"op": "set_retry", "step": step, "retry": retry}
    else:
        edit = {"op": "update_step", "step": step, "set": {key: value}}
    return Change([edit], setting.edit, shown)


def _is_hasty(edits: list[JsonObject]) -> bool:
    """Say whether an edit gives less than a minute: "one second please" may be said to the assistant."""
    given = [edit.get("timeout") or edit.get("set", {}).get("duration") for edit in edits]
    return any(length and seconds_of(length) < _SECONDS for length in given)


def _timed(step: Step, length: str) -> list[JsonObject]:
    """Return the edits that let a step take so long."""
    if step.type == "wait":
        return [{"op": "update_step", "step": step.id, "set": {"duration": length}}]
    return [{"op": "set_timeout", "step": step.id, "timeout": length}]


def _retried(step: Step, attempts: int) -> list[JsonObject]:
    """Return the edits that let a step be tried so often."""
    own = step.retry.model_dump(mode="json", exclude_defaults=True) if step.retry is not None else {}
    return [{"op": "set_retry", "step": step.id, "retry": own | {"max_attempts": attempts}}]


def _written(amount: float) -> str:
    return str(int(amount)) if amount == int(amount) else str(amount)


def _anchor(edit: JsonObject, side: str) -> str:
    """Return the step beside which an edit put one, and of two the one on a side."""
    if (between := edit.get("between")) is not None:
        return between[0 if side == "before" else 1]
    return str(edit.get("before") or edit.get("after"))


def _moved(edit: JsonObject, side: str, place: str | list[str]) -> Change:
    """Return the change that puts a step, which an edit put somewhere, elsewhere."""
    shown = {key: value for key, value in edit.items() if key not in _SIDES} | {side: place}
    return Change([{"op": "move_step", "step": step_of(edit), side: place}], edit, shown)


def _named(setting: Setting, name: str) -> list[JsonObject]:
    """Return the edits that give what got a name another one."""
    match setting.edit["op"]:
        case "rename_workflow":
            return [{"op": "rename_workflow", "name": name}]
        case "tag":
            return [{"op": "untag", "tag": setting.value}, {"op": "tag", "tag": name}]
        case "add_alias":
            return [{"op": "remove_alias", "alias": setting.value}, {"op": "add_alias", "alias": name}]
        case "rename_step" | "insert_step" | "add_step" | "replace_step":
            return [{"op": "rename_step", "step": step_of(setting.edit), "name": name}]
        case _:
            return []
