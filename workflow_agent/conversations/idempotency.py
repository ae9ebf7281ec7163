"""Which resource an idempotency key stands for."""

from dataclasses import dataclass
from typing import Protocol

from workflow_agent.errors import IdempotencyMismatch


@dataclass(frozen=True, slots=True)
class Claim:
    """What a key stands for."""

    resource_id: str
    is_first: bool
    """Whether the key was not known before."""


class IdempotencyKeys(Protocol):
    """The keys that a tenant's clients sent with creations: durable, shared between processes, kept for a while."""

    async def claim(self, key: str, fingerprint: str, resource_id: str) -> Claim:
        """Return the resource a key stands for: this one, or the one it was first sent for.

        The fingerprint tells a retry from another request; `resource_id` is what the request would make.

        Raises:
            IdempotencyMismatch: The key was sent with another request.
            StorageFailed: The key could not be stored; nothing may be made under it.
        """
        ...

    async def release(self, key: str) -> None:
        """Forget a key whose request made nothing."""
        ...

    async def find(self, key: str) -> str | None:
        """Return what a key stands for, or None where it is not known (any more)."""
        ...

    async def set(self, key: str, fingerprint: str, resource_id: str) -> None:
        """Let a key stand for a resource from now on, whatever it stood for.

        Raises:
            StorageFailed: The key could not be stored.
        """
        ...

    async def sweep(self) -> int:
        """Remove the keys that are too old; return how many."""
        ...


def other_request(key: str, resource_id: str) -> IdempotencyMismatch:
    """Return the error for a key that was sent with another request."""
    return IdempotencyMismatch(
        f"The idempotency key {key[:80]!r} was used for a different request. Send a new key with a new request.",
        resource_id=resource_id,
    )
