"""A workflow as an SVG document."""

from collections.abc import Iterator, Sequence

from workflow_agent.values import shortened
from workflow_agent.workflows.diagrams import DiagramView, Line, said
from workflow_agent.workflows.diagrams.layout.grid import Box, Route
from workflow_agent.workflows.diagrams.svg.shapes import (
    element,
    frame,
    head_of,
    number,
    ornament,
    outline,
    path_of,
    words,
)
from workflow_agent.workflows.diagrams.svg.style import (
    BEGIN,
    NAME_LINE,
    REST,
    SAID_LINE,
    SMALL_LINE,
    Marks,
    line_id,
    sketch_of,
    style_sheet,
)
from workflow_agent.workflows.model.findings import Finding
from workflow_agent.workflows.model.steps import Step

_MARGIN = 24.0
_LANE_HEAD = 34.0
_DASHES = {"error": "dashed", "compensation": "dashed", "data": "dotted"}
_SIGNS = {"error": "!", "warning": "!", "info": "i"}
_MOST_MESSAGES = 10


def svg(view: DiagramView, marks: Marks) -> str:
    """Return a view of a workflow as an SVG document that stands alone."""
    return _Page(view, marks).document()


class _Page:
    def __init__(self, view: DiagramView, marks: Marks) -> None:
        self._view = view
        self._marks = marks
        self._sketch = sketch_of(view)

    def document(self) -> str:
        picture = self._sketch.picture
        top = _MARGIN + (_LANE_HEAD if picture.lanes else 0.0)
        width, height = picture.width + 2 * _MARGIN, picture.height + top + _MARGIN
        inside = element("g", *self._content(), transform=f"translate({number(_MARGIN)} {number(top)})")
        name = self._view.workflow.name
        return element(
            "svg",
            element("title", words(name), id="wf-title"),
            element("desc", words(self._description()), id="wf-desc"),
            element("style", style_sheet()),
            element("rect", width=width, height=height, class_="paper"),
            inside,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {number(width)} {number(height)}",
            width=width,
            height=height,
            class_="wf",
            role="img",
            aria_labelledby="wf-title wf-desc",
        )

    def _description(self) -> str:
        """Return in words what the picture shows: every step and where it leads."""
        names = {step.id: shortened(step.name, 80) or step.id for step in self._view.shown.values()}
        start = names.get(self._view.start or "")
        sentences = [f"{len(names)} steps, starting at {start}." if start else f"{len(names)} steps."]
        for line in self._view.lines:
            when = shortened(said(line.transition), 60) if line.transition else "inside"
            sentences.append(f"{names[line.source]} leads to {names[line.target]}{f' ({when})' if when else ''}.")
        if self._view.left_out:
            sentences.append(f"{self._view.left_out} more steps are not drawn.")
        return " ".join(sentences)

    def _content(self) -> Iterator[str]:
        boxes = self._sketch.picture.boxes
        for lane, (left, right) in self._sketch.picture.lanes.items():
            yield self._lane(self._sketch.lanes[lane], left, right, is_odd=lane % 2 == 1)
        for scope in self._sketch.titles:
            yield self._scope(self._view.shown[scope], boxes[scope])
        yield from self._lines()
        if self._view.start is not None:
            middle = boxes[BEGIN].centre
            yield element("circle", cx=middle.x, cy=middle.y, r=9.0, class_="begin")
        for step in self._view.shown.values():
            if step.id not in self._sketch.titles:
                yield self._step(step, boxes[step.id])
        if self._view.left_out:
            box = boxes[REST]
            yield _text(f"… and {self._view.left_out} more steps", box.centre.x, box.centre.y, "more")

    def _lines(self) -> Iterator[str]:
        routes = self._sketch.picture.routes
        if self._view.start is not None:
            yield _drawn(routes[BEGIN], "")
        for at, line in enumerate(self._view.lines):
            yield self._line(line, routes[line_id(at)])
        for at, lines in enumerate(self._sketch.labels.values()):
            label = routes[line_id(at)].label
            if lines and label:
                yield _label(lines, label)

    def _line(self, line: Line, route: Route) -> str:
        edge = line.transition
        if edge is None:
            return _drawn(route, "dotted", data_from=line.source, data_to=line.target)
        mark = self._marks.mark_of_transition(edge.id)
        title = "\n".join(map(_message, self._marks.by_transition.get(edge.id, ())[:_MOST_MESSAGES]))
        ends = {"data_transition": edge.id, "data_from": line.source, "data_to": line.target}
        return _drawn(route, _DASHES.get(edge.type, ""), mark or "", title, **ends)

    def _lane(self, role: str, left: float, right: float, *, is_odd: bool) -> str:
        height = self._sketch.picture.height + _LANE_HEAD + _MARGIN / 2
        return element(
            "g",
            element("title", words(role)),
            element("rect", x=left, y=-_LANE_HEAD, width=right - left, height=height),
            _text(shortened(role, 28), (left + right) / 2, -_LANE_HEAD / 2, "title"),
            class_="lane is-odd" if is_odd else "lane",
        )

    def _scope(self, step: Step, box: Box) -> str:
        heading = self._sketch.picture.headings[step.id]
        return element(
            "g",
            self._tooltip(step),
            self._halo(step, box),
            frame(box, 14.0, class_="frame"),
            _text(self._sketch.titles[step.id], heading.centre.x, heading.centre.y, "title"),
            self._badge(step, box),
            class_=f"scope {step.type}",
            data_step=step.id,
        )

    def _step(self, step: Step, box: Box) -> str:
        text = self._sketch.steps[step.id]
        x, y = box.centre.x, box.top + 16
        written = [_text(text.kind, x, y, "kind")]
        y += 4
        for line in text.name:
            written.append(_text(line, x, y + NAME_LINE / 2, "name"))
            y += NAME_LINE
        for line in text.small:
            written.append(_text(line, x, y + SMALL_LINE / 2, "who"))
            y += SMALL_LINE
        return element(
            "g",
            self._tooltip(step),
            self._halo(step, box),
            outline(step.type, box, class_="shape"),
            ornament(step.type, box),
            *written,
            self._badge(step, box),
            class_=f"step {step.type}",
            data_step=step.id,
            data_folded=self._view.folded.get(step.id),
        )

    def _tooltip(self, step: Step) -> str:
        change = self._marks.changes.steps.get(step.id)
        findings = self._marks.by_step.get(step.id, ())
        changed = [f"{change} by the last change"] if change else []
        return element("title", words("\n".join([step.name, *changed, *map(_message, findings[:_MOST_MESSAGES])])))

    def _halo(self, step: Step, box: Box) -> str:
        change = self._marks.changes.steps.get(step.id)
        if change is None:
            return ""
        around = Box(box.left - 5, box.top - 5, box.width + 10, box.height + 10)
        return frame(around, 14.0, class_=f"halo {change}")

    def _badge(self, step: Step, box: Box) -> str:
        severity = self._marks.severity_of_step(step.id)
        if severity is None:
            return ""
        x, y = box.right - 6, box.top + 3
        return element("circle", cx=x, cy=y, r=9.0, class_=f"badge {severity}") + _text(_SIGNS[severity], x, y, "sign")


def _message(finding: Finding) -> str:
    return f"{finding.severity}: {shortened(finding.message, 300)}"


def _drawn(route: Route, dashes: str, mark: str = "", title: str = "", **data: str) -> str:
    parts = [element("title", words(title))] if title else []
    return element(
        "g",
        *parts,
        element("path", d=path_of(route), class_=f"line {dashes} {mark}".strip()),
        element("path", d=head_of(route), class_=f"head {mark}".strip()),
        **data,
    )


def _label(lines: Sequence[str], box: Box) -> str:
    top = box.top + 2
    return element(
        "g",
        frame(box, 5.0, class_="label"),
        *(_text(line, box.centre.x, top + (at + 0.5) * SAID_LINE, "said") for at, line in enumerate(lines)),
    )


def _text(text: str, x: float, y: float, kind: str) -> str:
    return element("text", words(text), x=x, y=y, class_=kind, text_anchor="middle", dominant_baseline="central")
