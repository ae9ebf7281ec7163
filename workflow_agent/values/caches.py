"""Values that can be made again."""

from typing import Protocol


class CacheBackend(Protocol):
    """Keeps bytes for a while; whatever it forgets can be made again."""

    async def get(self, key: str) -> bytes | None:
        """Return the value of a key, or None where there is none any more.

        Raises:
            StorageFailed: The cache cannot be reached.
        """
        ...

    async def set(self, key: str, value: bytes, ttl_seconds: float) -> None:
        """Keep a value for so long, in place of an earlier one; 0 or less keeps nothing.

        Raises:
            StorageFailed: The cache cannot be reached.
        """
        ...

    async def delete(self, key: str) -> None:
        """Forget a key; fine when it is not known.

        Raises:
            StorageFailed: The cache cannot be reached.
        """
        ...

    @property
    def evictions(self) -> int:
        """Return how many values left before their time, to make room, as far as this process knows."""
        ...
