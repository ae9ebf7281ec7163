"""The prompt modules: Markdown files named by mode, read once at start-up."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from workflow_agent.conversations.agents import MODES, Mode
from workflow_agent.conversations.document import Phase
from workflow_agent.conversations.transitions import PHASES
from workflow_agent.errors import Misconfigured


def read_prompt(directory: Path, name: str) -> str:
    """Return the text of `<name>.md`, without surrounding white space.

    Raises:
        Misconfigured: The file is missing, empty, unreadable or not UTF-8.
    """
    path = directory / f"{name}.md"
    try:
        text = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError as error:
        raise Misconfigured(
            f"There is no prompt {str(path)!r}. Put {path.name} there, or name another prompt directory."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(
            f"The prompt {str(path)!r} cannot be read as UTF-8 text: {error}. Mend or replace the file."
        ) from error
    if not text:
        raise Misconfigured(f"The prompt {str(path)!r} is empty. Write the instructions of {name!r} into it.")
    return text


def read_phase_prompts(directory: Path) -> Mapping[Phase, str]:
    """Return what each phase adds to the instructions, read-only; plain chat adds nothing.

    Raises:
        Misconfigured: A file is missing, empty or unreadable; the message names it.
    """
    guided: dict[Phase, str] = {phase: read_prompt(directory, phase) for phase in PHASES if phase != "chat"}
    return MappingProxyType(guided)


def read_prompts(directory: Path) -> Mapping[Mode, str]:
    """Return the prompt module of every mode, read-only.

    Raises:
        Misconfigured: A module is missing, empty or unreadable; the message names the file.
    """
    return MappingProxyType({mode: read_prompt(directory, mode) for mode in MODES})
