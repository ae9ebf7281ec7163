"""The real application behind a real server on a free port, in a thread of the test's process."""

import asyncio
import os
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

from tests.support.postgres import on_postgres
from workflow_agent.api.dependencies import Services
from workflow_agent.api.server import listening_socket, make_server
from workflow_agent.assistant.providers import Models
from workflow_agent.main.application import Application
from workflow_agent.main.composition import build
from workflow_agent.settings import Settings


def echoing_model() -> Model:
    """Return a model that says a word at once, also where it is to sum up."""

    async def answer(messages: Sequence[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "Noted."

    async def whole(messages: Sequence[ModelMessage], info: AgentInfo) -> ModelResponse:
        sums_up = [ToolCallPart(one.name, {"text": "Noted."}) for one in info.output_tools]
        return ModelResponse(parts=sums_up or [TextPart("Noted.")])

    return FunctionModel(whole, stream_function=answer)


def application_for(settings: Settings, model: Model | Models | None = None) -> Application:
    """Return the application as it is served, around a given model, or several; on the stores of this run."""
    if os.environ.get("WORKFLOW_AGENT_TEST_STORES") == "postgres":
        settings = on_postgres(settings)
    if isinstance(model, Models):
        return build(settings, model)
    return build(settings, Models("test", {"test": model or echoing_model()}, window_tokens=32_000))


@asynccontextmanager
async def client_of(application: Application, *, seeded: bool = False) -> AsyncIterator[httpx.AsyncClient]:
    """Give a client of an application, without sockets in between; it is opened, and closed at the end.

    Where it is to be seeded, it gets its samples as a server that starts does.
    """
    await (application.prepare() if seeded else application.open())
    transport = httpx.ASGITransport(application.app)
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=30) as client:
            yield client
    finally:
        await application.stores.upkeep.close()
        application.close()


@dataclass(frozen=True)
class Served:
    """A running server."""

    host: str
    port: int
    services: Services
    stop: Callable[[], None]
    """Tell the server to stop, as SIGTERM would, and go on."""
    call: Callable[[Callable[[], None]], None]
    """Call something in the server's event loop."""

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def client(self, **options: Any) -> httpx.Client:
        """Return a client of the server."""
        return httpx.Client(base_url=self.url, timeout=20, **options)

    def connect(self) -> socket.socket:
        """Return a bare connection, for what no client would send."""
        return socket.create_connection((self.host, self.port), timeout=20)

    def exchange(self, *parts: bytes) -> bytes:
        """Send bytes as they are and return all that comes back until the server closes."""
        with closing(self.connect()) as connection:
            for part in parts:
                connection.sendall(part)
            answer = b""
            while chunk := connection.recv(65_536):
                answer += chunk
            return answer


@contextmanager
def serving(settings: Settings, model: Model | Models | None = None) -> Iterator[Served]:
    """Run the application on a free port; leaving stops it as SIGTERM would."""
    application = application_for(settings, model)
    server = make_server(application.app, settings, application.finish)
    listener = listening_socket(settings.model_copy(update={"port": 0}))
    loop = asyncio.new_event_loop()

    async def serve_and_look_after() -> None:
        beside = asyncio.create_task(application.look_after())
        try:
            await server.serve([listener])
        finally:
            beside.cancel()

    def serve() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(application.open())
            runner.run(serve_and_look_after())

    def stop() -> None:
        server.should_exit = True

    def call(act: Callable[[], None]) -> None:
        loop.call_soon_threadsafe(act)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        while not server.started and thread.is_alive():
            thread.join(0.005)
        host, port = listener.getsockname()[:2]
        yield Served(host, port, application.services, stop, call)
    finally:
        stop()
        thread.join(30)
        assert not thread.is_alive(), "the server did not stop"
        application.close()
