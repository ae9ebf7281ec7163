"""A diagram in whichever format is asked for."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, get_args

from workflow_agent.domain.analysis import Finding
from workflow_agent.domain.diagram.dot import dot
from workflow_agent.domain.diagram.marks import Changes, Marks
from workflow_agent.domain.diagram.mermaid import mermaid
from workflow_agent.domain.diagram.svg import svg
from workflow_agent.domain.diagram.view import Collapse, DiagramView
from workflow_agent.domain.workflow import Workflow

DiagramFormat = Literal["mermaid", "dot", "svg"]
DIAGRAM_FORMATS: tuple[DiagramFormat, ...] = get_args(DiagramFormat)

_WRITERS: Mapping[DiagramFormat, Callable[[DiagramView, Marks], str]] = {
    "mermaid": mermaid,
    "dot": dot,
    "svg": svg,
}


def diagram_of(
    workflow: Workflow,
    diagram_format: DiagramFormat = "mermaid",
    *,
    findings: Sequence[Finding] = (),
    changes: Changes | None = None,
    collapse: Collapse = "auto",
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
    """
    return _WRITERS[diagram_format](DiagramView(workflow, collapse), Marks(findings, changes or Changes()))
