"""Telling what is said about the work, or about whoever does it, from the work itself."""

from typing import Final

from workflow_agent.agent.offline.drafting.clause_heads import MODALS, Head
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.nouns import DETERMINERS
from workflow_agent.agent.offline.drafting.tokens import Tokens, lows
from workflow_agent.agent.offline.drafting.words import word_set

_ABOUT_IT_ALL: Final = word_set("this that everything it all")
_EFFECTS: Final = word_set("make help save take work happen keep ensure mean cost avoid prevent feel need")
_WISHED: Final = word_set("should would will could might")
_HAPPENING: Final = word_set("happen work depend take run go")
_RULES: Final = word_set(
    "rule policy procedure guideline regulation directive document section paragraph clause scope"
)
_RULING: Final = word_set("apply hold cover govern describe exist define regulate concern include contain")
_WE: Final = word_set("we i")
_TRADES: Final = word_set(
    "sell make bake run offer produce rent provide operate build import repair organise do have own"
)
_RECEIVES: Final = word_set("get receive have see handle process")
_JOINS: Final = word_set(", then if when and")
_LEADS: Final = word_set("right now so today currently basically here well")


def is_aside(tokens: Tokens, *, is_first: bool) -> bool:
    """Say whether a sentence tells nothing that is done in the process.

    Args:
        tokens: The sentence.
        is_first: Nothing was said before it, and something follows it.
    """
    start = 0
    while start < len(tokens) and tokens[start].low in _LEADS:
        start += 1
    head = read_head(tokens, start)
    if head is None or not head.subject or head.voice == "passive":
        return False
    return _comments(tokens, head) or (is_first and _introduces(tokens[start:], head))


def _comments(tokens: Tokens, head: Head) -> bool:
    """Say whether it is about the work as a whole: "that should make everyone happier"."""
    subject = lows(head.subject)
    if subject[-1] in _RULES and head.verb.base in _RULING:
        return True
    if len(subject) != 1 or subject[0] not in _ABOUT_IT_ALL or any(t.kind == "duration" for t in tokens):
        return False
    if subject[0] in ("everything", "all") and head.verb.base in _HAPPENING:
        return True
    wishes = any(token.low in _WISHED & MODALS for token in tokens[: head.at])
    return subject[0] != "all" and wishes and head.verb.base in _EFFECTS


def _introduces(tokens: Tokens, head: Head) -> bool:
    """Say whether it tells what somebody's trade is: "we bake custom cakes"."""
    if lows(head.subject)[0] not in _WE or len(head.subject) > 1:
        return False
    counts = any(token.low[:1].isdigit() for token in tokens[head.at : head.at + 4])
    if head.verb.base in _RECEIVES and counts:
        return True
    if head.verb.base not in _TRADES:
        return False
    objects = tokens[2:]
    first_join = next((at for at, token in enumerate(objects) if token.low in _JOINS), len(objects))
    said = objects[:first_join]
    is_general = bool(said) and said[0].low not in DETERMINERS and any(_is_plural(t.low) for t in said[:3])
    return is_general and objects[first_join : first_join + 1] != [","] and "then" not in lows(objects)


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))
