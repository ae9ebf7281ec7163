"""From the steps and messages of a conversation to artifacts."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal

from workflow_agent.conversations.artifacts import Artifact, ArtifactType, artifact_of
from workflow_agent.conversations.document import AgentReply, AttachedDocument, Event, SystemEvent
from workflow_agent.conversations.iterations import Iteration, Message, ToolResult
from workflow_agent.values.stored import JsonObject, Value, digest_of

_ABOUT_THE_RUN = frozenset({"switch_mode", "change_phase", "hand_off", "get_turn", "search_history", "recall"})
"""Tools whose results say nothing that is not in the conversation itself."""


class ConversationMessage(Value):
    """A message, and the steps of the run that led to it."""

    role: Literal["system", "user", "assistant"]
    content: str
    reasoning_steps: tuple[Iteration, ...] = ()
    """The stored iterations of a reply."""
    sequence_number: int | None = None


class Context(Value):
    """All a turn can draw on."""

    conversation_history: tuple[ConversationMessage, ...] = ()
    """Messages whose tool results are no longer verbatim in the window, oldest first."""
    step_records: tuple[Iteration, ...] = ()
    """The steps of this turn."""
    goal: str | None = None
    artifacts: tuple[Artifact, ...] = ()
    """What was attached."""

    def all_artifacts(self) -> list[Artifact]:
        """Return the artifacts of this turn, of earlier ones and of attachments, each once."""
        current = extract_artifacts_from_steps(self.step_records)
        historical = extract_artifacts_from_messages(self.conversation_history)
        return list({one.artifact_id: one for one in (*current, *historical, *self.artifacts)}.values())


def build_llm_messages(events: Iterable[Event]) -> list[ConversationMessage]:
    """Return events as messages that keep the steps behind them, in the same order."""
    return [_message(event) for event in events]


def _message(event: Event) -> ConversationMessage:
    if isinstance(event, AgentReply):
        return ConversationMessage(
            role="assistant", content=event.content, reasoning_steps=event.iterations, sequence_number=event.index
        )
    role = "system" if isinstance(event, SystemEvent) else "user"
    return ConversationMessage(role=role, content=event.content, sequence_number=event.index)


def extract_artifacts_from_steps(steps: Iterable[Iteration]) -> list[Artifact]:
    """Return the tool results of a turn's steps, in their order."""
    return [
        _tool_artifact(step, result, args, f"step_{step.number}:{result.name}", {})
        for step in steps
        for result, args in results_of(step)
        if result.content is not None
    ]


def extract_artifacts_from_messages(messages: Sequence[ConversationMessage]) -> list[Artifact]:
    """Return the tool results behind messages, newest first; of one call made again only the newest.

    The messages come oldest first. What a tool returned for the same arguments before is out of date.
    """
    found: dict[str, Artifact] = {}
    for message in reversed(messages):
        for step in reversed(message.reasoning_steps):
            for result, args in reversed(results_of(step)):
                asked = _question(result, args)
                if asked not in found and result.content is not None:
                    source = f"history:msg_{message.sequence_number}:{result.name}"
                    about: JsonObject = {"historical": True, "message": message.sequence_number}
                    found[asked] = _tool_artifact(step, result, args, source, about)
    return list(found.values())


def with_newest_results(replies: Iterable[AgentReply], in_sight: Iterable[AgentReply]) -> Iterator[AgentReply]:
    """Yield the replies, newest first, with results that no later call replaces, without those that one does.

    The replies in sight are verbatim in the window, all of them later; what they hold is not wanted twice.
    """
    known = {question for reply in in_sight for question in _asked(reply)}
    for reply in replies:
        asked = _asked(reply)
        replaced = {result_id for question, ids in asked.items() if question in known for result_id in ids}
        # Of one reply that asked twice, only the latest answer.
        replaced |= {result_id for ids in asked.values() for result_id in ids[:-1]}
        if known.issuperset(asked):
            continue
        known |= asked.keys()
        yield _without_results(reply, replaced) if replaced else reply


def _asked(reply: AgentReply) -> dict[str, list[str]]:
    """Return what a reply's calls asked, and the ids of the results of each, oldest first."""
    asked: dict[str, list[str]] = {}
    for step in reply.iterations:
        for result, args in results_of(step):
            asked.setdefault(_question(result, args), []).append(result.id)
    return asked


def _without_results(reply: AgentReply, left_out: Collection[str]) -> AgentReply:
    def kept(message: Message) -> Message:
        results = tuple(one for one in message.results if one.id not in left_out)
        return message.model_copy(update={"results": results})

    steps = tuple(step.model_copy(update={"messages": tuple(map(kept, step.messages))}) for step in reply.iterations)
    return reply.model_copy(update={"iterations": steps})


def _question(result: ToolResult, args: JsonObject) -> str:
    return digest_of([result.name, args])


def results_of(step: Iteration) -> list[tuple[ToolResult, JsonObject]]:
    """Return what the tools of a step found out, each with the arguments of its call."""
    asked = {call.id: call.args for message in step.messages for call in message.tool_calls}
    results = (result for message in step.messages for result in message.results)
    return [(result, asked.get(result.id, {})) for result in results if _informs(result)]


def _informs(result: ToolResult) -> bool:
    is_kept = result.content is not None or result.content_ref is not None
    return result.outcome == "success" and is_kept and result.name not in _ABOUT_THE_RUN


def _tool_artifact(step: Iteration, result: ToolResult, args: JsonObject, source: str, about: JsonObject) -> Artifact:
    at = step.completed_at or step.started_at
    about = {"tool": result.name, "args": args, **about}
    return artifact_of(ArtifactType.TOOL_RESULT, result.content, source, at, about)


def document_artifact(document: AttachedDocument, text: str, *, turn: int) -> Artifact:
    """Return an attached document with its text as an artifact; one of before the turn under way is historical."""
    about: JsonObject = {
        "title": document.title,
        "media_type": document.media_type,
        "attachment_id": document.attachment_id,
        "attachment_type": document.attachment_type,
        "turn": document.turn,
    }
    if document.source:
        about["origin"] = document.source
    if document.turn < turn:
        about["historical"] = True
    return artifact_of(ArtifactType.DOCUMENT, text, f"attachment:{document.title}", document.at, about)


def replies_out_of_sight(newest_first: Iterable[Event], verbatim: Collection[int], most: int) -> Iterator[AgentReply]:
    """Return the newest replies, at most so many, that are not among those whose steps the window shows verbatim."""
    replies = (event for event in newest_first if isinstance(event, AgentReply) and event.index not in verbatim)
    return islice(replies, most)
