"""`ask`: one turn."""

import sys
from typing import Annotated

import typer

from workflow_agent.cli.backend import Backend, Event
from workflow_agent.cli.leaving import EXIT_USAGE, CommandFailed
from workflow_agent.cli.naming import workflow_id_of
from workflow_agent.cli.options import AsJson
from workflow_agent.cli.printing import print_json, print_note
from workflow_agent.cli.reaching import with_backend
from workflow_agent.cli.turns import Asking, followed_turn, show_turn

Conversation = Annotated[
    str | None, typer.Option("--conversation", "-c", metavar="ID", help="Go on in this conversation.")
]
_MODES = ("general", "creation", "search", "modification", "analysis")


def _modes() -> tuple[str, ...]:
    """Return what the shell may complete; the service itself refuses any other."""
    return _MODES


Mode = Annotated[
    str | None,
    typer.Option(
        help="general, creation, search, modification or analysis; inferred unless given.",
        autocompletion=_modes,
    ),
]
Agent = Annotated[str | None, typer.Option(help="Who answers, such as analyst; chosen unless given.")]
Workflow = Annotated[
    str | None, typer.Option("--workflow", "-w", help="The workflow that `it` means: an id or a name.")
]


@with_backend(makes=True)
def ask(
    backend: Backend,
    message: Annotated[
        list[str] | None, typer.Argument(help="What to say; what is piped in comes behind it.")
    ] = None,
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
        print_json(dict(followed_turn(backend, asking, words, _nothing, print_note).reply or {}))
        return
    turn = show_turn(backend, asking, words)
    print_note(f"(conversation {turn.conversation_id})")


def _message(words: list[str]) -> str:
    # Only a pipe or a file is read: elsewhere nobody would know what is waited for.
    piped = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()
    said = "\n\n".join(part for part in (" ".join(words).strip(), piped.strip()) if part)
    if not said:
        raise CommandFailed('Say something: workflow-agent ask "list my workflows".', EXIT_USAGE)
    return said


def _nothing(_: Event) -> None:
    """Show nothing, because the whole reply is printed at the end."""
