"""Where the parts of a picture of a graph go: layers from the top down, scopes as boxes, lines between."""

from workflow_agent.domain.layout.geometry import Box, Edge, Node, Picture, Point, Route
from workflow_agent.domain.layout.layers import layered
from workflow_agent.domain.layout.scopes import Link, Part, laid_out

__all__ = ["Box", "Edge", "Link", "Node", "Part", "Picture", "Point", "Route", "laid_out", "layered"]
