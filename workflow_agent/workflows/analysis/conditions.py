"""Whether a condition holds for a case: comparisons, and facts by their name; nothing is guessed."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from workflow_agent.workflows.analysis.branches import comparison_in
from workflow_agent.workflows.model.steps import Condition

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
