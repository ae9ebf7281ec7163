"""Talking to a chat, message after message."""

from tests.support.chats import ChatUnderTest
from workflow_agent.conversations.document import AgentReply


class Talk:
    """One conversation."""

    def __init__(self, under_test: ChatUnderTest) -> None:
        self.under_test = under_test
        self.conversation_id: str | None = None

    async def say(self, message: str) -> AgentReply:
        """Say something in it and return the reply."""
        outcome = await self.under_test.say(message, conversation_id=self.conversation_id)
        self.conversation_id = outcome.conversation_id
        return outcome.reply
