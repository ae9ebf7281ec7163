"""OpenAI's client, which sends messages and tools as they are (ADR-0075)."""

from collections.abc import Mapping
from typing import Any

from openai import AsyncOpenAI
from openai.resources.chat import AsyncChat, AsyncCompletions
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
        return await ask(messages=[], extra_body={**sent, **body}, **asked)
