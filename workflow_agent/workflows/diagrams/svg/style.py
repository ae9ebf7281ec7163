"""The style sheet of a picture: by classes and variables, for light and dark surroundings."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from workflow_agent.values import grouped, shortened
from workflow_agent.workflows.diagrams import DiagramView, Line, said
from workflow_agent.workflows.diagrams.layout import Part, laid_out
from workflow_agent.workflows.diagrams.layout.grid import Edge, Picture
from workflow_agent.workflows.diagrams.svg.shapes import KINDS, SIDE_ROOM, text_width, wrapped
from workflow_agent.workflows.diff import PartsDiff, WorkflowDiff
from workflow_agent.workflows.model.findings import SEVERITY_RANK, Finding, Severity
from workflow_agent.workflows.model.steps import Step, StepType

BEGIN, REST = "begin ", "rest "
"""Ids of what is no step; a step's id has no space."""
NAME_LINE, SMALL_LINE, SAID_LINE = 17.0, 15.0, 14.0
_NAME_SIZE, _TITLE_SIZE, _SMALL_SIZE, _KIND_SIZE = 13.0, 12.0, 11.0, 9.0
_BOLD = 1.07
_NAME_WIDTH, _SAID_WIDTH, _LEAST_WIDTH = 176.0, 150.0, 84.0
_AROUND_TEXT = 32.0
ChangeKind = Literal["added", "changed"]


@dataclass(frozen=True, slots=True)
class Changes:
    """The steps and transitions that are new or altered, by id."""

    steps: Mapping[str, ChangeKind] = field(default_factory=dict[str, ChangeKind])
    transitions: Mapping[str, ChangeKind] = field(default_factory=dict[str, ChangeKind])


def changes_of(diff: WorkflowDiff) -> Changes:
    """Return what to highlight in a diagram of the newer workflow of a comparison."""
    return Changes(_changed(diff.steps), _changed(diff.transitions))


def _changed(parts: PartsDiff) -> dict[str, ChangeKind]:
    found: dict[str, ChangeKind] = {str(part["id"]): "added" for part in parts.added}
    found.update((str(part.after["id"]), "changed") for part in parts.changed)
    return found


@dataclass(frozen=True, eq=False)
class Marks:
    """Findings and changes by what they are about."""

    findings: Sequence[Finding] = ()
    changes: Changes = field(default_factory=Changes)

    @cached_property
    def by_step(self) -> Mapping[str, Sequence[Finding]]:
        """The findings about each step, the severest first."""
        return self._about(lambda finding: finding.steps)

    @cached_property
    def by_transition(self) -> Mapping[str, Sequence[Finding]]:
        """The findings about each transition, the severest first."""
        return self._about(lambda finding: finding.transitions)

    def _about(self, subjects: Callable[[Finding], Iterable[str]]) -> Mapping[str, Sequence[Finding]]:
        ordered = sorted(self.findings, key=lambda one: SEVERITY_RANK[one.severity])
        return grouped((subject, finding) for finding in ordered for subject in dict.fromkeys(subjects(finding)))

    @cached_property
    def rules(self) -> Mapping[str, Sequence[str]]:
        """The rules to name on each step: those of errors and warnings, at the first step each names."""
        telling = (one for one in self.findings if one.severity != "info" and one.steps)
        named = grouped((finding.steps[0], finding.rule) for finding in telling)
        return {step_id: list(dict.fromkeys(rules)) for step_id, rules in named.items()}

    def severity_of_step(self, step_id: str) -> Severity | None:
        """Return the severity of the severest finding about a step."""
        return _worst(self.by_step.get(step_id, ()))

    def mark_of_transition(self, transition_id: str) -> Severity | ChangeKind | None:
        """Return what a line is to show: an error or a warning about it, else its change."""
        severity = _worst(self.by_transition.get(transition_id, ()))
        return severity if severity in ("error", "warning") else self.changes.transitions.get(transition_id)


def _worst(findings: Sequence[Finding]) -> Severity | None:
    return findings[0].severity if findings else None


class Paint(NamedTuple):
    """Fill, border and text of one kind of step."""

    fill: str
    stroke: str
    text: str = "#1b1f24"


