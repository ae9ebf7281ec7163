"""Rules on documents of one format: what its own linters find beyond the shape."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from workflow_agent.errors import Problem
from workflow_agent.workflows.formats.shapes import Place

Check = Callable[[Any, Place], None]
"""Refuses, in the document it is given, what the rule is about; the document has the format's shape."""


@dataclass(frozen=True, slots=True)
class LintRule:
    """One question asked of every document of a format."""

    id: str
    severity: Literal["error", "warning", "info"]
    check: Check
    why: str
    """Why it matters, one short sentence."""
    finds: str
    """What it reports, in words for the table of rules."""

    def problems(self, document: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield what the rule finds in a document, each with its place."""
        place = Place([])
        self.check(document, place)
        yield from place.problems
