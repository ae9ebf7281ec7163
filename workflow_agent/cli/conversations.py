"""`conversations`: looking at what was said."""

from typing import Annotated, Any

import typer

from workflow_agent.cli.backend import Backend
from workflow_agent.cli.help_texts import Command, Group
from workflow_agent.cli.leaving import EXIT_CODES
from workflow_agent.cli.options import AsJson, Limit
from workflow_agent.cli.printing import print_json, print_markdown, print_note, print_rows, print_text
from workflow_agent.cli.reaching import with_backend

conversations = typer.Typer(
    name="conversations", cls=Group, no_args_is_help=True, rich_markup_mode="rich",
    help="List, show, search, fork, export and import conversations.", epilog=EXIT_CODES,
)  # fmt: skip
ConversationId = Annotated[str, typer.Argument(metavar="CONVERSATION", help="An id, as `list` shows it.")]


@conversations.command("list", cls=Command)
@with_backend()
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
    if as_json:
        print_json(found)
        return
    rows = ((one["id"], one["turns"], one["updated_at"], one["title"]) for one in found)
    print_rows(("id", "turns", "changed", "title"), rows, "There are no such conversations.")


@conversations.command("show", cls=Command)
@with_backend()
def show_conversation(
    backend: Backend,
    conversation: ConversationId,
    last: Annotated[
        int | None, typer.Option("--last", min=1, help="Only so many of the latest messages.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what was said in a conversation, oldest first.

    With --json its events, with all the evidence that each reply carries.

    Examples:

      workflow-agent conversations show expenses-chat

      workflow-agent conversations show expenses-chat --last 2 --json
    """
    path = f"/conversations/{conversation}/history"
    found = (
        list(backend.pages(path)) if last is None else list(backend.pages(path, last, order="newest"))[::-1]
    )
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


@conversations.command("search", cls=Command)
@with_backend()
def search_messages(
    backend: Backend,
    words: Annotated[list[str], typer.Argument(help="Words that a message holds, all of them.")],
    conversation: Annotated[
        str | None, typer.Option("--conversation", "-c", help="Only in this conversation.")
    ] = None,
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
    if as_json:
        print_json(found)
        return
    rows = ((one["conversation_id"], one["turn"], one["event"]["author"], one["snippet"]) for one in found)
    print_rows(("conversation", "turn", "who", "what"), rows, "Nothing was found; try other words.")
    if not found and conversation is None:
        print_note("`workflow-agent workflows search` looks in workflows.")
