"""Telling a verb from a noun by the words around it."""

from typing import Final

from workflow_agent.agent.offline.drafting.clause_heads import (
    BE_FORMS,
    HAVE_FORMS,
    MODALS,
    OBJECT_STARTS,
    Head,
    low_at,
)
from workflow_agent.agent.offline.drafting.nouns import (
    ARTICLES,
    DETERMINERS,
    GENERIC,
    PERSONAL,
    POSSESSIVES,
    PREPOSITIONS,
    is_role,
    is_thing,
    looks_like_person,
)
from workflow_agent.agent.offline.drafting.tokens import Token, Tokens
from workflow_agent.agent.offline.drafting.verbs import Verb, is_form, verb_of

_FEW: Final = 2


def plain_verb(tokens: Tokens, at: int, subject: tuple[Token, ...]) -> Head | None:
    """Return the head of a simple verb: `approves`; after a plural or a bare role also `approve`."""
    low = tokens[at].low
    verb = verb_of(low)
    if verb is None:
        return _unknown(tokens, at, subject)
    if _is_followed_by_verb(tokens, at):
        return None
    names_somebody = (
        is_role(subject[-1].low) or looks_like_person(subject[-1].low) or subject[0].low in PERSONAL
    )
    may_act = names_somebody or subject[-1].low == "system"
    is_plural_noun = is_thing(low) and not may_act and low_at(tokens, at + 1) not in OBJECT_STARTS
    if is_form(low, "s") and _can_be_subject(subject) and not is_plural_noun:
        return Head(subject, verb, at, "active", low)
    if is_form(low, "base") and verb.kind == "event" and _is_many_things(subject):
        return Head(subject, verb, at, "active", low)
    is_title = is_role(low) and is_form(low_at(tokens, at + 1), "s")
    is_plural = len(subject) > 1 and (_is_plural(subject[-1].low) or any(t.low == "and" for t in subject))
    if (
        is_form(low, "base", "past")
        and not is_title
        and _takes_base(subject)
        and (is_plural or not _is_nominal(tokens, at))
    ):
        return Head(subject, verb, at, "active", low)
    return None


def _is_followed_by_verb(tokens: Tokens, at: int) -> bool:
    """Say whether the next word is the real verb: "the orders are packed", "the manager checks out"."""
    following = low_at(tokens, at + 1)
    if following in BE_FORMS | MODALS | HAVE_FORMS | {"gets", "needs"}:
        return True
    return is_form(following, "s") and not is_thing(following) and not is_form(following, "base")


def _can_be_subject(subject: tuple[Token, ...]) -> bool:
    words = [token.low for token in subject]
    return bool(words) and words[-1] not in ARTICLES | POSSESSIVES and words[-1] not in PREPOSITIONS


def _takes_base(subject: tuple[Token, ...]) -> bool:
    last = subject[-1].low
    if last.endswith("'s"):
        return False
    if (
        last in PERSONAL
        or last in GENERIC
        or last in ("both", "all")
        or is_role(last)
        or looks_like_person(last)
    ):
        return True
    return (_is_plural(last) and subject[0].low in DETERMINERS) or any(
        token.low == "and" for token in subject
    )


def _is_many_things(subject: tuple[Token, ...]) -> bool:
    """Say whether things without an article are what something happens to: "samples arrive"."""
    last = subject[-1].low if subject else ""
    return len(subject) <= _FEW and _is_plural(last) and is_thing(last)


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith("ss")


def _is_nominal(tokens: Tokens, at: int) -> bool:
    """Say whether base form after a role is a noun: "legal review", "manager approval"."""
    following = low_at(tokens, at + 1)
    is_noun_too = is_thing(tokens[at].low) or tokens[at].low in (
        "review",
        "check",
        "interview",
        "test",
        "audit",
    )
    return is_noun_too and following not in OBJECT_STARTS and following not in ("or", "if", "whether", "that")


def _unknown(tokens: Tokens, at: int, subject: tuple[Token, ...]) -> Head | None:
    """Return the head of a verb no table has, known by its place: "the veterinarian vaccinates the dog"."""
    low = tokens[at].low
    if not low.isalpha() or len(low) < 4 or not low.endswith("s") or low.endswith(("ss", "us", "is")):
        return None
    last = subject[-1].low
    is_person = is_role(last) or looks_like_person(last)
    if is_thing(low) or is_role(low) or not (is_person or subject[0].low in DETERMINERS):
        return None
    following = low_at(tokens, at + 1)
    takes_noun = (
        is_person and subject[0].low in DETERMINERS and following.isalpha() and not verb_of(following)
    )
    may_end = takes_noun or (
        is_person and subject[0].low in DETERMINERS and following in ("", ",", "and", "to", "with", "for")
    )
    if following not in OBJECT_STARTS and not may_end:
        return None
    base = (
        low[:-3] + "y"
        if low.endswith("ies")
        else low[:-2]
        if low.endswith(("ches", "shes", "sses"))
        else low[:-1]
    )
    return Head(subject, Verb(base, "human"), at, "active", low)
