"""Workflow memory: which workflows were dealt with, what people call them, and which one a phrase means."""

from workflow_agent.domain.memory.aliases import (
    GivenName,
    aliases_from_name,
    distinct,
    given_aliases,
    name_given_in,
)
from workflow_agent.domain.memory.references import (
    MOST_REFERENCES,
    Known,
    holds_entries_of,
    known_workflows,
    merged_references,
)
from workflow_agent.domain.memory.resolution import HIGH_CONFIDENCE, Candidate, Resolution
from workflow_agent.domain.memory.resolving import resolve_reference
from workflow_agent.domain.memory.telling import memory_lines

__all__ = [
    "HIGH_CONFIDENCE",
    "MOST_REFERENCES",
    "Candidate",
    "GivenName",
    "Known",
    "Resolution",
    "aliases_from_name",
    "distinct",
    "given_aliases",
    "holds_entries_of",
    "known_workflows",
    "memory_lines",
    "merged_references",
    "name_given_in",
    "resolve_reference",
]
