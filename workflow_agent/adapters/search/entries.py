"""What is known of an indexed workflow without reading it, and how a row of the index keeps that."""

from datetime import datetime
from typing import Any, NamedTuple

import orjson

from workflow_agent.adapters.search.document import Facets
from workflow_agent.domain.values import iso_milliseconds
from workflow_agent.ports import WorkflowHead

FACT_COLUMNS = ("id", "version", "changed", "name", "description", "aliases", "facets")
"""The facts that `facts_of` gives and `entry_of` reads, the latter after a row number."""

_SUMMARY_CHARS = 1_000


class Entry(NamedTuple):
    """What is known of an indexed workflow without reading it."""

    row: int
    id: str
    head: WorkflowHead
    name: str
    description: str
    aliases: tuple[str, ...]
    facets: Facets


class Indexed(NamedTuple):
    """A workflow on its way into the index."""

    entry: Entry
    words: tuple[str, ...]
    """By field, in the order of FIELDS."""


def facts_of(entry: Entry) -> tuple[Any, ...]:
    """Return an entry as the columns of its row, in the order of FACT_COLUMNS."""
    *sets, triggers = entry.facets
    facets = [*(sorted(one) for one in sets), [sorted(words) for words in triggers]]
    return (
        entry.id,
        entry.head.version,
        iso_milliseconds(entry.head.changed) if entry.head.changed else "",
        entry.name,
        entry.description[:_SUMMARY_CHARS],
        orjson.dumps(entry.aliases).decode(),
        orjson.dumps(facets).decode(),
    )


def entry_of(row: tuple[Any, ...]) -> Entry:
    """Return the entry that a row number and its facts tell of."""
    number, workflow_id, version, changed, name, description, aliases, facets = row
    tags, roles, services, step_types, triggers = orjson.loads(facets)
    return Entry(
        number,
        workflow_id,
        WorkflowHead(version, datetime.fromisoformat(changed) if changed else None),
        name,
        description,
        tuple(orjson.loads(aliases)),
        Facets(
            frozenset(tags),
            frozenset(roles),
            frozenset(services),
            frozenset(step_types),
            tuple(frozenset(words) for words in triggers),
        ),
    )
