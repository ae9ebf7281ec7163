"""What a machine may look like. What a type or a form is, the shape leaves open: it is read generously."""

from collections.abc import Mapping
from typing import Any, cast

from workflow_agent.domain.errors import Problem
from workflow_agent.domain.values import JsonObject
from workflow_agent.formats.shapes import (
    Place,
    anything,
    flag,
    list_in,
    listed,
    mapped,
    number,
    object_in,
    one_kind,
    problems_in,
    record,
    text,
)

INITIAL = ("initial", "start", "begin")
FINAL = ("final", "terminal", "end", "done", "closed")
SLUG = text(r"\s*\S[\s\S]*", says="a slug", most=200)
_SAID = one_kind(text=anything, nothing=anything)
_NAMED = one_kind(text=anything, object=mapped(), nothing=anything)
STATE = record(
    {"slug": SLUG, "name": _SAID, "type": _SAID, "description": _SAID}, required=["slug"], is_open=True
)
ACTION = record(
    {
        "slug": SLUG,
        "name": _SAID,
        "from": one_kind(text=SLUG, list=listed(SLUG, least=1)),
        "to": SLUG,
        "requiresForm": one_kind(flag=flag, nothing=anything),
        "permission": _NAMED,
        "form": _NAMED,
    },
    required=["slug", "from", "to"],
    is_open=True,
)
ABOUT = record(
    {
        "specId": one_kind(text=anything, number=number(), nothing=anything),
        "name": _SAID,
        "slug": _SAID,
        "description": _SAID,
        "permissions": listed(),
        "automations": listed(),
    },
    is_open=True,
)
LISTS = record(
    {"states": listed(STATE, least=1), "actions": listed(ACTION)},
    required=["states", "actions"],
    is_open=True,
)


def sources_of(action: Mapping[str, Any]) -> list[str]:
    """Return the states that an action leads from."""
    return cast("list[str]", list_in(action["from"])) or [action["from"]]


def problems_of_machine(document: Any) -> list[Problem]:
    """Return everything that makes a document no machine."""
    found = [*problems_in(document, ABOUT), *problems_in(document, LISTS)]
    return found or _broken_references(object_in(document))


def _broken_references(machine: JsonObject) -> list[Problem]:
    place = Place([])
    slugs = [state["slug"] for state in machine["states"]]
    for at, one in enumerate(slugs):
        if one in slugs[:at]:
            (place / "states" / at / "slug").refuse(f"{one!r} is the slug of another state, too")
    for at, action in enumerate(machine["actions"]):
        for end, named in (("from", sources_of(action)), ("to", [action["to"]])):
            for one in (one for one in named if one not in slugs):
                (place / "actions" / at / end).refuse(f"there is no state {one[:80]!r}", slugs)
    return place.problems
