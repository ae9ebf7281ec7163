"""The stream of a run whose reply is there already."""

from workflow_agent.chat.requests import chat_response, newest_of, outcome_of, start_data
from workflow_agent.chat.streams import RunStream
from workflow_agent.domain.records import Records
from workflow_agent.domain.runs import Run


def replayed(records: Records, run: Run) -> RunStream | None:
    """Return the stream of a run that was completed before, as if it had just been answered."""
    newest = newest_of(records, run.run_id)
    outcome = outcome_of(records, run.run_id, replayed=True)
    if outcome is None or newest is None or newest.status != "completed":
        return None
    reply = outcome.reply
    stream = RunStream(run.run_id)
    stream.publish("start", start_data(records, run))
    stream.publish("mode", reply.mode.model_dump(mode="json"))
    stream.publish("delta", {"text": reply.content})
    stream.publish("context", dict(reply.context))
    stream.publish("complete", chat_response(outcome))
    stream.close()
    return stream
