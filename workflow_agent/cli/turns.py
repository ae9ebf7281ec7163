"""A turn as the command line follows it, and what can be typed between turns: commands that begin with a slash."""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any, Self

from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from workflow_agent.cli.backends import workflow_id_of
from workflow_agent.cli.context import EXIT_CONFLICT, EXIT_FAILED, Backend, CommandFailed, Event
from workflow_agent.cli.output import console, harmless, is_terminal, print_note, print_rows, print_text
from workflow_agent.cli.streamed_markdown import StreamedMarkdown


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


@dataclass(slots=True)
class Asking:
    """How the next messages are asked; what is None is left to the service."""

    conversation_id: str | None = None
    workflow_id: str | None = None
    mode: str | None = None
    agent: str | None = None

    def body(self, message: str) -> dict[str, object]:
        """Return the request of a turn."""
        return {"message": message, **{name: value for name, value in asdict(self).items() if value is not None}}


def followed_turn(
    backend: Backend,
    asking: Asking,
    message: str,
    show: Callable[[Event], None] | None = None,
    note: Callable[[str], None] = print_note,
) -> Mapping[str, Any]:
    """Return the reply to a message when it is finished; the next message is asked in the same conversation.

    Ctrl-C stops the run and is passed on.
    """
    run_id: str | None = None
    reply: Mapping[str, Any] = {}
    try:
        for event in backend.turn(asking.body(message)):
            if event.name == "start":
                run_id, asking.conversation_id = event.data["run_id"], event.data["conversation_id"]
            elif event.name == "complete":
                reply = event.data
            elif event.name == "error":
                code = EXIT_CONFLICT if event.data.get("code") == "conversation_busy" else EXIT_FAILED
                raise CommandFailed(str(event.data.get("detail", "The run failed.")), code)
            if show is not None:
                show(event)
    except KeyboardInterrupt:
        if run_id is not None:
            backend.post(f"/runs/{run_id}/cancel")
            note("Stopped.")
        raise
    return reply


def show_turn(backend: Backend, asking: Asking, message: str) -> None:
    """Show the reply to a message: as it comes on a terminal, when it is whole in a pipe."""
    if is_terminal():
        with LiveReply() as live:
            followed_turn(backend, asking, message, live.take, live.note)
        return
    reply = followed_turn(backend, asking, message)
    others: Iterable[Mapping[str, Any]] = reply.get("other_replies", ())
    texts = [str(reply.get("response", "")), *(f"{one['agent']}: {one['response']}" for one in others)]
    sys.stdout.write(harmless("\n\n".join(texts)) + "\n")
    sys.stdout.flush()


AUTO = "auto"
_BAR_CHARS = 30
_LATEST = 10
Run = Callable[[Backend, Asking, str], str | None]
"""Does what a command says; returns the message to send, if there is one. EOFError leaves, as the end of the input."""


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command of the chat."""

    usage: str
    what: str
    run: Run


def run_command(backend: Backend, asking: Asking, line: str) -> str | None:
    """Return the message that a line's command stands for, if it is one."""
    name, _, rest = line.partition(" ")
    found = COMMANDS.get(name)
    if found is None:
        near = get_close_matches(name, COMMANDS, 1, 0.7)
        hint = f"Did you mean {near[0]}?" if near else "/help shows what there is."
        raise CommandFailed(f"There is no command {name[:40]!r}. {hint}")
    return found.run(backend, asking, rest.strip())


def _mode(backend: Backend, asking: Asking, wanted: str) -> None:
    asking.mode = _one_of("mode", wanted, asking.mode, backend.get("/modes")["items"])


def _agent(backend: Backend, asking: Asking, wanted: str) -> None:
    asking.agent = _one_of("agent", wanted, asking.agent, backend.get("/agents")["items"])


