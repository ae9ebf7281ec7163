"""Telling where a clause goes on after "and" or a comma, and whether with the same subject."""

from dataclasses import replace
from typing import Final

from workflow_agent.agent.offline.drafting.clause_heads import ADVERBS, MODALS, Head, low_at, skip_adverbs
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.nouns import (
    DETERMINERS,
    PERSONAL,
    POSSESSIVES,
    PREPOSITIONS,
    THING_PRONOUNS,
    is_role,
    is_thing,
    singular,
)
from workflow_agent.agent.offline.drafting.tokens import Tokens, lows
from workflow_agent.agent.offline.drafting.verbs import NOMINALS, Verb, is_form, verb_of
from workflow_agent.agent.offline.drafting.words import word_set

JOINTS: Final = word_set(", and but or plus & : who which")
AFTER_A_VERB: Final = DETERMINERS | THING_PRONOUNS | POSSESSIVES | word_set(
    "him them to with by up out in on at from into for back off everything us me again")  # fmt: skip
_LEAST_VERB: Final = 4
_MOST_LEAD: Final = 8
_NEEDED: Final = word_set("needed required necessary")


def after_joint(tokens: Tokens, at: int) -> int:
    """Return the position after "and", commas and the like."""
    while at < len(tokens) and (
        tokens[at].low in JOINTS - {"who", "which"} or tokens[at].low in ("also", "then")
    ):
        at += 1
    return at


def continuation(tokens: Tokens, at: int, left: Head) -> tuple[Head, bool] | None:
    """Return the head of a clause that begins here, and whether it shares the subject of the one before."""
    if at >= len(tokens):
        return None
    shared = _shared_subject(tokens, at, left)
    if shared is not None:
        return shared, True
    head = read_head(tokens, at) or _after_phrase(tokens, at)
    if head is None:
        return None
    if not head.subject:
        return (head, False) if _may_command(tokens, head, left) else None
    if (
        head.voice == "state"
        and tokens[at - 1].low == ","
        and any(t.low in MODALS for t in tokens[at : head.at + 1])
    ):
        return head, False
    if head.voice == "state":
        return (head, False) if _says_a_requirement(tokens[at:]) else None
    return head, False


def _after_phrase(tokens: Tokens, at: int) -> Head | None:
    """Return the head of a clause behind a phrase of time or place: "and at the end of it he signs"."""
    if tokens[at].low not in PREPOSITIONS:
        return None
    for begin in range(at + 2, min(at + _MOST_LEAD, len(tokens))):
        if tokens[begin].kind != "word" or tokens[begin].low in JOINTS:
            return None
        starts = tokens[begin].low in DETERMINERS and tokens[begin - 1].low not in PREPOSITIONS
        head = read_head(tokens, begin) if starts else None
        if head is not None and head.subject:
            return head
    return None


def _may_command(tokens: Tokens, head: Head, left: Head) -> bool:
    stands_alone = low_at(tokens, head.at + 1) in ("", ",", "and") and tokens[head.at - 1].low in (",", "and")
    if not left.subject and stands_alone and left.at + 1 < len(tokens) and low_at(tokens, left.at + 1) == ",":
        return True
    has_object = (
        low_at(tokens, head.at + 1).isalpha() and low_at(tokens, head.at + 1) not in PREPOSITIONS | JOINTS
    )
    if not left.subject and has_object and low_at(tokens, left.at + 1) not in ("", ","):
        return True
    if not left.subject or left.form == left.verb.base:
        return not is_thing(head.form) or low_at(tokens, head.at + 1) in AFTER_A_VERB
    return low_at(tokens, head.at + 1) in AFTER_A_VERB or head.verb.verdict != ""


def _says_a_requirement(tokens: Tokens) -> bool:
    words = lows(tokens)
    return any(token.kind == "duration" for token in tokens) or (
        not _NEEDED.isdisjoint(words) and any(word in NOMINALS for word in words)
    )


def _shared_subject(tokens: Tokens, at: int, left: Head) -> Head | None:
    """Return the head of "... and signs it", "... and signed by", which goes on with the same subject."""
    at = skip_adverbs(tokens, at)
    low = low_at(tokens, at)
    verb = verb_of(low) or _unknown_like(tokens, at, left)
    if verb is None or low in PERSONAL or (is_role(low) and low_at(tokens, at + 1) not in AFTER_A_VERB):
        return None
    if left.voice == "passive" and is_form(low, "participle") and not _is_noun_after(tokens, at):
        return replace(left, verb=verb, at=at, form=low, negated=False)
    if left.voice != "active" or not left.subject:
        return None
    same_form = any(is_form(low, form) and is_form(left.form, form) for form in ("s", "base", "ing", "past"))
    after_unknown = (is_form(low, "s") or verb_of(low) is None) and left.form.endswith("s")
    if (same_form or after_unknown) and not _is_noun_after(tokens, at):
        return replace(left, verb=verb, at=at, form=low, negated=False, deadline=None)
    return None


def _unknown_like(tokens: Tokens, at: int, left: Head) -> Verb | None:
    """Return a verb no table has that goes on like the one before: "signs it and xeroxes it"."""
    low = low_at(tokens, at)
    is_third = low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(low) > _LEAST_VERB
    if not is_third or not is_form(left.form, "s") or is_thing(low) or is_role(low) or low in PREPOSITIONS:
        return None
    return Verb(singular(low), "human") if low_at(tokens, at + 1) in AFTER_A_VERB else None


def _is_noun_after(tokens: Tokens, at: int) -> bool:
    """Say whether a word that could be a verb is one more object: "name, date and checks"."""
    following = low_at(tokens, at + 1)
    if following in ("is", "are", "was", "were"):
        return True
    is_noun_too = is_thing(tokens[at].low) or tokens[at].low in NOMINALS
    return is_noun_too and following not in AFTER_A_VERB and following not in ADVERBS
