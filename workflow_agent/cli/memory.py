"""`memory`: what is known of a person across conversations."""

from typing import Annotated
from urllib.parse import quote

import typer

from workflow_agent.cli import group
from workflow_agent.cli.backends import command
from workflow_agent.cli.context import EXIT_USAGE, AsJson, Backend, CommandFailed, Yes
from workflow_agent.cli.output import confirm_or_refuse, print_listed, print_note

memory = group("memory")
User = Annotated[str | None, typer.Option("--user", "-u", help="Whose (default: the user of the key, or `user`).")]
KnownId = Annotated[str, typer.Argument(metavar="ID", help="An id, as `list` shows it.")]


@command(memory, "list")
def list_memory(backend: Backend, user: User = None, as_json: AsJson = False) -> None:
    """List what is known of a person: what was to be remembered, and names given to workflows.

    With --json also the workflows dealt with; that is the whole export.

    Examples:
      workflow-agent memory list
      workflow-agent memory list --user anna --json
    """
    found = backend.get("/memory", user=user)
    rows = ((one["id"], one["kind"], _told(one["source"]), one["text"]) for one in found["items"])
    print_listed(found, ("id", "kind", "told in", "what"), rows, "Nothing was to be remembered.", as_json=as_json)


def _told(source: dict[str, object] | None) -> str:
    return f"{source['conversation_id']}, turn {source['turn']}" if source else "by hand"


@command(memory, "correct")
def correct_memory(
    backend: Backend,
    known: KnownId,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is right.")],
    user: User = None,
) -> None:
    """Replace the text of something; what it said before is forgotten everywhere.

    Example:
      workflow-agent memory correct mem_0f3a9c21b7 "I prefer short names"
    """
    now = backend.change("PATCH", _path(known, user), {"text": text})
    print_note(f"Remembered as {now['id']}.")


@command(memory, "forget")
def forget_memory(
    backend: Backend,
    known: Annotated[str | None, typer.Argument(metavar="ID", help="An id, as `list` shows it.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Forget all that is known.")] = False,
    user: User = None,
    yes: Yes = False,
) -> None:
    """Forget something, in the person's conversations too.

    By the id of a workflow it is forgotten that the person dealt with it.

    Example:
      workflow-agent memory forget mem_0f3a9c21b7
    """
    if (known is None) is not everything:
        raise CommandFailed("Name what to forget by its id, or say --all.", EXIT_USAGE)
    if everything:
        confirm_or_refuse("Forget all that is known of this person?", is_sure=yes)
    backend.change("DELETE", _path(known, user))
    print_note("Everything is forgotten." if known is None else f"{known} is forgotten.")


def _path(known: str | None, user: str | None) -> str:
    path = "/memory" if known is None else f"/memory/{quote(known, safe='')}"
    return path if user is None else f"{path}?user={quote(user, safe='')}"
