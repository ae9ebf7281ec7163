"""A server for the benchmarks, in a process of its own: the service, or the framework behind FastAPI alone.

    python -m benchmarks.served <data directory> <seconds a model request takes> [--bare]

It prints the port it listens on. The bare one appends each turn to one JSONL file a conversation, without
waiting for the disk, and sends the last 15 turns.
"""

import asyncio
import json
import socket
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter

from benchmarks.reading_model import TOOL, ReadingModel
from benchmarks.service import SAMPLE, Durations, observed_by
from workflow_agent.agent.models import Models
from workflow_agent.api.server import make_server
from workflow_agent.domain.outline import outline
from workflow_agent.domain.workflow import workflow_document
from workflow_agent.main.building import build
from workflow_agent.settings import Settings

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


def serve_bare(directory: Path, seconds: float) -> None:
    """Serve the framework alone until told to stop."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=2_048)
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(
        bare_app(directory, seconds),
        log_level="error",
        loop="uvloop",
        http="httptools",
        timeout_keep_alive=75,
    )
    asyncio.run(uvicorn.Server(config).serve([listener]))


def serve(directory: Path, seconds: float) -> None:
    """Serve the service until told to stop, its spans taken by somebody."""
    settings = Settings(data_dir=directory, samples=True)
    models = Models("reading", {"reading": ReadingModel(seconds).model()}, window_tokens=128_000)
    application = build(settings, models, observed_by(Durations()))
    server = make_server(application.app, settings, application.finish)
    listener = socket.create_server(("127.0.0.1", 0), backlog=2_048)
    with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
        runner.run(application.prepare())
        print(listener.getsockname()[1], flush=True)
        runner.run(server.serve([listener]))
    application.close()


if __name__ == "__main__":
    (serve_bare if "--bare" in sys.argv else serve)(Path(sys.argv[1]), json.loads(sys.argv[2]))
