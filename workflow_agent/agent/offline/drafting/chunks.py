"""Cutting a sentence at its connectives."""

from dataclasses import dataclass, field
from typing import Final

from workflow_agent.agent.offline.drafting.condition_ends import SPLIT, split_condition, split_phrase
from workflow_agent.agent.offline.drafting.connectives import (
    ONLY_AT_A_START,
    WHETHER_VERBS,
    Link,
    connectives_at,
)
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.nouns import DETERMINERS, GENERIC, PERSONAL, is_role
from workflow_agent.agent.offline.drafting.tokens import Token, Tokens, lows
from workflow_agent.agent.offline.drafting.verbs import verb_of
from workflow_agent.agent.offline.drafting.words import word_set

_SUBORDINATE: Final = frozenset({"if", "when", "unless", "after"})
_POSSIBLE: Final = word_set("possible necessary needed applicable required appropriate desired available")
_LAST: Final = word_set("finally lastly last end eventually")
_COMPARING: Final = word_set("under over above below < >")
_DAYS: Final = word_set("day night week evening morning month")
_GLUE: Final = word_set(", ; : and or but")


@dataclass(slots=True)
class Chunk:
    """What one connective introduces."""

    link: Link
    tokens: list[Token] = field(default_factory=list[Token])
    is_glued: bool = False
    """Follows its main clause without a comma: "notify us if it fails"."""
    is_end: bool = False
    """Nothing follows it in the sentence."""
    is_last: bool = False
    """Begins with `finally` or its like."""


def chunks_of(tokens: Tokens) -> list[Chunk]:
    """Return a sentence as chunks, each with the connective before it."""
    words = lows(tokens)
    chunks = [Chunk("if" if _compares(words) else "plain")]
    at = 0
    while at < len(tokens):
        candidates = connectives_at(words, at) if tokens[at].kind in ("word", "mark") else []
        found = next((link for link in candidates if _links(tokens, words, at, link, chunks[-1])), None)
        if tokens[at].kind == "duration" and words[at + 1 : at + 2] == ["later"]:
            chunks += [Chunk("then", [tokens[at]]), Chunk("plain")]
            at += 2
        elif found is None:
            chunks[-1].tokens.append(tokens[at])
            at += 1
        else:
            at = _open(tokens, words, at, found, chunks)
    kept = [chunk for chunk in chunks if chunk.tokens or chunk.link not in ("plain", "then")]
    if kept:
        kept[-1].is_end = True
    return kept


def _compares(words: list[str]) -> bool:
    """Say whether a sentence begins with a bare condition: "over 1000: the manager approves"."""
    return words[:1] != [] and words[0] in _COMPARING and words[1:2] != [] and words[1][:1].isdigit() and (
        ":" in words[:5] or "," in words[:5]
    )  # fmt: skip


def _open(tokens: Tokens, words: list[str], at: int, found: tuple[Link, int], chunks: list[Chunk]) -> int:
    """Begin the chunk of a connective and return the position after it."""
    link, end = found
    if link == "filler":
        return end
    if words[at:end] == ["if", "possible"]:
        return end
    if link == "if" and end < len(tokens) and words[end] in _POSSIBLE:
        return end + 1
    if link in ("after", "when") and end < len(tokens) and tokens[end].kind == "duration":
        if any(token.low.startswith("escalate") for token in chunks[-1].tokens):
            chunks[-1].tokens.append(tokens[end])
            return end + 1
        if _separates_condition(chunks[-1]):
            chunks[-1].tokens += tokens[at : end + 1]
            return end + 1
        chunks += [Chunk("then", [tokens[end]]), Chunk("plain")]
        return end + 1
    if link == "then" and _separates_condition(chunks[-1]):
        chunks[-1].tokens.append(SPLIT)
        return end
    glued = bool(chunks[-1].tokens) and not {words[at - 1], words[at]} & _GLUE
    chunks.append(Chunk(link, [], glued, is_last=not _LAST.isdisjoint(words[at:end])))
    return end


