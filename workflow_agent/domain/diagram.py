"""A workflow as a Mermaid flowchart."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from workflow_agent.domain.analysis import Finding
from workflow_agent.domain.diagram_view import DiagramView, Line
from workflow_agent.domain.workflow import Step, StepType, Transition, Workflow

_LABEL_CHARS = 80

_SHAPES: Mapping[StepType, tuple[str, str]] = {
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
_COLOURS: Mapping[StepType, str] = {
    "action": "fill:#e8f1fb,stroke:#3b78b8",
    "human": "fill:#fff4d6,stroke:#c79a1b",
    "decision": "fill:#f3e8fb,stroke:#8a4fb5",
    "fork": "fill:#eceff1,stroke:#607d8b",
    "join": "fill:#eceff1,stroke:#607d8b",
    "loop": "fill:#e0f4f1,stroke:#2a8c7d",
    "wait": "fill:#f5f5f5,stroke:#8d8d8d",
    "event": "fill:#fde8ef,stroke:#c2507e",
    "subworkflow": "fill:#e3eafc,stroke:#4a5fc1",
    "state": "fill:#e8f5e9,stroke:#4c9152",
    "end": "fill:#37474f,stroke:#263238",
}
_MARKS = {
    "error": "stroke:#c62828,stroke-width:4px",
    "warning": "stroke:#ef6c00,stroke-width:3px",
    "info": "stroke-dasharray:4 2",
}
_LINKS = {"error": "stroke:#c62828", "warning": "stroke:#ef6c00"}
_ARROWS = {"error": "-.->", "compensation": "-.->", "data": "-.-"}

_UNSAFE = frozenset('"#&<>`%{}|:;*~\\')
"""Characters that Mermaid, its Markdown or HTML could take for syntax, wherever they stand."""
_LIST_MARKS = frozenset("-+.)")
"""Characters that make a list of a label when they follow its first number, or begin it."""


def mermaid(workflow: Workflow, *, findings: Sequence[Finding] = ()) -> str:
    """Return a workflow as the text of a Mermaid flowchart.

    Steps keep their ids from version to version, so that diagrams can be compared. A workflow too
    large to read is drawn with its scopes folded and cut at the far end, and says so.

    Args:
        workflow: What is drawn.
        findings: What to mark: the steps get a thick border, errors and warnings their rule's id.
    """
    view = DiagramView(workflow)
    worst = _worst(findings)
    lines = [
        "flowchart TD",
        '    begin((" "))',
        *_nodes(view, view.children.get("", ()), _rules(findings), "    "),
        *_start(view),
        *(f"    {_link(line)}" for line in view.lines),
        *_rest(view),
        *_styles(view, worst),
        *_link_styles(view, findings),
    ]
    return "\n".join(lines) + "\n"


def _worst(findings: Iterable[Finding]) -> Mapping[str, str]:
    """Return the severest finding's severity by step."""
    found: dict[str, str] = {}
    for severity in _MARKS:
        for finding in findings:
            if finding.severity == severity:
                found = dict.fromkeys(finding.steps, severity) | found
    return found


def _rules(findings: Iterable[Finding]) -> Mapping[str, list[str]]:
    """Return the rules to name on each step: those of errors and warnings, at its first mention."""
    named: dict[str, list[str]] = {}
    for finding in findings:
        if finding.severity != "info":
            for step_id in finding.steps[:1]:
                named.setdefault(step_id, []).append(finding.rule)
    return {step_id: list(dict.fromkeys(rules)) for step_id, rules in named.items()}


def _nodes(
    view: DiagramView, steps: Iterable[Step], rules: Mapping[str, list[str]], indent: str
) -> Iterator[str]:
    for step in steps:
        yield f"{indent}{_node(step, view.folded.get(step.id, 0), rules.get(step.id, []))}"
        inside = view.children.get(step.id)
        if inside:
            yield f'{indent}subgraph g_{_plain_id(step.id)}["{_label(step.name) or step.id}"]'
            yield from _nodes(view, inside, rules, f"{indent}    ")
            yield f"{indent}end"


def _node(step: Step, folded: int, rules: Sequence[str]) -> str:
    opening, closing = _SHAPES[step.type]
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
    """Return a text safe between double quotes: one line, each risky character as its number."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * max_chars]).split())
    if len(plain) > max_chars:
        plain = plain[: max_chars - 1].rstrip() + "…"
    number = len(plain) - len(plain.lstrip("0123456789"))
    return "".join(
        f"#{ord(c)};" if c in _UNSAFE or (at <= number and c in _LIST_MARKS) else c
        for at, c in enumerate(plain)
    )


def _start(view: DiagramView) -> Iterator[str]:
    if view.start is not None:
        yield f"    begin --> {_node_id(view.start)}"


def _link(line: Line) -> str:
    edge = line.transition
    arrow = "-.->" if edge is None else _ARROWS.get(edge.type, "-->")
    said = _label(_said(edge), 60) if edge else ""
    label = f'|"{said}"|' if said else ""
    return f"{_node_id(line.source)} {arrow}{label} {_node_id(line.target)}"


def _said(edge: Transition) -> str:
    when = edge.when
    condition = (when.text or _as_text(when.expression)) if when else None
    kind = {"error": "on error", "default": "otherwise", "compensation": "undo"}.get(edge.type)
    if kind == "on error" and edge.errors:
        kind = f"on {', '.join(edge.errors[:3])}"
    return edge.label or condition or edge.action or kind or ""


def _as_text(expression: object) -> str:
    return expression if isinstance(expression, str) else "condition"


def _rest(view: DiagramView) -> Iterator[str]:
    if view.left_out:
        yield f'    rest["… and {view.left_out} more steps"]:::rest'


def _styles(view: DiagramView, worst: Mapping[str, str]) -> Iterator[str]:
    used = {step.type for step in view.shown.values()}
    for kind, colours in _COLOURS.items():
        if kind in used:
            yield f"    classDef {kind}Step {colours},color:{'#ffffff' if kind == 'end' else '#1b1b1b'}"
    if view.left_out:
        yield "    classDef rest fill:none,stroke-dasharray:4 2"
    for severity, mark in _MARKS.items():
        marked = [_node_id(step_id) for step_id in view.shown if worst.get(step_id) == severity]
        if marked:
            yield f"    classDef {severity}Mark {mark}"
            yield f"    class {','.join(marked)} {severity}Mark"


def _link_styles(view: DiagramView, findings: Iterable[Finding]) -> Iterator[str]:
    """Yield the marks of transitions; links are numbered in the order drawn, the one from the start first."""
    first = 0 if view.start is None else 1
    at = {line.transition.id: first + n for n, line in enumerate(view.lines) if line.transition}
    marks: dict[int, str] = {}
    for finding in findings:
        style = _LINKS.get(finding.severity)
        for transition in finding.transitions if style else ():
            if transition in at:
                marks.setdefault(at[transition], style or "")
    for number, style in sorted(marks.items()):
        yield f"    linkStyle {number} {style},stroke-width:3px"
