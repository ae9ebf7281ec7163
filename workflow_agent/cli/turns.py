"""One turn as the command line follows it: what to ask, and what to show while it is answered."""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workflow_agent.cli.backend import Backend, Event
from workflow_agent.cli.leaving import EXIT_CONFLICT, EXIT_FAILED, CommandFailed
from workflow_agent.cli.live_reply import LiveReply
from workflow_agent.cli.printing import harmless, is_terminal, print_note

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
            "message": message, "conversation_id": self.conversation_id, "workflow_id": self.workflow_id,
            "mode": self.mode, "agent": self.agent,
        }  # fmt: skip
        return {name: value for name, value in asked.items() if value is not None}


@dataclass(slots=True)
class Followed:
    """A turn that is being followed: where it is, and its reply once that is there."""

    run_id: str | None = None
    conversation_id: str | None = None
    agents: list[str] = field(default_factory=list[str])
    reply: Mapping[str, Any] | None = None


def followed_turn(
    backend: Backend,
    asking: Asking,
    message: str,
    show: Callable[[Event], None],
    note: Callable[[str], None],
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
        raise CommandFailed(
            str(event.data.get("detail", "The run failed.")), EXIT_CONFLICT if busy else EXIT_FAILED
        )


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
