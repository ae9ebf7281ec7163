"""Which attempt at a run a write belongs to."""

from typing import NamedTuple


class RunFence(NamedTuple):
    """The attempt at a run that a write belongs to."""

    conversation_id: str
    run_id: str
    number: int
