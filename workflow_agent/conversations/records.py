"""Looking things up where turns are recorded, in the conversation's own file or in a sealed part of it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflow_agent.conversations.call_history import CallRecord
from workflow_agent.conversations.document import SCHEMA_VERSION, AgentReply, Conversation, SystemEvent, UserMessage
from workflow_agent.conversations.iterations import Iteration
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.seals import SealedPart
from workflow_agent.errors import ContentNotFound, CorruptDocument, StorageFailed
from workflow_agent.values.stored import JsonObject, json_safe

Records = Conversation | SealedPart
"""What turns are recorded in, and looked up in alike."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one agent did about a message: its run, and the reply it came to."""

    run: Run | None
    """None where the reply was brought in from elsewhere."""
    reply: AgentReply | None

    @property
    def run_id(self) -> str:
        """Return the id of the run."""
        return self.run.run_id if self.run else self.reply.run_id if self.reply else ""

    @property
    def agent(self) -> str:
        """Return the name of the agent."""
        return self.run.agent if self.run else self.reply.author if self.reply else ""

    @property
    def iterations(self) -> Sequence[Iteration]:
        """Return the iterations of the reply, or those of a run that came to none."""
        if self.reply is not None:
            return self.reply.iterations
        return self.run.iterations if self.run is not None else ()


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One turn: the message, and what each agent did about it, in order."""

    message: UserMessage
    answers: tuple[Answer, ...]

    @property
    def first(self) -> Answer:
        """Return the first agent's answer, or the first that came to a reply."""
        replied = (answer for answer in self.answers if answer.reply is not None)
        return next(replied, self.answers[0] if self.answers else Answer(None, None))

    @property
    def reply(self) -> AgentReply | None:
        """Return the first reply, or None."""
        return self.first.reply

    @property
    def iterations(self) -> Sequence[Iteration]:
        """Return the iterations of the first reply, or those of a run that came to none."""
        return self.first.iterations

    def answer(self, *, agent: str | None = None, run_id: str | None = None) -> Answer | None:
        """Return the latest answer of an agent or of a run; without either, the first one; else None."""
        if agent is None and run_id is None:
            return self.first
        fitting = (
            answer
            for answer in reversed(self.answers)
            if agent in (None, answer.agent) and run_id in (None, answer.run_id)
        )
        return next(fitting, None)


def told_calls(records: Records) -> tuple[CallRecord, ...]:
    """Return the call records, those of messages with what was said, as programs and people read them."""
    said = {event.id: event.content for event in records.events if isinstance(event, UserMessage)}
    return tuple(_with_text(call, said) for call in records.calls)


def _with_text(call: CallRecord, said: Mapping[str, str]) -> CallRecord:
    if call.speaker != "user" or call.args:
        return call
    # Of a message that was answered again, the call's id has the attempt after it.
    text = said.get(call.call_id, said.get(call.call_id.rpartition(".")[0]))
    return call if text is None else call.model_copy(update={"args": (json_safe(text),)})


def run_in(records: Records, run_id: str) -> Run | None:
    """Return the run with this id, or None; newest first, because that is whom people ask for."""
    return next((run for run in reversed(records.runs) if run.run_id == run_id), None)


def reply_in(records: Records, run_id: str) -> AgentReply | None:
    """Return the reply a run committed, or None."""
    replies = (event for event in reversed(records.events) if isinstance(event, AgentReply))
    return next((reply for reply in replies if reply.run_id == run_id), None)


def following_in(records: Records, run_id: str) -> Run | None:
    """Return the run that answers the same message after another, or None."""
    return next((run for run in reversed(records.runs) if run.follows == run_id), None)


def leading_in(records: Records, run: Run) -> Run:
    """Return the run that answered a message first, of those that answered it one after the other."""
    while run.follows and (before := run_in(records, run.follows)):
        run = before
    return run


def newest_in(records: Records, run: Run) -> Run:
    """Return the run that answers a message last, of those that answer it one after the other."""
    while following := following_in(records, run.run_id):
        run = following
    return run


def turn_in(records: Records, number: int) -> RecordedTurn | None:
    """Return a turn, or None where it is not recorded here."""
    events = [e for e in records.events if not isinstance(e, SystemEvent) and e.turn == number]
    message = next((event for event in events if isinstance(event, UserMessage)), None)
    if message is None:
        return None
    replies = {event.run_id: event for event in events if isinstance(event, AgentReply)}
    answers: list[Answer] = []
    run = run_in(records, message.run_id) if message.run_id else None
    while run is not None:
        answers.append(Answer(run, replies.pop(run.run_id, None)))
        run = following_in(records, run.run_id)
    answers += [Answer(run_in(records, reply.run_id), reply) for reply in replies.values()]
    return RecordedTurn(message, tuple(answers))


def upgraded(document: JsonObject, version: int) -> JsonObject:
    """Return a document of an earlier schema as the present one has it; its file stays as it is.

    The next save of the conversation writes what this returns. Schema 1 had no shape for compactions and archive, and
    nothing wrote them; what is there is kept in the metadata.
    """
    if version == SCHEMA_VERSION:
        return document
    free = {name: document[name] for name in ("compactions", "archive") if document.get(name)}
    kept: JsonObject = {
        "compactions": [],
        "archive": [],
        "metadata": {**document.get("metadata", {}), "schema_1": free},
    }
    return {**document, **(kept if free else {}), "schema_version": SCHEMA_VERSION}


UNREADABLE = "(this content cannot be read any more)"
"""Stands for a content that was kept apart and is gone or damaged."""
UNREADABLE_ERRORS = (ContentNotFound, CorruptDocument, StorageFailed)
"""How reading such a content fails; what is left of the turn is worth more than an error."""
ReadContent = Callable[[str], Awaitable[Any]]
"""Reads a content of the conversation that is kept apart, by its reference."""


_EVENT = "event:"


def event_ref(event_id: str) -> str:
    """Return the reference to what is said in an event of the same conversation."""
    return f"{_EVENT}{event_id}"


def kept_apart(conversation: Conversation) -> set[str]:
    """Return the references of the contents that stand nowhere else than in a blob."""
    replies = (event for event in conversation.events if isinstance(event, AgentReply))
    iterations = (one for holder in (*replies, *conversation.runs) for one in holder.iterations)
    messages = (message for one in iterations for message in one.messages)
    refs = (one.content_ref for message in messages for one in (*message.results, *message.parts))
    found = {ref for ref in refs if ref is not None and not ref.startswith(_EVENT)}
    return found | {one.content_ref for one in conversation.attachments}
