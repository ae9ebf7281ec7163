"""Calling the tools of the assistant one after the other, through the real agent and chat."""

from typing import Any

from tests.support.chats import TENANT, ChatUnderTest, chat_with
from tests.support.scripted import Calls, scripted
from workflow_agent.assistant.window.contents import Contents
from workflow_agent.conversations.document import AgentReply
from workflow_agent.conversations.iterations import ToolResult
from workflow_agent.conversations.store import ConversationStore


class Tools:
    """Calls tools one after the other within one conversation."""

    def __init__(self, store: ConversationStore | None = None) -> None:
        model, self.script = scripted()
        self.under_test: ChatUnderTest = chat_with(model, store=store)
        self.conversation_id: str | None = None
        self.reply: AgentReply | None = None

    async def use(self, tool: str, /, **args: Any) -> ToolResult:
        """Call a tool in a turn of its own; return what the model was told."""
        return await self.use_saying(f"use {tool}", tool, **args)

    async def use_saying(self, message: str, tool: str, /, **args: Any) -> ToolResult:
        """Call a tool in a turn with this message; return what the model was told."""
        self.script.steps[:] = [Calls([(tool, args)]), "Done."]
        outcome = await self.under_test.say(message, mode="modification", conversation_id=self.conversation_id)
        self.conversation_id = outcome.conversation_id
        self.reply = outcome.reply
        contents = Contents(self.under_test.store, TENANT, outcome.conversation_id)
        (first, *_) = await contents.resolved(outcome.reply.iterations)
        (result,) = first.messages[-1].results
        return result

    async def ok(self, tool: str, /, **args: Any) -> dict[str, Any]:
        """Call a tool that has to succeed; return its answer."""
        result = await self.use(tool, **args)
        assert result.outcome == "success", result.content
        return dict(result.content)

    async def refused(self, tool: str, /, **args: Any) -> str:
        """Call a tool that has to ask for another try; return what it said."""
        result = await self.use(tool, **args)
        assert result.outcome == "retried"
        return str(result.content)
