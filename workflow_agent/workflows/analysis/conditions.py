"""What the conditions of transitions say: whether one holds for a case, and whether several leave one open.

Comparisons, and facts by their name; nothing is guessed.
"""

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from typing import Any

from workflow_agent.values import grouped, shortened
from workflow_agent.workflows.analysis.approvals import is_approval
from workflow_agent.workflows.analysis.findings import Observation, rule
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.analysis.words import named, transition_text
from workflow_agent.workflows.model.steps import Condition, Step
from workflow_agent.workflows.model.transitions import Transition

_rule = partial(rule, "soundness")
_COMPARISON = re.compile(
    r"(?P<subject>[a-z_$][\w.$ ]{0,60}?) ?(?P<operator><=|>=|==|!=|=|<|>) ?"
    r"(?P<value>-?\d{1,15}(?:\.\d{1,6})?|'[^']{0,80}'|\"[^\"]{0,80}\")"
)
_PHRASES = {
    ">=": ("greater than or equal to", "at least"),
    "<=": ("less than or equal to", "at most", "up to"),
    ">": ("greater than", "more than", "over", "above", "exceeds"),
    "<": ("less than", "fewer than", "under", "below"),
    "==": ("equals", "equal to"),
}
"""How people say a comparison, the longer phrases first."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A range of numbers between two bounds, each inside it or not."""

    low: float
    high: float
    has_low: bool
    has_high: bool

    def overlaps(self, other: "Interval") -> bool:
        """Say whether some number lies in both."""
        first, second = sorted((self, other), key=_by_low)
        if second.low == first.high:
            return first.has_high and second.has_low
        return second.low < first.high


@dataclass(frozen=True, slots=True)
class Guard:
    """A comparison of one thing with one constant."""

    subject: str
    interval: Interval | None
    """The numbers for which it holds; None for a word."""
    word: str | None = None


def read_guard(edge: Transition) -> Guard | None:
    """Return what a transition compares, or None where it says more, less or something else."""
    if edge.when is None:
        return None
    said = edge.when.expression if isinstance(edge.when.expression, str) else edge.when.text
    if said is None or len(said) > 200:
        return None
    compared = comparison_in(" ".join(said.strip().strip("${}").lower().replace(",", "").split()))
    if compared is None or compared[1] == "!=":
        return None
    subject, sign, value = compared
    if value[0] in "'\"":
        return Guard(subject, None, value[1:-1]) if sign in ("=", "==") else None
    return Guard(subject, _interval(sign, float(value)))


def comparison_in(text: str) -> tuple[str, str, str] | None:
    """Return what a text on one line compares, how and with what; None where it is no single comparison."""
    match = _COMPARISON.fullmatch(_with_operator(text))
    return None if match is None else (match["subject"], match["operator"], match["value"])


def _with_operator(text: str) -> str:
    if any(sign in text for sign in "<>="):
        return text
    for sign, phrases in _PHRASES.items():
        for phrase in phrases:
            before, found, after = text.partition(f" {phrase} ")
            if found:
                return f"{before.removesuffix(' is')} {sign} {after}"
    before, found, after = text.partition(" is ")
    return f"{before} == {after}" if found else text


def _interval(sign: str, value: float) -> Interval:
    if sign in ("=", "=="):
        return Interval(value, value, has_low=True, has_high=True)
    if sign[0] == ">":
        return Interval(value, math.inf, has_low=sign == ">=", has_high=False)
    return Interval(-math.inf, value, has_low=False, has_high=sign == "<=")


def _by_low(interval: Interval) -> tuple[float, bool, float]:
    return interval.low, not interval.has_low, interval.high


def gap(intervals: Sequence[Interval]) -> str | None:
    """Return the numbers none of the intervals holds, in words, or None where they hold all."""
    ordered = sorted(intervals, key=_by_low)
    if ordered[0].low > -math.inf:
        return f"{'less than' if ordered[0].has_low else 'at most'} {ordered[0].low:g}"
    reach = ordered[0]
    for _, after in pairwise(ordered):
        if after.low > reach.high:
            return f"between {reach.high:g} and {after.low:g}"
        if after.low == reach.high and not (reach.has_high or after.has_low):
            return f"exactly {after.low:g}"
        if (after.high, after.has_high) > (reach.high, reach.has_high):
            reach = after
    if reach.high < math.inf:
        return f"{'more than' if reach.has_high else 'at least'} {reach.high:g}"
    return None


_GUARDS_COMPARED = 20


def _guarded(graph: FlowGraph, step: Step) -> list[Transition]:
    return [edge for edge in graph.exits(step.id) if edge.when is not None]


@_rule("incomplete-guards", "warning", "Work for which none of them holds gets stuck.")
def incomplete_guards(graph: FlowGraph) -> Iterator[Observation]:
    """Find conditions that leave a case without a way on, and no default."""
    for step in graph.workflow.steps:
        exits = graph.exits(step.id)
        guarded = _guarded(graph, step)
        if not exits or len(guarded) < len(exits) or step.type in ("loop", "state", "fork"):
            continue
        missing = _only_condition(graph, step, guarded[0]) if len(guarded) == 1 else _uncovered(guarded)
        if missing is not None:
            yield Observation(
                f"{named(step)} has no way on when {missing}.",
                steps=(step.id,),
                transitions=tuple(edge.id for edge in guarded),
                evidence={"uncovered": missing, "conditions": [transition_text(e)[:200] for e in guarded]},
            )


