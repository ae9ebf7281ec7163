"""Conversations of other services: read in the shape they were kept in, and made into ours."""

from workflow_agent.domain.migration.history import History, Left
from workflow_agent.domain.migration.making import SOURCE, conversation_of, fitting_id, source_digest
from workflow_agent.domain.migration.shapes import SHAPES, Shape, histories_in

__all__ = [
    "SHAPES",
    "SOURCE",
    "History",
    "Left",
    "Shape",
    "conversation_of",
    "fitting_id",
    "histories_in",
    "source_digest",
]
