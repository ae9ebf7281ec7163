"""Reading a verb group: `must be`, `has two days to`, `approves`; and the plain verb of a clause."""

from dataclasses import replace
from typing import Final

from workflow_agent.agent.offline.drafting.clause_heads import (
    ADVERBS,
    BE_FORMS,
    HAVE_FORMS,
    MODALS,
    OBJECT_STARTS,
    Head,
    low_at,
    skip_adverbs,
)
from workflow_agent.agent.offline.drafting.finite_verbs import plain_verb
from workflow_agent.agent.offline.drafting.nouns import PERSONAL, PREPOSITIONS, is_role, is_thing
from workflow_agent.agent.offline.drafting.tokens import Token, Tokens, lows
from workflow_agent.agent.offline.drafting.verbs import Verb, is_form, verb_of
from workflow_agent.agent.offline.drafting.words import word_set

_GETS: Final = word_set("gets get got")


_TO_DO: Final = word_set(
    "has have needs need wants want is are gets get tries try likes asked required supposed expected "
    "going allowed "
    "able responsible free ready had used got ought take takes in"
)


def verb_group(tokens: Tokens, at: int, subject: tuple[Token, ...]) -> Head | None:
    """Return the head whose verb group (`must be`, `has two days to`, `approves`) begins at a position."""
    low = tokens[at].low
    if low in MODALS:
        return _after_modal(tokens, at + 1, subject)
    if low in ("do", "does", "did") and low_at(tokens, at + 1) == "not":
        return _after_modal(tokens, at + 1, subject)
    if low in HAVE_FORMS and _has_deadline(tokens, at):
        head = _after_modal(tokens, at + 3, subject)
        return replace(head, deadline=str(tokens[at + 1].value)) if head else None
    obliged = _after_to(tokens, at)
    if obliged is not None:
        return _after_modal(tokens, obliged, subject)
    if low in BE_FORMS or low in _GETS:
        return _after_be(tokens, at, subject)
    if low in HAVE_FORMS:
        return _after_have(tokens, at, subject)
    if low in ADVERBS:
        return None
    return plain_verb(tokens, at, subject)


def _has_deadline(tokens: Tokens, at: int) -> bool:
    return at + 2 < len(tokens) and tokens[at + 1].kind == "duration" and tokens[at + 2].low == "to"


def _after_to(tokens: Tokens, at: int) -> int | None:
    """Return the position after `has to`, `is responsible for`, `needs to`, `must also`, or None."""
    end = at
    while end < len(tokens) and end < at + 4 and (tokens[end].low in _TO_DO or tokens[end].low in ADVERBS):
        end += 1
    if end == at or tokens[at].low in ADVERBS:
        return None
    if low_at(tokens, end) == "to" and _is_base(low_at(tokens, skip_adverbs(tokens, end + 1))):
        return end + 1
    if lows(tokens[end : end + 2]) in (["care", "of"], ["charge", "of"]) and is_form(
        low_at(tokens, end + 2), "ing"
    ):
        return end + 2
    if low_at(tokens, end) == "for" and is_form(low_at(tokens, end + 1), "ing") and end > at + 1:
        return end + 1
    return None


def _is_base(word: str) -> bool:
    return word == "be" or is_form(word, "base")


def _after_modal(tokens: Tokens, at: int, subject: tuple[Token, ...]) -> Head | None:
    negated = low_at(tokens, at) == "not"
    at = skip_adverbs(tokens, at + negated)
    if low_at(tokens, at) == "to":
        at += 1
    if at >= len(tokens):
        return None
    low = tokens[at].low
    if low in ("be", "get"):
        head = _after_be(tokens, at, subject)
    elif (again := _after_to(tokens, at)) is not None:
        head = _after_modal(tokens, again, subject)
    else:
        verb = verb_of(low) or (Verb(low, "human") if tokens[at].kind == "word" and low.isalpha() else None)
        head = Head(subject, verb, at, "active", low) if verb else None
    return replace(head, negated=True) if head and negated else head


def _after_be(tokens: Tokens, at: int, subject: tuple[Token, ...]) -> Head | None:
    then = at + 1
    negated = low_at(tokens, then) == "not"
    then = skip_adverbs(tokens, then + negated)
    while low_at(tokens, then) in ("being", "been"):
        then = skip_adverbs(tokens, then + 1)
    low = low_at(tokens, then)
    verb = verb_of(low)
    if verb is not None and is_form(low, "participle"):
        return Head(subject, verb, then, "passive", low, negated)
    if verb is not None and is_form(low, "ing"):
        return Head(subject, verb, then, "active", low, negated)
    unknown = (
        low.endswith("ed")
        and len(low) > 4
        and low_at(tokens, then + 1) in ("", "by", "and", "to", "with", ",")
    )
    if unknown:
        return Head(subject, Verb(_base_of(low), "human"), then, "passive", low, negated)
    if verb is not None and _is_plain_after_be(tokens, then, subject):
        return Head(subject, verb, then, "active", low, negated)
    if tokens[at].low in _GETS:
        return Head(subject, Verb("get", "human"), at, "active", tokens[at].low, negated)
    return Head(subject, Verb("be", "control"), at, "state", tokens[at].low, negated)


def _is_plain_after_be(tokens: Tokens, at: int, subject: tuple[Token, ...]) -> bool:
    """Say whether a verb is said as by many who learn English: "the client is send the form"."""
    somebody = bool(subject) and (is_role(subject[-1].low) or subject[-1].low in PERSONAL)
    low, following = tokens[at].low, low_at(tokens, at + 1)
    is_verb = is_form(low, "base") and following.isalpha() and following not in PREPOSITIONS
    return somebody and is_verb and (not is_thing(low) or following in OBJECT_STARTS)


def _base_of(participle: str) -> str:
    """Return the base form of a regular verb no table has: `scrap` of `scrapped`, `capsize` of `capsized`."""
    stem = participle.removesuffix("ed")
    if stem[-1] == stem[-2] and stem[-1] not in "ls":
        return stem[:-1]
    return stem + "e" if stem.endswith(("v", "z", "c", "u", "dg", "at", "is")) else stem


def _after_have(tokens: Tokens, at: int, subject: tuple[Token, ...]) -> Head | None:
    negated = low_at(tokens, at + 1) == "not"
    then = skip_adverbs(tokens, at + 1 + negated)
    if low_at(tokens, then) == "been":
        return _after_be(tokens, then, subject)
    verb = verb_of(low_at(tokens, then))
    if verb is not None and is_form(tokens[then].low, "participle", "past"):
        return Head(subject, verb, then, "active", tokens[then].low, negated)
    return Head(subject, Verb("have", "control"), at, "state", tokens[at].low, negated)