def _only_condition(graph: FlowGraph, step: Step, edge: Transition) -> str | None:
    """Return that the one condition may not hold, where stopping then is not simply the end."""
    is_drawn_here = graph.declares_ends or graph.workflow.source is None
    if not is_drawn_here or is_approval(graph, step):
        return None
    return f"{shortened(transition_text(edge)) or 'its only condition'!r} does not hold"


def _uncovered(guarded: list[Transition]) -> str | None:
    """Return a case no condition covers, in words, or None where there may be none."""
    guards = [read_guard(edge) for edge in guarded]
    subjects = {guard.subject if guard else None for guard in guards}
    known = [guard for guard in guards if guard is not None]
    if len(subjects) > 1 or not known:
        return None
    intervals = [guard.interval for guard in known if guard.interval is not None]
    if intervals and len(intervals) == len(known):
        open_range = gap(intervals)
        return f"{known[0].subject!r} is {open_range}" if open_range else None
    return _unlisted_word(known)


def _unlisted_word(guards: list[Guard]) -> str | None:
    listed = [guard.word for guard in guards if guard.word is not None]
    if len(listed) < len(guards) or set(listed) >= {"true", "false"} or set(listed) >= {"yes", "no"}:
        return None
    return f"{guards[0].subject!r} is none of {', '.join(map(repr, listed[:5]))}"


@_rule("overlapping-guards", "info", "Which of them is taken then depends on their order.")
def overlapping_guards(graph: FlowGraph) -> Iterator[Observation]:
    """Find two ways of one decision whose conditions can hold at once."""
    for step in graph.workflow.steps:
        guarded = _guarded(graph, step)
        if len(guarded) < 2 or step.type in ("state", "fork"):
            continue
        for one, other in _overlapping(guarded):
            yield Observation(
                f"At {named(step)} both {shortened(transition_text(one))!r} and "
                f"{shortened(transition_text(other))!r} can hold.",
                steps=(step.id,),
                transitions=(one.id, other.id),
            )


def _overlapping(guarded: list[Transition]) -> Iterator[tuple[Transition, Transition]]:
    told = [(edge, " ".join(transition_text(edge).casefold().split())) for edge in guarded[:_GUARDS_COMPARED]]
    guards = [(edge, read_guard(edge) or Guard(said, None, said or None)) for edge, said in told]
    for pairs in grouped((one[1].subject, one) for one in guards).values():
        for (one, first), (other, second) in combinations(pairs, 2):
            if one.to != other.to and _both_hold(first, second):
                yield one, other


def _both_hold(first: Guard, second: Guard) -> bool:
    if first.interval is not None and second.interval is not None:
        return first.interval.overlaps(second.interval)
    return first.word is not None and first.word == second.word


RULES = (incomplete_guards, overlapping_guards)


_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "=": operator.eq,
    "!=": operator.ne,
}
_MOST_CHARS = 400
_TRUE, _FALSE = frozenset({"true", "yes"}), frozenset({"false", "no"})


def holds(condition: Condition | str, case: Mapping[str, Any]) -> bool | None:
    """Return whether a condition holds for the facts of a case; None where that cannot be worked out."""
    said = condition
    if isinstance(said, Condition):
        said = said.expression if isinstance(said.expression, str) else said.text or ""
    if len(said) > _MOST_CHARS:
        return None
    facts = {_plain(name): value for name, value in case.items()}
    text = " ".join(said.strip().strip("${}").replace(",", "").replace("&&", " and ").replace("||", " or ").split())
    return _any_of(text.casefold().removeprefix("if "), facts)


def _any_of(text: str, facts: Mapping[str, Any]) -> bool | None:
    parts = [_all_of(part, facts) for part in text.split(" or ")]
    return True if True in parts else None if None in parts else False


def _all_of(text: str, facts: Mapping[str, Any]) -> bool | None:
    parts = [_one(part.strip(), facts) for part in text.split(" and ")]
    return False if False in parts else None if None in parts else True


def _one(text: str, facts: Mapping[str, Any]) -> bool | None:
    if (compared := comparison_in(text)) is not None:
        subject, sign, value = compared
        return _compared(facts.get(_plain(subject)), sign, value)
    for negation in ("not ", "!", "no "):
        if text.startswith(negation):
            told = _one(text.removeprefix(negation).strip(), facts)
            return None if told is None else not told
    before, is_negated, after = text.partition(" is not ")
    subject, is_told, value = text.partition(" is ")
    if is_told and not is_negated and isinstance(facts.get(_plain(subject)), str):
        return _compared(facts[_plain(subject)], "==", value.removeprefix("a ").removeprefix("the "))
    fact = facts.get(_plain(f"{before} {after}" if is_negated else text))
    fact = facts.get(_plain(after)) if fact is None and is_negated else fact
    return fact is not bool(is_negated) if isinstance(fact, bool) else None


def _compared(fact: object, sign: str, value: str) -> bool | None:
    if fact is None:
        return None
    if isinstance(fact, bool):
        told = value.strip("'\"")
        if told not in _TRUE | _FALSE or sign not in ("=", "==", "!="):
            return None
        return (fact is (told in _TRUE)) is not (sign == "!=")
    if isinstance(fact, int | float):
        try:
            return _COMPARE[sign](fact, float(value))
        except ValueError:
            return None
    if sign in ("=", "==", "!="):
        return _COMPARE[sign](str(fact).casefold(), value.strip("'\""))
    return None


def _plain(name: str) -> str:
    """Return the name of a fact without what stands around it: `$.order.amount` is `amount`."""
    words = name.casefold().replace("_", " ").replace("-", " ").strip(" $.").split(".")[-1].split()
    return "".join(word for word in words if word not in ("the", "a", "an", "is", "are", "was"))
