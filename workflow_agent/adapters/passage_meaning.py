"""Passages of a text by how near in meaning they are to a query, where an embedding model is configured."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic_ai import Embedder
from pydantic_ai.exceptions import AgentRunError, UserError

from workflow_agent.adapters.passages import ranked_by_bm25
from workflow_agent.adapters.search.vectors import unit

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

    async def __call__(self, passages: Sequence[str], query: str) -> Sequence[int]:
        """Return the positions of the passages near to a query, the nearest first; none where it fails.

        Of a very long text those that share words with the query are looked at, and its beginning.
        """
        looked_at = list(range(len(passages)))
        if len(passages) > _MOST:
            by_words = ranked_by_bm25(passages, query)[: _MOST // 2]
            looked_at = sorted(list(dict.fromkeys([*by_words, *looked_at]))[:_MOST])
        try:
            wanted = unit((await self.embedder.embed_query(query)).embeddings[0])
            near: list[tuple[float, int]] = []
            for start in range(0, len(looked_at), _BATCH):
                places = looked_at[start : start + _BATCH]
                made = await self.embedder.embed_documents([passages[at] for at in places])
                near += [
                    (float(unit(one) @ wanted), at) for at, one in zip(places, made.embeddings, strict=True)
                ]
        except (AgentRunError, UserError, OSError) as error:
            self.failures += 1
            _log.warning("passages are ranked by words alone", extra={"error_type": type(error).__name__})
            return ()
        return [
            at for cosine, at in sorted(near, key=lambda pair: (-pair[0], pair[1])) if cosine >= _LEAST_COSINE
        ]
