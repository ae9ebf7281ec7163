"""The colours of steps, by type, in light surroundings and in dark ones."""

from collections.abc import Mapping
from typing import NamedTuple

from workflow_agent.domain.analysis import Severity
from workflow_agent.domain.diagram.marks import ChangeKind
from workflow_agent.domain.workflow import StepType


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
