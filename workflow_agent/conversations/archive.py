"""Turns that were moved out of the conversation's file: where they are, and how to find one."""

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

from pydantic import StringConstraints

from workflow_agent.values.stored import Value

ArchiveFile = Annotated[str, StringConstraints(pattern=r"^(turns|index)-[0-9]{6,12}-[0-9]{6,12}\.json$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Counted = Literal["turn", "event", "call", "compaction"]

MOST_ENTRIES = 48
"""So many entries of a kind stand in the conversation's file before the oldest are moved out too."""
FOLDED_ENTRIES = 32


class SealedTurns(Value):
    """A sealed file: which turns it holds, and the digest that tells whether it is still the same."""

    kind: Literal["turns", "index"] = "turns"
    """Whether the file holds the turns, or the entries of the files that hold them."""
    first_turn: int
    last_turn: int
    first_index: int
    last_index: int
    """The events in it, by their numbers; none is missing between them."""
    first_call: int
    calls: int
    """The call records in it: how many come before, and how many there are."""
    replies: int
    first_compaction: int = 0
    compactions: int = 0
    """The compactions in it that later ones took up."""
    file: ArchiveFile
    """Its name in the conversation's archive directory."""
    sha256: Sha256
    bytes: int
    last_fence: int
    """The highest fence of any run up to here."""

    @property
    def turns(self) -> int:
        """Return how many turns it holds."""
        return self.last_turn - self.first_turn + 1

    @property
    def events(self) -> int:
        """Return how many events it holds."""
        return self.last_index - self.first_index + 1


class Position(NamedTuple):
    """A turn, an event, a call record or a compaction by its number: turns count from 1, others from 0."""

    what: Counted
    number: int

    def comes_before_end_of(self, entry: SealedTurns) -> bool:
        """Say whether it is in a sealed file or in one before."""
        if self.what == "turn":
            return self.number <= entry.last_turn
        if self.what == "event":
            return self.number <= entry.last_index
        if self.what == "compaction":
            return self.number < entry.first_compaction + entry.compactions
        return self.number < entry.first_call + entry.calls


def entry_holding(archive: Sequence[SealedTurns], position: Position) -> SealedTurns | None:
    """Return the entry of the file that holds a position, or None when it is not sealed."""
    if position.number < (1 if position.what == "turn" else 0):
        return None
    return next((entry for entry in archive if position.comes_before_end_of(entry)), None)


def entries_to_fold(archive: Sequence[SealedTurns]) -> Sequence[SealedTurns]:
    """Return the entries that one file can hold in their place; none while there are few.

    So the file of a conversation holds a bounded number of entries for each thousandfold of its turns.
    """
    for kind in ("index", "turns"):
        entries = [entry for entry in archive if entry.kind == kind]
        if len(entries) > MOST_ENTRIES:
            return entries[:FOLDED_ENTRIES]
    return ()


def index_name(entries: Sequence[SealedTurns]) -> str:
    """Return the name of the file that holds some entries."""
    return f"index-{entries[0].first_turn:06}-{entries[-1].last_turn:06}.json"


def folded(
    archive: Sequence[SealedTurns], entries: Sequence[SealedTurns], sha256: str, size_bytes: int
) -> tuple[SealedTurns, ...]:
    """Return the archive with one entry in the place of those that its file holds."""
    one = SealedTurns(
        kind="index",
        first_turn=entries[0].first_turn,
        last_turn=entries[-1].last_turn,
        first_index=entries[0].first_index,
        last_index=entries[-1].last_index,
        first_call=entries[0].first_call,
        calls=sum(entry.calls for entry in entries),
        replies=sum(entry.replies for entry in entries),
        first_compaction=entries[0].first_compaction,
        compactions=sum(entry.compactions for entry in entries),
        file=index_name(entries),
        sha256=sha256,
        bytes=size_bytes,
        last_fence=entries[-1].last_fence,
    )
    at = archive.index(entries[0])
    return (*archive[:at], one, *archive[at + len(entries) :])
