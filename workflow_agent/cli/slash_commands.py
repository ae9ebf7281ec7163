"""What can be typed in a chat beside messages: commands that begin with a slash."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from workflow_agent.cli.backends import workflow_id_of
from workflow_agent.cli.context import Backend, CommandFailed
from workflow_agent.cli.output import print_note, print_rows, print_text
from workflow_agent.cli.turns import Asking

QUIT = None
AUTO = "auto"
_BAR_CHARS = 30
_LATEST = 10
Run = Callable[[Backend, Asking, str], str | None]
"""Does what a command says; returns the message to send, empty for none, None to leave."""


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command of the chat."""

    usage: str
    what: str
    run: Run


def run_command(backend: Backend, asking: Asking, line: str) -> str | None:
    """Return the message that a line's command stands for: empty for none, None to leave.

    Raises:
        CommandFailed: There is no such command, or it cannot do it.
    """
    name, _, rest = line.partition(" ")
    found = COMMANDS.get(name)
    if found is None:
        near = get_close_matches(name, COMMANDS, 1, 0.7)
        hint = f"Did you mean {near[0]}?" if near else "/help shows what there is."
        raise CommandFailed(f"There is no command {name[:40]!r}. {hint}")
    return found.run(backend, asking, rest.strip())


def _mode(backend: Backend, asking: Asking, wanted: str) -> str:
    names = [one["name"] for one in backend.get("/modes")["items"]]
    asking.mode = _one_of("mode", wanted, asking.mode, names)
    return ""


def _agent(backend: Backend, asking: Asking, wanted: str) -> str:
    names = [one["name"] for one in backend.get("/agents")["items"]]
    asking.agent = _one_of("agent", wanted, asking.agent, names)
    return ""


def _one_of(what: str, wanted: str, current: str | None, names: list[str]) -> str | None:
    """Return the chosen name, None where the service is to choose."""
    listed = ", ".join([AUTO, *names])
    if not wanted:
        print_note(f"The {what} is {current or AUTO}; there are {listed}.")
        return current
    if wanted != AUTO and wanted not in names:
        raise CommandFailed(f"There is no {what} {wanted[:40]!r}; there are {listed}.")
    print_note(f"The {what} is {wanted} from here on.")
    return None if wanted == AUTO else wanted


def _workflow(backend: Backend, asking: Asking, wanted: str) -> str:
    if not wanted:
        found = list(backend.pages("/workflows", _LATEST))
        print_rows(("id", "name"), ((one["id"], one["name"]) for one in found), "There are no workflows yet.")
        return ""
    document = backend.get(f"/workflows/{workflow_id_of(backend, wanted)}")
    asking.workflow_id = document["id"]
    print_note(f"`it` is {document['name']} ({document['id']}, version {document['version']}) now.")
    return ""


def _context(backend: Backend, asking: Asking, _: str) -> str:
    if asking.conversation_id is None:
        print_note("Nothing was said yet.")
        return ""
    records = list(backend.pages(f"/conversations/{asking.conversation_id}/context"))
    if not records:
        print_note("No turn was answered yet.")
        return ""
    last = records[-1]
    used, budget = last["used_tokens"], last["budget_tokens"]
    print_text(f"{used:,} of {budget:,} tokens ({used / max(budget, 1):.0%}), turn {last['turn']}")
    breakdown: Mapping[str, Any] = last["breakdown"]
    width = max(map(len, breakdown), default=0)
    for section, tokens in breakdown.items():
        # What is there is seen, however little it is.
        bar = "█" * max(round(tokens / max(used, 1) * _BAR_CHARS), min(tokens, 1))
        print_text(f"  {section:{width}}  {tokens:>7,}  {bar}".rstrip())
    return ""


def _undo(_: Backend, asking: Asking, __: str) -> str:
    if asking.conversation_id is None:
        print_note("Nothing was done yet.")
        return ""
    # A message like any other, so that the conversation knows what was taken back.
    return "undo the last change"


def _open(backend: Backend, asking: Asking, wanted: str) -> str:
    if not wanted:
        found = list(backend.pages("/conversations", _LATEST))
        rows = ((one["id"], one["turns"], one["title"]) for one in found)
        print_rows(("id", "turns", "title"), rows, "There are no conversations yet.")
        return ""
    document = backend.get(f"/conversations/{wanted}")
    asking.conversation_id, asking.workflow_id = document["id"], None
    print_note(f"In {document['title'] or document['id']!r} now.")
    return ""


def _new(_: Backend, asking: Asking, __: str) -> str:
    asking.conversation_id = asking.workflow_id = None
    print_note("The next message begins a conversation.")
    return ""


def _help(_: Backend, __: Asking, ___: str) -> str:
    print_rows(("command", "what"), ((one.usage, one.what) for one in COMMANDS.values()), "")
    return ""


def _quit(_: Backend, __: Asking, ___: str) -> str | None:
    return QUIT


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
