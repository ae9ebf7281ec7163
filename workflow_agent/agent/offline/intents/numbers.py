"""Numbers, ordinals and lists as people type them."""

import re

_CARDINALS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_NUMBERS = {word: at for at, word in enumerate(_CARDINALS)} | {
    "once": 1,
    "twice": 2,
    "a couple of": 2,
    "a few": 3,
    "several": 3,
}
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
)  # fmt: skip
_SUFFIX = re.compile(r"(?<=\d)(?:st|nd|rd|th)$")
_LIST = re.compile(r"\s*(?:,|;|&|\band\b|\bplus\b)\s*", re.IGNORECASE)
_QUOTES = ('"', "'")


def number_of(text: str) -> int | None:
    """Return the small number a phrase names, or None."""
    word = text.strip().lower()
    return int(word) if word.isdecimal() and len(word) < 7 else _NUMBERS.get(word)


def ordinal_of(text: str) -> int | None:
    """Return the place that "second", "2nd" or "2" names, or None."""
    word = text.strip().lower()
    if word in ORDINALS:
        return ORDINALS.index(word) + 1
    return number_of(_SUFFIX.sub("", word))


def unquoted(text: str) -> str:
    """Return a text without the quotes around it and the marks behind it."""
    text = text.strip(" ,;:")
    for mark in _QUOTES:
        if len(text) > 2 and text[0] == mark == text[-1]:
            return text[1:-1].strip()
    return text.rstrip(".!?")


def listed(text: str) -> list[str]:
    """Return the items of "a, b and c"."""
    return [item for item in (unquoted(part) for part in _LIST.split(text)) if item]
