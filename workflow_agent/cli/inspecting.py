"""`inspect`: a conversation as it went, for people in front of a terminal."""

import asyncio
import json
from typing import Annotated, Any

import typer

from workflow_agent.cli.leaving import or_exit
from workflow_agent.cli.options import AsJson, DataDir, chosen_settings
from workflow_agent.cli.wiring import DataDirectory, wiring_of
from workflow_agent.domain.conversation import Conversation
from workflow_agent.domain.records import Records

_NARROWEST = 60
ConversationIdArgument = Annotated[
    str, typer.Argument(metavar="CONVERSATION_ID", help="As the file is named, without .json.")
]
Turn = Annotated[
    int | None, typer.Option(min=1, help="Only this turn, in full; sealed turns are read back for it.")
]


def inspect(
    context: typer.Context,
    conversation_id: ConversationIdArgument,
    turn: Turn = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Show a conversation: turns, modes, steps, calls, compactions, cost.

    Reads the data directory; no server is needed, and nothing is changed.
    Colour is left out where the output is no terminal or NO_COLOR is set.

    Examples:

      workflow-agent inspect expenses-chat

      workflow-agent inspect expenses-chat --turn 2

      workflow-agent inspect expenses-chat --json | jq '.turns[].mode.name'

    Exit codes: 0 shown, 3 there is no such conversation or turn, 78 a
    setting cannot work.
    """
    settings = chosen_settings(data_dir=data_dir)
    with wiring_of(context).open_data(settings) as data:
        conversation, records = or_exit(lambda: asyncio.run(_found(data, conversation_id, turn)))
    if as_json:
        typer.echo(json.dumps(_plain(conversation, records, turn), indent=2, ensure_ascii=False))
        return
    _print(conversation, records, turn)


# Imported where they are used, because it takes seconds that help texts and refusals should not wait for.


def _print(conversation: Conversation, records: Records, turn: int | None) -> None:
    from rich.console import Console  # noqa: PLC0415 - see above

    from workflow_agent.cli.conversation_view import of_conversation, of_turn  # noqa: PLC0415 - see above

    console = Console(highlight=False)
    console.width = max(console.width, _NARROWEST)
    view = of_conversation(conversation) if turn is None else of_turn(conversation, records, turn)
    for part in view:
        console.print(part)


async def _found(data: DataDirectory, conversation_id: str, turn: int | None) -> tuple[Conversation, Records]:
    conversation = await data.conversations.load(data.tenant, conversation_id)
    if turn is None:
        return conversation, conversation
    from workflow_agent.chat.past import Past  # noqa: PLC0415 - see above

    past = Past(data.conversations, conversation)
    await past.turn(turn)
    return conversation, await past.around_turn(turn)


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
