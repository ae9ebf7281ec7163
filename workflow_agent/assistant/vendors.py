"""Models of OpenAI and Anthropic through their SDKs; OpenAI's gets messages and tools as they are (ADR-0075)."""

from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any, Self

from anthropic import AsyncAnthropic
from anthropic import DefaultAsyncHttpxClient as AnthropicHttpClient
from openai import AsyncOpenAI, AsyncStream, DefaultAsyncHttpxClient, OpenAIError
from openai.resources.chat import AsyncChat, AsyncCompletions
from openai.types.chat import ChatCompletionChunk
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers import Provider as AnyProvider
from pydantic_ai.providers import infer_provider
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from typing_extensions import override

from workflow_agent.assistant.retry_after import refuse_to_wait_too_long

if TYPE_CHECKING:
    from workflow_agent.assistant.providers import Provider

_AS_THEY_ARE = ("messages", "tools")
_HOOKS = {"response": [refuse_to_wait_too_long]}


def openai_model(model: str, provider: "Provider", *, has_responses: bool) -> Model:
    """Return a model that speaks OpenAI's protocol.

    Raises:
        UserError: There is no key.
    """
    try:
        client = DirectOpenAI(
            base_url=provider.base_url,
            api_key=provider.api_key or ("no-key-needed" if provider.base_url else None),
            timeout=provider.timeout_seconds,
            max_retries=provider.max_retries,
            http_client=DefaultAsyncHttpxClient(event_hooks=_HOOKS),
        )
    except OpenAIError as error:
        raise UserError(str(error)) from error
    kind = OpenAIResponsesModel if has_responses else OpenAIChatModel
    return kind(model, provider=OpenAIProvider(openai_client=client))


def anthropic_model(model: str, provider: "Provider") -> Model:
    """Return a model of Anthropic.

    Raises:
        UserError: There is no key.
    """
    client = AsyncAnthropic(
        base_url=provider.base_url,
        api_key=provider.api_key,
        timeout=provider.timeout_seconds,
        max_retries=provider.max_retries,
        http_client=AnthropicHttpClient(event_hooks=_HOOKS),
    )
    if not (client.api_key or client.auth_token or client.credentials):
        raise UserError("Set ANTHROPIC_API_KEY, or `api_key` of this model in WORKFLOW_AGENT_MODELS.")
    return AnthropicModel(model, provider=AnthropicProvider(anthropic_client=client))


def patient_provider(vendor: str, provider: "Provider") -> AnyProvider[Any]:
    """Return a vendor's provider, as patient as all others where OpenAI's client is what it is reached by."""
    made = infer_provider(vendor)
    if not isinstance(made.client, AsyncOpenAI):
        return made
    client = made.client.with_options(
        timeout=provider.timeout_seconds,
        max_retries=provider.max_retries,
        http_client=DefaultAsyncHttpxClient(event_hooks=_HOOKS),
    )
    return type(made)(openai_client=client)  # pyright: ignore[reportCallIssue] - all of this client take it


class DirectOpenAI(AsyncOpenAI):
    """Asks as `AsyncOpenAI` does, and sends the same bytes.

    Before each request that client walks through every message and every tool's schema, to give fields the
    names they have in JSON. The framework's have them already, and the walk takes a quarter of a turn.
    """

    @property
    @override
    def chat(self) -> AsyncChat:
        return _Chat(self)


class _Chat(AsyncChat):
    def __init__(self, client: AsyncOpenAI) -> None:
        super().__init__(client)
        self._completions = _Completions(client)

    @property
    @override
    def completions(self) -> AsyncCompletions:
        return self._completions


class _Completions(AsyncCompletions):
    @override
    # Forty arguments in four overloads, all of them passed on.
    async def create(self, **asked: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride] - see above
        sent = {name: asked.pop(name) for name in _AS_THEY_ARE if name in asked}
        body: Mapping[str, Any] = asked.pop("extra_body", None) or {}
        # What stands in `extra_body` takes the place of a parameter, and nobody looks into it.
        ask: Any = super().create
        answer: Any = await ask(messages=[], extra_body={**sent, **body}, **asked)
        return _UsageLast(answer) if asked.get("stream") else answer


class _UsageLast:
    """A streamed answer that tells what was used once, when it is over.

    Some servers tell in each piece what was used so far, and the framework would add all of that up.
    """

    def __init__(self, stream: AsyncStream[ChatCompletionChunk]) -> None:
        self._stream = stream

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._stream.close()

    async def __aiter__(self) -> AsyncGenerator[ChatCompletionChunk]:
        told: ChatCompletionChunk | None = None
        async for chunk in self._stream:
            if chunk.usage is None:
                yield chunk
                continue
            told = chunk.model_copy(update={"choices": []})
            if chunk.choices:
                yield chunk.model_copy(update={"usage": None})
        if told is not None:
            yield told

    async def close(self) -> None:
        await self._stream.close()
