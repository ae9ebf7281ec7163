"""Diagrams of workflows: Mermaid and DOT to be drawn elsewhere, SVG drawn here."""

from workflow_agent.domain.diagram.drawing import DIAGRAM_FORMATS, DiagramFormat, diagram_of
from workflow_agent.domain.diagram.marks import Changes, changes_of
from workflow_agent.domain.diagram.view import Collapse

__all__ = ["DIAGRAM_FORMATS", "Changes", "Collapse", "DiagramFormat", "changes_of", "diagram_of"]
