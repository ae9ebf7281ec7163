"""How conditions and statements relate: cases of one question, opposites, what closes every case."""

from collections.abc import Sequence
from typing import Final

from workflow_agent.agent.offline.drafting.statements import Condition, Statement, Task, Then
from workflow_agent.agent.offline.drafting.words import word_set

_COMPARISONS: Final = (
    word_set("over above more greater exceeds higher larger longer bigger"),
    word_set("under below less smaller lower fewer shorter up"),
)

_CLOSING: Final = word_set("archive close log record store document file save")

_NONE_OR_SOME: Final = tuple(
    frozenset(pair.split("/"))
    for pair in [
        "nobody/somebody",
        "nobody/someone",
        "nobody/anyone",
        "nobody/anybody",
        "nothing/something",
        "none/some",
        "none/one",
        "no/some",
        "no/a",
        "no/in",
        "out/in",
        "ok/no",
        "yes/no",
    ]
)
_OPPOSING: Final = ("in", "un", "non-", "non", "dis", "ir", "im")
_UNSAID: Final = word_set("not item it")


def closes_every_case(coming: Sequence[Statement]) -> bool:
    """Say whether what comes is for approved and rejected alike: "finally", archiving, logging."""
    for statement in coming[:3]:
        if isinstance(statement, Then) and (statement.is_last or statement.rejoins):
            return True
        if isinstance(statement, Task):
            return statement.lemma in _CLOSING
    return False


def excludes(one: Condition, other: Condition) -> bool:
    """Say whether two conditions are cases of one question: over and under, "a bug" and "a feature"."""
    first, second = one.text.lower().split(), other.text.lower().split()
    more, less = _COMPARISONS
    compares = [set(words) & (more | less | {"between"}) for words in (first, second)]
    if all(compares) and compares[0] != compares[1]:
        return True
    if any(compares):
        return False
    first, second = (["is" if word == "are" else word for word in words] for words in (first, second))
    if "is" not in first[:5] or "is" not in second[:5] or {"from", "also"} & {*first, *second}:
        return False
    same_subject = first[: first.index("is")] == second[: second.index("is")]
    return same_subject or not {"it", "they"}.isdisjoint((first[0], second[0]))


def negates(one: Condition, other: Condition) -> bool:
    """Say whether a condition is another one's opposite: "is available", "is not available"."""
    words, others = set(one.text.lower().split()), set(other.text.lower().split())
    if _is_opposite(words - others, others - words):
        return True
    if {"one", "none"} <= words ^ others and words & others - {"of", "them", "the"}:
        return True
    if "there" in words & others and ("none" in words) != ("none" in others):
        return True
    return ("not" in words) != ("not" in others) and one.words - _UNSAID == other.words - _UNSAID


def _is_opposite(one: set[str], other: set[str]) -> bool:
    """Say whether what two conditions differ in is "nobody" and "somebody", "complete" and "incomplete"."""
    if len(one) != 1 or len(other) != 1:
        return False
    first, second = sorted((*one, *other), key=len)
    return frozenset(one | other) in _NONE_OR_SOME or second in {f"{prefix}{first}" for prefix in _OPPOSING}
