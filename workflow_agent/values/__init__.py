"""Small values that every room uses; here, values in groups, values that lead to others, and texts cut to fit."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


def reached(starts: Iterable[_Key], onward: Callable[[_Key], Iterable[_Key]]) -> list[_Key]:
    """Return all that some nodes lead to, by what `onward` gives: these first and then the nearest, each once."""
    found = list(dict.fromkeys(starts))
    seen = set(found)
    for here in found:
        news = [one for one in dict.fromkeys(onward(here)) if one not in seen]
        seen.update(news)
        found += news
    return found


def grouped(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """Return the second values of pairs by the first ones, each group in order."""
    groups: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def shortened(text: str, max_chars: int = 60) -> str:
    """Return a text on one line, without control characters, cut to fit."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * max_chars]).split())
    return plain if len(plain) <= max_chars else plain[: max_chars - 1].rstrip() + "…"
