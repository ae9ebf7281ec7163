import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls

from tests.support.chats import TENANT, FakeOwners, chat_with
from tests.support.in_memory import InMemoryRunJournal
from tests.support.scripted import Calls, Streaming, Waits, scripted
from workflow_agent.assistant.requests import RunEvent, RunEvents, TurnRequest
from workflow_agent.conversations.document import AgentReply, UserMessage
from workflow_agent.conversations.runs import Run
from workflow_agent.errors import (
    ConversationBusy,
    ConversationNotFound,
    IdempotencyMismatch,
    InvalidInput,
    RunNotFound,
    ShuttingDown,
    StaleRun,
    WorkflowNotFound,
)


async def collected(stream: RunEvents | None, after: int = 0) -> list[RunEvent]:
    assert stream is not None
    return [event async for event in stream.events(after)]


async def test_a_message_gets_a_reply_and_both_are_stored() -> None:
    under_test = chat_with(scripted("Hello there.")[0])

    outcome = await under_test.say("hello")

    stored = await under_test.store.load(TENANT, outcome.conversation_id)
    assert [event.content for event in stored.events] == ["hello", "Hello there."]
    assert outcome.reply == stored.events[1]
    assert outcome.turn == 1
    assert stored.runs[0].status == "completed"


async def test_the_streamed_text_is_the_reply_with_all_its_whitespace() -> None:
    pieces = ["  Two", " words\n", "\n", "  and\tmore  "]
    under_test = chat_with(scripted(pieces)[0])

    started = await under_test.chat.start(TENANT, TurnRequest("go"))
    events = await collected(started.stream)

    streamed = "".join(event.data["text"] for event in events if event.name == "delta")
    assert streamed == "".join(pieces)
    assert (await started.outcome()).reply.content == streamed


async def test_a_name_that_the_model_copies_before_its_reply_is_left_out() -> None:
    under_test = chat_with(scripted(["[assis", "tant]:", " It is", " sound."], "[ana", "[finder]:")[0])

    started = await under_test.chat.start(TENANT, TurnRequest("go"))
    events = await collected(started.stream)

    streamed = "".join(event.data["text"] for event in events if event.name == "delta")
    assert (await started.outcome()).reply.content == streamed == "It is sound."
    assert (await under_test.say("short")).reply.content == "[ana"
    assert (await under_test.say("nothing else")).reply.content == ""


async def test_what_is_said_before_a_tool_call_is_a_paragraph_of_the_reply() -> None:
    under_test = chat_with(scripted(Calls([("list_workflows", {})], text="Let me look."), "None yet.")[0])

    started = await under_test.chat.start(TENANT, TurnRequest("what is there?"))
    events = await collected(started.stream)

    assert (await started.outcome()).reply.content == "Let me look.\n\nNone yet."
    assert [event.name for event in events] == [
        "start",
        "mode",
        "delta",
        "tool_call",
        "tool_result",
        "delta",
        "delta",
        "context",
        "complete",
    ] or [event.name for event in events] == [
        "start",
        "mode",
        "delta",
        "tool_call",
        "tool_result",
        "delta",
        "context",
        "complete",
    ]
    assert [event.id for event in events] == list(range(1, len(events) + 1))


async def test_each_call_is_told_with_what_it_came_to_also_one_that_never_began() -> None:
    calls = Calls([("list_workflows", {}), ("get_workflow", {"workflow": ["no", "text"]})])
    under_test = chat_with(scripted(calls, "One of the two.")[0])

    events = await collected((await under_test.chat.start(TENANT, TurnRequest("look"))).stream)

    asked = [event.data["name"] for event in events if event.name == "tool_call"]
    answers = {event.data["name"]: event.data for event in events if event.name == "tool_result"}
    assert asked == ["list_workflows", "get_workflow"]
    assert {name: answer["outcome"] for name, answer in answers.items()} == {
        "list_workflows": "success",
        "get_workflow": "retried",
    }
    assert answers["list_workflows"]["duration_ms"] is not None
    assert answers["get_workflow"]["duration_ms"] is None


