"""Finding the workflow that a person names on the command line."""

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Annotated, Any

import typer

from workflow_agent.cli.backends import listed_silently
from workflow_agent.cli.exits import EXIT_NOT_FOUND, CommandFailed
from workflow_agent.cli.ports import Backend

_ALIKE = 0.6
_MOST_COMPLETED = 500
_ID = re.compile(r"wf_[a-z0-9_-]{1,61}")
"""As the domain has it; the domain itself takes long to load, and this is all that is wanted of it."""


def _is_alike(one: Mapping[str, Any], wanted: str) -> bool:
    """Say whether a workflow may be meant by what was written: most of its letters, in their order."""
    names = (one["id"].removeprefix("wf_").replace("_", " "), one["name"], *one.get("aliases", ()))
    return any(SequenceMatcher(None, wanted, name.casefold()).ratio() >= _ALIKE for name in names)


def workflow_ids(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the workflows whose id begins so, with their names, for the shell to complete."""
    starts = (incomplete, f"wf_{incomplete}")
    return [
        (one["id"], one["name"]) for one in listed_silently(context, _MOST_COMPLETED) if one["id"].startswith(starts)
    ]


Which = Annotated[
    str,
    typer.Argument(
        metavar="WORKFLOW", help="An id such as wf_expense_approval, or a name.", autocompletion=workflow_ids
    ),
]


def workflow_id_of(backend: Backend, named: str) -> str:
    """Return the id of the workflow that an id, a name or an alias stands for.

    Raises:
        CommandFailed: None does, or several do; names those that come near.
    """
    if _ID.fullmatch(named):
        return named
    page: Mapping[str, Any] = backend.get("/workflows", q=named[:500], limit=20)
    wanted = named.casefold().strip()
    same = [
        one
        for one in page["items"]
        if wanted in (one["name"].casefold(), *(alias.casefold() for alias in one["aliases"]))
    ]
    if len(same) == 1:
        return same[0]["id"]
    near = same or [one for one in (*page["items"], *page["suggestions"]) if _is_alike(one, wanted)][:5]
    listed = "".join(f"\n  {one['id']}  {one['name']}" for one in near)
    hint = f" Did you mean:{listed}" if near else " `workflow-agent workflows list` shows what there is."
    what = "Several workflows are" if len(same) > 1 else "No workflow is"
    raise CommandFailed(f"{what} called {named[:100]!r}.{hint}", EXIT_NOT_FOUND)
