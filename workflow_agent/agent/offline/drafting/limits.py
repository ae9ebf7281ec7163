"""Reading limits: `within two days`, `up to three times`."""

from typing import Any, Final

from workflow_agent.agent.offline.drafting.durations import number_of_times
from workflow_agent.agent.offline.drafting.tokens import Tokens, lows
from workflow_agent.agent.offline.drafting.words import word_set

_LIMITS: Final = (("within",), ("in", "less", "than"), ("no", "later", "than"), ("in", "under"), ("in",
"at", "most"),
                  ("in", "max"), ("inside",), ("in", "the", "next"), ("at", "most"), ("max",), ("not",
                  "later", "than"))  # fmt: skip


_ATTEMPTS: Final = word_set("times attempts tries retries time attempt x")


_BEFORE_ATTEMPTS: Final = word_set("up to at most max maximum for with a of")


def without_limits(rest: Tokens) -> tuple[Tokens, dict[str, Any]]:
    """Return tokens without `within two days` and `up to three times`, and these as step fields."""
    fields: dict[str, Any] = {}
    kept = list(rest)
    for at, token in enumerate(kept):
        if token.kind == "duration" and (lead := _limit_before(kept, at)) is not None:
            fields["timeout"] = token.value
            kept = [*kept[:lead], *kept[at + 1 :]]
            break
    times = attempts_in(kept)
    if times is not None:
        fields["retry"] = {"max_attempts": times[0]}
        kept = [*kept[: times[1]], *kept[times[2] :]]
    return kept, fields


def _limit_before(tokens: Tokens, at: int) -> int | None:
    words = lows(tokens[max(0, at - 3) : at])
    for limit in _LIMITS:
        if tuple(words[-len(limit) :]) == limit:
            return at - len(limit)
    return None


def attempts_in(tokens: Tokens) -> tuple[int, int, int] | None:
    """Return how often something is tried, and where the phrase that says so begins and ends."""
    words = lows(tokens)
    for at, word in enumerate(words):
        number = number_of_times(word) if word not in ("a", "an") else None
        is_adverb = word in ("twice", "thrice")
        if number is None or not (is_adverb or (at + 1 < len(words) and words[at + 1] in _ATTEMPTS)):
            continue
        start = at
        while start and words[start - 1] in _BEFORE_ATTEMPTS:
            start -= 1
        return number, start, at + (1 if is_adverb else 2)
    return None
