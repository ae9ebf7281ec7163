"""The index of sealed files: short, without a gap, and quick to search."""

from itertools import pairwise

import pytest

from workflow_agent.conversations.archive import (
    MOST_ENTRIES,
    Position,
    SealedTurns,
    entries_to_fold,
    entry_holding,
    folded,
    index_name,
)


def an_entry(number: int) -> SealedTurns:
    first = number * 10
    return SealedTurns(
        first_turn=first + 1,
        last_turn=first + 10,
        first_index=first * 2,
        last_index=first * 2 + 19,
        first_call=first * 3,
        calls=30,
        replies=10,
        file=f"turns-{first + 1:06}-{first + 10:06}.json",
        sha256="0" * 64,
        bytes=1_000,
        last_fence=first + 10,
    )


@pytest.mark.parametrize(
    ("position", "file"),
    [
        pytest.param(Position("turn", 1), "turns-000001-000010.json", id="first turn"),
        pytest.param(Position("turn", 10), "turns-000001-000010.json", id="last turn of a file"),
        pytest.param(Position("turn", 11), "turns-000011-000020.json", id="first turn of the next"),
        pytest.param(Position("event", 19), "turns-000001-000010.json", id="last event"),
        pytest.param(Position("event", 20), "turns-000011-000020.json", id="first event of the next"),
        pytest.param(Position("call", 29), "turns-000001-000010.json", id="last call"),
        pytest.param(Position("call", 30), "turns-000011-000020.json", id="first call of the next"),
        pytest.param(Position("turn", 31), None, id="not sealed"),
    ],
)
def test_a_position_is_in_one_file(position: Position, file: str | None) -> None:
    found = entry_holding([an_entry(n) for n in range(3)], position)

    assert (found.file if found else None) == file


def test_the_index_in_the_conversation_stays_short_and_complete() -> None:
    archive: tuple[SealedTurns, ...] = ()
    inside: dict[str, tuple[SealedTurns, ...]] = {}
    for number in range(3_000):
        archive = (*archive, an_entry(number))
        while entries := entries_to_fold(archive):
            inside[index_name(entries)] = tuple(entries)
            archive = folded(archive, entries, "1" * 64, 10)

        assert len(archive) <= 2 * MOST_ENTRIES
    found: list[SealedTurns] = list(archive)
    while any(entry.kind == "index" for entry in found):
        found = [one for entry in found for one in inside.get(entry.file, (entry,))]
    assert found == [an_entry(n) for n in range(3_000)]
    assert sum(entry.turns for entry in archive) == 30_000
    assert all(after.first_turn == before.last_turn + 1 for before, after in pairwise(archive))
