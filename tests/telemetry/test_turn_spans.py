"""The spans of a turn: one tree from acceptance to commit, with figures on it and no content."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from tests.support.chats import ChatUnderTest, chat_with
from tests.support.scripted import Calls, Step, scripted
from workflow_agent.assistant.attachments import NewAttachment
from workflow_agent.errors import ConversationNotFound, ModelFailed
from workflow_agent.telemetry.providers import TelemetryOptions, build_telemetry

SECRET = "the merger with Initech"
ASKS = Calls([("list_workflows", {})])


@dataclass
class Traced:
    """A chat whose spans are kept."""

    exporter: InMemorySpanExporter = field(default_factory=InMemorySpanExporter)

    def chat(self, *steps: Step, include_content: bool = False) -> ChatUnderTest:
        options = TelemetryOptions(
            include_content=include_content, span_processors=(SimpleSpanProcessor(self.exporter),)
        )
        return chat_with(scripted(*steps)[0], telemetry=build_telemetry(options))

    def spans(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())

    def named(self, name: str) -> ReadableSpan:
        return next(span for span in self.spans() if span.name == name)

    def path(self, span: ReadableSpan) -> str:
        by_id = {one.context.span_id: one for one in self.spans() if one.context}
        names = [span.name]
        while span.parent is not None:
            span = by_id[span.parent.span_id]
            names.insert(0, span.name)
        return " > ".join(names)

    def text(self) -> str:
        return "\n".join(span.to_json() for span in self.spans())


@pytest.fixture
def traced() -> Iterator[Traced]:
    kept = Traced()
    yield kept
    kept.exporter.shutdown()


async def test_a_turn_is_one_tree(traced: Traced) -> None:
    under_test = traced.chat(ASKS, "Two.")

    await under_test.say("how many are there?")

    assert [traced.path(span) for span in sorted(traced.spans(), key=lambda one: one.start_time or 0)] == [
        "chat.turn",
        "chat.turn > conversation.save",
        "chat.turn > context.build",
        "chat.turn > invoke_agent workflow_agent",
        "chat.turn > invoke_agent workflow_agent > chat scripted",
        "chat.turn > invoke_agent workflow_agent > execute_tool list_workflows",
        "chat.turn > invoke_agent workflow_agent > chat scripted",
        "chat.turn > conversation.save",
        "chat.turn > conversation.save",
    ]
    saves = [span for span in traced.spans() if span.name == "conversation.save"]
    assert [(save.attributes or {})["phase"] for save in saves] == ["accept", "commit", "memory"]


async def test_planning_the_context_is_a_step_of_building_it(traced: Traced) -> None:
    under_test = traced.chat("Kept.")

    await under_test.say("keep it", attachments=(NewAttachment(content="Due in May.", title=SECRET),))

    planned = traced.named("context.plan")
    assert traced.path(planned) == "chat.turn > context.build > context.plan"
    assert (planned.attributes or {})["artifacts"] == 1
    assert SECRET not in traced.text()


async def test_the_context_record_is_on_the_turns_span(traced: Traced) -> None:
    reply = (await traced.chat("Hello.").say("hi")).reply

    attributes = dict(traced.named("chat.turn").attributes or {})
    prefix = "workflow_agent.assistant.window.context."
    on_span = {name.removeprefix(prefix): value for name, value in attributes.items() if prefix in name}
    assert on_span["used_tokens"] == reply.context["used_tokens"]
    assert {section: on_span[f"breakdown.{section}"] for section in reply.context["breakdown"]} == reply.context[
        "breakdown"
    ]
    assert (on_span["level"], on_span["strategy"]) == ("ok", "full")
    assert attributes["workflow_agent.run_id"] == reply.run_id
    assert (attributes["workflow_agent.outcome"], attributes["workflow_agent.mode"]) == ("completed", "general")


async def test_spans_carry_no_content_unless_wanted(traced: Traced) -> None:
    await traced.chat(ASKS, f"About {SECRET}: nothing.").say(f"what do we have on {SECRET}?")

    assert SECRET not in traced.text()


async def test_spans_carry_content_where_it_is_wanted(traced: Traced) -> None:
    await traced.chat("Nothing.", include_content=True).say(f"what do we have on {SECRET}?")

    assert SECRET in traced.text()


async def test_a_failed_run_says_so_without_quoting_the_error(traced: Traced) -> None:
    with pytest.raises(ModelFailed):
        await traced.chat(ValueError(f"cannot parse {SECRET}")).say("hi")

    turn = traced.named("chat.turn")
    assert turn.status.status_code is StatusCode.ERROR
    assert (turn.attributes or {})["workflow_agent.outcome"] == "failed"
    assert (turn.attributes or {})["error.type"] == "internal"
    assert SECRET not in traced.text()


async def test_a_message_that_is_refused_ends_its_turn(traced: Traced) -> None:
    under_test = traced.chat("never")

    with pytest.raises(ConversationNotFound):
        await under_test.say("hi", conversation_id="nowhere")

    turn = traced.named("chat.turn")
    assert (turn.attributes or {})["workflow_agent.outcome"] == "refused"
    assert turn.status.status_code is StatusCode.ERROR


async def test_a_message_sent_twice_is_traced_as_a_replay(traced: Traced) -> None:
    under_test = traced.chat("Hello.")

    await under_test.say("hi", key="k")
    await under_test.say("hi", key="k")

    outcomes = [
        (span.attributes or {}).get("workflow_agent.outcome") for span in traced.spans() if span.name == "chat.turn"
    ]
    assert outcomes == ["completed", "replayed"]
