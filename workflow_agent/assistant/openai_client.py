"""OpenAI's client, which sends messages and tools as they are (ADR-0075)."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any, Self

from openai import AsyncOpenAI, AsyncStream
from openai.resources.chat import AsyncChat, AsyncCompletions
from openai.types.chat import ChatCompletionChunk
from typing_extensions import override

_AS_THEY_ARE = ("messages", "tools")


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
