"""With the provider's own client in the path: what a turn takes the server, beside the framework as durable.

    python -m benchmarks.measured.client_in_path <provider | bare> <argument>

Without a word it is a section of `python -m benchmarks`. The provider is a stand-in over HTTP that answers
every request after 50 ms, in pieces where they are asked for; the bare server is FastAPI around the
framework's agent with its last 15 turns, each message and each turn appended and synced.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.clients import address_in, load
from benchmarks.figures import RATIO, Figure, Section
from benchmarks.measured.starting import processor_ms

CLIENTS, TURNS_EACH, ROUNDS, MODEL_SECONDS = 24, 5, 3, 0.05
MOST = 1.3
_TEXT = "Noted. Tell me who stands in when somebody is away, and how long a report may wait. " * 3
_USAGE = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}
_NAMED = {"id": "chatcmpl-1", "created": 1_700_000_000, "model": "stand-in"}
_PIECES = 5


def _message(turn: int) -> str:
    return f"Note {turn}: team {turn % 7} reports to team {turn % 11} on Mondays. What else do you need?"


async def _answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of one connection."""
    with_end = b"\r\n\r\n"
    try:
        while True:
            head = (await reader.readuntil(with_end)).decode("latin-1").lower()
            length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
            asked = json.loads(await reader.readexactly(length))
            await asyncio.sleep(MODEL_SECONDS)
            kind, body = _streamed() if asked.get("stream") else _whole()
            writer.write(
                f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body
            )
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _whole() -> tuple[str, bytes]:
    message = {"role": "assistant", "content": _TEXT}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    answer = {**_NAMED, "object": "chat.completion", "choices": [choice], "usage": _USAGE}
    return "application/json", json.dumps(answer).encode()


def _streamed() -> tuple[str, bytes]:
    size = -(-len(_TEXT) // _PIECES)
    deltas: list[dict[str, Any]] = [
        {"delta": {"role": "assistant", "content": _TEXT[at : at + size]}, "finish_reason": None}
        for at in range(0, len(_TEXT), size)
    ]
    deltas.append({"delta": {}, "finish_reason": "stop"})
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, **one}]} for one in deltas]
    chunks.append({"choices": [], "usage": _USAGE})
    named = {**_NAMED, "object": "chat.completion.chunk"}
    lines = [f"data: {json.dumps(named | one)}\n\n" for one in chunks]
    return "text/event-stream", "".join([*lines, "data: [DONE]\n\n"]).encode()


async def _provide() -> None:
    server = await asyncio.start_server(_answered, "127.0.0.1", 0)
    _tell(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def _tell(port: int) -> None:
    print(f"listens on http://127.0.0.1:{port}", flush=True)


def _serve_bare(directory: Path, provider: str) -> None:
    # Here, because the stand-in provider should load none of it.
    import uvicorn  # noqa: PLC0415 - see above
    import uvloop  # noqa: PLC0415 - see above
    from fastapi import FastAPI  # noqa: PLC0415 - see above
    from pydantic_ai import Agent  # noqa: PLC0415 - see above
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 - see above
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415 - see above

    from benchmarks.peers.pydantic_ai_json import TalksSynced  # noqa: PLC0415 - see above
    from benchmarks.served import Said  # noqa: PLC0415 - see above

    model = OpenAIChatModel("stand-in", provider=OpenAIProvider(base_url=f"{provider}/v1", api_key="k"))
    talks = TalksSynced(directory, Agent(model, instructions="You help people with workflows."))
    app, told = FastAPI(), iter(range(1_000_000))

    @app.post("/api/v1/chat")
    async def chat(said: Said) -> dict[str, str]:
        conversation = said.conversation_id or f"cv_{next(told)}"
        return {"response": await talks.say(conversation, said.message), "conversation_id": conversation}

    listener = socket.create_server(("127.0.0.1", 0), backlog=2_048)
    _tell(listener.getsockname()[1])
    config = uvicorn.Config(app, log_level="error", loop="uvloop", http="httptools", timeout_keep_alive=75)
    uvloop.run(uvicorn.Server(config).serve([listener]))


@contextmanager
def _running(*command: str, **environment: str) -> Generator[tuple[int, str]]:
    """Run a process that tells where it listens; yield its id and the address."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | environment,
    )
    assert process.stdout is not None
    try:
        yield process.pid, address_in(next(line for line in process.stdout if "http://" in line))
    finally:
        process.terminate()
        process.communicate(timeout=60)


async def _taken(pid: int, url: str) -> float:
    before = processor_ms(pid)
    await load(url, CLIENTS, TURNS_EACH, _message)
    return (processor_ms(pid) - before) / (CLIENTS * TURNS_EACH)


def measure() -> Section:
    """Return what a turn takes the service and the bare server, turn about."""
    own = "benchmarks.measured.client_in_path"
    with tempfile.TemporaryDirectory() as name, _running(own, "provider") as (_, provider):
        (bare_files := Path(name) / "bare").mkdir()
        settings = {
            "WORKFLOW_AGENT_MODEL": "openai:stand-in",
            "WORKFLOW_AGENT_MODEL_BASE_URL": f"{provider}/v1",
            "WORKFLOW_AGENT_MODEL_API_KEY": "k",
            "WORKFLOW_AGENT_DATA_DIR": f"{name}/ours",
        }
        with (
            _running("workflow_agent", "serve", "--port", "0", **settings) as ours,
            _running(own, "bare", str(bare_files), provider) as bare,
        ):
            for pid, url in (ours, bare):
                asyncio.run(_taken(pid, url))
            rounds = [(asyncio.run(_taken(*ours)), asyncio.run(_taken(*bare))) for _ in range(ROUNDS)]
    took, bare_took = (sorted(one)[ROUNDS // 2] for one in zip(*rounds, strict=True))
    return Section(
        "client-in-path",
        "With the provider's client in the path",
        f"{CLIENTS} conversations of {TURNS_EACH} turns at once over HTTP, a stand-in provider over HTTP "
        f"that answers after {MODEL_SECONDS * 1_000:.0f} ms; the server's processor a turn. Beside it, turn "
        "about: FastAPI around the framework's agent, its last 15 turns, message and turn each appended and "
        f"synced; {ROUNDS} rounds, medians.",
        [
            Figure("one model call, the service / the bare server", took / bare_took, RATIO, most=MOST),
            Figure("one model call, the service", took, "ms"),
            Figure("one model call, the bare server", bare_took, "ms"),
        ],
    )


if __name__ == "__main__":
    if sys.argv[1] == "provider":
        asyncio.run(_provide())
    else:
        _serve_bare(Path(sys.argv[2]), sys.argv[3])
