"""The modes, and one reason to choose one."""

from typing import Final, Literal, NamedTuple, get_args

Mode = Literal["general", "creation", "search", "modification", "analysis"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)
WRITING: Final[frozenset[Mode]] = frozenset({"creation", "modification"})
"""The modes whose tools change something."""


class Evidence(NamedTuple):
    """What was found in a message or around it, and how much it speaks for a mode."""

    mode: Mode
    weight: float
    reason: str
    """Readable, as in "phrase 'put that in before'"."""