async def test_arguments_that_are_no_object_are_told_as_the_model_wrote_them() -> None:
    async def broken(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        if len(messages) > 1:
            yield "That was no object."
            return
        yield {0: DeltaToolCall("get_workflow", '{"workflow": ', tool_call_id="call_1")}

    under_test = chat_with(Streaming(stream_function=broken))

    started = await under_test.chat.start(TENANT, TurnRequest("look"))
    events = await collected(started.stream)

    assert (await started.outcome()).reply.content == "That was no object."
    assert [event.data["args"] for event in events if event.name == "tool_call"] == [{"unparsed": '{"workflow": '}]


async def test_a_stream_can_be_resumed_after_any_event() -> None:
    under_test = chat_with(scripted(["a", "b", "c"])[0])
    started = await under_test.chat.start(TENANT, TurnRequest("go"))
    everything = await collected(started.stream)

    resumed = await collected(await under_test.chat.stream(TENANT, started.run_id), after=3)

    assert resumed == everything[3:]


async def test_the_reply_carries_its_evidence() -> None:
    under_test = chat_with(
        scripted(
            Calls([("get_workflow", {"workflow": "expense approval"}), ("list_workflows", {})]), "It has four steps."
        )[0]
    )
    await under_test.add()

    reply = (await under_test.say("how many steps has the expense approval?")).reply

    assert reply.tools_used == ("get_workflow", "list_workflows")
    assert [(touch.id, touch.change) for touch in reply.workflows_touched] == [("wf_expense_approval", "viewed")]
    first, second = reply.iterations
    assert [message.role for message in first.messages] == ["system", "user", "assistant", "tool"]
    assert [(call.name, call.outcome) for call in first.tool_calls] == [
        ("get_workflow", "success"),
        ("list_workflows", "success"),
    ]
    assert all(call.duration_ms is not None for call in first.tool_calls)
    assert second.messages[-1].content == "It has four steps."
    assert all(iteration.completed_at for iteration in reply.iterations)
    assert sum(reply.context["breakdown"].values()) == reply.context["used_tokens"]


async def test_every_call_is_on_record_once() -> None:
    under_test = chat_with(
        scripted(Calls([("list_workflows", {}), ("get_workflow", {"workflow": "nope"})]), "Done.")[0]
    )

    outcome = await under_test.say("look around")

    stored = await under_test.store.load(TENANT, outcome.conversation_id)
    assert [(c.speaker, c.method_name, c.depth, c.outcome_summary.status) for c in stored.calls] == [
        ("user", "chat", 0, "success"),
        ("agent", "list_workflows", 1, "success"),
        ("agent", "get_workflow", 1, "retried"),
    ]
    assert {call.parent_call_id for call in stored.calls[1:]} == {stored.calls[0].call_id}


async def test_the_next_turn_sees_what_was_said_and_done() -> None:
    model, script = scripted(Calls([("list_workflows", {})]), "There are none.", "You asked what there is.")
    under_test = chat_with(model)
    first = await under_test.say("what is there?")

    await under_test.say("what did I ask?", conversation_id=first.conversation_id)

    seen = [part for message in script.requests[-1][0] for part in message.parts]
    assert [type(part).__name__ for part in seen] == [
        "UserPromptPart",
        "ToolCallPart",
        "ToolReturnPart",
        "TextPart",
        "UserPromptPart",
    ]
    assert [part.content for part in seen if type(part).__name__ == "UserPromptPart"] == [
        "what is there?",
        "what did I ask?",
    ]


async def test_a_resent_message_is_answered_once() -> None:
    model, script = scripted("First.", "Second.")
    under_test = chat_with(model)
    one = await under_test.say("hello", key="k1")

    two = await under_test.say("hello", key="k1")

    assert two.reply == one.reply
    assert two.replayed
    assert two.conversation_id == one.conversation_id
    assert len(script.requests) == 1


async def test_a_message_resent_meanwhile_joins_the_run() -> None:
    waits = Waits()
    under_test = chat_with(scripted(waits)[0])
    one = await under_test.chat.start(TENANT, TurnRequest("hello", key="k1"))
    await waits.begun.wait()

    two = await under_test.chat.start(TENANT, TurnRequest("hello", key="k1"))
    waits.let.set()

    assert (await two.outcome()).reply == (await one.outcome()).reply
    assert await collected(two.stream) == await collected(one.stream)


async def test_a_replayed_turn_can_be_streamed() -> None:
    under_test = chat_with(scripted("First.")[0])
    await under_test.say("hello", key="k1")
    under_test.chat.worker.live._runs.clear()

    again = await under_test.chat.start(TENANT, TurnRequest("hello", key="k1"))

    events = await collected(again.stream)
    assert [event.name for event in events] == ["start", "mode", "delta", "context", "complete"]
    assert events[-1].data["replayed"] is True


async def test_the_same_key_for_another_message_is_refused() -> None:
    under_test = chat_with(scripted("First.")[0])
    await under_test.say("hello", key="k1")

    with pytest.raises(IdempotencyMismatch):
        await under_test.say("something else", key="k1")


async def test_a_busy_conversation_refuses_another_message() -> None:
    waits = Waits()
    under_test = chat_with(scripted(waits)[0])
    started = await under_test.chat.start(TENANT, TurnRequest("hello"))
    await waits.begun.wait()

    with pytest.raises(ConversationBusy) as refusal:
        await under_test.say("and?", conversation_id=started.conversation_id)
    waits.let.set()
    await started.outcome()

    assert refusal.value.details["run_id"] == started.run_id


async def test_a_run_goes_on_when_its_caller_goes_away() -> None:
    waits = Waits(text="finished")
    under_test = chat_with(scripted(waits)[0])
    started = await under_test.chat.start(TENANT, TurnRequest("hello"))
    caller = asyncio.create_task(started.outcome())
    await waits.begun.wait()

    caller.cancel()
    waits.let.set()
    await collected(started.stream)

    stored = await under_test.store.load(TENANT, started.conversation_id)
    assert stored.events[-1].content == "finished"


async def test_a_cancelled_run_leaves_no_reply_and_the_next_turn_works() -> None:
    waits = Waits()
    under_test = chat_with(scripted(Calls([("list_workflows", {})]), waits, "Next.")[0])
    started = await under_test.chat.start(TENANT, TurnRequest("hello"))
    await waits.begun.wait()

    run = await under_test.chat.cancel(TENANT, started.run_id)
    following = await under_test.say("and now?", conversation_id=started.conversation_id)

    assert run.status == "cancelled"
    assert [iteration.number for iteration in run.iterations] == [1, 2] or len(run.iterations) == 1
    assert all(iteration.completed_at for iteration in run.iterations)
    assert following.reply.content == "Next."
    with pytest.raises(StaleRun, match="cancelled"):
        await started.outcome()


async def test_cancelling_a_finished_run_leaves_it_completed() -> None:
    under_test = chat_with(scripted("Done.")[0])
    outcome = await under_test.say("hello")

    run = await under_test.chat.cancel(TENANT, outcome.run_id)

    assert run.status == "completed"


async def test_a_run_of_a_dead_process_is_interrupted_and_its_key_runs_again() -> None:
    waits = Waits()
    owners = FakeOwners()
    first = chat_with(scripted(waits)[0], owners=owners)
    started = await first.chat.start(TENANT, TurnRequest("hello", key="k1"))
    await waits.begun.wait()
    after_restart = chat_with(
        scripted("Here again.")[0], store=first.store, owners=FakeOwners(owner="new", dead={owners.owner})
    )

    outcome = await after_restart.say("hello", key="k1")

    stored = await first.store.load(TENANT, started.conversation_id)
    assert outcome.run_id == started.run_id
    assert [type(event) for event in stored.events] == [UserMessage, AgentReply]
    assert stored.runs[0].attempt == 2

    waits.let.set()
    with pytest.raises(StaleRun, match="may not commit"):
        await started.outcome()
    assert (await first.store.load(TENANT, started.conversation_id)).version == stored.version


async def test_a_message_sent_again_goes_on_with_what_the_model_had_said() -> None:
    waits, owners, journal = Waits(), FakeOwners(), InMemoryRunJournal()
    looks = Calls([("list_workflows", {})])
    first = chat_with(scripted(looks, waits)[0], owners=owners, journal=journal)
    started = await first.chat.start(TENANT, TurnRequest("hello", key="k1"))
    await waits.begun.wait()
    model, script = scripted("None, as I saw.")
    after_death = chat_with(
        model, store=first.store, journal=journal, owners=FakeOwners(owner="new", dead={owners.owner})
    )

    outcome = await after_death.say("hello", key="k1")

    assert outcome.replies[0].content == "None, as I saw."
    assert len(script.requests) == 1
    waits.let.set()
    with pytest.raises(StaleRun, match="may not commit"):
        await started.outcome()


async def test_shutting_down_tells_the_streams_and_lets_runs_finish() -> None:
    waits = Waits(text="made it")
    under_test = chat_with(scripted(waits)[0])
    started = await under_test.chat.start(TENANT, TurnRequest("hello"))
    await waits.begun.wait()

    stopping = asyncio.create_task(under_test.chat.shut_down(5.0))
    events: list[RunEvent] = []
    assert started.stream is not None
    async for event in started.stream.events():
        events.append(event)
        if event.name == "shutdown":
            waits.let.set()
    await stopping

    assert [event.name for event in events][-1] == "complete"
    with pytest.raises(ShuttingDown):
        await under_test.say("more?")


class SlowToForget(InMemoryRunJournal):
    """A journal that is forgotten only when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.let = asyncio.Event(), asyncio.Event()
        self.is_forgotten = False

    async def forget(self, tenant: str, run: Run) -> None:
        self.begun.set()
        await self.let.wait()
        self.is_forgotten = True


async def test_shutting_down_waits_for_what_a_finished_run_clears_up() -> None:
    journal = SlowToForget()
    under_test = chat_with(scripted("Hello.")[0], journal=journal)
    await under_test.say("hello")
    await journal.begun.wait()

    stopping = asyncio.create_task(under_test.chat.shut_down(0.0))
    await asyncio.sleep(0)
    journal.let.set()
    await stopping

    assert journal.is_forgotten


async def test_a_run_that_outlasts_the_grace_period_is_interrupted() -> None:
    waits = Waits()
    under_test = chat_with(scripted(waits)[0])
    started = await under_test.chat.start(TENANT, TurnRequest("hello", key="k1"))
    await waits.begun.wait()

    await under_test.chat.shut_down(0.0)

    _, run = await under_test.chat.recorded_run(TENANT, started.run_id)
    assert run.status == "interrupted"
    with pytest.raises(ShuttingDown, match="Send the message again"):
        await started.outcome()


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        pytest.param({"conversation_id": "nowhere"}, ConversationNotFound, id="conversation"),
        pytest.param({"workflow_id": "wf_none"}, WorkflowNotFound, id="workflow"),
        pytest.param({"agent": "nobody"}, InvalidInput, id="agent"),
        pytest.param({"model": "gpt-99"}, InvalidInput, id="model"),
    ],
)
async def test_what_is_not_there_is_refused_before_anything_is_stored(
    wanted: dict[str, Any], error: type[Exception]
) -> None:
    under_test = chat_with(scripted()[0])

    with pytest.raises(error):
        await under_test.say("hello", **wanted)

    assert (await under_test.store.page(TENANT)).items == ()


@pytest.mark.parametrize("run_id", ["run_nowhere_1_abc", "nonsense", "../../etc/passwd"])
async def test_an_unknown_run_is_not_found(run_id: str) -> None:
    under_test = chat_with(scripted()[0])

    with pytest.raises(RunNotFound):
        await under_test.chat.recorded_run(TENANT, run_id)
    with pytest.raises(RunNotFound):
        await under_test.chat.stream(TENANT, run_id)
