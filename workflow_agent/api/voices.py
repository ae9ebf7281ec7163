"""The answers of several agents as one text, for protocols that know one assistant."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from workflow_agent.domain.conversation import AgentReply

_PARAGRAPH = "\n\n"


def opening(agent: str, asked: Sequence[str], *, is_first: bool) -> str:
    """Return what comes before an agent's answer, so that a reader knows who speaks; mostly nothing.

    Args:
        agent: Who answers.
        asked: The agents the message is for, as far as it tells. Where that is one, its answer carries no
            name; that of an agent it hands over to does.
        is_first: Whether nobody answered the message before.
    """
    if not is_first:
        return f"{_PARAGRAPH}**{agent}:**{_PARAGRAPH}"
    return f"**{agent}:**{_PARAGRAPH}" if len(asked) > 1 else ""


@dataclass(slots=True)
class Voices:
    """Says who is speaking as one agent after the other answers."""

    asked: Sequence[str]
    _spoken: int = field(default=0, init=False)

    def next(self, agent: str) -> str:
        """Return what comes before the answer of the next agent."""
        self._spoken += 1
        return opening(agent, self.asked, is_first=self._spoken == 1)


def told(asked: Sequence[str], replies: Sequence[AgentReply]) -> list[str]:
    """Return the text of each reply to a message; joined, they are what a stream tells."""
    voices = Voices(asked)
    return [voices.next(reply.author) + reply.content for reply in replies]
