"""Finding who does what at the head of a clause: its subjects, its verb, and how the verb is used."""

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
from workflow_agent.agent.offline.drafting.nouns import (
    ARTICLES,
    DETERMINERS,
    POSSESSIVES,
    PREPOSITIONS,
    is_role,
    is_system,
    is_thing,
    looks_like_person,
)
from workflow_agent.agent.offline.drafting.tokens import Tokens
from workflow_agent.agent.offline.drafting.verb_groups import verb_group
from workflow_agent.agent.offline.drafting.verbs import VERBS, is_form, verb_of
from workflow_agent.agent.offline.drafting.words import word_set

_STOPPERS: Final = word_set("and or but if when unless otherwise until while who which that , ; : ( ) →")
_TO_SOMEBODY: Final = word_set("to with him her us me back")
_COMPOUNDS: Final = word_set("date number time id type name status form details address code")
_ALONE: Final = word_set("both all this that each")
"""Determiners that are subjects by themselves: "both approve"."""
_CAUSING: Final = word_set("have let get make ask tell request")
_SHORT_SUBJECTS: Final = word_set("it he she they we you i who")
"""Their verb comes at once."""
_SPEAKERS: Final = word_set("he she they we i")
_MAX_SUBJECT: Final = 8
_NOT_AT_THE_HEAD: Final = PREPOSITIONS | _STOPPERS


def read_head(tokens: Tokens, at: int = 0) -> Head | None:
    """Return the head of the clause that begins at a position, or None when none begins there."""
    start = skip_adverbs(tokens, at)
    start += low_at(tokens, start) == "both" and low_at(tokens, start + 1) in ARTICLES
    if (
        start >= len(tokens)
        or (tokens[start].kind != "word")
        or tokens[start].low in _NOT_AT_THE_HEAD - {"that", "who"}
    ):
        return None
    if _is_command(tokens, start):
        return _imperative(tokens, start)
    return _with_subject(tokens, start) or _imperative(tokens, start)


def _is_command(tokens: Tokens, at: int) -> bool:
    """Say whether a verb with its object follows, so that no subject is meant: "check the order"."""
    low, following = tokens[at].low, low_at(tokens, at + 1)
    if low in _CAUSING and is_role(following):
        return True
    return is_form(low, "base") and not is_role(low) and following in OBJECT_STARTS | _TO_SOMEBODY


def _imperative(tokens: Tokens, at: int) -> Head | None:
    low = tokens[at].low
    if low in ("let", "lets") and at + 1 < len(tokens) and tokens[at + 1].low in ("us", "me"):
        return _imperative(tokens, at + 2) if at + 2 < len(tokens) else None
    if low in ("do", "does") and low_at(tokens, at + 1) == "not":
        head = _imperative(tokens, at + 2) if at + 2 < len(tokens) else None
        return replace(head, negated=True) if head else None
    verb = verb_of(low)
    if verb is None or not is_form(low, "base") or _is_noun_here(tokens, at):
        return None
    return Head((), verb, at, "imperative", low)


def _is_noun_here(tokens: Tokens, at: int) -> bool:
    """Say whether a word that could be a verb names a thing here: `order confirmation`, `invoice is paid`."""
    low, following = tokens[at].low, low_at(tokens, at + 1)
    if following in BE_FORMS or following in MODALS or following in HAVE_FORMS:
        return True
    if following in _COMPOUNDS and (is_thing(low) or low in ("end", "start", "issue")):
        return True
    if not is_thing(low):
        return False
    return following in ("", "of", "by", "from", "in", ",", "and", "or", "with")


def _with_subject(tokens: Tokens, start: int) -> Head | None:
    stands_alone = tokens[start].low not in DETERMINERS - _ALONE
    first_verb = start + 1 if stands_alone else start + 2
    if tokens[start].low in DETERMINERS and low_at(tokens, start + 1) in (",", ":", "."):
        return None
    longest = 3 if tokens[start].low in _SHORT_SUBJECTS else _MAX_SUBJECT
    for at in range(first_verb, min(start + longest, len(tokens))):
        token = tokens[at]
        if longest == 3 and at > start + 1 and tokens[start + 1].low not in ADVERBS | {"both"}:
            return None
        if (token.kind != "word" or token.low in _STOPPERS) and not _joins_subjects(tokens, start, at):
            return None
        if token.low in PREPOSITIONS and token.low not in ("of", "in", "from", "at", "on", "for", "with"):
            return None
        if _begins_anew(tokens, at):
            return None
        head = verb_group(tokens, at, tuple(tokens[start:at]))
        if head is not None:
            return head
    return None


def _begins_anew(tokens: Tokens, at: int) -> bool:
    """Say whether another noun phrase begins inside what would be a subject: "everything fits | she ..."."""
    if tokens[at].low in _SPEAKERS:
        return True
    is_joined = tokens[at - 1].low in PREPOSITIONS | {"and", "or"}
    return tokens[at].low in ARTICLES | POSSESSIVES and not is_joined


def _joins_subjects(tokens: Tokens, start: int, at: int) -> bool:
    """Say whether `and` or `or` here joins two who do the same: "legal and finance review it"."""
    if tokens[at].low == ",":
        following = low_at(tokens, at + 1 + (low_at(tokens, at + 1) in DETERMINERS))
        return is_role(tokens[at - 1].low) and is_role(following)
    if tokens[at].low not in ("and", "or") or at + 1 >= len(tokens) or _is_command(tokens, at + 1):
        return False
    if tokens[at - 1].text[:1].isupper() and tokens[at + 1].text[:1].isupper() and at - 1 == start:
        return True
    if "both" in (low_at(tokens, at + 2), low_at(tokens, at + 3)):
        return True
    before = tokens[at - 1].low
    after = (
        tokens[at + 2].low
        if tokens[at + 1].low in DETERMINERS and at + 2 < len(tokens)
        else tokens[at + 1].low
    )
    modified = low_at(tokens, at + 3) if tokens[at + 1].low in DETERMINERS else low_at(tokens, at + 2)
    if is_thing(before) and tokens[start].low not in VERBS:
        return is_thing(after) or is_thing(modified)
    return _may_be_person(before) and (_may_be_person(after) or is_role(modified))


def _may_be_person(word: str) -> bool:
    return is_role(word) or looks_like_person(word) or is_system(word)
