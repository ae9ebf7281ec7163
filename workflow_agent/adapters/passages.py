"""Passages of a text by how well they answer a query: BM25 in an index that lives as long as the call."""

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing

_WORD = re.compile(r"\w{2,}")
_MOST_WORDS = 40
_MOST_RANKED = 200
_SAYS_NOTHING = frozenset({
    "the", "and", "for", "with", "from", "that", "this", "what", "when", "where", "which", "who", "how",
    "why", "does", "did", "are", "was", "were", "has", "have", "had", "can", "could", "would", "should",
    "will", "about", "into", "than", "then", "there", "their", "them", "they", "you", "your", "our",
    "not", "any", "all", "it", "its", "is", "in", "of", "to", "on", "at", "by", "or", "as", "an", "be",
    "do", "if", "me", "my", "we", "us", "say", "says", "said", "tell", "show", "give", "please",
})  # fmt: skip


def ranked_by_bm25(passages: Sequence[str], query: str) -> list[int]:
    """Return the positions of the passages that hold words of the query, the best first.

    Words count by their stems; a query of nothing but small words finds nothing.
    """
    words = dict.fromkeys(word.casefold() for word in _WORD.findall(query))
    wanted = [word for word in words if word not in _SAYS_NOTHING][:_MOST_WORDS]
    if not wanted or not passages:
        return []
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE VIRTUAL TABLE passages USING fts5(text, tokenize='porter unicode61')")
        database.executemany(
            "INSERT INTO passages(rowid, text) VALUES (?, ?)",
            ((at, text) for at, text in enumerate(passages, 1)),
        )
        expression = " OR ".join(f'"{word}"' for word in wanted)
        found = database.execute(
            "SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY bm25(passages), rowid LIMIT ?",
            (expression, _MOST_RANKED),
        )
        return [int(row[0]) - 1 for row in found]
