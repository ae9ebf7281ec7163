"""How much room text takes, without a font at hand."""

import unicodedata
from collections.abc import Iterator

_NARROW = frozenset("fijlrtI.,:;!|'()[]{} -/\\\"`")
_WIDE = frozenset("mwMW@%&")


def text_width(text: str, size: float) -> float:
    """Return about how wide a line of text is in a usual sans-serif font, rather more than less."""
    return size * sum(map(_advance, text))


def _advance(char: str) -> float:
    if char in _NARROW:
        return 0.34
    if unicodedata.east_asian_width(char) in "WF" or ord(char) > 0x1F000:
        return 1.05
    if unicodedata.combining(char):
        return 0.0
    return 0.9 if char in _WIDE else 0.68 if char.isupper() else 0.56


def wrapped(text: str, size: float, width: float, most_lines: int) -> list[str]:
    """Return a text as lines no wider than this; what does not fit ends in an ellipsis."""
    lines = list(_filled(text.split(" "), size, width))
    if len(lines) <= most_lines:
        return lines
    return [*lines[: most_lines - 1], _cut(" ".join(lines[most_lines - 1 :]), size, width)]


def _filled(words: list[str], size: float, width: float) -> Iterator[str]:
    line = ""
    for word in (piece for one in words for piece in _pieces(one, size, width)):
        longer = f"{line} {word}" if line else word
        if line and text_width(longer, size) > width:
            yield line
            line = word
        else:
            line = longer
    if line:
        yield line


def _pieces(word: str, size: float, width: float) -> Iterator[str]:
    """Yield a word, or where it is too long by itself what fits of it at a time."""
    piece, room = "", width
    for char in word:
        room -= text_width(char, size)
        if room < 0 and piece:
            yield piece
            piece, room = "", width - text_width(char, size)
        piece += char
    if piece:
        yield piece


def _cut(text: str, size: float, width: float) -> str:
    while text and text_width(text + "…", size) > width:
        text = text[:-1]
    return text.rstrip() + "…"
