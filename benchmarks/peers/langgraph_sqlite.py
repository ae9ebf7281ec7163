"""LangGraph: an agent of `langchain` over the asynchronous SQLite checkpointer."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, SummarizationMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from benchmarks.peers.protocol import INSTRUCTIONS, SUMMARY, TOOL, look_up_team, message_of, reply_of


class FakeChat(BaseChatModel):
    """Answers every message, after a call of the tool where there is one; sums up where it is asked to."""

    seconds: float = 0.0
    calls: bool = False

    @property
    def _llm_type(self) -> str:
        return "fake"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError("only asked asynchronously")

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        return self

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        if self.seconds:
            await asyncio.sleep(self.seconds)
        said = str(messages[-1].content)
        if self.calls and isinstance(messages[-1], HumanMessage) and "Context Extraction" not in said:
            call = {"name": TOOL, "args": {"name": "3"}, "id": f"call_{len(messages)}"}
            return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=[call]))])
        text = SUMMARY if "Context Extraction Assistant" in said else reply_of(said)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])


@dataclass(frozen=True, slots=True)
class _Talks:
    graph: Any

    async def say(self, conversation: str, message: str) -> str:
        asked = {"messages": [HumanMessage(message)]}
        done = await self.graph.ainvoke(asked, _thread(conversation), durability="sync")
        return str(done["messages"][-1].content)

    async def seed(self, conversation: str, turns: int) -> None:
        said: list[BaseMessage] = []
        for turn in range(1, turns + 1):
            said += [HumanMessage(message_of(turn)), AIMessage(reply_of(message_of(turn)))]
        await self.graph.aupdate_state(_thread(conversation), {"messages": said})


def _thread(conversation: str) -> Any:
    return {"configurable": {"thread_id": conversation}}


@asynccontextmanager
async def _opened(
    directory: Path, seconds: float, middleware: Sequence[AgentMiddleware], *, calls: bool
) -> AsyncGenerator[_Talks]:
    tools: list[Any] = [look_up_team] if calls else []
    async with AsyncSqliteSaver.from_conn_string(str(directory / "checkpoints.sqlite")) as saver:
        yield _Talks(
            create_agent(
                FakeChat(seconds=seconds, calls=calls),
                tools,
                system_prompt=INSTRUCTIONS,
                checkpointer=saver,
                middleware=middleware,
            )
        )


def open_whole(directory: Path, seconds: float, *, calls: bool = False) -> Any:
    """Return it with the whole history in each request."""
    return _opened(directory, seconds, [], calls=calls)


def open_summarised(directory: Path, seconds: float, *, calls: bool = False) -> Any:
    """Return it with the summarisation that its documentation shows."""
    middleware = SummarizationMiddleware(FakeChat(seconds=seconds), trigger=("tokens", 4_000), keep=("messages", 20))
    return _opened(directory, seconds, [middleware], calls=calls)
