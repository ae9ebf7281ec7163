"""Reading lengths of time: `two days`, `48 hours`, `an hour and a half`."""

import re
from collections.abc import Sequence
from typing import Final

from workflow_agent.agent.offline.drafting.words import word_set

NUMBERS: Final = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "eighteen": 18, "twenty": 20, "thirty": 30, "forty": 40, "forty-five": 45, "fifty": 50, "sixty": 60,
    "ninety": 90, "hundred": 100, "a": 1, "an": 1, "once": 1, "twice": 2, "thrice": 3, "single": 1,
}  # fmt: skip
_UNITS: Final = {
    "second": "S", "sec": "S", "s": "S", "minute": "M", "min": "M", "mins": "M", "m": "M", "hour": "H",
    "hr": "H",
    "hrs": "H", "h": "H", "day": "D", "d": "D", "workday": "D", "week": "W", "wk": "W", "w": "W",
    "month": "MO",
    "quarter": "Q", "year": "Y", "yr": "Y", "fortnight": "F", "night": "D",
}  # fmt: skip
_SECONDS: Final = {"S": 1, "M": 60, "H": 3600, "D": 86_400, "W": 604_800}
_QUALIFIERS: Final = word_set("business working calendar full whole more consecutive")
_NUMBER: Final = re.compile(r"(\d{1,6})(?:[.,](\d{1,3}))?([a-z]*)")
_VAGUE: Final = {"couple": 2, "few": 3, "dozen": 12}

Length = tuple[str, int]
"""An ISO 8601 duration and the position after it."""


def unit_of(word: str) -> str | None:
    """Return the unit a word names: `S M H D W MO Q Y F`, or None."""
    plain = word.rstrip(".")
    return _UNITS.get(plain) or (_UNITS.get(plain[:-1]) if len(plain) > 3 and plain.endswith("s") else None)


def whole_number(word: str) -> int | None:
    """Return the number a word or a numeral names, or None."""
    if word in NUMBERS:
        return NUMBERS[word]
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 6 else None


def written(amount: float, unit: str) -> str | None:
    """Return an amount of a unit as ISO 8601, smaller units for fractions; None for nothing."""
    if amount <= 0:
        return None
    if amount != int(amount):
        return _in_smaller_units(amount, unit)
    count = int(amount)
    if unit in ("S", "M", "H"):
        return f"PT{count}{unit}"
    return {"MO": f"P{count}M", "Q": f"P{count * 3}M", "F": f"P{count * 2}W"}.get(unit, f"P{count}{unit}")


def _in_smaller_units(amount: float, unit: str) -> str | None:
    if unit == "Y":
        return f"P{max(1, round(amount * 12))}M"
    if unit not in _SECONDS:
        return f"P{max(1, round(amount * {'MO': 30, 'Q': 91, 'F': 14}[unit]))}D"
    seconds = round(amount * _SECONDS[unit])
    for smaller in ("D", "H", "M"):
        if seconds and seconds % _SECONDS[smaller] == 0:
            return written(seconds // _SECONDS[smaller], smaller)
    return f"PT{max(1, seconds)}S"


def duration_at(words: Sequence[str], at: int) -> Length | None:
    """Return the duration that begins at a position of lower-case words, or None."""
    first = _one_length(words, at)
    if first is None:
        return None
    (amount, unit), end = first
    if words[end : end + 3] == ["and", "a", "half"]:
        amount, end = amount + 0.5, end + 3
    iso = written(amount, unit)
    if iso is None:
        return None
    joined = end + 1 if words[end : end + 1] == ["and"] else end
    second = _one_length(words, joined)
    if second is not None and _is_smaller(second[0][1], unit) and amount == int(amount):
        rest = written(*second[0])
        if rest is not None:
            return _together(iso, rest), second[1]
    return iso, end


def _is_smaller(unit: str, than: str) -> bool:
    order = ["S", "M", "H", "D", "W"]
    return unit in order and than in order and order.index(unit) < order.index(than)


def _together(larger: str, smaller: str) -> str:
    if "T" in larger:
        return larger + smaller.removeprefix("PT")
    return larger + smaller.removeprefix("P")


def _one_length(words: Sequence[str], at: int) -> tuple[tuple[float, str], int] | None:
    number = _amount(words, at)
    if number is None:
        return None
    amount, attached, end = number
    if attached:
        unit = unit_of(attached)
        return None if unit is None else ((amount, unit), end)
    while end < len(words) and words[end] in _QUALIFIERS:
        end += 1
    unit = unit_of(words[end]) if end < len(words) and len(words[end]) > 1 else None
    if unit is None or _is_ordinal(words, at, end):
        return None
    return (amount, unit), end + 1


def _is_ordinal(words: Sequence[str], at: int, end: int) -> bool:
    """Say whether this is `a second approval` or `a quarter of them`, not a length."""
    return words[at] in ("a", "an") and words[end] in ("second", "quarter", "minute")


def _amount(words: Sequence[str], at: int) -> tuple[float, str, int] | None:
    """Return an amount, the unit written onto it (`24h`), and the position after it."""
    if at >= len(words):
        return None
    if list(words[at : at + 2]) in (["half", "a"], ["half", "an"]):
        return 0.5, "", at + 2
    if list(words[at : at + 2]) in (["a", "couple"], ["a", "few"]):
        return _VAGUE[words[at + 1]], "", at + (3 if words[at + 2 : at + 3] == ["of"] else 2)
    ranged = _range_end(words, at)
    if ranged is not None:
        return ranged
    number = NUMBERS.get(words[at])
    if number is not None:
        return number, "", at + 1
    match = _NUMBER.fullmatch(words[at])
    if match is None:
        return None
    return float(f"{match[1]}.{match[2] or 0}"), match[3], at + 1


def _range_end(words: Sequence[str], at: int) -> tuple[float, str, int] | None:
    """Return the upper end of `2-3 days` or `two to three days`."""
    if at + 2 < len(words) and words[at + 1] in ("-", "to", "or") and words[at] not in ("a", "an"):
        low, high = whole_number(words[at]), whole_number(words[at + 2])
        if low is not None and high is not None and low < high:
            return high, "", at + 3
    return None


def number_of_times(word: str) -> int | None:
    """Return how often `twice`, `three` or `3` is, when it can be counted to a thousand."""
    number = whole_number(word)
    return number if number is not None and 1 <= number <= 1_000 else None


_ORDINAL: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th)")


_ORDINALS: Final = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "tenth": 10,
    "fifteenth": 15,
}


def ordinal_at(words: Sequence[str], at: int) -> int | None:
    """Return the day of a month that `first` or `15th` names, or None."""
    if at >= len(words):
        return None
    match = _ORDINAL.fullmatch(words[at])
    number = int(match[1]) if match else _ORDINALS.get(words[at])
    return number if number is not None and 1 <= number <= 31 else None
