"""Replies that are there already, as the events of a stream."""

from collections.abc import Iterable

from workflow_agent.chat.requests import TurnOutcome, chat_response, outcome_of
from workflow_agent.chat.streams import RunStream
from workflow_agent.domain.conversation import AgentReply
from workflow_agent.domain.records import Records, newest_in
from workflow_agent.domain.runs import Run


def replayed(records: Records, run: Run) -> RunStream | None:
    """Return the stream of a turn that was completed before, as if it had just been answered."""
    outcome = outcome_of(records, run.run_id, replayed=True)
    if outcome is None or newest_in(records, run).status != "completed":
        return None
    return stream_of_outcome(outcome)


def stream_of_outcome(outcome: TurnOutcome) -> RunStream:
    """Return the stream of a finished turn, the replies of all its agents in order."""
    stream = RunStream(outcome.run_id)
    tell(stream, outcome.conversation_id, outcome.replies)
    stream.publish("complete", chat_response(outcome))
    stream.close()
    return stream


def tell(stream: RunStream, conversation_id: str, replies: Iterable[AgentReply]) -> None:
    """Publish replies, each from its start to its context record."""
    for reply in replies:
        stream.publish(
            "start",
            {"conversation_id": conversation_id, "run_id": reply.run_id, "turn": reply.turn,
             "agent": reply.author},
        )  # fmt: skip
        stream.publish("mode", reply.mode.model_dump(mode="json"))
        stream.publish("delta", {"text": reply.content})
        stream.publish("context", dict(reply.context))
