"""Finding the workflow that a person names on the command line."""

import re
from collections.abc import Mapping
from typing import Any

from workflow_agent.cli.backend import Backend
from workflow_agent.cli.leaving import EXIT_NOT_FOUND, CommandFailed

_ID = re.compile(r"wf_[a-z0-9_-]{1,61}")
"""As the domain has it; the domain itself takes long to load, and this is all that is wanted of it."""


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
        one for one in page["items"]
        if wanted in (one["name"].casefold(), *(alias.casefold() for alias in one["aliases"]))
    ]  # fmt: skip
    if len(same) == 1:
        return same[0]["id"]
    near = same or page["items"][:5] or page["suggestions"][:5]
    listed = "".join(f"\n  {one['id']}  {one['name']}" for one in near)
    hint = f" Did you mean:{listed}" if near else " `workflow-agent workflows list` shows what there is."
    what = "Several workflows are" if len(same) > 1 else "No workflow is"
    raise CommandFailed(f"{what} called {named[:100]!r}.{hint}", EXIT_NOT_FOUND)
