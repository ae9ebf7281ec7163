"""The style sheet of a picture: by classes and variables, for light and dark surroundings."""

from collections.abc import Mapping
from typing import NamedTuple

from workflow_agent.workflows.diagrams.marks import ChangeKind
from workflow_agent.workflows.model.findings import Severity
from workflow_agent.workflows.model.steps import StepType


class Paint(NamedTuple):
    """Fill, border and text of one kind of step."""

    fill: str
    stroke: str
    text: str = "#1b1f24"


LIGHT: Mapping[StepType, Paint] = {
    "action": Paint("#e8f1fb", "#3b78b8"),
    "human": Paint("#fff4d6", "#b8860b"),
    "decision": Paint("#f3e8fb", "#8a4fb5"),
    "fork": Paint("#eceff1", "#607d8b"),
    "join": Paint("#eceff1", "#607d8b"),
    "loop": Paint("#e0f4f1", "#2a8c7d"),
    "wait": Paint("#f5f5f5", "#7d7d7d"),
    "event": Paint("#fde8ef", "#c2507e"),
    "subworkflow": Paint("#e3eafc", "#4a5fc1"),
    "state": Paint("#e8f5e9", "#4c9152"),
    "end": Paint("#37474f", "#263238", "#ffffff"),
}
DARK: Mapping[StepType, Paint] = {
    "action": Paint("#16304d", "#6ba4de", "#eaf2fb"),
    "human": Paint("#3d3008", "#e0b343", "#fdf5df"),
    "decision": Paint("#35204a", "#bb86e0", "#f4eafc"),
    "fork": Paint("#263238", "#90a4ae", "#eceff1"),
    "join": Paint("#263238", "#90a4ae", "#eceff1"),
    "loop": Paint("#0f3a34", "#4fc2b0", "#e0f6f2"),
    "wait": Paint("#303030", "#a8a8a8", "#f0f0f0"),
    "event": Paint("#481a2c", "#ea86ae", "#fdeaf1"),
    "subworkflow": Paint("#1f2a5c", "#8c9df0", "#e9edfd"),
    "state": Paint("#17381a", "#7cc282", "#e8f6e9"),
    "end": Paint("#cfd8dc", "#eceff1", "#1b1f24"),
}
MARKS: Mapping[Severity, str] = {"error": "#c62828", "warning": "#ef6c00", "info": "#546e7a"}
DARK_MARKS: Mapping[Severity, str] = {"error": "#ff6b6b", "warning": "#ffa94d", "info": "#9fb3bd"}
CHANGED: Mapping[ChangeKind, str] = {"added": "#1a7f37", "changed": "#8250df"}
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