def _links(tokens: Tokens, words: list[str], at: int, found: tuple[Link, int], current: Chunk) -> bool:
    """Say whether a connective's words really connect here."""
    link, end = found
    if link == "filler" and current.link not in ("plain", "then") and not current.tokens:
        return False
    is_start = not any(token.kind == "word" for token in current.tokens) or words[at - 1] in _GLUE
    following = words[end] if end < len(words) else ""
    if end == at + 1 and words[at] in ONLY_AT_A_START:
        if words[at] in ("second", "third", "fourth", "first", "last", "next") and following not in (
            ",",
            ":",
        ):
            return is_start and end < len(tokens) and _begins_plainly(tokens, end)
        return is_start and (
            link in ("filler", "else") or following in (",", ":") or _begins_clause(tokens, end)
            or (link == "after" and bool(split_phrase(tokens[end : end + 12])[1]))
        )  # fmt: skip
    if (link == "else" and words[at] in ("if", "when")) or (
        link == "else" and words[at + 1 : at + 2] == ["if"]
    ):
        return _is_whole_alternative(tokens, words, at, end)
    if link == "filler":
        return is_start or words[at] in ("please", "basically", "actually", "usually", "normally")
    if words[at] == "if" and end == at + 1 and at and _asks_whether(words, at):
        return False
    if link == "until" or words[at : at + 1] == ["until"]:
        is_noun = bool(at) and words[at - 1] in DETERMINERS
        waits = any(word in ("wait", "waits", "waiting") for word in lows(current.tokens[-3:]))
        return not is_noun and not waits
    return not _is_other_use(tokens, words, at, end, following)


def _is_whole_alternative(tokens: Tokens, words: list[str], at: int, end: int) -> bool:
    """Say whether "if not" stands alone, unlike in "if not approved" and "if it is not good"."""
    following = words[end] if end < len(words) else ""
    if following in ("", ",", ":", "then", "→"):
        return True
    return (
        words[end - 1] == "not"
        and end - at <= 3
        and words[end - 2] == "if"
        and read_head(tokens, end) is not None
    )


def _is_other_use(tokens: Tokens, words: list[str], at: int, end: int, following: str) -> bool:
    phrase = " ".join(words[at:end])
    if phrase == "then" and at and words[at - 1] in ("by", "until", "till", "since"):
        return True
    if phrase == "as soon as":
        return following == "possible"
    if phrase in ("at the end", "in the end", "at the same time"):
        return following == "of"
    if phrase in ("after", "before"):
        return bool(at) and (tokens[at - 1].kind == "duration" or words[at - 1] in _DAYS)
    if phrase == "once" and at and words[at - 1] in ("at", "only"):
        return True
    if phrase in ("once", "when"):
        return following in ("again", "a", "per", "needed", "necessary") and phrase == "once"
    return False


def _asks_whether(words: list[str], at: int) -> bool:
    before = words[at - 1] if words[at - 1] != "out" or at < 2 else words[at - 2]
    verb = verb_of(before)
    return verb is not None and verb.base in WHETHER_VERBS and verb.base != "approve"


def _begins_clause(tokens: Tokens, at: int) -> bool:
    return read_head(tokens, at) is not None


def _begins_plainly(tokens: Tokens, at: int) -> bool:
    """Say whether "first" before this is no adjective: "first the author", "first check it"."""
    low = tokens[at].low
    head = read_head(tokens, at)
    if head is None:
        return False
    return low in DETERMINERS | GENERIC | PERSONAL or is_role(low) or not head.subject


def _separates_condition(chunk: Chunk) -> bool:
    """Say whether `then` ends the condition of an open `if`: nothing follows the condition yet."""
    if chunk.link not in _SUBORDINATE or not chunk.tokens or any(token is SPLIT for token in chunk.tokens):
        return False
    return not split_condition(chunk.tokens)[1]
