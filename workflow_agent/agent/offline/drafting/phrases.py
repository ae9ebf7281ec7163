"""Naming steps: short, without articles, `it` replaced by what it means."""

from collections.abc import Iterable, Sequence
from typing import Final

from workflow_agent.agent.offline.drafting.actors import Memory
from workflow_agent.agent.offline.drafting.clause_heads import ADVERBS
from workflow_agent.agent.offline.drafting.nouns import (
    ARTICLES,
    DETERMINERS,
    PERSONAL,
    POSSESSIVES,
    PREPOSITIONS,
)
from workflow_agent.agent.offline.drafting.tokens import Token, Tokens, spoken, strip_marks
from workflow_agent.agent.offline.drafting.verbs import lemma
from workflow_agent.agent.offline.drafting.words import word_set

_MAX_NAME_CHARS: Final = 90
_PRONOUNS: Final = word_set("it them this that these those")
_EMPTY: Final = word_set(
    "the a an is are was were be been of to and or in on for at by with if it its he she they them his "
    "her their "
    "this that as not no has have had been will must should can step stage phase again then from into "
    "back i we you "
    "process workflow does do did up out over who"
)
_DROPPED: Final = (
    ARTICLES | POSSESSIVES | word_set("also again too automatically immediately accordingly both")
)
_DANGLING: Final = PREPOSITIONS - word_set("on in over up") | word_set("and or as well")


def step_name(verb: str, tokens: Tokens, memory: Memory) -> str:
    """Return `Verb object` for an infinitive and the words after it."""
    return capitalised([verb, *object_words(tokens, memory)])


def object_words(tokens: Tokens, memory: Memory) -> list[str]:
    """Return the words of an object phrase as they go into a name."""
    kept: list[str] = []
    for token in strip_marks(tokens):
        if token.low in _PRONOUNS and not _determines(token, tokens):
            kept.extend(memory.meant_by(token.low).split())
        elif (
            token.low in _PRONOUNS
            or token.low in _DROPPED
            or token.low in ("us", "me")
            or token.low in ('"', "'")
        ):
            continue
        elif token.low == "him" or token.low in PERSONAL - {"who"}:
            kept.append(memory.person or token.text)
        else:
            kept.append(token.text)
    while kept and (kept[-1].lower() in _DANGLING or kept[-1].lower() in ADVERBS):
        kept.pop()
    return kept


def _determines(token: Token, tokens: Tokens) -> bool:
    at = next(at for at, other in enumerate(tokens) if other is token)
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    return (
        token.low in DETERMINERS and following is not None and following.kind == "word"
        and following.low not in PREPOSITIONS | {"and", "or"} | ADVERBS
    )  # fmt: skip


def capitalised(words: Sequence[str]) -> str:
    """Return words as a name: one line, first letter large, cut at a word."""
    text = spoken(
        [Token(word, word.lower(), "mark" if not word[:1].isalnum() else "word") for word in words if word]
    )
    if len(text) > _MAX_NAME_CHARS:
        text = text[:_MAX_NAME_CHARS].rsplit(" ", 1)[0].rstrip(" ,;:-")
    return text[:1].upper() + text[1:]


def keywords(words: Iterable[str]) -> frozenset[str]:
    """Return the lemmas that a step can be recognised by."""
    return frozenset(
        lemma(word.lower()) for word in words if word.lower() not in _EMPTY and word[:1].isalnum()
    )
