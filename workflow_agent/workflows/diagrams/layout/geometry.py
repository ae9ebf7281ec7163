"""What a layout is made of."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple


class Point(NamedTuple):
    """A place; y grows downwards."""

    x: float
    y: float


class Box(NamedTuple):
    """A rectangle by its upper left corner."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Return where it ends."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Return where it ends."""
        return self.top + self.height

    @property
    def centre(self) -> Point:
        """Return its middle."""
        return Point(self.left + self.width / 2, self.top + self.height / 2)

    def moved(self, by: Point) -> "Box":
        """Return it elsewhere."""
        return Box(self.left + by.x, self.top + by.y, self.width, self.height)


@dataclass(frozen=True, slots=True)
class Route:
    """Where a line runs.

    Two points that share no coordinate are joined by a curve that leaves and arrives upright, or by
    an upright, a level and an upright piece: either stays between two rows of steps.
    """

    points: tuple[Point, ...]
    label: Box | None = None
    """The room kept for its label."""

    def moved(self, by: Point) -> "Route":
        """Return it elsewhere."""
        points = tuple(Point(one.x + by.x, one.y + by.y) for one in self.points)
        return Route(points, self.label.moved(by) if self.label else None)


@dataclass(frozen=True, slots=True)
class Picture:
    """Where everything goes, from the origin on."""

    boxes: dict[str, Box]
    routes: dict[str, Route]
    width: float
    height: float
    headings: dict[str, Box] = field(default_factory=dict[str, Box])
    """Where the heading of each box around others is."""
    lanes: dict[int, tuple[float, float]] = field(default_factory=dict[int, tuple[float, float]])
    """From where to where each lane of the outermost parts goes."""


@dataclass(frozen=True, slots=True)
class Node:
    """A rectangle to be placed."""

    id: str
    width: float
    height: float
    is_first: bool = False
    """Whether it stays in the highest row: where a line comes into the picture."""
    is_last: bool = False
    """Whether it belongs into the lowest row: where a line leaves the picture."""
    lane: int = 0
    """The column it stays in; those of a higher number stand further right."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A line to be drawn from the lower side of one node to the upper side of another."""

    id: str
    source: str
    target: str
    label: tuple[float, float] = (0.0, 0.0)
    """Width and height; nothing is kept free for a label without width."""
    leaves_at: float | None = None
    """Where on the source's lower side, from its left; wherever it suits unless told."""
    enters_at: float | None = None


def without_repeats(points: Iterable[Point]) -> tuple[Point, ...]:
    """Return the points without those that change nothing."""
    kept: list[Point] = []
    for point in points:
        if kept and kept[-1] == point:
            continue
        if len(kept) > 1 and _is_between(kept[-2], kept[-1], point):
            kept[-1] = point
        else:
            kept.append(point)
    return tuple(kept)


def _is_between(one: Point, middle: Point, other: Point) -> bool:
    upright = one.x == middle.x == other.x and (one.y <= middle.y) == (middle.y <= other.y)
    return upright or (one.y == middle.y == other.y)


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