def _one_of(what: str, wanted: str, current: str | None, items: Iterable[Mapping[str, Any]]) -> str | None:
    """Return the chosen name, None where the service is to choose."""
    names = [AUTO, *(one["name"] for one in items)]
    listed = ", ".join(names)
    if not wanted:
        print_note(f"The {what} is {current or AUTO}; there are {listed}.")
        return current
    if wanted not in names:
        raise CommandFailed(f"There is no {what} {wanted[:40]!r}; there are {listed}.")
    print_note(f"The {what} is {wanted} from here on.")
    return None if wanted == AUTO else wanted


def _workflow(backend: Backend, asking: Asking, wanted: str) -> None:
    if not wanted:
        found = list(backend.pages("/workflows", _LATEST))
        print_rows(("id", "name"), ((one["id"], one["name"]) for one in found), "There are no workflows yet.")
        return
    document = backend.get(f"/workflows/{workflow_id_of(backend, wanted)}")
    asking.workflow_id = document["id"]
    print_note(f"`it` is {document['name']} ({document['id']}, version {document['version']}) now.")


def _context(backend: Backend, asking: Asking, _: str) -> None:
    if asking.conversation_id is None:
        print_note("Nothing was said yet.")
        return
    records = list(backend.pages(f"/conversations/{asking.conversation_id}/context"))
    if not records:
        print_note("No turn was answered yet.")
        return
    last = records[-1]
    used, budget = last["used_tokens"], last["budget_tokens"]
    print_text(f"{used:,} of {budget:,} tokens ({used / max(budget, 1):.0%}), turn {last['turn']}")
    breakdown: Mapping[str, Any] = last["breakdown"]
    width = max(map(len, breakdown), default=0)
    for section, tokens in breakdown.items():
        # What is there is seen, however little it is.
        bar = "█" * max(round(tokens / max(used, 1) * _BAR_CHARS), min(tokens, 1))
        print_text(f"  {section:{width}}  {tokens:>7,}  {bar}".rstrip())


def _undo(_: Backend, asking: Asking, __: str) -> str | None:
    if asking.conversation_id is None:
        print_note("Nothing was done yet.")
        return None
    # A message like any other, so that the conversation knows what was taken back.
    return "undo the last change"


def _open(backend: Backend, asking: Asking, wanted: str) -> None:
    if not wanted:
        found = list(backend.pages("/conversations", _LATEST))
        rows = ((one["id"], one["turns"], one["title"]) for one in found)
        print_rows(("id", "turns", "title"), rows, "There are no conversations yet.")
        return
    document = backend.get(f"/conversations/{wanted}")
    asking.conversation_id, asking.workflow_id = document["id"], None
    print_note(f"In {document['title'] or document['id']!r} now.")


def _new(_: Backend, asking: Asking, __: str) -> None:
    asking.conversation_id = asking.workflow_id = None
    print_note("The next message begins a conversation.")


def _help(_: Backend, __: Asking, ___: str) -> None:
    print_rows(("command", "what"), ((one.usage, one.what) for one in COMMANDS.values()), "")


def _quit(_: Backend, __: Asking, ___: str) -> None:
    raise EOFError


COMMANDS: Mapping[str, SlashCommand] = {
    "/mode": SlashCommand("/mode NAME", "lead by this mode; auto infers it, no name tells which", _mode),
    "/agent": SlashCommand("/agent NAME", "let this agent answer; auto chooses one", _agent),
    "/workflow": SlashCommand("/workflow ID", "what `it` means: an id or a name; none lists them", _workflow),
    "/context": SlashCommand("/context", "what the model saw in the last turn, in tokens", _context),
    "/undo": SlashCommand("/undo", "take the last change back", _undo),
    "/open": SlashCommand("/open ID", "go on in this conversation; none lists the latest", _open),
    "/new": SlashCommand("/new", "begin another conversation", _new),
    "/help": SlashCommand("/help", "this list", _help),
    "/quit": SlashCommand("/quit", "leave, as Ctrl-D does", _quit),
}
