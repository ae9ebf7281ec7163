"""`inspect`: a conversation as it went, for people in front of a terminal."""

import asyncio
import sys
from typing import Annotated, Any

import typer
from rich.console import Console

from workflow_agent.assistant.turns.bundles import opened
from workflow_agent.cli.backends import ApiKey, DataDir, Url, on_server, settings_of
from workflow_agent.cli.context import EXIT_NOT_FOUND, AsJson, CommandFailed, Wiring, wiring_of
from workflow_agent.cli.conversation_view import of_conversation, of_turn
from workflow_agent.cli.output import is_terminal, piped, print_json
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.history import Past
from workflow_agent.conversations.records import Records, turn_in
from workflow_agent.settings import Settings

_NARROWEST = 60
Turn = Annotated[int | None, typer.Option(min=1, help="Only this turn, in full; sealed turns are read back for it.")]


def inspect(
    context: typer.Context,
    conversation_id: Annotated[
        str, typer.Argument(metavar="CONVERSATION_ID", help="As the file is named, without .json.")
    ],
    turn: Turn = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    url: Url = None,
    api_key: ApiKey = None,
) -> None:
    """Show a conversation: turns, modes, steps, calls, compactions, cost.

    Reads the data directory, or the database that
    WORKFLOW_AGENT_DATABASE_URL names, and needs no server for it; with
    --url it asks one. Nothing is changed. In a pipe there are no boxes and nothing is cut.

    Examples:
      workflow-agent inspect expenses-chat
      workflow-agent inspect expenses-chat --turn 2
      workflow-agent inspect expenses-chat --url http://127.0.0.1:8000
      workflow-agent inspect expenses-chat --json | jq '.turns[].mode.name'
    """
    settings = settings_of(data_dir, url, api_key)
    if settings.url is not None:
        conversation, records = _exported(settings, conversation_id, turn)
    else:
        conversation, records = _stored(wiring_of(context), settings, conversation_id, turn)
    if as_json:
        print_json(_plain(conversation, records, turn))
    else:
        _print(conversation, records, turn)


def _print(conversation: Conversation, records: Records, turn: int | None) -> None:
    view = of_conversation(conversation) if turn is None else of_turn(conversation, records, turn)
    if not is_terminal():
        sys.stdout.write(piped(view))
        return
    console = Console(highlight=False)
    console.width = max(console.width, _NARROWEST)
    for part in view:
        console.print(part)


def _exported(settings: Settings, conversation_id: str, turn: int | None) -> tuple[Conversation, Records]:
    with on_server(settings) as backend:
        bundle = backend.get(f"/conversations/{conversation_id}/export")
    conversation = opened(bundle["payload"], bundle["sha256"]).conversation
    if turn is not None and turn_in(conversation, turn) is None:
        raise CommandFailed(
            f"Conversation {conversation_id!r} has no turn {turn}; it has {conversation.turn_count}.", EXIT_NOT_FOUND
        )
    return conversation, conversation


def _stored(wiring: Wiring, settings: Settings, conversation_id: str, turn: int | None) -> tuple[Conversation, Records]:
    async def found() -> tuple[Conversation, Records]:
        async with wiring.open_data(settings) as store:
            conversation = await store.load(settings.tenant, conversation_id)
            if turn is None:
                return conversation, conversation
            past = Past(store, conversation)
            await past.turn(turn)
            return conversation, await past.around_turn(turn)

    return asyncio.run(found())


def _plain(conversation: Conversation, records: Records, turn: int | None) -> dict[str, Any]:
    """Return what is shown as JSON data: the evidence of each turn as the file has it."""
    shown = conversation.model_dump(
        mode="json", by_alias=True, exclude={"events", "runs", "calls", "workflow_refs", "archive"}
    )
    numbers = sorted({event.turn for event in records.events if event.type != "system_event"})
    return shown | {
        "sealed_turns": conversation.sealed_turns,
        "turns": [_plain_turn(records, number) for number in numbers if turn in (None, number)],
    }


def _plain_turn(records: Records, number: int) -> dict[str, Any]:
    events = [event for event in records.events if event.type != "system_event" and event.turn == number]
    replies = [event for event in events if event.type == "agent_reply"]
    first = replies[0].model_dump(mode="json") if replies else {}
    return {
        "turn": number,
        "mode": first.get("mode"),
        "events": [event.model_dump(mode="json") for event in events],
        "runs": [
            run.model_dump(mode="json", exclude={"iterations"} if replies else set())
            for run in records.runs
            if run.turn == number
        ],
    }
