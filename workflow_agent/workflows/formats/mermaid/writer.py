"""A workflow as a Mermaid flowchart, from the model alone."""

import re
from collections.abc import Iterator, Mapping, Sequence

from workflow_agent.workflows.diagrams.mermaid import ARROWS, escaped
from workflow_agent.workflows.diagrams.mermaid import SHAPES as STEP_SHAPES
from workflow_agent.workflows.diagrams.view import said
from workflow_agent.workflows.formats.mermaid.chart import SHAPES
from workflow_agent.workflows.formats.mermaid.reader import BEGIN, SCOPE_PREFIX, node_id_of
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

OPENINGS = {kind: opening for kind, (opening, _) in STEP_SHAPES.items()}
PLAIN_LABEL = re.compile(r"[^\W_][\w .,?!'/:+-]*")
"""What needs no quotes."""


def bare(workflow: Workflow, format_name: str) -> Workflow:
    """Return a workflow without the text and the node ids that are kept beside it."""

    def left(extensions: Mapping[str, object]) -> dict[str, object]:
        return {key: value for key, value in extensions.items() if key != format_name}

    steps = tuple(
        step.model_copy(update={"extensions": left(step.extensions)}) if step.extensions else step
        for step in workflow.steps
    )
    return workflow.model_copy(update={"steps": steps, "extensions": left(workflow.extensions)})


def plain_diagram(workflow: Workflow) -> str:
    """Return a flowchart from the model alone."""
    members: dict[str | None, list[Step]] = {}
    for step in workflow.steps:
        members.setdefault(step.parent, []).append(step)
    lines = [*front(workflow.name), "flowchart TD", f'    {BEGIN}((" "))', *_nested(members, None, "    ")]
    lines.append(f"    {BEGIN} --> {node_id_of(workflow.start)}")
    for edge in workflow.transitions:
        arrow = f"{ARROWS.get(edge.type, '-->')}{_label(words_of(edge))}"
        lines.append(f"    {node_id_of(edge.from_)} {arrow} {node_id_of(edge.to)}")
    return "\n".join(lines) + "\n"


def front(title: str) -> list[str]:
    """Return the lines before a diagram that name it."""
    return ["---", f'title: "{escaped(title)}"', "---"]


def _nested(members: Mapping[str | None, Sequence[Step]], parent: str | None, indent: str) -> Iterator[str]:
    for step in members.get(parent, ()):
        opening = OPENINGS[step.type]
        label = f'{opening}"{label_of(step)}"{SHAPES[opening][0]}:::{step.type}Step'
        yield f"{indent}{node_id_of(step.id)}{label}"
        if step.id in members:
            yield f'{indent}subgraph {SCOPE_PREFIX}{step.id.replace("-", "D")}["{escaped(step.name)}"]'
            yield from _nested(members, step.id, indent + "    ")
            yield f"{indent}end"


def label_of(step: Step) -> str:
    """Return what stands in the node of a step: its name, and below it who does it."""
    return escaped(step.name) + owner_of(step)


def owner_of(step: Step) -> str:
    """Return the line of a label that says who does a step; nothing where nobody is named."""
    return f"<br/><i>{escaped(step.assignee)}</i>" if step.assignee else ""


def _label(words: str) -> str:
    return f'|"{escaped(words)}"|' if words else ""


def words_of(edge: Transition) -> str:
    """Return what stands at the link for a transition."""
    if edge.type == "error" and not edge.label and edge.errors:
        return f"on {', '.join(edge.errors)}"
    return said(edge)
