"""`conversations fork|export|import`: going on elsewhere, in a branch or in another directory."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from workflow_agent.cli.backend import Backend
from workflow_agent.cli.conversations import ConversationId, conversations
from workflow_agent.cli.documents import read_text, write_or_print
from workflow_agent.cli.help_texts import Command
from workflow_agent.cli.leaving import EXIT_USAGE, CommandFailed
from workflow_agent.cli.options import AsJson
from workflow_agent.cli.printing import print_json, print_note, print_text, progress
from workflow_agent.cli.reaching import with_backend
from workflow_agent.cli.verifying import verify

__all__ = ["conversations"]


@conversations.command("fork", cls=Command)
@with_backend()
def fork_conversation(
    backend: Backend,
    conversation: ConversationId,
    turn: Annotated[
        int | None, typer.Option(min=1, help="The last turn that the fork holds (default: all).")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Its title; that of the original unless given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Begin a conversation that holds another up to a turn, and goes on.

    Prints the id of the new one; the original stays as it is.

    Examples:

      workflow-agent conversations fork expenses-chat

      workflow-agent conversations fork expenses-chat --turn 1 --title "Plan B"
    """
    last = turn or _last_turn(backend, conversation)
    asked = {"turn": last} if title is None else {"turn": last, "title": title}
    made = backend.post(f"/conversations/{conversation}/fork", asked)
    if as_json:
        print_json(made)
    else:
        print_text(made["id"])


def _last_turn(backend: Backend, conversation: str) -> int:
    newest = list(backend.pages(f"/conversations/{conversation}/history", 1, order="newest"))
    if not newest:
        raise CommandFailed(f"Conversation {conversation!r} is empty; there is nothing to go on from.")
    return int(newest[0]["turn"])


@conversations.command("export", cls=Command)
@with_backend()
def export_conversation(
    backend: Backend,
    conversation: ConversationId,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write this file.")] = None,
) -> None:
    """Write a conversation with all that belongs to it as one document.

    Every turn with its evidence, sealed ones and large results included;
    `import` makes the same conversation of it.

    Examples:

      workflow-agent conversations export expenses-chat -o expenses.json

      workflow-agent conversations export expenses-chat | gzip > expenses.gz
    """
    bundle = backend.get(f"/conversations/{conversation}/export")
    write_or_print(json.dumps(bundle, ensure_ascii=False, indent=1) + "\n", output)


@conversations.command("import", cls=Command)
@with_backend(makes=True)
def import_conversations(
    backend: Backend,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="What `export` wrote; - is stdin.")],
    new_id: Annotated[bool, typer.Option("--new-id", help="Take another id where its own is taken.")] = False,
    as_json: AsJson = False,
) -> None:
    """Create conversations from exported documents.

    All that a document says is checked first. Prints the id of each.

    Examples:

      workflow-agent conversations import exported.json --new-id
    """
    made: list[Any] = []
    with progress("Importing", len(files)) as one_more:
        for file in files:
            made.append(backend.post("/conversations/import", {**_bundle(file), "new_id": new_id}))
            one_more()
            if not as_json:
                print_text(made[-1]["id"])
    if as_json:
        print_json(made)
    print_note("`workflow-agent chat -c ID` goes on in one.")


def _bundle(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_text(file))
    except ValueError as error:
        raise CommandFailed(f"{str(file)!r} is not an exported conversation: {error}.", EXIT_USAGE) from error
    if not isinstance(found, dict) or "format" not in found:
        raise CommandFailed(
            f"{str(file)!r} is not an exported conversation. `workflow-agent migrate` reads those of other "
            "services.",
            EXIT_USAGE,
        )
    return found  # pyright: ignore[reportUnknownVariableType] - JSON


conversations.command("verify", cls=Command)(verify)