_PAINTS: Mapping[StepType, tuple[Paint, Paint]] = {
    "action": (Paint("#e8f1fb", "#3b78b8"), Paint("#16304d", "#6ba4de", "#eaf2fb")),
    "human": (Paint("#fff4d6", "#b8860b"), Paint("#3d3008", "#e0b343", "#fdf5df")),
    "decision": (Paint("#f3e8fb", "#8a4fb5"), Paint("#35204a", "#bb86e0", "#f4eafc")),
    "fork": (Paint("#eceff1", "#607d8b"), Paint("#263238", "#90a4ae", "#eceff1")),
    "join": (Paint("#eceff1", "#607d8b"), Paint("#263238", "#90a4ae", "#eceff1")),
    "loop": (Paint("#e0f4f1", "#2a8c7d"), Paint("#0f3a34", "#4fc2b0", "#e0f6f2")),
    "wait": (Paint("#f5f5f5", "#7d7d7d"), Paint("#303030", "#a8a8a8", "#f0f0f0")),
    "event": (Paint("#fde8ef", "#c2507e"), Paint("#481a2c", "#ea86ae", "#fdeaf1")),
    "subworkflow": (Paint("#e3eafc", "#4a5fc1"), Paint("#1f2a5c", "#8c9df0", "#e9edfd")),
    "state": (Paint("#e8f5e9", "#4c9152"), Paint("#17381a", "#7cc282", "#e8f6e9")),
    "end": (Paint("#37474f", "#263238", "#ffffff"), Paint("#cfd8dc", "#eceff1", "#1b1f24")),
}
"""In light surroundings and in dark ones."""
LIGHT: Mapping[StepType, Paint] = {kind: light for kind, (light, _) in _PAINTS.items()}
DARK: Mapping[StepType, Paint] = {kind: dark for kind, (_, dark) in _PAINTS.items()}
MARKS: Mapping[Severity, str] = {"error": "#c62828", "warning": "#ef6c00", "info": "#546e7a"}
DARK_MARKS: Mapping[Severity, str] = {"error": "#ff6b6b", "warning": "#ffa94d", "info": "#9fb3bd"}
CHANGED: Mapping[ChangeKind, str] = {"added": "#1a7f37", "changed": "#8250df"}
LINE_COLOURS: Mapping[str, str] = {**MARKS, **CHANGED}
DARK_CHANGED: Mapping[ChangeKind, str] = {"added": "#4ac26b", "changed": "#c297ff"}
_LIGHT_INK = {"ink": "#1b1f24", "quiet": "#59636e", "line": "#6e7781", "paper": "#ffffff", "scope": "#f6f8fa"}
_DARK_INK = {"ink": "#e6edf3", "quiet": "#9aa5b1", "line": "#8b949e", "paper": "#0d1117", "scope": "#151b23"}
_RULES = """
.wf text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;fill:var(--wf-ink)}
.wf .paper{fill:var(--wf-paper)}
.wf .name{font-size:13px;font-weight:600}
.wf .who,.wf .more{font-size:11px;fill-opacity:.8}
.wf .kind{font-size:9px;font-weight:600;letter-spacing:.06em;fill-opacity:.75}
.wf .scope>.frame{fill:var(--wf-scope);stroke-width:1.25;stroke-dasharray:5 4}
.wf .lane rect{fill:var(--wf-scope);fill-opacity:.55;stroke:var(--wf-line);stroke-opacity:.35}
.wf .lane.is-odd rect{fill-opacity:1}
.wf .scope .title,.wf .lane .title{font-size:12px;font-weight:600}
.wf .step>.shape{stroke-width:1.5}
.wf .begin{fill:var(--wf-ink)}
.wf .line{fill:none;stroke:var(--wf-line);stroke-width:1.5}
.wf .head{fill:var(--wf-line)}
.wf .line.dashed{stroke-dasharray:6 4}
.wf .line.dotted{stroke-dasharray:1.5 4;stroke-linecap:round}
.wf .label{fill:var(--wf-paper);fill-opacity:.92}
.wf .said{font-size:11px;fill:var(--wf-quiet)}
.wf .badge{stroke:var(--wf-paper);stroke-width:1.5}
.wf g>.sign{font-size:11px;font-weight:700;fill:var(--wf-paper)}
.wf .halo{fill:none;stroke-width:3;stroke-opacity:.55}
"""


def style_sheet() -> str:
    """Return the rules all pictures share."""
    light = _variables(_LIGHT_INK, LIGHT, MARKS, CHANGED)
    dark = _variables(_DARK_INK, DARK, DARK_MARKS, DARK_CHANGED)
    return "".join(
        (
            f".wf{{{light}}}",
            f"@media (prefers-color-scheme:dark){{.wf{{{dark}}}}}",
            _RULES.replace("\n", ""),
            *(_paint_rules(kind) for kind in LIGHT),
            *(_mark_rules(name) for name in (*MARKS, *CHANGED)),
        )
    )


def _variables(
    ink: Mapping[str, str],
    paints: Mapping[StepType, Paint],
    marks: Mapping[Severity, str],
    changed: Mapping[ChangeKind, str],
) -> str:
    values = dict(ink)
    for kind, paint in paints.items():
        values |= {f"{kind}-fill": paint.fill, f"{kind}-stroke": paint.stroke, f"{kind}-text": paint.text}
    return ";".join(f"--wf-{name}:{value}" for name, value in {**values, **marks, **changed}.items())


def _paint_rules(kind: StepType) -> str:
    return (
        f".wf .{kind}>.shape{{fill:var(--wf-{kind}-fill);stroke:var(--wf-{kind}-stroke)}}"
        f".wf .{kind}>text:not(.sign){{fill:var(--wf-{kind}-text)}}"
        f".wf .{kind}>.frame{{stroke:var(--wf-{kind}-stroke)}}"
        f".wf .{kind}>.ornament{{fill:none;stroke:var(--wf-{kind}-stroke)}}"
    )


def _mark_rules(name: str) -> str:
    return (
        f".wf .badge.{name},.wf .head.{name}{{fill:var(--wf-{name})}}"
        f".wf .line.{name}{{stroke:var(--wf-{name});stroke-width:2.5}}"
        f".wf .halo.{name}{{stroke:var(--wf-{name})}}"
    )


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
            width += 2 * SIDE_ROOM[step.type]
        yield Part(step.id, width, height, parent, lane_of.get(step.id, 0))
        waiting += reversed(inside)
    if view.left_out:
        yield Part(REST, 180.0, 36.0)


def _links(view: DiagramView, labels: Mapping[str, Sequence[str]]) -> Iterator[Edge]:
    if view.start is not None:
        yield Edge(BEGIN, BEGIN, view.start)
    for at, line in enumerate(view.lines):
        lines = labels[line_id(at)]
        width = max((text_width(one, _SMALL_SIZE) for one in lines), default=0.0)
        size = (width + 12, len(lines) * SAID_LINE + 4) if lines else (0.0, 0.0)
        yield Edge(line_id(at), line.source, line.target, size)
