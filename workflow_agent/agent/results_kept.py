"""What a model or a search came to, kept by what it was made of."""

from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

from workflow_agent.domain.values import JsonObject

V = TypeVar("V")


class KeptResults(Generic[V]):
    """The results used last, by a digest of everything they depend on; threads may share it.

    Args:
        most: How many are kept; 0 keeps none.
    """

    def __init__(self, most: int = 500) -> None:
        self._kept: LRUCache[str, V] = LRUCache(most)
        self._lock = Lock()
        self._hits = self._misses = self._evictions = 0

    def get(self, key: str) -> V | None:
        """Return what is kept under a key, or None."""
        with self._lock:
            known = self._kept.get(key)
            self._hits += known is not None
            self._misses += known is None
            return known

    def put(self, key: str, value: V) -> None:
        """Keep a result."""
        if not self._kept.maxsize:
            return
        with self._lock:
            self._evictions += key not in self._kept and self._kept.currsize >= self._kept.maxsize
            self._kept[key] = value

    def statistics(self) -> JsonObject:
        """Return hits, misses and evictions since the process started, and how much is kept."""
        with self._lock:
            return {
                "hits": self._hits, "misses": self._misses, "evictions": self._evictions,
                "size": len(self._kept), "max_entries": int(self._kept.maxsize),
            }  # fmt: skip
