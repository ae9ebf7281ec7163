"""The OpenAI Agents SDK: its runner over its own SQLite session."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, SQLiteSession, Usage, function_tool
from agents.memory import SessionSettings
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from benchmarks.peers.protocol import INSTRUCTIONS, TOOL, look_up_team, message_of, reply_of

_LAST_ITEMS = 30


@dataclass
class FakeModel(Model):
    """Answers every message, after a call of the tool where there is one."""

    seconds: float = 0.0
    calls: bool = False

    async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
        if self.seconds:
            await asyncio.sleep(self.seconds)
        asked = given[1] if len(given) > 1 else named["input"]
        last: Any = {"content": asked} if isinstance(asked, str) else asked[-1]
        output: Any = _message(reply_of(str(last.get("content", last.get("output")))))
        if self.calls and "content" in last:
            arguments, call_id = json.dumps({"name": "3"}), f"call_{len(asked)}"
            output = ResponseFunctionToolCall(arguments=arguments, call_id=call_id, name=TOOL, type="function_call")
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("only asked for whole responses")


def _message(text: str) -> ResponseOutputMessage:
    said = ResponseOutputText(annotations=[], text=text, type="output_text")
    return ResponseOutputMessage(id="msg", content=[said], role="assistant", status="completed", type="message")


@dataclass(frozen=True, slots=True)
class _Talks:
    file: Path
    agent: Agent[None]
    config: RunConfig
    sessions: dict[str, SQLiteSession] = field(default_factory=dict)

    def session(self, conversation: str) -> SQLiteSession:
        if conversation not in self.sessions:
            self.sessions[conversation] = SQLiteSession(conversation, self.file)
        return self.sessions[conversation]

    async def say(self, conversation: str, message: str) -> str:
        session = self.session(conversation)
        done = await Runner.run(self.agent, message, session=session, run_config=self.config)
        return str(done.final_output)

    async def seed(self, conversation: str, turns: int) -> None:
        items: list[Any] = []
        for turn in range(1, turns + 1):
            said = message_of(turn)
            items += [{"role": "user", "content": said}, _message(reply_of(said)).model_dump()]
        await self.session(conversation).add_items(items)


@asynccontextmanager
async def _opened(
    directory: Path, seconds: float, settings: SessionSettings | None, *, calls: bool
) -> AsyncGenerator[_Talks]:
    tools: list[Any] = [function_tool(look_up_team)] if calls else []
    agent = Agent[None]("peer", instructions=INSTRUCTIONS, model=FakeModel(seconds, calls), tools=tools)
    config = RunConfig(tracing_disabled=True, session_settings=settings)
    talks = _Talks(directory / "sessions.sqlite", agent, config)
    try:
        yield talks
    finally:
        for session in talks.sessions.values():
            session.close()


def open_whole(directory: Path, seconds: float, *, calls: bool = False) -> Any:
    """Return it with the whole session in each request."""
    return _opened(directory, seconds, None, calls=calls)


def open_cut(directory: Path, seconds: float, *, calls: bool = False) -> Any:
    """Return it with the last items of the session in each request."""
    return _opened(directory, seconds, SessionSettings(limit=_LAST_ITEMS), calls=calls)
