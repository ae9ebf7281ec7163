"""Messages by how well they answer a question: BM25 over stems, each message with those around it."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

TABLES = (
    "DROP TABLE IF EXISTS stems",
    "DROP TABLE IF EXISTS lengths",
    # In pieces, so that a new message rewrites little of a long conversation.
    """CREATE TABLE stems(stem TEXT NOT NULL, conversation INTEGER NOT NULL, piece INTEGER NOT NULL,
        found BLOB NOT NULL, PRIMARY KEY(stem, conversation, piece)) WITHOUT ROWID""",
    """CREATE TABLE lengths(conversation INTEGER NOT NULL, piece INTEGER NOT NULL, counts BLOB NOT NULL,
        PRIMARY KEY(conversation, piece)) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS stems_of ON stems(conversation)",
)
_PIECE = 1_024
_MOST_TIMES = 255
_AROUND = np.array([0.2, 0.4, 2.0, 0.7, 0.5, 0.35, 0.25], np.float32)
"""How much the words of a message count for itself and those around it: for the two before it, itself, and
the four after it. What is talked of is named once, and then spoken of."""
_BEFORE = 2
_REACH = len(_AROUND) - _BEFORE - 1
"""So far words count at most, either way."""
_SATURATION, _LENGTH_SHARE = 0.9, 0.6
"""BM25's k1 and b: a word said again says little more, and in a long message less."""
_FOUND = np.dtype([("place", "<u4"), ("times", "u1")])
_LENGTHS = """SELECT conversation, counts FROM lengths WHERE ?1 IS NULL OR conversation = ?1
    ORDER BY conversation, piece"""
_HOLDERS = "SELECT conversation, found FROM stems WHERE stem = ?1 AND (?2 IS NULL OR conversation = ?2)"
_APPEND = """INSERT INTO {table} VALUES({values}) ON CONFLICT DO UPDATE
    SET {blob} = CAST({blob} || excluded.{blob} AS BLOB)"""
_APPEND_STEM = _APPEND.format(table="stems", values="?, ?, ?, ?", blob="found")
_APPEND_LENGTHS = _APPEND.format(table="lengths", values="?, ?, ?", blob="counts")
Scores = NDArray[np.float32]


