"""A workflow as a Mermaid flowchart."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from workflow_agent.values import shortened
from workflow_agent.workflows.diagrams import DiagramView, Line, said
from workflow_agent.workflows.diagrams.svg.style import CHANGED, LIGHT, LINE_COLOURS, MARKS, Marks
from workflow_agent.workflows.model.findings import Severity
from workflow_agent.workflows.model.steps import Step, StepType
from workflow_agent.workflows.model.transitions import TransitionType

_LABEL_CHARS = 80

SHAPES: Mapping[StepType, tuple[str, str]] = {
    "action": ("[", "]"),
    "human": ("[/", "/]"),
    "decision": ("{", "}"),
    "fork": ("{{", "}}"),
    "join": ("{{", "}}"),
    "loop": ("[[", "]]"),
    "wait": ("((", "))"),
    "event": (">", "]"),
    "subworkflow": ("[[", "]]"),
    "state": ("(", ")"),
    "end": ("([", "])"),
}
"""What the label of a step stands between, by its type."""
_WIDTHS: Mapping[Severity, str] = {
    "error": "stroke-width:4px",
    "warning": "stroke-width:3px",
    "info": "stroke-dasharray:4 2",
}
ARROWS: Mapping[TransitionType, str] = {"error": "-.->", "compensation": "-.->", "data": "-.-"}

_UNSAFE = frozenset('"#&<>`%{}|:;*~\\')
"""Characters that Mermaid, its Markdown or HTML could take for syntax, wherever they stand."""
_LIST_MARKS = frozenset("-+.)")
"""Characters that make a list of a label when they follow its first number, or begin it."""


def mermaid(view: DiagramView, marks: Marks) -> str:
    """Return a view of a workflow as the text of a Mermaid flowchart."""
    begins = [] if view.start is None else [f"    begin --> {_node_id(view.start)}"]
    rest = [f'    rest["… and {view.left_out} more steps"]:::rest'] if view.left_out else []
    lines = [
        "flowchart TD",
        '    begin((" "))',
        *_nodes(view, view.children.get("", ()), marks.rules, "    "),
        *begins,
        *(f"    {_link(line)}" for line in view.lines),
        *rest,
        *_styles(view, marks),
        *_link_styles(view, marks),
    ]
    return "\n".join(lines) + "\n"


def _nodes(view: DiagramView, steps: Iterable[Step], rules: Mapping[str, Sequence[str]], indent: str) -> Iterator[str]:
    for step in steps:
        yield f"{indent}{_node(step, view.folded.get(step.id, 0), rules.get(step.id, ()))}"
        if inside := view.children.get(step.id):
            yield f'{indent}subgraph g_{_plain_id(step.id)}["{_label(step.name) or step.id}"]'
            yield from _nodes(view, inside, rules, f"{indent}    ")
            yield f"{indent}end"


def _node(step: Step, folded: int, rules: Sequence[str]) -> str:
    opening, closing = SHAPES[step.type]
    label = _label(step.name) or step.id
    if step.assignee:
        label += f"<br/><i>{_label(step.assignee, 40)}</i>"
    if folded:
        label += f"<br/>+ {folded} steps inside"
    for rule in rules[:3]:
        label += f"<br/>⚠ {rule}"
    return f'{_node_id(step.id)}{opening}"{label}"{closing}:::{step.type}Step'


def _node_id(step_id: str) -> str:
    """Return an id no Mermaid keyword or arrow can hide in; two steps never get the same."""
    return f"s_{_plain_id(step_id)}"


def _plain_id(step_id: str) -> str:
    return step_id.replace("-", "D")


def _label(text: str, max_chars: int = _LABEL_CHARS) -> str:
    return escaped(shortened(text, max_chars))


def escaped(plain: str) -> str:
    """Return a text safe between double quotes: on one line, each risky character as its number."""
    number = len(plain) - len(plain.lstrip("0123456789"))
    return "".join(
        f"#{ord(c)};" if c in _UNSAFE or not c.isprintable() or (at <= number and c in _LIST_MARKS) else c
        for at, c in enumerate(plain)
    )


def _link(line: Line) -> str:
    edge = line.transition
    arrow = "-.->" if edge is None else ARROWS.get(edge.type, "-->")
    words = _label(said(edge), 60) if edge else ""
    label = f'|"{words}"|' if words else ""
    return f"{_node_id(line.source)} {arrow}{label} {_node_id(line.target)}"


def _styles(view: DiagramView, marks: Marks) -> Iterator[str]:
    used = {step.type for step in view.shown.values()}
    for kind, paint in LIGHT.items():
        if kind in used:
            yield f"    classDef {kind}Step fill:{paint.fill},stroke:{paint.stroke},color:{paint.text}"
    if view.left_out:
        yield "    classDef rest fill:none,stroke-dasharray:4 2"
    for change, colour in CHANGED.items():
        changed = [step_id for step_id in view.shown if marks.changes.steps.get(step_id) == change]
        yield from _class(changed, f"{change}Step", f"stroke:{colour},stroke-width:3px,stroke-dasharray:8 3")
    for severity, width in _WIDTHS.items():
        marked = [step_id for step_id in view.shown if marks.severity_of_step(step_id) == severity]
        yield from _class(marked, f"{severity}Mark", f"stroke:{MARKS[severity]},{width}")


def _class(step_ids: Sequence[str], name: str, style: str) -> Iterator[str]:
    if step_ids:
        yield f"    classDef {name} {style}"
        yield f"    class {','.join(map(_node_id, step_ids))} {name}"


def _link_styles(view: DiagramView, marks: Marks) -> Iterator[str]:
    """Yield the marks of transitions; links are numbered in the order drawn, the one from the start first."""
    for number, line in enumerate(view.lines, 0 if view.start is None else 1):
        if line.transition and (mark := marks.mark_of_transition(line.transition.id)):
            yield f"    linkStyle {number} stroke:{LINE_COLOURS[mark]},stroke-width:3px"
