"""One turn as the command line follows it: what to ask, and what to show while it is answered."""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from workflow_agent.cli.context import EXIT_CONFLICT, EXIT_FAILED, Backend, CommandFailed, Event
from workflow_agent.cli.output import console, harmless, is_terminal, print_note
from workflow_agent.cli.streamed_markdown import StreamedMarkdown
from workflow_agent.conversations.document import AgentReply, Conversation


class LiveReply:
    """Shows a reply while it is made: its words as they come, before them what is done meanwhile."""

    def __init__(self) -> None:
        self._console = console()
        self._text = StreamedMarkdown(self._console)
        self._is_waiting = False

    def __enter__(self) -> Self:
        self._wait("…")
        return self

    def __exit__(self, *_: object) -> None:
        self._end_text()

    def take(self, event: Event) -> None:
        """Show what an event tells."""
        match event.name:
            case "delta":
                self._stop_waiting()
                self._text.feed(harmless(str(event.data["text"])))
            case "tool_call":
                self._text.pause()
                self._wait(f"… {event.data['name']}")
            case "start" if self._text.has_said:
                self._end_text()
                self._console.print(f"{event.data['agent']}:\n", style="bold")
            case _:
                pass

    def note(self, text: str) -> None:
        """Tell what is no part of the reply, on a line of its own."""
        self._end_text()
        print_note(text)

    def _end_text(self) -> None:
        self._stop_waiting()
        self._text.finish()
        if self._text.has_said:
            self._console.print()
        self._text = StreamedMarkdown(self._console)

    def _wait(self, text: str) -> None:
        """Show, on a line that goes again, what is being done; a terminal that cannot erase shows nothing."""
        if self._text.is_in_line or self._console.is_dumb_terminal:
            return
        self._stop_waiting()
        shown = Text(harmless(text), style="dim")
        shown.truncate(self._console.width - 1)
        self._console.print(shown, end="", soft_wrap=True)
        self._is_waiting = True

    def _stop_waiting(self) -> None:
        if not self._is_waiting:
            return
        self._console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
        self._is_waiting = False


_BUSY = "conversation_busy"


@dataclass(slots=True)
class Asking:
    """How the next messages are asked; what is None is left to the service."""

    conversation_id: str | None = None
    workflow_id: str | None = None
    mode: str | None = None
    agent: str | None = None

    def body(self, message: str) -> dict[str, object]:
        """Return the request of a turn."""
        asked = {
            "message": message,
            "conversation_id": self.conversation_id,
            "workflow_id": self.workflow_id,
            "mode": self.mode,
            "agent": self.agent,
        }
        return {name: value for name, value in asked.items() if value is not None}


@dataclass(slots=True)
class Followed:
    """A turn that is being followed: where it is, and its reply once that is there."""

    run_id: str | None = None
    conversation_id: str | None = None
    agents: list[str] = field(default_factory=list[str])
    reply: Mapping[str, Any] | None = None


def followed_turn(
    backend: Backend, asking: Asking, message: str, show: Callable[[Event], None], note: Callable[[str], None]
) -> Followed:
    """Return a turn when it is finished; Ctrl-C stops the run and is passed on.

    Raises:
        CommandFailed: It was refused, or failed.
    """
    turn = Followed()
    try:
        for event in backend.turn(asking.body(message)):
            _take(turn, event)
            asking.conversation_id = turn.conversation_id
            show(event)
    except KeyboardInterrupt:
        if turn.run_id is not None:
            backend.post(f"/runs/{turn.run_id}/cancel")
            note("Stopped.")
        raise
    return turn


def _take(turn: Followed, event: Event) -> None:
    if event.name == "start":
        turn.run_id, turn.conversation_id = event.data["run_id"], event.data["conversation_id"]
        turn.agents.append(event.data["agent"])
    elif event.name == "complete":
        turn.reply = event.data
    elif event.name == "error":
        busy = event.data.get("code") == _BUSY
        raise CommandFailed(str(event.data.get("detail", "The run failed.")), EXIT_CONFLICT if busy else EXIT_FAILED)


def show_turn(backend: Backend, asking: Asking, message: str) -> Followed:
    """Return a turn after showing its reply: as it comes on a terminal, when it is whole in a pipe."""
    if is_terminal():
        with LiveReply() as live:
            turn = followed_turn(backend, asking, message, live.take, live.note)
    else:
        turn = followed_turn(backend, asking, message, _nothing, print_note)
        print_replies(turn)
    return turn


def print_replies(turn: Followed) -> None:
    """Print the replies of a turn as they are."""
    reply = turn.reply or {}
    others: Iterable[Mapping[str, Any]] = reply.get("other_replies", ())
    texts = [str(reply.get("response", "")), *(f"{one['agent']}: {one['response']}" for one in others)]
    sys.stdout.write(harmless("\n\n".join(texts)) + "\n")
    sys.stdout.flush()


def _nothing(_: Event) -> None:
    """Show nothing."""


_FREE = "offline"
_UNPRICED = "price not known"


def cost_of_reply(reply: AgentReply) -> str:
    """Return what one reply cost."""
    if reply.model == _FREE and not reply.cost.total_usd:
        return "nothing"
    if reply.cost.total_usd is None:
        return _UNPRICED
    return _dollars(reply.cost.total_usd) if reply.cost.is_complete else f"at least {_dollars(reply.cost.total_usd)}"


def cost_of_conversation(conversation: Conversation) -> str:
    """Return what all turns cost; of sealed ones only the sum is at hand, without what had no price."""
    spent = conversation.usage_totals.cost_usd
    replies = [one for one in conversation.events if isinstance(one, AgentReply)]
    if any(cost_of_reply(one) == _UNPRICED for one in replies):
        return f"{_dollars(spent)}, and turns whose price is not known" if spent else _UNPRICED
    if spent:
        return _dollars(spent)
    return "nothing" if not conversation.sealed_turns else "nothing, as far as prices are known"


def _dollars(amount: float) -> str:
    return f"${amount:.4f}"
