"""A server for the benchmarks, in a process of its own: the service, or the framework behind FastAPI alone.

    python -m benchmarks.served <data directory> <seconds a model request takes> [--bare | --workers <count>]

It prints where it listens. The bare one appends each turn to one JSONL file a conversation, without
waiting for the disk, and sends the last 15 turns.
"""

import json
import socket
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import uvicorn
import uvloop
from fastapi import FastAPI
from opentelemetry.sdk.trace import SpanProcessor
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter

from benchmarks.reading_model import TOOL, ReadingModel
from benchmarks.service import SAMPLE, observed_by
from workflow_agent.assistant.providers import Models
from workflow_agent.main.application import Application
from workflow_agent.main.composition import build
from workflow_agent.main.serve import serve_alone, serve_beside_others
from workflow_agent.main.workers import Supervision, WorkerSlot, serve_with_workers
from workflow_agent.settings import Settings
from workflow_agent.workflows.model.workflow import outline, workflow_document

WINDOW_TURNS = 15


class Said(BaseModel):
    """A message to the bare agent."""

    message: str
    conversation_id: str | None = None


def bare_app(directory: Path, seconds: float) -> FastAPI:
    """Return the framework behind FastAPI."""
    app = FastAPI()
    agent = Agent(ReadingModel(seconds).model(), instructions="You help people with workflows.")
    kept: dict[str, list[list[ModelMessage]]] = {}

    @agent.tool_plain(name=TOOL)
    def get_workflow(workflow: str) -> dict[str, Any]:
        """Read a workflow."""
        del workflow
        return {"workflow": workflow_document(SAMPLE), "outline": outline(SAMPLE)}

    @app.post("/api/v1/chat")
    async def chat(said: Said) -> dict[str, Any]:
        own_id = said.conversation_id or f"cv_{uuid4().hex}"
        turns = kept.setdefault(own_id, [])
        history = [one for turn in turns[-WINDOW_TURNS:] for one in turn]
        done = await agent.run(said.message, message_history=history)
        turns.append(done.new_messages())
        with (directory / f"{own_id}.jsonl").open("ab") as file:
            file.write(ModelMessagesTypeAdapter.dump_json(turns[-1]) + b"\n")
        return {"response": done.output, "conversation_id": own_id}

    return app


def _tell(listener: socket.socket) -> None:
    print(f"listens on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)


def serve_bare(directory: Path, seconds: float) -> None:
    """Serve the framework alone until told to stop."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=2_048)
    _tell(listener)
    config = uvicorn.Config(
        bare_app(directory, seconds), log_level="error", loop="uvloop", http="httptools", timeout_keep_alive=75
    )
    uvloop.run(uvicorn.Server(config).serve([listener]))


def serve(directory: Path, seconds: float) -> None:
    """Serve the service until told to stop, its spans taken by somebody."""
    application = _application(Settings(data_dir=directory, samples=True), seconds)
    with closing(application), socket.create_server(("127.0.0.1", 0), backlog=2_048) as listener:
        serve_alone(application, listener)


def _application(settings: Settings, seconds: float, slot: WorkerSlot | None = None) -> Application:
    models = Models("reading", {"reading": ReadingModel(seconds).model()}, window_tokens=128_000)
    # Recorded, and taken by nobody: an exporter sends them from a thread of its own.
    return build(settings, models, observed_by(SpanProcessor()), slot)


def work(
    seconds: float, settings: Settings, slot: WorkerSlot, listener: socket.socket, supervision: Supervision
) -> None:
    """Serve the service as one of several workers."""
    serve_beside_others(_application(settings, seconds, slot), listener, supervision)


def serve_workers(directory: Path, seconds: float, workers: int) -> None:
    """Serve the service with several workers until told to stop."""
    # Under the module's own name, by which a worker imports what it is to do.
    from benchmarks.served import work as work_of_module  # noqa: PLC0415 - see above

    settings = Settings(data_dir=directory, samples=True, workers=workers, port=0)
    serve_with_workers(settings, partial(work_of_module, seconds))


if __name__ == "__main__":
    given = Path(sys.argv[1]), json.loads(sys.argv[2])
    if "--workers" in sys.argv:
        serve_workers(*given, int(sys.argv[-1]))
    else:
        (serve_bare if "--bare" in sys.argv else serve)(*given)
