"""Lines as paths: curves between rows, round corners beside them, and a head where they arrive."""

from collections.abc import Sequence

from workflow_agent.domain.diagram.svg.markup import number
from workflow_agent.domain.layout import Point, Route

_CORNER = 8.0
_HEAD = 8.0
_HEAD_WIDTH = 4.5


def path_of(route: Route) -> str:
    """Return the path of a line, up to where its head begins."""
    points = [*route.points[:-1], _before_head(route.points)]
    drawn = [f"M{_at(points[0])}"]
    for at in range(1, len(points)):
        here, before = points[at], points[at - 1]
        if here.x != before.x and here.y != before.y:
            middle = number((here.y + before.y) / 2)
            drawn.append(f"C{number(before.x)} {middle} {number(here.x)} {middle} {_at(here)}")
        elif at + 1 < len(points) and _is_corner(before, here, points[at + 1]):
            drawn.append(_round(before, here, points[at + 1]))
        else:
            drawn.append(f"L{_at(here)}")
    return "".join(drawn)


def head_of(route: Route) -> str:
    """Return the path of a line's head."""
    tip, start = route.points[-1], _before_head(route.points)
    if tip.x == start.x:
        left, right = Point(start.x - _HEAD_WIDTH, start.y), Point(start.x + _HEAD_WIDTH, start.y)
    else:
        left, right = Point(start.x, start.y - _HEAD_WIDTH), Point(start.x, start.y + _HEAD_WIDTH)
    return f"M{_at(tip)}L{_at(left)}L{_at(right)}Z"


def _before_head(points: Sequence[Point]) -> Point:
    tip, before = points[-1], points[-2]
    if tip.y == before.y:
        return Point(tip.x + (_HEAD if before.x > tip.x else -_HEAD), tip.y)
    return Point(tip.x, tip.y - _HEAD if before.y < tip.y else tip.y + _HEAD)


def _is_corner(before: Point, here: Point, after: Point) -> bool:
    return (before.x == here.x and here.y == after.y) or (before.y == here.y and here.x == after.x)


def _round(before: Point, here: Point, after: Point) -> str:
    return f"L{_at(_near(here, before))}Q{_at(here)} {_at(_near(here, after))}"


def _near(here: Point, there: Point) -> Point:
    across, down = there.x - here.x, there.y - here.y
    length = abs(across) + abs(down)
    share = min(_CORNER, length / 2) / length if length else 0.0
    return Point(here.x + across * share, here.y + down * share)


def _at(point: Point) -> str:
    return f"{number(point.x)} {number(point.y)}"
