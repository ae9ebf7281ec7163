"""From a model's name to the model: one layer of retries, and a fallback where one is configured."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from genai_prices import data_snapshot
from genai_prices.types import TieredPrices
from pydantic_ai.exceptions import ModelAPIError, UserError
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.fallback import FallbackModel

from workflow_agent.errors import InvalidInput, Misconfigured, Problem
from workflow_agent.values.stored import Value
from workflow_agent.values.tokens import Usage

OFFLINE = "offline"
OPENAI_PROTOCOL = frozenset({"openai", "openai-chat", "openai-responses"})
"""What names of models begin with that are reached by OpenAI's client, wherever they are."""
_MOVE_SYSTEM_MESSAGES = frozenset({"anthropic"})
_TAKE_KEYS = OPENAI_PROTOCOL | {"anthropic"}
ModelFactory = Callable[[], Model]


@dataclass(frozen=True, slots=True)
class Provider:
    """How to reach a provider, and how patient to be with it."""

    base_url: str | None = None
    """None for the provider's own."""
    api_key: str | None = field(default=None, repr=False)
    timeout_seconds: float = 60.0
    """For one attempt."""
    max_retries: int = 2
    """After a failure that may pass by itself; the wait is what Retry-After says, within the run's time."""


def build_model(name: str, provider: Provider, offline: ModelFactory) -> Model:
    """Return the model of a name such as `openai:gpt-5`, or the offline one.

    Raises:
        Misconfigured: There is no such model, its library is not installed, or its key is missing.
    """
    vendor, _, model = name.partition(":")
    try:
        if name == OFFLINE:
            return offline()
        # Here, because the SDKs take a second that the offline model should not wait for.
        from workflow_agent.assistant.vendors import anthropic_model, openai_model, patient_provider  # noqa: PLC0415 - see above

        if vendor in OPENAI_PROTOCOL and model:
            return openai_model(model, provider, has_responses=vendor == "openai-responses")
        if vendor == "anthropic" and model:
            return anthropic_model(model, provider)
        if provider.base_url or provider.api_key:
            raise UserError("A base URL or a key can be set for models of openai and anthropic only.")
        return infer_model(name, provider_factory=lambda named: patient_provider(named, provider))
    except (UserError, ImportError, ValueError) as error:
        raise Misconfigured(
            f"Model {name[:100]!r} cannot be used: {error} "
            f"Set WORKFLOW_AGENT_MODEL to {OFFLINE!r} or to a name like 'openai:gpt-5'."
        ) from error


def with_fallback(primary: Model, fallback: Model | None) -> Model:
    """Return a model that asks the fallback when the primary's provider fails."""
    return FallbackModel(primary, fallback, fallback_on=(ModelAPIError,)) if fallback else primary


def keeps_system_messages_in_place(model: Model) -> bool:
    """Say whether a model's provider reads a system message where it stands in the conversation.

    Most hoist it to the front. Anthropic takes it later on but moves it behind the user messages next to
    it, so that who answered whom would be lost.
    """
    if isinstance(model, FallbackModel):
        return all(keeps_system_messages_in_place(each) for each in model.models)
    in_place = bool(model.profile.get("supports_inline_system_prompts", False))
    return in_place and model.system not in _MOVE_SYSTEM_MESSAGES


@dataclass(frozen=True, slots=True)
class Models:
    """The models a request may name, by name."""

    default: str
    by_name: Mapping[str, Model]
    window_tokens: int
    """Of a model whose window is not known."""
    aside: Mapping[str, Model] = field(default_factory=dict[str, Model])
    """Those that plan and summarize, by name; no request may name them."""
    with_key: Callable[[str, str], Model] | None = None
    """Makes a model of its name and the key that came with a request; None where requests bring none."""

    def named(self, name: str | None) -> Model:
        """Return the model of this name, or the default one.

        Raises:
            InvalidInput: The operator has not allowed this model.
        """
        wanted = name or self.default
        if wanted not in self.by_name:
            allowed = tuple(self.by_name)
            message = f"model {wanted[:100]!r} is not available here"
            raise InvalidInput(
                f"{message[0].upper()}{message[1:]}; available: {', '.join(allowed)}.",
                [Problem("/model", message, allowed)],
            )
        return self.by_name[wanted]

    def answering(self, name: str | None, key: str | None) -> Model:
        """Return the model that answers a request; with a key, one that is made for this request alone.

        Raises:
            InvalidInput: The model is not available here, or not with a key.
        """
        if key is None:
            return self.named(name)
        vendor, _, rest = (name or "").partition(":")
        if self.with_key is None:
            message = "is not taken here; WORKFLOW_AGENT_REQUEST_KEYS allows it"
        elif vendor not in _TAKE_KEYS or not rest:
            message = "needs a model of openai or anthropic, such as 'openai:gpt-5', as `model`"
        else:
            return self.with_key(name or "", key)
        raise InvalidInput(f"X-Model-Key {message}.", [Problem("header:X-Model-Key", message)])

    def window_of(self, model: Model) -> int:
        """Return how many tokens fit into a model's window."""
        return model.context_window or self.window_tokens


SMALL_MODELS: Mapping[str, str] = {
    "openai": "openai:gpt-4o-mini",
    "openai-chat": "openai:gpt-4o-mini",
    "openai-responses": "openai:gpt-4o-mini",
    "anthropic": "anthropic:claude-haiku-4-5",
    "google": "google:gemini-2.5-flash-lite",
    "google-cloud": "google-cloud:gemini-2.5-flash-lite",
    "mistral": "mistral:mistral-small-latest",
}
"""Which model plans and summarizes beside one of a provider, unless something else is set."""
_LOCAL = frozenset({"", "ollama", "litellm"})
"""Costs nothing more, or is the operator's own affair: the model that answers does the rest too."""
EXPENSIVE_USD_PER_TOKEN = 1e-5
_PER = 1_000_000


class ModelConfig(Value):
    """The models of a turn, by name."""

    primary: str
    """Answers."""
    context_planner: str | None
    """Plans what of the artifacts goes into the window; None where rules do."""
    summarizer: str
    """Summarizes artifacts."""

    @classmethod
    def from_request(
        cls,
        request_model: str,
        *,
        context_planner: str | None = None,
        summarizer: str | None = None,
        is_own_server: bool = False,
    ) -> "ModelConfig":
        """Return the models of a request, with the planner and the summarizer that the settings name.

        An own server is one not at its provider's own address: speaking its protocol, it need not have its models.
        """
        vendor = request_model.partition(":")[0] if ":" in request_model else ""
        small = request_model if is_own_server or vendor in _LOCAL else SMALL_MODELS.get(vendor)
        return cls(
            primary=request_model,
            context_planner=None if (context_planner or small) == OFFLINE else context_planner or small,
            summarizer=summarizer or small or request_model,
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
    if name == OFFLINE:
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
