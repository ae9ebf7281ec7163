"""What model calls took: tokens, requests and money."""

from workflow_agent.domain.values import Value


class Usage(Value):
    """Tokens and requests, as the providers reported them."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def plus(self, other: "Usage") -> "Usage":
        """Return the sum of both."""
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in Usage.model_fields})


class Cost(Value):
    """What the model calls cost, in US dollars; null where no price is known."""

    primary_usd: float | None = None
    planner_usd: float = 0.0
    summarizer_usd: float = 0.0
    total_usd: float | None = None


class Totals(Usage):
    """All usage of a conversation."""

    turns: int = 0
    cost_usd: float = 0.0
