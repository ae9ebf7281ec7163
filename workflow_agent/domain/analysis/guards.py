"""What a guard says about one number or one word, where it is simple enough to be sure."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from workflow_agent.domain.workflow import Transition

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
    text = " ".join(said.strip().strip("${}").lower().replace(",", "").split())
    match = _COMPARISON.fullmatch(_with_operator(text))
    if match is None or match["operator"] == "!=":
        return None
    value = match["value"]
    if value[0] in "'\"":
        return Guard(match["subject"], None, value[1:-1]) if match["operator"] in ("=", "==") else None
    return Guard(match["subject"], _interval(match["operator"], float(value)))


def _with_operator(text: str) -> str:
    if any(sign in text for sign in "<>="):
        return text
    for operator, phrases in _PHRASES.items():
        for phrase in phrases:
            before, found, after = text.partition(f" {phrase} ")
            if found:
                return f"{before.removesuffix(' is')} {operator} {after}"
    before, found, after = text.partition(" is ")
    return f"{before} == {after}" if found else text


def _interval(operator: str, value: float) -> Interval:
    if operator in ("=", "=="):
        return Interval(value, value, has_low=True, has_high=True)
    if operator[0] == ">":
        return Interval(value, math.inf, has_low=operator == ">=", has_high=False)
    return Interval(-math.inf, value, has_low=False, has_high=operator == "<=")


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
