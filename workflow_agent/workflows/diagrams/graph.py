"""A diagram in whichever format is asked for."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, get_args

from workflow_agent.values import shortened
from workflow_agent.workflows.diagrams import Collapse, DiagramView, Line, said
from workflow_agent.workflows.diagrams.mermaid import mermaid
from workflow_agent.workflows.diagrams.svg import svg
from workflow_agent.workflows.diagrams.svg.style import CHANGED, LIGHT, LINE_COLOURS, MARKS, Changes, Marks
from workflow_agent.workflows.model.findings import Finding
from workflow_agent.workflows.model.steps import Step, StepType
from workflow_agent.workflows.model.transitions import TransitionType
from workflow_agent.workflows.model.workflow import Workflow

_NAME_CHARS = 80
_LABEL_CHARS = 60
_SHAPES: Mapping[StepType, str] = {
    "action": "box",
    "human": "box",
    "decision": "diamond",
    "fork": "hexagon",
    "join": "hexagon",
    "loop": "box3d",
    "wait": "ellipse",
    "event": "cds",
    "subworkflow": "component",
    "state": "box",
    "end": "oval",
}
_LINES: Mapping[TransitionType, str] = {"error": "dashed", "compensation": "dashed", "data": "dotted"}
_WIDTHS = {"error": "3", "warning": "2.5", "info": "1.5"}


def dot(view: DiagramView, marks: Marks) -> str:
    """Return a view of a workflow as the text of a DOT graph."""
    begins = [] if view.start is None else [f"    begin -> {_node_id(view.start)}"]
    rest = [f'    rest [label="… and {view.left_out} more steps", style="dashed"]'] if view.left_out else []
    lines = [
        f"digraph {_quoted(view.workflow.id)} {{",
        "    rankdir=TB",
        "    bgcolor=transparent",
        '    node [fontname="Helvetica", fontsize=12, style="filled,rounded"]',
        '    edge [fontname="Helvetica", fontsize=10, color="#5f6b76"]',
        '    begin [shape=circle, label="", width=0.2, fillcolor="#37474f"]',
        *begins,
        *_nodes(view, marks, view.children.get("", ()), "    "),
        *(f"    {_edge(line, marks)}" for line in view.lines),
        *rest,
        "}",
    ]
    return "\n".join(lines) + "\n"


def _nodes(view: DiagramView, marks: Marks, steps: Iterable[Step], indent: str) -> Iterator[str]:
    for step in steps:
        yield f"{indent}{_node(step, view.folded.get(step.id, 0), marks)}"
        if inside := view.children.get(step.id):
            yield f"{indent}subgraph {_quoted(f'cluster_{step.id}')} {{"
            yield f'{indent}    label={_quoted(shortened(step.name, _NAME_CHARS))}; style="rounded,dashed"'
            yield from _nodes(view, marks, inside, f"{indent}    ")
            yield f"{indent}}}"


def _node(step: Step, folded: int, marks: Marks) -> str:
    paint = LIGHT[step.type]
    drawn = {
        "label": _quoted(*_lines_of(step, folded, marks.rules.get(step.id, ()))),
        "shape": _SHAPES[step.type],
        "fillcolor": f'"{paint.fill}"',
        "color": f'"{paint.stroke}"',
        "fontcolor": f'"{paint.text}"',
    }
    if change := marks.changes.steps.get(step.id):
        drawn |= {"color": f'"{CHANGED[change]}"', "penwidth": "3"}
    if severity := marks.severity_of_step(step.id):
        drawn |= {"color": f'"{MARKS[severity]}"', "penwidth": _WIDTHS[severity]}
        messages = [shortened(one.message, 300) for one in marks.by_step[step.id]]
        drawn["tooltip"] = _quoted(*messages[:10])
    return f"{_node_id(step.id)} {_attributes(drawn)}"


def _lines_of(step: Step, folded: int, rules: Sequence[str]) -> list[str]:
    who = [shortened(step.assignee, 40)] if step.assignee else []
    inside = [f"+ {folded} steps inside"] if folded else []
    return [shortened(step.name, _NAME_CHARS) or step.id, *who, *inside, *(f"⚠ {rule}" for rule in rules[:3])]


def _edge(line: Line, marks: Marks) -> str:
    ends = f"{_node_id(line.source)} -> {_node_id(line.target)}"
    edge = line.transition
    if edge is None:
        return f"{ends} [style=dotted]"
    drawn: dict[str, str] = {}
    if words := shortened(said(edge), _LABEL_CHARS):
        drawn["label"] = _quoted(words)
    if edge.type in _LINES:
        drawn["style"] = _LINES[edge.type]
    if mark := marks.mark_of_transition(edge.id):
        drawn |= {"color": f'"{LINE_COLOURS[mark]}"', "penwidth": "2"}
    return f"{ends} {_attributes(drawn)}" if drawn else ends


def _attributes(drawn: Mapping[str, str]) -> str:
    return f"[{', '.join(f'{name}={value}' for name, value in drawn.items())}]"


def _node_id(step_id: str) -> str:
    # With a letter in front, so that no step is `begin`, `rest` or a keyword.
    return _quoted(f"s_{step_id}")


def _quoted(*lines: str) -> str:
    """Return lines as one DOT string: only quotes and backslashes mean something there."""
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'


DiagramFormat = Literal["mermaid", "dot", "svg"]
DIAGRAM_FORMATS: tuple[DiagramFormat, ...] = get_args(DiagramFormat)
_WRITERS: Mapping[DiagramFormat, Callable[[DiagramView, Marks], str]] = {"mermaid": mermaid, "dot": dot, "svg": svg}


def diagram_of(
    workflow: Workflow,
    diagram_format: DiagramFormat = "mermaid",
    *,
    findings: Sequence[Finding] = (),
    changes: Changes | None = None,
    collapse: Collapse = "auto",
    fold: Collection[str] | None = None,
    by_role: bool = False,
) -> str:
    """Return a diagram of a workflow.

    Steps keep their ids from version to version, so that diagrams can be compared. A workflow too
    large to read is drawn with its scopes folded and cut at the far end, and says so.

    Args:
        workflow: What is drawn.
        diagram_format: `mermaid` and `dot` are text for other programs; `svg` is a picture.
        findings: What to mark: steps by the severest finding, errors and warnings with their rule's id.
        changes: What to highlight as new or changed.
        collapse: Whether steps inside others are hidden: `auto` does so where there are many steps.
        fold: The scopes whose inside is hidden, instead of what `collapse` says.
        by_role: Whether the steps of a picture stand in lanes, one for each role.
    """
    view = DiagramView(workflow, collapse, fold, by_role)
    return _WRITERS[diagram_format](view, Marks(findings, changes or Changes()))
