"""`chat`: a conversation at the keyboard."""

import sys
from dataclasses import dataclass

from workflow_agent.cli.asking import Agent, Conversation, Mode, Workflow
from workflow_agent.cli.backend import Backend
from workflow_agent.cli.leaving import CommandFailed
from workflow_agent.cli.naming import workflow_id_of
from workflow_agent.cli.printing import print_note
from workflow_agent.cli.reaching import with_backend
from workflow_agent.cli.slash_commands import COMMANDS, run_command
from workflow_agent.cli.turns import Asking, show_turn
from workflow_agent.cli.typed_lines import Read, read_message, remembered, typed_line
from workflow_agent.settings import load_settings, state_folder

_GREETING = "Say what you want, or /help. Ctrl-C stops a reply, Ctrl-D leaves."


@dataclass(slots=True)
class Chatting:
    """A conversation at the keyboard: what answers, how it is asked, and whether it goes on."""

    backend: Backend
    asking: Asking
    is_over: bool = False

    def take(self, message: str) -> None:
        """Answer one message, or do what a slash command says; what is refused is said, and it goes on."""
        try:
            if message.startswith("/"):
                following = run_command(self.backend, self.asking, message)
                self.is_over = following is None
                message = following or ""
            if message:
                show_turn(self.backend, self.asking, message)
        except CommandFailed as error:
            print_note(error.message)
        except KeyboardInterrupt:
            print_note("")


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
    workflow_id = workflow_id_of(backend, workflow) if workflow else None
    chatting = Chatting(backend, Asking(conversation, workflow_id, mode, agent))
    if conversation is not None:
        backend.get(f"/conversations/{conversation}")
    if sys.stdin.isatty():
        print_note(_GREETING)
    with remembered(state_folder(load_settings()) / "history", sorted(COMMANDS)):
        talk(chatting, typed_line)
    if chatting.asking.conversation_id is not None:
        print_note(f"Go on with: workflow-agent chat -c {chatting.asking.conversation_id}")


def talk(chatting: Chatting, read: Read) -> None:
    """Take one message after another until the input ends or somebody leaves; Ctrl-C drops what is typed."""
    while not chatting.is_over:
        try:
            message = read_message(read)
        except EOFError:
            return
        except KeyboardInterrupt:
            print_note("")
            continue
        if message:
            chatting.take(message)
