"""What a layout is made of."""

from collections.abc import Iterable
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
