"""The outlines of steps: rounded, and each kind told apart by more than its colour."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from workflow_agent.workflows.diagrams.layout.grid import Box, Point, Route
from workflow_agent.workflows.model.steps import STEP_TYPES, StepType

_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""


def element(name: str, *inside: str, **attributes: str | float | None) -> str:
    """Return an element; its attributes are escaped, what is inside is markup already.

    `class_` is `class`, `font_size` is `font-size`; an attribute that is None is left out.
    """
    listed = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{listed}>{''.join(inside)}</{name}>" if inside else f"<{name}{listed}/>"


def words(text: str) -> str:
    """Return a text as markup, without the characters XML forbids."""
    return escape(_allowed(text), quote=False)


def number(value: float) -> str:
    """Return a number in its shortest form, to a tenth."""
    return f"{round(value, 1) + 0.0:g}" if abs(value) < 100_000 else f"{value:.0f}"


def _value(value: str | float) -> str:
    return number(value) if isinstance(value, int | float) else escape(_allowed(value), quote=True)


def _allowed(text: str) -> str:
    return _FORBIDDEN.sub("", text)


_CORNER = 10.0
_SLANT = 16.0
KINDS: Mapping[str, str] = {kind: kind.upper() for kind in STEP_TYPES} | {"subworkflow": "SUB-WORKFLOW"}
_WIDER = {"decision": 30.0, "fork": 26.0, "join": 26.0, "end": 22.0, "wait": 22.0, "event": 24.0}
SIDE_ROOM: Mapping[str, float] = dict.fromkeys(STEP_TYPES, 16.0) | _WIDER
"""How much wider than its text a step is on either side."""


def outline(kind: StepType, box: Box, **attributes: str) -> str:
    """Return the outline of a step."""
    if kind in ("decision", "fork", "join"):
        return element("path", d=_pointed(box), **attributes)
    if kind == "event":
        return element("path", d=_flag(box), **attributes)
    corner = box.height / 2 if kind in ("end", "wait") else _CORNER
    return frame(box, corner, **attributes)


def ornament(kind: StepType, box: Box) -> str:
    """Return what tells a kind of step apart beside its outline, which may be nothing."""
    if kind in ("subworkflow", "loop"):
        inner = Box(box.left + 4, box.top + 4, box.width - 8, box.height - 8)
        return frame(inner, _CORNER - 3, class_="ornament")
    if kind == "human":
        x, y = box.centre.x - 28, box.top + 13
        shoulders = f"M{number(x - 4.5)} {number(y + 7.5)}a4.5 4.5 0 0 1 9 0"
        head = element("circle", cx=x, cy=y, r=2.7, class_="ornament")
        return head + element("path", d=shoulders, class_="ornament")
    return ""


def frame(box: Box, corner: float, **attributes: str) -> str:
    """Return a rectangle with round corners."""
    return element(
        "rect", x=box.left, y=box.top, width=box.width, height=box.height, rx=corner, ry=corner, **attributes
    )


def _pointed(box: Box) -> str:
    """Return a hexagon that points to the sides."""
    slant = min(_SLANT, box.height / 2)
    left, right = box.left + slant, box.right - slant
    upper = [(left, box.top), (right, box.top), (box.right, box.centre.y)]
    return _closed([*upper, (right, box.bottom), (left, box.bottom), (box.left, box.centre.y)])


def _flag(box: Box) -> str:
    corners = [(box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom)]
    return _closed([*corners, (box.left + _SLANT - 4, box.centre.y)])


def _closed(corners: Sequence[tuple[float, float]]) -> str:
    """Return a path around corners, each rounded a little."""
    points = [Point(x, y) for x, y in corners]
    around = zip(points[-1:] + points[:-1], points, points[1:] + points[:1], strict=True)
    drawn = [
        f"{_point(_towards(here, before, 4.0, 1.0))}Q{_point(here)} {_point(_towards(here, after, 4.0, 1.0))}"
        for before, here, after in around
    ]
    return f"M{'L'.join(drawn)}Z"


def _towards(here: Point, there: Point, by: float, most: float) -> Point:
    """Return the point that lies so far on the way to another one, or at most this share of the way."""
    across, down = there.x - here.x, there.y - here.y
    length = (across * across + down * down) ** 0.5
    share = min(by / length, most) if length else 0.0
    return Point(here.x + across * share, here.y + down * share)


_BEND = 8.0
_HEAD = 8.0
_HEAD_WIDTH = 4.5


def path_of(route: Route) -> str:
    """Return the path of a line, up to where its head begins."""
    points = [*route.points[:-1], _before_head(route.points)]
    drawn = [f"M{_point(points[0])}"]
    for at in range(1, len(points)):
        here, before = points[at], points[at - 1]
        if here.x != before.x and here.y != before.y:
            middle = number((here.y + before.y) / 2)
            drawn.append(f"C{number(before.x)} {middle} {number(here.x)} {middle} {_point(here)}")
        elif at + 1 < len(points) and _is_corner(before, here, points[at + 1]):
            start, end = _towards(here, before, _BEND, 0.5), _towards(here, points[at + 1], _BEND, 0.5)
            drawn.append(f"L{_point(start)}Q{_point(here)} {_point(end)}")
        else:
            drawn.append(f"L{_point(here)}")
    return "".join(drawn)


def head_of(route: Route) -> str:
    """Return the path of a line's head."""
    tip, start = route.points[-1], _before_head(route.points)
    if tip.x == start.x:
        left, right = Point(start.x - _HEAD_WIDTH, start.y), Point(start.x + _HEAD_WIDTH, start.y)
    else:
        left, right = Point(start.x, start.y - _HEAD_WIDTH), Point(start.x, start.y + _HEAD_WIDTH)
    return f"M{_point(tip)}L{_point(left)}L{_point(right)}Z"


def _before_head(points: Sequence[Point]) -> Point:
    tip, before = points[-1], points[-2]
    if tip.y == before.y:
        return Point(tip.x + (_HEAD if before.x > tip.x else -_HEAD), tip.y)
    return Point(tip.x, tip.y - _HEAD if before.y < tip.y else tip.y + _HEAD)


def _is_corner(before: Point, here: Point, after: Point) -> bool:
    return (before.x == here.x and here.y == after.y) or (before.y == here.y and here.x == after.x)


def _point(point: Point) -> str:
    return f"{number(point.x)} {number(point.y)}"


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
