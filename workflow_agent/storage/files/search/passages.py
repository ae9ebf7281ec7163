"""Passages of a text by how well they answer a query: BM25 in an index that lives as long as the call."""

import logging
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from pydantic_ai import Embedder
from pydantic_ai.exceptions import AgentRunError, UserError

from workflow_agent.conversations.memory.words import COMMON_WORDS
from workflow_agent.storage.files.search.vectors import spent_on, unit
from workflow_agent.values.usage import RunCosts

_WORD = re.compile(r"\w{2,}")
_MOST_WORDS = 40
_MOST_RANKED = 200


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
        database.executemany(
            "INSERT INTO passages(rowid, text) VALUES (?, ?)", ((at, text) for at, text in enumerate(passages, 1))
        )
        expression = " OR ".join(f'"{word}"' for word in wanted)
        found = database.execute(
            "SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY bm25(passages), rowid LIMIT ?",
            (expression, _MOST_RANKED),
        )
        return [int(row[0]) - 1 for row in found]


_log = logging.getLogger(__name__)
_BATCH = 64
_MOST = 512
"""Passages of one text that are embedded: about 350,000 characters."""
_LEAST_COSINE = 0.25


@dataclass(slots=True)
class PassagesByMeaning:
    """Ranks passages with an embedding model.

    Args:
        embedder: Makes vectors.
        failures: How often it failed; the passages are then ranked by words alone.
    """

    embedder: Embedder
    failures: int = 0

    async def __call__(self, passages: Sequence[str], query: str) -> tuple[Sequence[int], RunCosts]:
        """Return the positions of the passages near to a query, the nearest first; none where it fails.

        And what that cost.

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
            for start in range(0, len(looked_at), _BATCH):
                places = looked_at[start : start + _BATCH]
                made = await self.embedder.embed_documents([passages[at] for at in places])
                costs = costs.with_aside(spent_on(made))
                near += [(float(unit(one) @ wanted), at) for at, one in zip(places, made.embeddings, strict=True)]
        except (AgentRunError, UserError, OSError) as error:
            self.failures += 1
            _log.warning("passages are ranked by words alone", extra={"error_type": type(error).__name__})
            return (), replace(costs, is_complete=False)
        nearest = sorted(near, key=lambda pair: (-pair[0], pair[1]))
        return [at for cosine, at in nearest if cosine >= _LEAST_COSINE], costs
