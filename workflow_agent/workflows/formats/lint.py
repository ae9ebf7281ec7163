"""Rules on documents of one format: what its own linters find beyond the shape."""

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from workflow_agent.errors import Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.shapes import Place, list_in, object_in
from workflow_agent.workflows.model.steps import Step

Check = Callable[[Any, Place], None]
"""Refuses, in the document it is given, what the rule is about; the document has the format's shape."""
Fix = Callable[[Step, Problem, Any], JsonObject]
"""Gives the fields of a step that mend a problem with it in a document; none where nothing safe is known."""


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
    fix: Fix | None = None
    is_spare: bool = False
    """Whether it is left out at places that another rule of the format speaks of."""

    def problems(self, document: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield what the rule finds in a document, each with its place."""
        place = Place([])
        self.check(document, place)
        yield from place.problems


def texts_in(value: Any, place: Place, without: Container[str] = ()) -> Iterator[tuple[str, Place]]:
    """Yield the texts of a value with their places, but for those below fields of some names."""
    if isinstance(value, str):
        yield value, place
    for key, item in object_in(value).items():
        if key not in without:
            yield from texts_in(item, place / str(key), without)
    for at, item in enumerate(list_in(value)):
        yield from texts_in(item, place / at, without)
