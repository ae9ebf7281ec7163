"""A turn that is followed to its end, also where the connection or the server breaks off meanwhile."""

from __future__ import annotations

import secrets
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx2

from workflow_agent.cli.context import EXIT_NOT_FOUND, EXIT_UNREACHABLE, CommandFailed, Event

if TYPE_CHECKING:
    from workflow_agent.cli.http_backend import HttpBackend

_ENDS = ("complete", "error")
_UNDER_WAY = ("accepted", "running")


def followed(backend: HttpBackend, body: Mapping[str, object]) -> Generator[Event]:
    """Yield the events of a turn, each once, up to the one that ends it.

    Sent again under the same key it is the same turn; once its run is known, only the stream is asked for.

    Raises:
        CommandFailed: It was refused, nobody answers, or the line broke and did not come back.
    """
    turn = _Following(backend, body, f"cli-{secrets.token_hex(12)}")
    waits = iter(backend.waits_seconds)
    while True:
        before, lost, turn.is_under_way = turn.last_id, None, False
        try:
            for event in turn.events():
                yield event
                if event.name in _ENDS:
                    return
        except httpx2.TransportError as error:
            lost = error
        if turn.last_id != before or turn.is_under_way:
            waits = iter(backend.waits_seconds)
        wait_seconds = next(waits, None)
        if wait_seconds is None or (isinstance(lost, httpx2.ConnectError) and not turn.was_reached):
            raise turn.broken_off(lost) from lost
        backend.pause(wait_seconds)


@dataclass(slots=True)
class _Following:
    """How far a turn was followed."""

    backend: HttpBackend
    body: Mapping[str, object]
    key: str
    run_id: str | None = None
    conversation_id: str | None = None
    last_id: str = ""
    said: str = ""
    was_reached: bool = False
    is_under_way: bool = False
    """Whether another process works on it, whose stream cannot be had here."""

    def events(self) -> Iterator[Event]:
        """Yield what comes after what was seen, as far as it comes."""
        if self.run_id is None:
            opened = self.backend.stream("POST", "/chat/stream", {"Idempotency-Key": self.key}, self.body)
        else:
            opened = self._resumed(self.run_id)
        for event in opened:
            self.was_reached = True
            if event.name == "shutdown":
                return
            self._note(event)
            yield event

    def _note(self, event: Event) -> None:
        self.last_id = event.id
        if event.name == "start":
            self.run_id, self.conversation_id = event.data["run_id"], event.data["conversation_id"]
            self.said = ""
        elif event.name == "delta":
            self.said += event.data["text"]

    def _resumed(self, run_id: str) -> Iterator[Event]:
        try:
            yield from self.backend.stream("GET", f"/runs/{run_id}/stream", {"Last-Event-ID": self.last_id})
        except CommandFailed as error:
            if error.exit_code != EXIT_NOT_FOUND:
                raise
            # The server was started anew: the stream is gone, what came of the run is kept.
            yield from self._outcome(self.backend.get(f"/runs/{run_id}"))

    def _outcome(self, run: Mapping[str, Any]) -> Iterator[Event]:
        if run["status"] in _UNDER_WAY:
            self.is_under_way = True
            return
        reply = run.get("reply")
        if reply is None:
            problem: Mapping[str, str] = run.get("error") or {"message": ""}
            why = problem["message"] or "The server stopped in the middle of this reply. Say it again."
            yield Event(self.last_id, "error", {"code": run["status"], "detail": why})
            return
        if reply["response"].startswith(self.said):
            yield Event(self.last_id, "delta", {"text": reply["response"][len(self.said) :]})
        yield Event(self.last_id, "complete", reply)

    def broken_off(self, lost: httpx2.TransportError | None) -> CommandFailed:
        """Return what to say where the line broke for good."""
        if self.conversation_id is None:
            return self.backend.silence(lost or httpx2.ReadError("it ended without a reply"))
        return CommandFailed(
            f"The connection to {self.backend.where} was lost in the middle of the reply and did not come "
            "back. What you said is kept. When the server runs again, `workflow-agent conversations show "
            f"{self.conversation_id} --last 1` shows how it went on.",
            EXIT_UNREACHABLE,
        )
