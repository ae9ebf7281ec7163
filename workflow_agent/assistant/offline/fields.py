"""The frame of fields: how long a step may take, how often it is tried, who does it, who hears of it when late.

A clause is read as a bag: its values, its cues, and its runs of plain words, each of which is a step or somebody.
Of all ways to take the runs, the one counts that leaves the fewest words over.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from workflow_agent.assistant.offline.clauses import counts, tells_place
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.people import may_be_somebody, written
from workflow_agent.assistant.offline.plan import Asked, Clause, NotRead, Plan
from workflow_agent.assistant.offline.references import Candidate, StepUnclear, akin, content_of
from workflow_agent.assistant.offline.spans import Run, Span, runs_of, spans_of
from workflow_agent.assistant.offline.tokens import Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import duration_at, durations_in
from workflow_agent.workflows.model.durations import duration_of, seconds_of
from workflow_agent.workflows.model.steps import Step

_KINDS = word_set("frame.fields")
_NAMED = ("timeout", "retry", "owner", "escalate", "permission", "form")
_SAID_BY = {
    "timeout": {"timeout", "escalate", "number", "optional"},
    "retry": {"retry", "interval", "backoff"},
    "owner": {"owner", "escalate", "permission", "optional"},
}
"""What else is set where a field is named: the "interval" of its retries."""
_VALUES = ("length", "times", "number", "factor")
_FACTORS = {"double": 2.0, "triple": 3.0, "quadruple": 4.0, "halve": 0.5, "half": 0.5}
_NEW_OWNER = frozenset({"by", "owner", "arrow", "charge", "let", "give"})
_MOST_RUNS = 6
_FIRST = ("owner", "timeout")
_STRUCTURE = frozenset(
    {"add", "rename", "swap", "merge", "split", "connect", "disconnect", "move", "replace", "tag", "untag"}
)
_IMPOSSIBLE = 1_000
_SERVICE = re.compile(r"[a-z]\w*\.(?!(?:com|org|net|eu|de|io|pdf|docx?|xlsx?|csv|txt|json|xml|html)$)[a-z]\w*")
_UNREAD = 10
"""What a word left over costs, beside assumptions that cost less."""
_MORE = ("more", "another", "additional", "extra", "further", "longer")


@dataclass(slots=True)
class _Way:
    """One way to take the runs of a clause."""

    cost: float = 0
    groups: list[list[Step]] = field(default_factory=list[list[Step]])
    """For each step that is spoken of, those that may be meant."""
    people: list[tuple[Tokens, Run]] = field(default_factory=list[tuple[Tokens, Run]])
    unread: list[Any] = field(default_factory=list[Any])


def read_fields(plan: Plan, clause: Clause) -> Tokens:
    """Set the fields that a clause tells; return its words that say nothing of that.

    Raises:
        NotRead: It is about no field.
        StepUnclear: The step it is about may be several.
        Asked: It lacks the value.
    """
    if (told := _waiting(plan, clause.tokens) or _service(plan, clause.tokens)) is not None:
        plan.do(told)
        return ()
    best: tuple[_Told, _Way] | None = None
    for kinds in (_KINDS, _KINDS - {"give", "let", "tell", "manually"}, _KINDS - {"owner"}, _KINDS - {"remove"}):
        spans = spans_of(clause.tokens, kinds, plan.steps)
        told = _Told(plan, clause, spans, {span.kind for span in spans}, _joined(plan, runs_of(spans)))
        way = _best_way(told)
        if way is not None and (best is None or way.cost < best[1].cost):
            best = told, way
        if best is not None and not best[1].cost:
            break
    if best is None:
        raise NotRead
    told, way = best
    edits, left = told.edits(way)
    plan.do(*edits)
    return (*way.unread, *left)


def _waiting(plan: Plan, tokens: Tokens) -> JsonObject | None:
    """Return how long "wait 21 days for the signature" lets a step of that name wait; None for anything else."""
    spans = durations_in(tokens) if tokens and tokens[0].is_("wait") else []
    if len(spans) != 1:
        return None
    first, length = spans[0]
    rest = (*tokens[:first], *tokens[length.end :])
    step = plan.maybe([t for t in rest if not t.is_("only", "now")])
    if step is None or step.type not in ("wait", "event") or len([t for t in rest if counts(t)]) < 2:
        return None
    return _timed(step, length.value)


def _service(plan: Plan, tokens: Tokens) -> JsonObject | None:
    """Return the service that "the alarm should use sms.send rather than mail.send" lets a step call."""
    named = [t for t in tokens if t.kind == "word" and t.has("name") and _SERVICE.fullmatch(t.text)]
    denied = any(t.has("neg") and not t.is_("not") for t in tokens) or any(
        t.is_("not") and following not in named for t, following in itertools.pairwise(tokens)
    )
    if not named or denied or not any(t.among("fields.calls") for t in tokens) or any(t.is_("and") for t in tokens):
        return None
    old = next((at for at, t in enumerate(tokens) if t.is_("rather", "instead", "not")), len(tokens))
    new = [t for t in named if tokens.index(t) < old]
    about = [t for t in tokens if t not in named and counts(t) and not t.among("fields.calls")]
    about = [t for t in about if not t.is_("rather", "instead", "not", "service", "now", "future", "should", "shall")]
    step = plan.maybe(about) if about else None
    if len(new) != 1 or step is None or step.type != "action":
        return None
    if any(t.text != step.uses for t in named if t is not new[0]):
        return None
    return {"op": "update_step", "step": step.id, "set": {"uses": new[0].text}}


def _timed(step: Step, length: str | None) -> JsonObject:
    """Return the edit that gives a step its time: how long a wait lasts, how long any other may take."""
    if step.type == "wait":
        return {"op": "update_step", "step": step.id, "set": {"duration": length}}
    return {"op": "set_timeout", "step": step.id, "timeout": length}


def _joined(plan: Plan, runs: Sequence[Run]) -> list[Run]:
    """Return runs, those that stand together and name a step as one: "brief | the parents"."""
    found: list[Run] = []
    for run in runs:
        last = found[-1] if found else None
        if last is not None and run.before[:1] in (("word",), ("who",)) and last.step is None and run.step is None:
            both = (*last.tokens, *run.tokens)
            if plan.fits(both):
                found[-1] = Run(both, last.before, run.after)
                continue
        found.append(run)
    return found


def _best_way(told: "_Told") -> "_Way | None":
    """Return the way to take the runs of a clause that leaves the fewest words over; None where none is possible."""
    kinds = told.kinds
    named = kinds & set(_NAMED)
    fails = "fail" in kinds and bool(kinds & {"times", "retry"})
    raised = "escalate" in kinds and "length" in kinds
    blocked = bool(kinds & {"hard", "parallel"}) and not (told.is_late or fails or raised)
    idle = "then_late" in kinds and not told.is_late
    tells = "tell" in kinds and not (told.wants_somebody or "old" in kinds)
    removes = kinds & {"remove", "clear", "takeoff"} and (not named or told.has_value)
    # "Move the settling to finance" puts it nowhere.
    hands = "give" in kinds and told.runs[1:] and told.runs[-1].is_who and told.runs[-1].before[:1] == ("to",)
    places = told.clause.verbs & _STRUCTURE and not (named or told.has_value or hands)
    places = places or (told.is_placed and not raised)
    end = told.spans[-1]
    dangling = end.kind in ("give", "let", "old") or (
        end.kind in ("by", "to", "for", "from") and end.tokens[-1].has("prep")
    )
    adds = "add" in told.clause.verbs and next((s.kind for s in told.spans[1:] if s.kind not in ("det", "glue")), "")
    places = places or (adds and adds not in (*_NAMED, "length", "times"))
    delays = any(t.is_("later") for t in told.clause.tokens) and "length" in kinds
    blocked = blocked or bool(places) or dangling or delays or ("fail" in kinds and not fails)
    runs = told.runs
    if blocked or idle or tells or removes or len(runs) > _MOST_RUNS:
        return None
    ways = [_way(told, runs, taken) for taken in itertools.product(*(list(_options(told, run)) for run in runs))]
    best = min(ways, key=lambda way: way.cost)
    return best if best.cost < _IMPOSSIBLE else None


Taken = tuple[str, Any]


def _options(told: "_Told", run: Run) -> Iterator[Taken]:
    """Yield the ways to take a run: as a step, as somebody, as nothing."""
    plan = told.plan
    if run.step is not None:
        yield "step", [run.step]
        return
    steps = told.theirs(run) or plan.fits(run.tokens)
    if steps:
        yield "step", steps
    elif (told.has_value or told.kinds & {*_NAMED}) and (loose := plan.fits(run.tokens, loose=True)):
        yield "loose", loose
    first, *rest = run.tokens
    acts = bool(rest) and first.entry.form == "base" and first.entry.verb is not None and not run.is_who
    if "arrow" in run.before[:1] and acts:
        # "Take enquiry -> Log lead" gives it a name.
        yield "unread", run.tokens
        return
    marks = {"by", "owner", "arrow"} if told.has_value else {"by", "owner", "arrow", "to", "old", "neg"}
    marked = bool(marks & {*run.before}) and ("to" not in run.before or told.kinds & {"give", "escalate", "late"})
    if ("permission" in run.before[:3] and not run.is_who) or run.is_who:
        yield "who", run.tokens
    elif (marked or _is_made_owner(run)) and may_be_somebody(run.tokens):
        yield "maybe", run.tokens
    yield "unread", run.tokens


def _is_made_owner(run: Run) -> bool:
    """Say whether words stand between the two of "make Anna the owner of the review"."""
    return "let" in run.before and "owner" in run.after[:2]


def _way(told: "_Told", runs: Sequence[Run], taken: Sequence[Taken]) -> _Way:
    way = _Way()
    for run, (kind, said) in zip(runs, taken, strict=True):
        if kind in ("step", "loose"):
            _add_steps(way, run, said)
            way.cost += 0 if kind == "step" else 2
        elif kind == "unread":
            way.unread += [t for t in said if counts(t)]
        else:
            way.people.append((said, run))
            way.cost += 0 if kind == "who" else 1
    way.cost += sum(1 for group in way.groups if len(group) > 1) + _UNREAD * len(way.unread)
    if not way.groups and not any(span.kind == "pron" for span in told.spans):
        way.cost += 1
    return way if _is_possible(told, way) else _Way(cost=_IMPOSSIBLE)


def _add_steps(way: _Way, run: Run, steps: Sequence[Step]) -> None:
    """Add what a run may mean: another step where it is listed, else it says more of the one before."""
    ids = {step.id for step in steps}
    both = [step for step in (way.groups[-1] if way.groups else ()) if step.id in ids]
    if both:
        way.groups[-1] = both
    elif not way.groups or ("joint" in run.before and run.before[-1] in ("step", "word", "who") and not way.people):
        way.groups.append(list(steps))
    else:
        way.cost += _IMPOSSIBLE


def _is_possible(told: "_Told", way: _Way) -> bool:
    """Say whether somebody is named where somebody is wanted, and nobody too many."""
    new, old, _ = told.people(way)
    wants = told.wants_somebody
    if len(new) > 1 or (old and not new) or (wants and not new and not told.takes):
        return False
    if not (new or told.has_value or told.kinds & {*_NAMED, "optional", "mandatory", "backoff"}):
        return False
    points = way.groups or any(span.kind == "pron" for span in told.spans)
    owned = told.kinds & {"by", "owner", "escalate", "charge", "give"}
    spoken = bool(told.plan.edits or told.plan.topic) and (bool(owned) or not new)
    return bool(points or spoken) or told.has_value or told.is_late or ("owner" in told.kinds and bool(new))


@dataclass(slots=True)
class _Told:
    """What a clause says beside its runs."""

    plan: Plan
    clause: Clause
    spans: list[Span]
    kinds: set[str]
    runs: list[Run]

    @property
    def is_placed(self) -> bool:
        """Whether it says where in the flow something goes."""
        named = {t.start for span in self.spans if span.kind in ("step", "interval", "bound") for t in span.tokens}
        return not self.is_late and tells_place(self.clause.tokens, named)

    @property
    def is_late(self) -> bool:
        """Whether it tells what happens when a step takes too long."""
        tokens = self.clause.tokens
        above = any(t.text == ">" and duration_at(tokens, at + 1) for at, t in enumerate(tokens[:-1]))
        return "late" in self.kinds or self.clause.is_after or above

    @property
    def has_value(self) -> bool:
        """Whether it has a length of time, a number of times or a number."""
        return bool(self.kinds & set(_VALUES))

    @property
    def takes(self) -> bool:
        """Whether it takes something away."""
        negated = self.clause.negated or (
            not self.is_late and "neg" in self.kinds and not any(r.before[:1] == ("neg",) for r in self.runs)
        )
        return negated or self.clause.unneeded or bool(self.kinds & {"clear", "remove", "gone", "takeoff"})

    @property
    def wants_somebody(self) -> bool:
        """Whether it says of somebody that they hear of a late step."""
        return self.is_late or "escalate" in self.kinds

    def theirs(self, run: Run) -> list[Step]:
        """Return the steps that somebody does, where a value is said of what they do."""
        if not run.is_who or not self.has_value:
            return []
        said = {t.lemma for t in run.tokens if t.is_content}
        theirs = [(set(content_of(s.assignee.replace("_", " "))), s) for s in self.plan.workflow.steps if s.assignee]
        # "Sales" of the one whom all call sales representative.
        mine = [s for who, s in theirs if who == said] or [s for who, s in theirs if said <= who]
        return mine if len(mine) == 1 else []

    def people(self, way: _Way) -> tuple[list[Tokens], list[Tokens], list[Tokens]]:
        """Return who is newly named, who no longer, and who is only told as the one who does the step."""
        new: list[Tokens] = []
        old: list[Tokens] = []
        about: list[Tokens] = []
        names = [(s.assignee or "").replace("_", " ") for group in way.groups for s in group[:1]]
        does = [word for name in names for word in content_of(name)]
        for said, run in way.people:
            mine = all(any(akin(t.lower, one) for one in does) for t in said if t.is_content)
            marked = _NEW_OWNER & {*run.before} or {"charge"} & {*run.after[:2]} or "to" in run.before
            # Of "the manager, not the lead" the denied one is the other.
            behind = len(way.people) > 1 and not any("neg" in one.before for _, one in way.people)
            # "Legal no longer needs to approve" names who does it now.
            leaves = "gone" in self.kinds and len(way.people) == 1 and not (marked or self.has_value)
            if leaves or "old" in run.before or "neg" in run.before or ("neg" in run.after and behind):
                old.append(said)
            elif mine and (self.has_value or self.wants_somebody) and not ("to" in run.before and self.wants_somebody):
                about.append(said)
            elif (
                self.wants_somebody
                and "arrow" in run.after
                and any("to" in o.before for _, o in way.people if o is not run)
            ):
                # "The dentist does not react -> escalate to the manager."
                about.append(said)
            elif self.has_value and not marked and not self.wants_somebody:
                way.cost += _UNREAD
                about.append(said)
            else:
                new.append(said)
        return new, old, about

    def edits(self, way: _Way) -> tuple[list[JsonObject], Tokens]:
        """Return the edits that set what is told, and the fields that are named and get nothing.

        Raises:
            NotRead: It sets nothing.
            StepUnclear: Which step is meant is not clear.
            Asked: A value is missing.
        """
        new, old, _ = self.people(way)
        told = dict(self._fields(new))
        sets = {name: told[name] for name in (*_FIRST, *told) if name in told}
        # "No need for a legal check anymore" gives nobody anything to do; "3 days and no deadline" is both.
        both = self.has_value and "timeout" in sets and sets["timeout"] is None and self._values("length")
        if not sets or (self.clause.unneeded and new) or both:
            raise NotRead
        left = [
            span
            for span in self.spans
            if span.kind in _NAMED and not _SAID_BY.get(span.kind, {span.kind}) & sets.keys()
        ]
        steps = self._escalated(old) if "escalate" in sets and old and not way.groups else self._steps(way, sets)
        edits = [edit for step in steps for edit in self._set(step, sets)]
        return edits, tuple(token for span in left for token in span.tokens)

    def _escalated(self, old: Sequence[Tokens]) -> list[Step]:
        """Return the step that is escalated to somebody: "the vice dean replaces the dean for escalations"."""
        before = {self._who(who) for who in old}
        found = [step for step in self.plan.workflow.steps if step.escalate_to in before]
        if len(found) != 1:
            raise NotRead
        return found

    def _fields(self, new: Sequence[Tokens]) -> Iterator[tuple[str, Any]]:
        """Yield each field that gets a value, or None where it is taken away; values are spans."""
        said = {name for name in _NAMED if name in self.kinds}
        if self.kinds & {"optional", "mandatory"} and not self.has_value and not new:
            yield "optional", "optional" in self.kinds
            return
        lengths = self._values("length")
        times = self._values("times")
        numbers = self._values("number")
        if "retry" in said and len(times) + len(numbers) == 1:
            yield "retry", (times or numbers)[0]
        elif len(times) == 1 and not numbers:
            yield "retry", times[0]
        elif numbers and not lengths:
            yield "number", numbers[0]
        if len(lengths) == 1:
            between = "interval" in self.kinds and (times or "retry" in said)
            yield "interval" if between else "timeout", lengths[0]
        if "factor" in self.kinds:
            factor = next(span for span in self.spans if span.kind == "factor")
            if lengths or times or numbers or len(said & {"retry", "timeout"}) != 1:
                raise NotRead
            yield "retry" if "retry" in said else "timeout", factor
        if "retry" not in said and numbers and lengths:
            raise NotRead
        if len(lengths) > 1 or len(times) > 1 or len(numbers) > 1 or (times and numbers):
            raise NotRead
        if new and (self.wants_somebody or "permission" not in said):
            yield "escalate" if self.wants_somebody else "owner", new[0]
        elif new:
            yield "permission", new[0]
        if new or self.has_value:
            yield from ((name, None) for name in self._denied())
        if self.takes and not self.has_value and not new:
            yield from ((name, None) for name in said)
        elif not self.has_value and not new and said:
            asked = {"timeout": "How long may it take?", "retry": "How often is it tried?", "owner": "Who does it?"}
            raise Asked(next((asked[name] for name in asked if name in said), "What shall it be?"))
        elif "backoff" in self.kinds:
            yield "backoff", next(span for span in self.spans if span.kind == "backoff").tokens[0].lower

    def _denied(self) -> Iterator[str]:
        """Yield the fields that are taken away beside others that are set: "owner support, no deadline"."""
        said = [span for span in self.spans if span.kind not in ("det", "glue")]
        for before, span in itertools.pairwise(said):
            if before.kind in ("neg", "clear", "remove", "takeoff") and span.kind in _NAMED:
                yield span.kind

    def _values(self, kind: str) -> list[Span]:
        """Return the values of a kind that are new: not those behind "instead of", "not", or "from" before "to"."""
        found: list[Span] = []
        marks: list[str] = []
        several = sum(span.kind in _VALUES for span in self.spans) > 1
        for at, span in enumerate(self.spans):
            if span.kind in _VALUES:
                becomes = several and any(one.kind == "arrow" for one in self.spans[at + 1 : at + 2])
                is_old = {"old", "neg"} & {*marks} or ("from" in marks and several) or becomes
                if span.kind == kind and not is_old:
                    found.append(span)
                marks = []
            elif span.kind != "word":
                marks.append(span.kind)
        return found

    def _steps(self, way: _Way, sets: JsonObject) -> list[Step]:
        """Return the steps that are meant; of several that fit, the one that has what is changed."""
        found: list[Step] = []
        plural = any(t.is_("both", "all", "each", "every") for t in self.clause.tokens)
        for group in way.groups:
            having = [s for s in group if any(_has(s, name) for name in sets) and (self.takes or self.is_late)]
            if len(group) > 1 and len(having) != 1 and not plural:
                unread = next((self.plan.said(run.tokens) for run in self.runs if run.step is None), group[0].name)
                raise StepUnclear(unread, [Candidate(step.id, step.name) for step in group])
            found += group if plural else having[:1] or group
        if not found:
            return self.plan.spoken_of(is_pointed=any(span.kind == "pron" for span in self.spans))
        return list({step.id: step for step in found}.values())

    def _set(self, step: Step, sets: JsonObject) -> Iterator[JsonObject]:
        known: JsonObject | None = step.retry.model_dump(mode="json", exclude_defaults=True) if step.retry else {}
        for name, said in sets.items():
            if name == "timeout":
                field_ = "duration" if step.type == "wait" else "timeout"
                yield _timed(step, self._length(said, getattr(step, field_)) if said else None)
            elif name == "number":
                yield self._bare_number(step, said)
            elif name in ("retry", "interval", "backoff"):
                known = None if said is None else {**(known or {}), **self._retry(name, said, step)}
            elif name == "escalate":
                if said and step.timeout is None and "timeout" not in sets:
                    raise Asked("After how long?", self.plan.text.rstrip(" .!") + " after ", "")
                yield (
                    {"op": "update_step", "step": step.id, "set": {"escalate_to": self._who(said)}}
                    if said
                    else {"op": "update_step", "step": step.id, "unset": ["escalate_to"]}
                )
            elif name == "owner":
                yield {"op": "set_assignee", "step": step.id, "assignee": self._who(said) if said else None}
            elif name == "permission":
                yield {"op": "set_permission", "step": step.id, "permission": said and self.plan.said(said)}
            elif name == "form" and said is None:
                yield {"op": "set_form", "step": step.id, "form": None}
            elif name == "optional":
                when = {"set": {"when": {"text": f"{step.name} is needed"}}} if said else {"unset": ["when"]}
                yield {"op": "update_step", "step": step.id, **when}
        if sets.keys() & {"retry", "interval", "backoff"}:
            yield {"op": "set_retry", "step": step.id, "retry": known}

    def _who(self, said: Tokens) -> str:
        return written(self.plan.workflow, said)

    def _length(self, span: Span, now: str | None) -> str:
        """Return a length of time; one that is added to what is there, taken from it or times it, worked out."""
        if span.kind == "factor":
            if now is None:
                raise NotRead("it has no time yet")
            return duration_of(round(seconds_of(now) * _factor(span)))
        sign = self._sign(span)
        if not sign:
            return str(span.value)
        if now is None:
            raise NotRead
        seconds = seconds_of(now) + sign * seconds_of(str(span.value))
        if seconds <= 0:
            raise NotRead("it would take no time at all")
        return duration_of(seconds)

    def _sign(self, span: Span) -> int:
        """Return 1 for what is added to what is there, -1 for what is taken from it, 0 for a plain value."""
        at = self.spans.index(span)
        near = [t for one in self.spans[at + 1 : at + 2] for t in one.tokens]
        before = self.spans[at - 1].kind if at else ""
        less = any(t.is_("less", "fewer", "shorter") for t in (*span.tokens, *near))
        more = any(t.is_(*_MORE) for t in (*span.tokens, *near)) or (at and self.spans[at - 1].tokens[0].is_(*_MORE))
        if less:
            return -1
        changes = [t for one in self.spans if one.kind == "change" for t in one.tokens]
        if before == "by" and changes:
            return -1 if any(t.is_("shorten", "reduce", "cut", "decrease", "tighten", "lower") for t in changes) else 1
        return 1 if more else 0

    def _retry(self, name: str, said: Any, step: Step) -> JsonObject:
        if name == "backoff":
            kind = re.sub("ly$", "", said)
            return {"backoff": "fixed" if kind == "constant" else kind}
        if name == "interval":
            return {"interval": str(said.value)}
        now = step.retry.max_attempts if step.retry else 1
        if said.kind == "factor":
            if step.retry is None or now * _factor(said) != int(now * _factor(said)):
                raise NotRead("it is tried once, or so often that this is no whole number")
            return {"max_attempts": int(now * _factor(said))}
        sign = self._sign(said)
        attempts = int(said.value) + (now if sign > 0 else 0) if sign >= 0 else now - int(said.value)
        if attempts < 1 or float(said.value) != int(said.value):
            raise NotRead
        return {"max_attempts": attempts}

    def _bare_number(self, step: Step, span: Span) -> JsonObject:
        """Return the edit of a number without a unit, which has that of the time told before: "give them five"."""
        before = read_tokens(self.plan.text[: span.tokens[0].start])
        told = [before[at : one.end] for at, one in durations_in(before)]
        told += [one.tokens for one in self.spans if one.kind == "length"]
        if not told or self.kinds & {"retry", "permission"}:
            raise NotRead
        length = duration_at((span.tokens[0], *told[-1][1:]), 0)
        if length is None:
            raise NotRead
        return {"op": "set_timeout", "step": step.id, "timeout": length.value}


def _factor(span: Span) -> float:
    return _FACTORS[span.tokens[0].entry.verb or span.tokens[0].lemma]


def _has(step: Step, name: str) -> bool:
    """Say whether a step has a field that a clause may speak of."""
    values = {"timeout": step.timeout, "retry": step.retry, "escalate": step.escalate_to or step.timeout,
              "owner": step.assignee, "permission": step.permission, "form": step.form}  # fmt: skip
    return values.get(name) is not None
