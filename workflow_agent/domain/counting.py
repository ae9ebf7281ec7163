"""How many tokens a text is: counted, or estimated from its length and corrected by what was reported."""

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

CHARS_PER_TOKEN = 4
_KEPT_RATIOS = 20
_PLAUSIBLE = (0.2, 8.0)
"""A provider's figure over ours: outside, one of the two did not count the request that was sent."""

Counting = Literal["provider", "tokenizer", "calibrated", "chars_div_4"]
"""Who counted: the provider, its tokenizer here, our estimate corrected by reports, or the bare estimate."""


def tokens_of_chars(chars: int) -> int:
    """Return the estimated tokens of a text by its length: a token for each four characters begun."""
    return -(-chars // CHARS_PER_TOKEN)


def tokens_of(text: str) -> int:
    """Return the estimated tokens of a text."""
    return tokens_of_chars(len(text))


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """How the tokens of one run are counted; it does not change while the run goes on."""

    counting: Counting = "chars_div_4"
    count: Callable[[str], int] = tokens_of
    factor: float = 1.0
    """What the bare estimate is multiplied by."""


def estimated(factor: float) -> TokenCounter:
    """Return the counter that estimates from lengths, times a factor that was learned."""
    return TokenCounter("calibrated", lambda text: math.ceil(tokens_of(text) * factor), factor)


@dataclass(slots=True)
class Calibration:
    """How far the bare estimate was off for the last requests to one model."""

    ratios: deque[float] = field(default_factory=lambda: deque[float](maxlen=_KEPT_RATIOS))

    def learn(self, estimate_tokens: float, reported_tokens: int) -> None:
        """Take in what the provider reported for a request; absurd figures teach nothing."""
        if is_plausible(estimate_tokens, reported_tokens):
            self.ratios.append(reported_tokens / estimate_tokens)

    def counter(self) -> TokenCounter:
        """Return the counter as far as is known now."""
        # The median, because one odd request must not move the others.
        return estimated(median(self.ratios)) if self.ratios else TokenCounter()


def is_plausible(estimate_tokens: float, reported_tokens: int) -> bool:
    """Say whether a provider's figure can be of the request that the estimate is of."""
    low, high = _PLAUSIBLE
    return estimate_tokens > 0 and low <= reported_tokens / estimate_tokens <= high


def apportioned(parts: Mapping[str, int], total: int) -> dict[str, int]:
    """Return whole shares of a total in the proportion of the parts; they sum to it exactly.

    Args:
        parts: Not negative, and not all zero.
        total: What to share out.
    """
    whole = sum(parts.values())
    shares = {name: part * total // whole for name, part in parts.items()}
    by_remainder = sorted(parts, key=lambda name: -(parts[name] * total % whole))
    for name in by_remainder[: total - sum(shares.values())]:
        shares[name] += 1
    return shares
