"""What a model's response took, as its provider reported it."""

from decimal import Decimal

from pydantic_ai.messages import ModelResponse

from workflow_agent.assistant.providers import OFFLINE
from workflow_agent.values.usage import Usage


def usage_of(response: ModelResponse) -> Usage:
    """Return what a provider reported for one request."""
    reported = response.usage
    counts = {
        "input_tokens": reported.input_tokens,
        "output_tokens": reported.output_tokens,
        "cache_read_tokens": reported.cache_read_tokens,
        "cache_write_tokens": reported.cache_write_tokens,
    }
    is_known = reported.has_values() or response.provider_name == OFFLINE
    return Usage(
        requests=1,
        **{name: max(count, 0) for name, count in counts.items()},
        is_complete=is_known and min(counts.values()) >= 0,
    )


def price_of(response: ModelResponse) -> Decimal | None:
    """Return what a response cost in US dollars; None where its provider's prices are not known."""
    if response.provider_name == OFFLINE:
        return Decimal()
    if not response.usage.has_values():
        return None
    try:
        price = response.cost().total_price
    except (LookupError, ValueError, AssertionError):
        # Not an error: self-hosted and offline models have no price, which the reply says as null.
        return None
    # More read from a cache than was sent is no count either.
    return price if price >= 0 else None
