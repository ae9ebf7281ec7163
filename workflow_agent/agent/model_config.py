"""Which model does what in a turn, and what the primary one costs."""

from decimal import Decimal

from genai_prices import data_snapshot
from genai_prices.types import TieredPrices

from workflow_agent.domain.values import Value

CHEAP_MODEL = "openai:gpt-4o-mini"
"""Plans and summarizes unless something else is set, where there is an OpenAI key."""
EXPENSIVE_USD_PER_TOKEN = 1e-5
_FREE = "offline"
_PER = 1_000_000


class ModelConfig(Value):
    """The models of a turn, by name."""

    primary: str
    """Answers."""
    context_planner: str
    """Plans what of the artifacts goes into the window."""
    summarizer: str
    """Summarizes artifacts."""

    @classmethod
    def from_request(
        cls,
        request_model: str,
        *,
        context_planner: str | None = None,
        summarizer: str | None = None,
        has_openai_key: bool = False,
    ) -> "ModelConfig":
        """Return the models of a request.

        Args:
            request_model: The model that answers.
            context_planner: The one the settings name.
            summarizer: The one the settings name.
            has_openai_key: Whether OpenAI's small model can be used. Who answers without a provider also
                plans without one.
        """
        aside = CHEAP_MODEL if has_openai_key and request_model != _FREE else request_model
        return cls(
            primary=request_model, context_planner=context_planner or aside, summarizer=summarizer or aside
        )

    def input_price_usd(self) -> Decimal | None:
        """Return what an input token of the primary model costs in US dollars; None if that is not known."""
        return input_price_usd(self.primary)

    def is_expensive_primary(self, threshold: float = EXPENSIVE_USD_PER_TOKEN) -> bool:
        """Say whether an input token of the primary model costs more than this; unknown prices do not."""
        price = self.input_price_usd()
        return price is not None and price > Decimal(str(threshold))


def input_price_usd(name: str) -> Decimal | None:
    """Return what an input token of a model costs in US dollars; None where its price is not known."""
    if name == _FREE:
        return Decimal()
    vendor, _, model = name.rpartition(":")
    try:
        _, known = data_snapshot.get_snapshot().find_provider_model(
            model, None, vendor.removesuffix("-chat") or None, None
        )
    except LookupError:
        return None
    prices = known.prices if not isinstance(known.prices, list) else known.prices[-1].prices
    per_million = prices.input_mtok
    if isinstance(per_million, TieredPrices):
        per_million = per_million.base
    return None if per_million is None else Decimal(per_million) / _PER
