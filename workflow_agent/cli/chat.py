"""`chat`: a conversation at the keyboard."""

import contextlib
import sys
from collections.abc import Callable, Generator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from workflow_agent.cli.backends import with_backend, workflow_id_of
from workflow_agent.cli.context import EXIT_USAGE, AsJson, Backend, CommandFailed
from workflow_agent.cli.output import print_json, print_note
from workflow_agent.cli.turns import COMMANDS, Asking, followed_turn, run_command, show_turn
from workflow_agent.settings import load_settings, state_folder

Conversation = Annotated[
    str | None, typer.Option("--conversation", "-c", metavar="ID", help="Go on in this conversation.")
]
_MODES = ("general", "creation", "search", "modification", "analysis")
Mode = Annotated[
    str | None,
    typer.Option(
        help="general, creation, search, modification or analysis; inferred unless given.",
        autocompletion=lambda: _MODES,
    ),
]
Agent = Annotated[str | None, typer.Option(help="Who answers, such as analyst; chosen unless given.")]
Workflow = Annotated[
    str | None, typer.Option("--workflow", "-w", help="The workflow that `it` means: an id or a name.")
]


@with_backend(makes=True)
def ask(
    backend: Backend,
    message: Annotated[list[str] | None, typer.Argument(help="What to say; what is piped in comes behind it.")] = None,
    conversation: Conversation = None,
    mode: Mode = None,
    agent: Agent = None,
    workflow: Workflow = None,
    as_json: AsJson = False,
) -> None:
    """Say one thing and print the reply.

    The id of the conversation goes to standard error; --conversation goes
    on in it. With --json the whole reply, with its evidence.

    Examples:
      workflow-agent ask "list my workflows"
      workflow-agent ask "where can it get stuck?" -w wf_expense_approval
      workflow-agent ask "who approves?" -c expenses-chat --mode analysis --json
      cat machine.json | workflow-agent ask "import this"
    """
    words = _message(message or [])
    asking = Asking(conversation, workflow_id_of(backend, workflow) if workflow else None, mode, agent)
    if as_json:
        print_json(followed_turn(backend, asking, words))
    else:
        show_turn(backend, asking, words)
        print_note(f"(conversation {asking.conversation_id})")


def _message(words: list[str]) -> str:
    # Only a pipe or a file is read: elsewhere nobody would know what is waited for.
    piped = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()
    said = "\n\n".join(part for part in (" ".join(words).strip(), piped.strip()) if part)
    if not said:
        raise CommandFailed('Say something: workflow-agent ask "list my workflows".', EXIT_USAGE)
    return said


PROMPT = "you> "
_MORE = "...> "
_FENCE = '"""'
_MOST_REMEMBERED = 1_000
Read = Callable[[str], str]


def read_message(read: Read) -> str:
    r'''Return the next message, its lines joined.

    A line that ends in `\` goes on in the next one; `"""` begins a text that `"""` ends.

    Args:
        read: Shows a prompt and returns a line; raises EOFError at the end of the input.
    '''
    line = read(PROMPT)
    if line.lstrip().startswith(_FENCE):
        return _fenced(line.lstrip().removeprefix(_FENCE), read)
    lines = [line]
    while lines[-1].endswith("\\"):
        lines[-1] = lines[-1][:-1]
        lines.append(read(_MORE))
    return "\n".join(lines).strip()


def _fenced(first: str, read: Read) -> str:
    lines = [first]
    while _FENCE not in lines[-1]:
        lines.append(read(_MORE))
    lines[-1] = lines[-1].partition(_FENCE)[0]
    return "\n".join(lines).strip()


def typed_line(prompt: str) -> str:
    """Return a line of standard input; the prompt is for people only."""
    return input(prompt if sys.stdin.isatty() else "")


@contextlib.contextmanager
def remembered(history: Path, words: Sequence[str]) -> Generator[None]:
    """Let earlier lines come back with the arrow keys, and Tab complete some words; a file keeps the lines.

    Where Python was built without readline, or the file cannot be written, lines are typed all the same.
    """
    try:
        import readline  # noqa: PLC0415 - not every Python has it
    except ImportError:
        yield
        return
    readline.set_history_length(_MOST_REMEMBERED)
    readline.set_completer(partial(_completed, words))
    readline.set_completer_delims(" \n")
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
    with contextlib.suppress(OSError):
        readline.read_history_file(history)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            history.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            history.touch(mode=0o600)
            readline.write_history_file(history)


def _completed(words: Sequence[str], begun: str, number: int) -> str | None:
    fitting = [word for word in words if begun and word.startswith(begun)]
    return fitting[number] + " " if number < len(fitting) else None


@with_backend(makes=True)
def chat(
    backend: Backend,
    conversation: Conversation = None,
    mode: Mode = None,
    agent: Agent = None,
    workflow: Workflow = None,
) -> None:
    """Talk about workflows, one message after another.

    Replies come as they are made. A line that ends in a backslash goes on
    in the next one, and so does everything between two lines of triple
    quotes. The arrow keys bring earlier lines back. /help shows what else
    can be typed: /mode, /agent, /workflow, /context, /undo, /open, /new and
    /quit.

    Examples:
      workflow-agent chat
      workflow-agent chat -c expenses-chat
      workflow-agent chat --workflow "Expense approval" --mode analysis
      echo "list my workflows" | workflow-agent chat
    """
    asking = Asking(conversation, workflow_id_of(backend, workflow) if workflow else None, mode, agent)
    if conversation is not None:
        backend.get(f"/conversations/{conversation}")
    if sys.stdin.isatty():
        print_note("Say what you want, or /help. Ctrl-C stops a reply, Ctrl-D leaves.")
    with remembered(state_folder(load_settings()) / "history", sorted(COMMANDS)):
        talk(backend, asking, typed_line)
    if asking.conversation_id is not None:
        print_note(f"Go on with: workflow-agent chat -c {asking.conversation_id}")


def talk(backend: Backend, asking: Asking, read: Read) -> None:
    """Answer one message after another, or do what a slash command says, until the input ends or somebody leaves.

    What is refused is said, and it goes on; Ctrl-C drops what is typed, or stops the reply.
    """
    while True:
        try:
            message: str | None = read_message(read)
            if message and message.startswith("/"):
                message = run_command(backend, asking, message)
            if message:
                show_turn(backend, asking, message)
        except EOFError:
            return
        except CommandFailed as error:
            print_note(error.message)
        except KeyboardInterrupt:
            print_note("")