class Stemmer:
    """Splits texts into stems as SQLite does: Porter's, in lower case and without accents."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._database.execute("CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='porter unicode61')")
        self._database.execute("CREATE VIRTUAL TABLE said USING fts5vocab(texts, 'instance')")

    def __del__(self) -> None:
        # Whoever shares it does not know who uses it last.
        self._database.close()

    def __call__(self, texts: Sequence[str]) -> list[Counter[str]]:
        """Return the stems of each text, and how often it has them."""
        found: list[Counter[str]] = [Counter() for _ in texts]
        self._database.execute("INSERT INTO texts(texts) VALUES('delete-all')")
        self._database.executemany("INSERT INTO texts(rowid, text) VALUES(?, ?)", enumerate(texts))
        for stem, place, times in self._database.execute("SELECT term, doc, count(*) FROM said GROUP BY term, doc"):
            found[place][stem] = times
        return found


def add(connection: sqlite3.Connection, conversation: int, first: int, stemmed: Sequence[Mapping[str, int]]) -> None:
    """Index the next messages of a conversation, of which `first` are indexed already."""
    stems: dict[tuple[str, int], list[tuple[int, int]]] = {}
    lengths: dict[int, list[int]] = {}
    for place, counted in enumerate(stemmed, first):
        lengths.setdefault(place // _PIECE, []).append(sum(counted.values()))
        for stem, times in counted.items():
            stems.setdefault((stem, place // _PIECE), []).append((place, min(times, _MOST_TIMES)))
    connection.executemany(
        _APPEND_STEM,
        ((stem, conversation, piece, np.array(found, _FOUND).tobytes()) for (stem, piece), found in stems.items()),
    )
    connection.executemany(
        _APPEND_LENGTHS, ((conversation, piece, np.array(counts, "<u4").tobytes()) for piece, counts in lengths.items())
    )


def indexed(connection: sqlite3.Connection, conversation: int) -> int:
    """Return how many messages of a conversation are indexed."""
    asked = "SELECT coalesce(sum(length(counts)), 0) / 4 FROM lengths WHERE conversation = ?"
    return connection.execute(asked, (conversation,)).fetchone()[0]


def forget(connection: sqlite3.Connection, conversation_id: str) -> None:
    """Take a conversation out; fine where it is not known."""
    for table in ("stems", "lengths"):
        connection.execute(
            f"DELETE FROM {table} WHERE conversation = (SELECT rowid FROM conversations WHERE id = ?)",
            (conversation_id,),
        )


def best(
    connection: sqlite3.Connection,
    wanted: Iterable[str],
    conversation: int | None,
    most: int,
    *,
    with_neighbours: bool = True,
    among: Iterable[tuple[int, int, int]] | None = None,
) -> list[tuple[int, int]]:
    """Return the messages that say most of what is wanted, best first: conversation and place in it.

    Each message counts with those around it, its own words most: an answer seldom repeats the words of its
    question. How rare a word is tells how much it weighs; of equals the newest comes first.

    Looks everywhere unless given a conversation. `with_neighbours` also returns those that hold nothing of it, for
    what stands beside them; `among` has conversation, first and last place of those that may be returned.
    """
    pieces = connection.execute(_LENGTHS, (conversation,)).fetchall()
    if not pieces:
        return []
    begins, lengths = _laid_out(pieces)
    scores, held = _scores(connection, wanted, conversation, begins, lengths)
    if not with_neighbours:
        scores[~held] = 0
    if among is not None:
        scores[_all_but(among, begins, len(scores))] = 0
    found = np.flatnonzero(scores > 0)
    if len(found) > most:
        least = np.partition(scores[found], len(found) - most)[len(found) - most]
        found = found[scores[found] >= least]
    ranked = found[np.lexsort((-found, -scores[found]))][:most]
    starts = np.fromiter(begins.values(), np.int64)
    ids = list(begins)
    within = np.searchsorted(starts, ranked, side="right") - 1
    return [(ids[at], int(place - starts[at])) for at, place in zip(within.tolist(), ranked, strict=True)]


def _all_but(among: Iterable[tuple[int, int, int]], begins: Mapping[int, int], size: int) -> NDArray[np.bool_]:
    others = np.ones(size, np.bool_)
    for conversation, first, last in among:
        others[begins[conversation] + first : begins[conversation] + last + 1] = False
    return others


def _laid_out(pieces: Sequence[tuple[int, bytes]]) -> tuple[dict[int, int], Scores]:
    """Return where conversations begin in one row of messages, some free between two; and the lengths."""
    begins: dict[int, int] = {}
    laid: list[NDArray[np.uint32]] = []
    size = 0
    for conversation, counts in pieces:
        if conversation not in begins:
            laid.append(np.zeros(_REACH, np.uint32))
            size += _REACH
            begins[conversation] = size
        laid.append(np.frombuffer(counts, "<u4"))
        size += len(laid[-1])
    return begins, np.concatenate([*laid, np.zeros(_REACH, np.uint32)]).astype(np.float32)


def _scores(
    connection: sqlite3.Connection,
    wanted: Iterable[str],
    conversation: int | None,
    begins: Mapping[int, int],
    lengths: Scores,
) -> tuple[Scores, NDArray[np.bool_]]:
    """Return how well each message answers, and which hold something of it themselves."""
    scores, held = np.zeros_like(lengths), np.zeros(len(lengths), np.bool_)
    messages = max(int(np.count_nonzero(lengths)), 1)
    # Each message's words by its own length: what a long reply says beside a short message must not drown it.
    norm = 1 - _LENGTH_SHARE + _LENGTH_SHARE * lengths / max(lengths.sum() / messages, 1.0)
    for stem in wanted:
        told = np.zeros_like(lengths)
        blobs: dict[int, list[bytes]] = {}
        for holder, blob in connection.execute(_HOLDERS, (stem, conversation)):
            blobs.setdefault(holder, []).append(blob)
        holders = 0
        for holder, held_in in blobs.items():
            found = np.frombuffer(b"".join(held_in), _FOUND)
            at = found["place"].astype(np.int64) + begins[holder]
            told[at] = found["times"] / norm[at]
            held[at] = True
            holders += len(found)
        rarity = float(np.log(1 + (messages - holders + 0.5) / (holders + 0.5)))
        times = np.convolve(told, _AROUND)[_BEFORE : _BEFORE + len(told)]
        # BM25's times * (k + 1) / (times + k), with one division and no other array.
        times /= times + _SATURATION
        times *= rarity * (_SATURATION + 1)
        scores += times
    # Between two conversations there is no message.
    scores[lengths == 0] = 0
    return scores, held
