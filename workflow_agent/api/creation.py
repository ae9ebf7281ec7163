"""Creating something once, however often the request is sent."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from workflow_agent.adapters.idempotency_files import JsonIdempotencyKeys
from workflow_agent.domain.digests import digest_of
from workflow_agent.domain.errors import AlreadyExists

Made = TypeVar("Made")


async def create_once(
    keys: JsonIdempotencyKeys,
    tenant: str,
    key: str | None,
    *,
    request: Any,
    resource_id: str,
    create: Callable[[str], Awaitable[Made]],
    find: Callable[[str], Awaitable[Made]],
) -> tuple[Made, dict[str, str]]:
    """Return what a request makes, or made when it was first sent, and the headers that say which.

    Args:
        keys: What earlier keys stand for.
        tenant: Whose key it is.
        key: The idempotency key, if the request has one.
        request: What distinguishes the request from others, as JSON data.
        resource_id: The id to create under, unless the key stands for another.
        create: Makes the resource under an id.
        find: Reads the resource with an id.

    Raises:
        AlreadyExists: The id is taken by what another request made.
        IdempotencyMismatch: The key was sent with another request.
    """
    if key is None:
        return await create(resource_id), {}
    claim = await keys.claim(tenant, key, digest_of(request), resource_id)
    try:
        return await create(claim.resource_id), {}
    except AlreadyExists:
        if claim.is_first:
            await keys.release(tenant, key)
            raise
        return await find(claim.resource_id), {"Idempotency-Replayed": "true"}
