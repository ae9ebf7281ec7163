"""One turn as the command line follows it: what to ask, and what to show while it is answered."""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from workflow_agent.cli.backend import Backend, Event
from workflow_agent.cli.leaving import EXIT_CONFLICT, EXIT_FAILED, CommandFailed
from workflow_agent.cli.printing import console, harmless, is_terminal, print_note

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
    if turn.reply is None:
        raise CommandFailed(
            "The stream ended without a reply. `workflow-agent conversations show` has it, if there is one."
        )
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


class LiveReply:
    """Shows a reply on a terminal as it comes: whole blocks set, the one that grows below."""

    def __init__(self) -> None:
        from rich.live import Live  # noqa: PLC0415 - help texts need not wait for it

        self._console = console()
        self._live = Live(
            console=self._console, refresh_per_second=8, transient=True, vertical_overflow="crop"
        )
        self._block = ""
        self._said = False

    def __enter__(self) -> Self:
        self._live.start()
        self._show_waiting("…")
        return self

    def __exit__(self, *_: object) -> None:
        self._let_go(self._block)
        self._block = ""
        self._live.update("")
        self._live.stop()

    def take(self, event: Event) -> None:
        """Show what an event tells."""
        match event.name:
            case "delta":
                self._add(harmless(str(event.data["text"])))
            case "tool_call":
                self._show_waiting(f"… {event.data['name']}")
            case "start" if self._said or self._block:
                self._let_go(self._block)
                self._block = ""
                self._console.print(f"\n{event.data['agent']}:", style="bold")
            case _:
                pass

    def _add(self, text: str) -> None:
        self._block += text
        while (end := _end_of_block(self._block)) is not None:
            self._let_go(self._block[:end])
            self._block = self._block[end:]
        self._live.update(self._set(self._block))

    def _let_go(self, block: str) -> None:
        if block.strip():
            self._console.print(self._set(block))
            self._console.print()
            self._said = True

    def _show_waiting(self, text: str) -> None:
        if not self._block:
            from rich.text import Text  # noqa: PLC0415 - help texts need not wait for it

            self._live.update(Text(harmless(text), style="dim"))

    @staticmethod
    def _set(block: str) -> Any:
        from rich.markdown import Markdown  # noqa: PLC0415 - help texts need not wait for it

        return Markdown(block)


def _end_of_block(text: str) -> int | None:
    """Return where the first whole block of Markdown ends: at an empty line outside code and lists."""
    is_code, at = False, 0
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        is_code ^= line.lstrip().startswith("```")
        at += len(line)
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if not line.strip() and not is_code and following.strip() and text[:at].strip():
            return at
    return None


def show_turn(backend: Backend, asking: Asking, message: str) -> Followed:
    """Return a turn after showing its reply: as it comes on a terminal, when it is whole in a pipe."""
    if is_terminal():
        with LiveReply() as live:
            turn = followed_turn(backend, asking, message, live.take, print_note)
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
