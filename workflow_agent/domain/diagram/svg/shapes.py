"""The outlines of steps: rounded, and each kind told apart by more than its colour."""

from collections.abc import Mapping, Sequence

from workflow_agent.domain.diagram.svg.markup import element, number
from workflow_agent.domain.layout import Box
from workflow_agent.domain.workflow import StepType

_CORNER = 10.0
_SLANT = 16.0
KINDS: Mapping[StepType, str] = {
    "action": "ACTION", "human": "HUMAN", "decision": "DECISION", "fork": "FORK", "join": "JOIN",
    "loop": "LOOP", "wait": "WAIT", "event": "EVENT", "subworkflow": "SUB-WORKFLOW", "state": "STATE",
    "end": "END",
}  # fmt: skip
_SIDE_ROOM: Mapping[StepType, float] = {
    "decision": 30.0, "fork": 26.0, "join": 26.0, "end": 22.0, "wait": 22.0, "event": 24.0,
}  # fmt: skip


def side_room(kind: StepType) -> float:
    """Return how much wider than its text a step is on either side."""
    return _SIDE_ROOM.get(kind, 16.0)


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
    return _closed(
        [
            (box.left + slant, box.top), (box.right - slant, box.top), (box.right, box.centre.y),
            (box.right - slant, box.bottom), (box.left + slant, box.bottom), (box.left, box.centre.y),
        ]
    )  # fmt: skip


def _flag(box: Box) -> str:
    return _closed(
        [
            (box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom),
            (box.left + _SLANT - 4, box.centre.y),
        ]
    )  # fmt: skip


def _closed(corners: Sequence[tuple[float, float]], radius: float = 4.0) -> str:
    """Return a path around corners, each rounded a little."""
    drawn: list[str] = []
    for at, (x, y) in enumerate(corners):
        before, after = corners[at - 1], corners[(at + 1) % len(corners)]
        start, end = _towards((x, y), before, radius), _towards((x, y), after, radius)
        drawn.append(f"{'L' if drawn else 'M'}{_at(start)}Q{_at((x, y))} {_at(end)}")
    return "".join(drawn) + "Z"


def _towards(here: tuple[float, float], there: tuple[float, float], by: float) -> tuple[float, float]:
    across, down = there[0] - here[0], there[1] - here[1]
    share = by / max((across * across + down * down) ** 0.5, by)
    return here[0] + across * share, here[1] + down * share


def _at(point: tuple[float, float]) -> str:
    return f"{number(point[0])} {number(point[1])}"
