"""A workflow as a picture, drawn here: no network, no other program, no script."""

from workflow_agent.domain.diagram.svg.picture import svg

__all__ = ["svg"]
