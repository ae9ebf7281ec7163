"""Vectors of workflows in a small SQLite file, and the nearest of them."""

import logging
import re
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic_ai import Embedder
from pydantic_ai.embeddings import EmbeddingResult
from pydantic_ai.exceptions import AgentRunError, UserError

from workflow_agent.conversations.memory.words import COMMON_WORDS
from workflow_agent.values.tokens import RunCosts, Usage

_TABLE = "CREATE TABLE IF NOT EXISTS vectors (id TEXT PRIMARY KEY, head TEXT NOT NULL, vector BLOB NOT NULL)"
Vector = NDArray[np.float32]
_WORD = re.compile(r"\w{2,}")
_MOST_WORDS = 40
_MOST_RANKED = 200


class Embedded(NamedTuple):
    """A workflow's vector, and of which content it is."""

    id: str
    head: str
    vector: Vector


def unit(values: Iterable[float]) -> Vector:
    """Return a vector of length one; a vector of nothing but zeros stays as it is."""
    made = np.asarray(list(values), dtype=np.float32)
    length = float(np.linalg.norm(made))
    return made / length if length else made


def spent_on(result: EmbeddingResult) -> RunCosts:
    """Return what a provider took for one call of an embedding model."""
    try:
        price = result.cost().total_price if result.usage.has_values() else None
    except (LookupError, ValueError, AssertionError):
        # Not an error: self-hosted models have no price, which `is_complete` says.
        price = None
    tokens = max(result.usage.input_tokens, 0)
    usage = Usage(requests=1, input_tokens=tokens, is_complete=result.usage.has_values())
    return RunCosts().with_call("embedding", usage, price)


class VectorTable:
    """The vectors of one tenant by one model. Calls block; threads may share it.

    A file that cannot be read is begun anew: everything in it can be made again.
    """

    def __init__(self, path: Path | None) -> None:
        self._lock = Lock()
        self._database = _opened(path)
        self._known = {
            row[0]: Embedded(row[0], row[1], np.frombuffer(row[2], dtype=np.float32))
            for row in self._database.execute("SELECT id, head, vector FROM vectors")
        }
        self._matrix: tuple[list[str], NDArray[np.float32]] | None = None

    def outdated(self, heads: Mapping[str, str]) -> list[str]:
        """Return the workflows whose vector is missing or of other content; forget those that are gone."""
        with self._lock:
            gone = [one for one in self._known if one not in heads]
            if gone:
                self._database.executemany("DELETE FROM vectors WHERE id = ?", [(one,) for one in gone])
                self._database.commit()
                self._matrix = None
            for one in gone:
                del self._known[one]
            return [one for one, head in heads.items() if one not in self._known or self._known[one].head != head]

    def put(self, embedded: Collection[Embedded]) -> None:
        """Keep vectors in place of earlier ones."""
        rows = [(one.id, one.head, one.vector.tobytes()) for one in embedded]
        with self._lock:
            self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
            self._database.commit()
            self._known.update({one.id: one for one in embedded})
            self._matrix = None

    def nearest(self, vector: Vector, count: int) -> list[tuple[str, float]]:
        """Return ids and cosines of the nearest workflows, the nearest first."""
        with self._lock:
            ids, matrix = self._rows(len(vector))
            if not ids:
                return []
            cosines = matrix @ vector
            return [(ids[int(at)], float(cosines[int(at)])) for at in np.argsort(-cosines)[:count]]

    def _rows(self, dimensions: int) -> tuple[list[str], NDArray[np.float32]]:
        if self._matrix is None:
            fitting = [one for one in self._known.values() if len(one.vector) == dimensions]
            vectors = np.stack([one.vector for one in fitting]) if fitting else np.zeros((0, dimensions), np.float32)
            self._matrix = ([one.id for one in fitting], vectors)
        return self._matrix

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()


def _opened(path: Path | None) -> sqlite3.Connection:
    if path is None:
        return _connected(":memory:")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        return _connected(path)
    except sqlite3.DatabaseError:
        path.unlink(missing_ok=True)
        return _connected(path)


def _connected(where: Any) -> sqlite3.Connection:
    database = sqlite3.connect(where, check_same_thread=False, timeout=5)
    try:
        database.execute(_TABLE)
        database.commit()
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database


def telling_words(query: str) -> list[str]:
    """Return the words of a query without small ones, folded, each once."""
    words = dict.fromkeys(word.casefold() for word in _WORD.findall(query))
    return [word for word in words if word not in COMMON_WORDS]


def ranked_by_bm25(passages: Sequence[str], query: str) -> list[int]:
    """Return the positions of the passages that hold words of the query, the best first.

    Words count by their stems; a query of nothing but small words finds nothing.
    """
    wanted = telling_words(query)[:_MOST_WORDS]
    if not wanted or not passages:
        return []
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE VIRTUAL TABLE passages USING fts5(text, tokenize='porter unicode61')")
        database.executemany("INSERT INTO passages(text) VALUES (?)", zip(passages, strict=True))
        expression = " OR ".join(f'"{word}"' for word in wanted)
        found = database.execute(
            "SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY bm25(passages), rowid LIMIT ?",
            (expression, _MOST_RANKED),
        )
        return [int(row[0]) - 1 for row in found]


_log = logging.getLogger(__name__)
BATCH = 64
_MOST = 512
"""Passages of one text that are embedded: about 350,000 characters."""
LEAST_COSINE = 0.25


@dataclass(slots=True)
class PassagesByMeaning:
    """Ranks passages with an embedding model."""

    embedder: Embedder
    failures: int = 0

    async def __call__(self, passages: Sequence[str], query: str) -> tuple[Sequence[int], RunCosts]:
        """Return the positions of the passages near to a query, nearest first, none where it fails; and what that cost.

        Of a very long text those that share words with the query are looked at, and its beginning.
        """
        looked_at = list(range(len(passages)))
        if len(passages) > _MOST:
            by_words = ranked_by_bm25(passages, query)[: _MOST // 2]
            looked_at = sorted(list(dict.fromkeys([*by_words, *looked_at]))[:_MOST])
        costs = RunCosts()
        try:
            asked = await self.embedder.embed_query(query)
            costs, wanted = spent_on(asked), unit(asked.embeddings[0])
            near: list[tuple[float, int]] = []
            for start in range(0, len(looked_at), BATCH):
                places = looked_at[start : start + BATCH]
                made = await self.embedder.embed_documents([passages[at] for at in places])
                costs = costs.with_aside(spent_on(made))
                near += [(float(unit(one) @ wanted), at) for at, one in zip(places, made.embeddings, strict=True)]
        except (AgentRunError, UserError, OSError) as error:
            self.failures += 1
            _log.warning("passages are ranked by words alone", extra={"error_type": type(error).__name__})
            return (), replace(costs, is_complete=False)
        nearest = sorted(near, key=lambda pair: (-pair[0], pair[1]))
        return [at for cosine, at in nearest if cosine >= LEAST_COSINE], costs
