"""Finding workflows by what people say."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from workflow_agent.domain.triggers import describe_trigger
from workflow_agent.domain.values import JsonObject, iso_milliseconds
from workflow_agent.domain.workflow import Workflow


@dataclass(frozen=True, slots=True)
class WorkflowHit:
    """A workflow that matches a search, and why."""

    id: str
    name: str
    description: str
    score: float
    """1.0 is an exact id or name; comparable within one answer only below that."""
    strategies: tuple[str, ...]
    """exact_id, exact_name, alias, full_text, fuzzy, filter, recent, meaning"""
    matched: tuple[str, ...]
    """The fields in which words were found."""


def listed_workflow(workflow: Workflow, hit: WorkflowHit) -> JsonObject:
    """Return a workflow as a list of those found shows it."""
    return {
        "id": workflow.id, "name": workflow.name, "description": workflow.description,
        "version": workflow.version, "tags": list(workflow.tags), "aliases": list(workflow.aliases),
        "step_count": len(workflow.steps), "triggers": [describe_trigger(one) for one in workflow.triggers],
        "updated_at": iso_milliseconds(workflow.updated_at) if workflow.updated_at else None,
        "score": round(hit.score, 4), "strategies": list(hit.strategies), "matched": list(hit.matched),
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Hits good enough to show, or suggestions where there are none."""

    hits: tuple[WorkflowHit, ...]
    suggestions: tuple[WorkflowHit, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkflowFilters:
    """What a workflow must have, all of it, to be found; None asks for nothing."""

    tag: str | None = None
    """A whole tag."""
    trigger: str | None = None
    """What starts it, in words: `schedule`, `monday`, `nightly`, an event's name."""
    role: str | None = None
    """Who does or decides something in it."""
    service: str | None = None
    """What one of its steps calls: `slack.post_message`, or `slack` for anything of it."""
    step_type: str | None = None
    """A type that one of its steps has."""
    called: str | None = None
    """A piece of its id, its name or an alias, as one begins to write it; spaces and marks do not count."""
    among: Collection[str] | None = None
    """Ids, such as those that came up in a conversation."""

    @property
    def ask(self) -> bool:
        """Say whether they ask for anything."""
        return self != ANY_WORKFLOW


ANY_WORKFLOW = WorkflowFilters()


class WorkflowSearch(Protocol):
    """Finds workflows by what people say."""

    async def search(
        self, tenant: str, query: str, filters: WorkflowFilters = ANY_WORKFLOW, *, limit: int = 10
    ) -> SearchAnswer:
        """Return the best matches first; an empty query lists by latest change.

        Any text is a query.

        Args:
            tenant: Whose workflows.
            query: An id, a name, an alias, or any words about a workflow, also misspelled.
            filters: What a hit has.
            limit: The most hits to return.
        """
        ...
