"""What a model's response took, as its provider reported it."""

from decimal import Decimal

from pydantic_ai.messages import ModelResponse

from workflow_agent.domain.usage import Usage


def usage_of(response: ModelResponse) -> Usage:
    """Return what a provider reported for one request."""
    reported = response.usage
    return Usage(
        requests=1, input_tokens=reported.input_tokens, output_tokens=reported.output_tokens,
        cache_read_tokens=reported.cache_read_tokens, cache_write_tokens=reported.cache_write_tokens,
    )  # fmt: skip


def price_of(response: ModelResponse) -> Decimal | None:
    """Return what a response cost in US dollars; None where its provider's prices are not known."""
    try:
        return response.cost().total_price
    except (LookupError, ValueError, AssertionError):
        # Not an error: self-hosted and offline models have no price, which the reply says as null.
        return None
