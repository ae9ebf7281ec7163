"""A message without its greeting and closing."""

from collections.abc import Sequence

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.tokens import Token, read_tokens, sentences

_GREETING = frozenset({"dear", "hi", "hello", "hey", "good"})
_OPENING = frozenset({"so", "ok", "okay", "well", "alright"})
_MOST_GREETING, _MOST_SIGNATURE = 6, 5
_MOST_SIGNED = 3
"""Lines that close a letter."""


def _greeting_end(tokens: Sequence[Token]) -> int:
    """Return where a greeting ends in front of a sentence: "Dear team,", "good morning,"; 0 where there is none."""
    at = next((at for at, token in enumerate(tokens) if token.lower not in _OPENING), 0)
    if at:
        return at + (tokens[at].text == ",")
    # "Hey delete the review" greets nobody: without a sign the words behind may be the order.
    sign = next((at for at, token in enumerate(tokens[:_MOST_GREETING]) if token.text in (",", "!")), 0)
    said = tokens[:sign]
    if not said or said[0].lower not in _GREETING:
        return 0
    plain = not any(token.has("aux", "prep", "det", "pron") for token in said)
    greets = said[0].lower != "good" or (len(said) == 2 and said[1].lower in ("morning", "afternoon", "evening", "day"))
    return sign + 1 if plain and greets else 0


def _is_signature(tokens: Sequence[Token], *, behind_one: bool) -> bool:
    """Say whether a line closes a letter: "Kind regards,", "Cheers, Bob", and a name behind such a line."""
    said = [token for token in tokens if token.kind != "punct"]
    if not said or len(said) > _MOST_SIGNATURE:
        return False
    closes = max((at for at, token in enumerate(said) if token.lower in word_set("lead.signs")), default=None)
    own = said if closes is None else said[closes + 1 :]
    named = all(token.text[:1].isupper() or token.has("num") or token.kind == "number" for token in own)
    if closes is None:
        return behind_one and named
    before = said[:closes]
    return named and all(
        token.has("adj", "filler", "adv", "det") or token.lower in ("kind", "with") for token in before
    )


def letter_itself(text: str) -> str:
    """Return a message without greeting and closing: "Dear team, ... Kind regards, Ann"."""
    parts = [part for part in sentences(read_tokens(text)) if part]
    if not parts:
        return text
    greeting = _greeting_end(parts[0])
    behind = [token for part in (parts[0][greeting:], *parts[1:]) for token in part[:1]]
    start = behind[0].start if behind else 0
    signed = (
        at for at in range(max(len(parts) - _MOST_SIGNED, 1), len(parts)) if _is_signature(parts[at], behind_one=False)
    )
    end = next(signed, len(parts))
    if end == len(parts) or not all(_is_signature(part, behind_one=True) for part in parts[end:]):
        return text[start:].strip()
    return text[start : parts[end][0].start].strip()
