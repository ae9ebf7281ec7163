"""The service in this process: built as it is served, around a model that costs nothing."""

import asyncio
import gc
import json
import tempfile
from collections import defaultdict
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time
from typing import Any, TypeVar

import uvloop
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from pydantic_ai.messages import ModelMessage

from benchmarks.bare_agent import BareAgent, build_bare
from benchmarks.reading_model import MESSAGE, ReadingModel
from tests.support.long_talks import compacted, talked
from workflow_agent.assistant.providers import Models
from workflow_agent.assistant.requests import TurnOutcome, TurnRequest
from workflow_agent.assistant.turns.service import Chat
from workflow_agent.assistant.window.material import GatheringLimits
from workflow_agent.conversations.document import Conversation
from workflow_agent.main.application import Application
from workflow_agent.main.composition import build
from workflow_agent.main.process import collect_seldom
from workflow_agent.settings import Settings
from workflow_agent.telemetry.providers import Telemetry, TelemetryOptions, build_telemetry
from workflow_agent.workflows.model.parser import parse_workflow

T = TypeVar("T")
TENANT = "default"
SAMPLES = Path(__file__).parents[1] / "data" / "samples"
SAMPLE = parse_workflow(json.loads((SAMPLES / "expense_approval.json").read_text("utf-8")))
_GROWN_AT_ONCE = 40


class Durations(SpanProcessor):
    """How long the steps of turns took, as their spans say: by the clock, and of the processor."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.processor: dict[str, list[float]] = defaultdict(list)
        self._begun: dict[int, float] = {}

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Note what the processor had done by then."""
        del parent_context
        self._begun[span.get_span_context().span_id] = process_time()

    def on_end(self, span: ReadableSpan) -> None:
        """Take a span's duration."""
        context = span.get_span_context()
        begun = self._begun.pop(context.span_id, None) if context else None
        phase = (span.attributes or {}).get("phase")
        name = f"{span.name} ({phase})" if phase else span.name
        if begun is not None:
            self.processor[name].append(process_time() - begun)
        if span.start_time is not None and span.end_time is not None:
            self.seconds[name].append((span.end_time - span.start_time) / 1e9)

    def clear(self) -> None:
        """Forget what was measured so far."""
        self.seconds.clear()
        self.processor.clear()


def as_served(measured: Coroutine[Any, Any, T]) -> T:
    """Return what a measurement comes to, in the event loop that servers run in."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(measured)


@dataclass
class Service:
    """A service over a new data directory, and the bare agent beside it."""

    application: Application
    chat: Chat
    durations: Durations
    bare: BareAgent
    requests: list[list[ModelMessage]] = field(default_factory=list)
    """The messages of the latest turn's requests to the model."""

    async def turn(self, conversation_id: str | None, message: str = MESSAGE) -> TurnOutcome:
        """Take a turn, and whatever it leaves to do."""
        self.requests.clear()
        request = TurnRequest(message=message, conversation_id=conversation_id, is_streamed=False)
        outcome = await (await self.chat.start(TENANT, request)).outcome()
        await self.chat.worker.runner.compactor.settled()
        return outcome

    async def conversation_of(self, turns: int) -> str:
        """Return the id of a conversation of so many turns, kept as the service would have kept it."""
        store, own_id = self.application.stores.conversations, f"cv_{turns:012}"
        at = self.application.services.clock()
        await store.create(Conversation(id=own_id, tenant=TENANT, created_at=at, updated_at=at))
        grown = 0
        while grown < turns:
            count = min(_GROWN_AT_ONCE, turns - grown)
            await store.update(TENANT, own_id, lambda now, count=count: compacted(talked(count, now)))
            grown += count
        return own_id


def observed_by(taker: SpanProcessor | None) -> Telemetry:
    """Return telemetry whose spans somebody takes, or none is recorded."""
    return build_telemetry(TelemetryOptions(span_processors=(taker,) if taker else ()))


def without_planning(chat: Chat) -> Chat:
    """Return a chat that asks no model about old results: its turns make the requests of the bare agent."""
    runner = chat.worker.runner
    gathering = replace(runner.gathering, limits=GatheringLimits(replies=0))
    return replace(chat, worker=replace(chat.worker, runner=replace(runner, gathering=gathering)))


@asynccontextmanager
async def service(
    *,
    spans: bool = True,
    caches: bool = True,
    plans: bool = False,
    reads: bool = True,
    pieces: tuple[str, ...] | None = None,
) -> AsyncGenerator[Service]:
    """Run a service in a directory of its own for as long as the block lasts.

    Args:
        spans: Whether somebody takes the spans.
        caches: Whether workflows and outlines are cached.
        plans: Whether a model is asked what of old results goes in, one request more a turn.
        reads: Whether the model reads a workflow before it answers.
        pieces: What the model answers, piece by piece.
    """
    requests: list[list[ModelMessage]] = []
    reading = ReadingModel(reads=reads, noted=lambda messages, _: requests.append(list(messages)))
    if pieces:
        reading.pieces = pieces
    durations = Durations()
    with tempfile.TemporaryDirectory() as directory:
        settings = Settings(data_dir=Path(directory), samples=True, caches_enabled=caches)
        telemetry = observed_by(durations if spans else None)
        models = Models("reading", {"reading": reading.model()}, window_tokens=128_000)
        application = build(settings, models, telemetry)
        await application.prepare()
        # As a server does once it has imported everything.
        gc.collect()
        thresholds = gc.get_threshold()
        collect_seldom()
        bare = build_bare(
            ReadingModel(pieces=reading.pieces, reads=reads).model(),
            application.stores.workflows,
            TENANT,
            telemetry.instrumentation,
        )
        chat = application.services.chat
        try:
            yield Service(application, chat if plans else without_planning(chat), durations, bare, requests)
        finally:
            gc.unfreeze()
            gc.set_threshold(*thresholds)
            await application.finish()
            await asyncio.to_thread(application.close)
