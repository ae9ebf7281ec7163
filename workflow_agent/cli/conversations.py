"""`conversations`: looking at what was said."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from workflow_agent.cli import Command, group
from workflow_agent.cli.backends import command
from workflow_agent.cli.context import EXIT_USAGE, AsJson, Backend, CommandFailed, Limit, Output, Yes
from workflow_agent.cli.output import (
    confirm_or_refuse,
    print_json,
    print_listed,
    print_markdown,
    print_note,
    print_text,
    progress,
    read_text,
    write_or_print,
)
from workflow_agent.cli.server import verify

conversations = group("conversations")
ConversationId = Annotated[str, typer.Argument(metavar="CONVERSATION", help="An id, as `list` shows it.")]


@command(conversations, "list")
def list_conversations(
    backend: Backend,
    q: Annotated[str | None, typer.Option("--query", "-q", help="Only those that hold this text.")] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List conversations, the latest first.

    In a pipe: id, turns, time of the last change and title, with tabs
    between.

    Examples:
      workflow-agent conversations list
      workflow-agent conversations list --query expense --limit 5 --json
    """
    found = list(backend.pages("/conversations", limit, q=q))
    rows = ((one["id"], one["turns"], one["updated_at"], one["title"]) for one in found)
    titles = ("id", "turns", "changed", "title")
    print_listed(found, titles, rows, "There are no such conversations.", as_json=as_json, is_cut=True)


@command(conversations, "show")
def show_conversation(
    backend: Backend,
    conversation: ConversationId,
    last: Annotated[int | None, typer.Option("--last", min=1, help="Only so many of the latest messages.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what was said in a conversation, oldest first.

    With --json its events, with all the evidence that each reply carries.

    Examples:
      workflow-agent conversations show expenses-chat
      workflow-agent conversations show expenses-chat --last 2 --json
    """
    path = f"/conversations/{conversation}/history"
    found = list(backend.pages(path)) if last is None else list(backend.pages(path, last, order="newest"))[::-1]
    if as_json:
        print_json(found)
        return
    for event in found:
        print_text(_heading(event))
        print_markdown(event["content"])
        print_text("")


def _heading(event: Any) -> str:
    mode = event.get("mode")
    led = f", {mode['name']}" if mode else ""
    return f"== turn {event['turn']} · {event['author']}{led} · {event['at']}"


@command(conversations, "search")
def search_messages(
    backend: Backend,
    words: Annotated[list[str], typer.Argument(help="Words that a message holds, all of them.")],
    conversation: Annotated[str | None, typer.Option("--conversation", "-c", help="Only in this conversation.")] = None,
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """Find what was said in any turn of any conversation, newest first.

    Examples:
      workflow-agent conversations search expense
      workflow-agent conversations search legal review -c expenses-chat --json
    """
    path = f"/conversations/{conversation}/search" if conversation else "/search/messages"
    found = list(backend.pages(path, limit, q=" ".join(words)))
    rows = ((one["conversation_id"], one["turn"], one["event"]["author"], one["snippet"]) for one in found)
    titles = ("conversation", "turn", "who", "what")
    print_listed(found, titles, rows, "Nothing was found; try other words.", as_json=as_json)
    if not (found or as_json or conversation):
        print_note("`workflow-agent workflows search` looks in workflows.")


@command(conversations, "rename")
def rename_conversation(
    backend: Backend,
    conversation: ConversationId,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="Its new title.")],
) -> None:
    """Give a conversation another title.

    Example:
      workflow-agent conversations rename expenses-chat "Expenses of 2026"
    """
    backend.change("PATCH", f"/conversations/{conversation}", {"title": title})
    print_note(f"{conversation} is called {title!r} now.")


@command(conversations, "delete")
def delete_conversation(backend: Backend, conversation: ConversationId, yes: Yes = False) -> None:
    """Delete a conversation for good; workflows stay.

    Example:
      workflow-agent conversations delete expenses-chat --yes
    """
    found = backend.get(f"/conversations/{conversation}")
    confirm_or_refuse(f"Delete {found['title'] or conversation!r} and all that was said in it?", is_sure=yes)
    backend.change("DELETE", f"/conversations/{conversation}")
    print_note(f"{conversation} is gone.")


@command(conversations, "fork")
def fork_conversation(
    backend: Backend,
    conversation: ConversationId,
    turn: Annotated[int | None, typer.Option(min=1, help="The last turn that the fork holds (default: all).")] = None,
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


@command(conversations, "export")
def export_conversation(backend: Backend, conversation: ConversationId, output: Output = None) -> None:
    """Write a conversation with all that belongs to it as one document.

    Every turn with its evidence, sealed ones and large results included;
    `import` makes the same conversation of it.

    Examples:
      workflow-agent conversations export expenses-chat -o expenses.json
      workflow-agent conversations export expenses-chat | gzip > expenses.gz
    """
    bundle = backend.get(f"/conversations/{conversation}/export")
    write_or_print(json.dumps(bundle, ensure_ascii=False, indent=1) + "\n", output)


@command(conversations, "import", makes=True)
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
            f"{str(file)!r} is not an exported conversation. `workflow-agent migrate` reads those of other services.",
            EXIT_USAGE,
        )
    return found  # pyright: ignore[reportUnknownVariableType] - JSON


conversations.command("verify", cls=Command)(verify)
