"""What is written into a picture, line by line, and the room that takes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from workflow_agent.workflows.diagrams.layout.geometry import Picture, text_width, wrapped
from workflow_agent.workflows.diagrams.layout.scopes import Link, Part, laid_out
from workflow_agent.workflows.diagrams.svg.shapes import KINDS, side_room
from workflow_agent.workflows.diagrams.view import DiagramView, Line, said, shortened
from workflow_agent.workflows.model.steps import Step

BEGIN, REST = "begin ", "rest "
"""Ids of what is no step; a step's id has no space."""
NAME_LINE, SMALL_LINE, SAID_LINE = 17.0, 15.0, 14.0
_NAME_SIZE, _TITLE_SIZE, _SMALL_SIZE, _KIND_SIZE = 13.0, 12.0, 11.0, 9.0
_BOLD = 1.07
_NAME_WIDTH, _SAID_WIDTH, _LEAST_WIDTH = 176.0, 150.0, 84.0
_AROUND_TEXT = 32.0


@dataclass(frozen=True, slots=True)
class StepText:
    """What is written on a step."""

    kind: str
    name: Sequence[str]
    small: Sequence[str]

    @property
    def size(self) -> tuple[float, float]:
        """Return the width and height of the text and the kind above it."""
        widths = [text_width(line, _NAME_SIZE) * _BOLD for line in self.name]
        widths += [text_width(line, _SMALL_SIZE) for line in self.small]
        widths.append(text_width(self.kind, _KIND_SIZE) * 1.15 + 20)
        height = _AROUND_TEXT + len(self.name) * NAME_LINE + len(self.small) * SMALL_LINE
        return max(*widths, _LEAST_WIDTH), height


@dataclass(frozen=True, slots=True)
class Sketch:
    """Everything that is written, and where it goes."""

    steps: Mapping[str, StepText]
    titles: Mapping[str, str]
    """Of the steps drawn around others."""
    labels: Mapping[str, Sequence[str]]
    """The lines said on each line, by its id."""
    picture: Picture
    lanes: Sequence[str] = ()
    """The titles of the lanes, from left to right."""


def sketch_of(view: DiagramView) -> Sketch:
    """Return where everything in a view goes."""
    steps = {step.id: _step_text(step, view.folded.get(step.id, 0)) for step in view.shown.values()}
    titles = {one: _title(view.shown[one]) for one in view.children if one}
    labels = {line_id(at): _said_lines(line) for at, line in enumerate(view.lines)}
    lanes = list(dict.fromkeys(view.lanes.values()))
    picture = laid_out(list(_parts(view, steps, titles, lanes)), list(_links(view, labels)))
    return Sketch(steps, titles, labels, picture, lanes)


def line_id(at: int) -> str:
    """Return the id of a view's line in the picture."""
    return f"line-{at}"


def _step_text(step: Step, folded: int) -> StepText:
    small = [shortened(step.assignee, 28)] if step.assignee else []
    if folded:
        small.append(f"+ {folded} steps inside")
    name = wrapped(shortened(step.name, 120) or step.id, _NAME_SIZE, _NAME_WIDTH, 3)
    return StepText(KINDS[step.type], name, small)


def _title(step: Step) -> str:
    return f"{KINDS[step.type].capitalize()}: {shortened(step.name, 44) or step.id}"


def _said_lines(line: Line) -> Sequence[str]:
    if line.transition is None:
        return ()
    return wrapped(shortened(said(line.transition), 80), _SMALL_SIZE, _SAID_WIDTH, 2)


def _parts(
    view: DiagramView, steps: Mapping[str, StepText], titles: Mapping[str, str], lanes: Sequence[str]
) -> Iterator[Part]:
    lane_of = {step_id: lanes.index(role) for step_id, role in view.lanes.items()}
    if view.start is not None:
        yield Part(BEGIN, 18.0, 18.0, lane=lane_of.get(view.start, 0))
    waiting = [*reversed(view.children.get("", ()))]
    while waiting:
        step = waiting.pop()
        inside = view.children.get(step.id, ())
        parent = step.parent if step.parent in view.shown else None
        if inside:
            width, height = text_width(titles[step.id], _TITLE_SIZE) * _BOLD + 12, 24.0
        else:
            width, height = steps[step.id].size
            width += 2 * side_room(step.type)
        yield Part(step.id, width, height, parent, lane_of.get(step.id, 0))
        waiting += reversed(inside)
    if view.left_out:
        yield Part(REST, 180.0, 36.0)


def _links(view: DiagramView, labels: Mapping[str, Sequence[str]]) -> Iterator[Link]:
    if view.start is not None:
        yield Link(BEGIN, BEGIN, view.start)
    for at, line in enumerate(view.lines):
        lines = labels[line_id(at)]
        width = max((text_width(one, _SMALL_SIZE) for one in lines), default=0.0)
        size = (width + 12, len(lines) * SAID_LINE + 4) if lines else (0.0, 0.0)
        yield Link(line_id(at), line.source, line.target, size)
