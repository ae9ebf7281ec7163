"""Orders that put another number into a condition: "raise the limit for the finance review to 2,500 EUR"."""

import re
from collections.abc import Sequence
from typing import Literal

from workflow_agent.assistant.offline.clauses import counts, stripped
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.plan import Asked, Plan
from workflow_agent.assistant.offline.references import PRONOUNS, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.values import duration_at, times_at

NUMBER = re.compile(r"[$€£]?\d[\d,]*(?:\.\d+)?[kKmM]?\b")
_AROUND = word_set("threshold.around")
_LIMITS = word_set("threshold.limits")
Owned = tuple[Literal["edge", "step"], str, str]
"""Whose a condition is (a transition's or a step's id), and what it says."""


def read_threshold(plan: Plan, tokens: Sequence[Token], mask: frozenset[int]) -> bool:
    """Put a number into the conditions that a sentence means, if it is wholly read; say whether.

    Raises:
        Asked: It is a threshold, but which one is not clear.
    """
    mood, rest = stripped(tokens)
    if mood in ("weighed", "negated", "unneeded") or any(t.kind == "quoted" for t in rest):
        return False
    numbers = _numbers(rest)
    if not numbers or len(numbers) > 2:
        return False
    old, new = _old_and_new(rest, numbers)
    is_limit = any(t.lemma in _LIMITS for t in rest if t.start not in mask)
    found = conditions_with(plan, old.value if old else None)
    about = [
        t
        for t in rest
        if counts(t)
        and t not in numbers
        and (t.start in mask or not (t.lemma in _AROUND or t.lower in _AROUND or t.lower in PRONOUNS))
    ]
    found = _narrowed(plan, found, about)
    values = {amount_of(one) for _, _, text in found for one in NUMBER.findall(text)} if old is None else {old.value}
    if not found or (old is None and not is_limit and not about):
        return False
    if len(values) != 1:
        known = ", ".join(sorted(f"{value:g}" for value in values if value is not None))
        raise Asked(
            f"Which number shall change? The conditions have {known}.", f"{plan.text.rstrip(' .!')} instead of "
        )
    if old is None and len(found) > 1 and not is_limit and not about:
        return False
    before = values.pop()
    for kind, owner, text in found:
        said = NUMBER.sub(lambda one: _like(one[0], new) if amount_of(one[0]) == before else one[0], text)
        field = "transition" if kind == "edge" else "step"
        op = "update_transition" if kind == "edge" else "update_step"
        plan.do({"op": op, field: owner, "set": {"when": {"text": said}}})
    return True


def _numbers(tokens: Tokens) -> list[Token]:
    """Return the numbers that are no length of time, nor how often."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        value = duration_at(tokens, at) or times_at(tokens, at)
        if value is None and tokens[at].kind == "number" and ":" not in tokens[at].text:
            found.append(tokens[at])
        at = value.end if value else at + 1
    return found


def _old_and_new(tokens: Tokens, numbers: Sequence[Token]) -> tuple[Token | None, Token]:
    if len(numbers) == 1:
        return None, numbers[0]
    between = tokens[tokens.index(numbers[0]) : tokens.index(numbers[1])]
    is_new_first = any(t.is_("not", "instead", "rather") for t in between)
    return (numbers[1], numbers[0]) if is_new_first else (numbers[0], numbers[1])


def conditions_with(plan: Plan, value: float | None) -> list[Owned]:
    """Return the conditions that have a number, or this one."""
    edges: list[Owned] = [("edge", e.id, e.when.text) for e in plan.workflow.transitions if e.when and e.when.text]
    steps: list[Owned] = [("step", s.id, s.when.text) for s in plan.workflow.steps if s.when and s.when.text]
    return [
        one
        for one in (*edges, *steps)
        if any(value is None or amount_of(number) == value for number in NUMBER.findall(one[2]))
    ]


def _narrowed(plan: Plan, found: Sequence[Owned], about: Sequence[Token]) -> list[Owned]:
    """Keep the conditions that all words speak of: in what they say, or by a step they lead to or from."""
    words = [word for t in about for word in (content_of(t.text) if t.kind == "quoted" else [t.lower])]
    return [one for one in found if all(any(akin(word, own) for own in _said(plan, one)) for word in words)]


def _said(plan: Plan, one: Owned) -> list[str]:
    kind, owner, text = one
    edge = next((e for e in plan.workflow.transitions if kind == "edge" and e.id == owner), None)
    steps = (
        [plan.workflow.step(owner)] if edge is None else [plan.workflow.step(edge.from_), plan.workflow.step(edge.to)]
    )
    words = content_of(text) + content_of(plan.workflow.name)
    for step in steps:
        words += [*content_of(step.name), *content_of((step.assignee or "").replace("_", " "))] if step else []
    return words


def amount_of(text: str) -> float:
    """Return the value of a number as it is written."""
    plain = text.lstrip("$€£").replace(",", "").lower()
    scale = {"k": 1e3, "m": 1e6}.get(plain[-1:], 1)
    return float(plain.rstrip("km") or 0) * scale


def with_number(text: str, new: Token) -> str:
    """Return a condition with another number in place of its own."""
    return NUMBER.sub(lambda found: _like(found[0], new), text)


def _like(old: str, new: Token) -> str:
    """Return a new number written the way the old one is: with its currency and commas."""
    sign = old[0] if old[0] in "$€£" else ""
    value = new.value or 0
    text = new.text.lstrip("$€£")
    if "," in old and value >= 1000 and value == int(value):
        text = f"{int(value):,}"
    elif text[-1:].lower() in "km" and old[-1:].lower() not in "km":
        text = f"{value:g}" if value < 1e6 else f"{int(value)}"
    return (sign or (new.text[0] if new.text[0] in "$€£" else "")) + text
