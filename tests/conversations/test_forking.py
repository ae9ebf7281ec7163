"""A fork holds all that was up to an event, sealed turns and contents included, and nothing after it."""

from pathlib import Path

import pytest

from tests.support.long_talks import accepted, compacted, talked
from tests.support.stored import AT, a_conversation
from workflow_agent.assistant.turns.bundles import fork, index_of_event, index_of_number, index_of_turn, whole_of
from workflow_agent.conversations.document import AgentReply, AgentState, Conversation, UserMessage, WorkflowTouch
from workflow_agent.conversations.fork import NewFork, forked
from workflow_agent.conversations.iterations import Message, ToolResult
from workflow_agent.conversations.outcome import end_run
from workflow_agent.conversations.runs import RunError
from workflow_agent.conversations.seals import SealRule
from workflow_agent.conversations.store import MessageQuery
from workflow_agent.conversations.transitions import Handoff, PhaseChange, change_phase, hand_over
from workflow_agent.conversations.verification import wrong_in
from workflow_agent.errors import AlreadyExists, NotFound
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.verification.directory import verify_directory

RULE = SealRule(above_bytes=32 * 1024, fewest_turns=4, most_turns=8)


def cut(conversation: Conversation, index: int, title: str | None = None) -> Conversation:
    return forked(conversation, NewFork("branch", index, AT, title))


def ids(prefix: str) -> str:
    return f"{prefix}_x"


def test_a_fork_holds_the_turns_up_to_there_with_their_evidence() -> None:
    talk = talked(5)

    made = cut(talk, 5)

    assert made.events == talk.events[:6]
    assert [run.run_id for run in made.runs] == [run.run_id for run in talk.runs[:3]]
    assert made.calls == talk.calls[:6]
    assert made.usage_totals == talked(3).usage_totals
    assert (made.id, made.version, made.title, made.turn_count) == ("branch", 0, talk.title, 3)
    assert made.forked_from is not None
    assert (made.forked_from.conversation_id, made.forked_from.index, made.forked_from.turn) == ("invoice-1", 5, 3)
    assert made.forked_from.event_id == talk.events[5].id


def test_a_fork_goes_on_by_itself() -> None:
    made = talked(2, cut(talked(5), 5, "Another way"))

    assert (made.title, made.turn_count, made.next_index) == ("Another way", 5, 10)
    assert list(wrong_in(made)) == []


def test_an_idempotency_key_of_the_other_conversation_stands_for_nothing_in_a_fork() -> None:
    talk = talked(2)
    made = cut(talk, 3)

    again = accepted(made, key=talk.runs[0].key)

    assert again.is_new


def test_a_message_whose_answer_is_left_out_stays_as_one_without_an_answer() -> None:
    made = cut(talked(3), 4)

    message = made.events[-1]
    assert isinstance(message, UserMessage)
    assert (message.run_id, len(made.runs), len(made.calls)) == (None, 2, 4)
    assert list(wrong_in(made)) == []


def test_a_run_that_failed_comes_along() -> None:
    started = accepted(talked(1))
    failed = end_run(
        started.conversation,
        started.run.run_id,
        started.run.fence,
        "failed",
        error=RunError(type="ModelFailed", message="No."),
        at=AT,
    )

    made = cut(talked(1, failed), 2)

    assert [run.status for run in made.runs] == ["completed", "failed"]


def test_phase_and_transitions_are_those_of_the_event() -> None:
    talk = talked(1)
    planned, _ = change_phase(talk, PhaseChange(agent="user", to="plan"), at=AT, new_id=ids)
    handed, _ = hand_over(talked(1, planned), Handoff(by="user", to="editor"), at=AT, new_id=ids)
    executed, _ = change_phase(handed, PhaseChange(agent="user", to="execute"), at=AT, new_id=ids)

    phases = [(one.phase, len(one.phase_transitions)) for one in (cut(executed, at) for at in (1, 2, 5, 6))]

    assert phases == [("chat", 0), ("plan", 1), ("plan", 2), ("execute", 3)]


def test_agents_have_read_no_further_and_share_no_session() -> None:
    talk = talked(3).model_copy(
        update={"agent_states": {"assistant": AgentState(last_processed_index=5, session_id="s")}}
    )

    assert cut(talk, 3).agent_states == {"assistant": AgentState(last_processed_index=3)}


def test_the_open_workflow_is_the_one_of_that_time() -> None:
    talk = talked(3)
    touched = [
        event.model_copy(
            update={"workflows_touched": (WorkflowTouch(id=f"wf_{event.turn}", name="W", version=1, change="viewed"),)}
        )
        if isinstance(event, AgentReply) and event.turn != 2
        else event
        for event in talk.events
    ]
    talk = talk.model_copy(update={"events": tuple(touched), "bound_workflow_id": "wf_3"})

    assert [cut(talk, at).bound_workflow_id for at in (0, 1, 3, 5)] == [None, "wf_1", "wf_1", "wf_3"]


@pytest.fixture
def store(tmp_path: Path) -> JsonConversationStore:
    return JsonConversationStore(DurableFiles(tmp_path / "data"), seal=RULE)


async def test_sealed_turns_compactions_and_contents_come_along(store: JsonConversationStore, tmp_path: Path) -> None:
    reference = await store.put_blob("acme", "invoice-1", {"rows": "y" * 5_000})

    def with_content(talk: Conversation) -> Conversation:
        reply = talk.events[-1]
        assert isinstance(reply, AgentReply)
        apart = Message(role="tool", results=(ToolResult(id="c", name="t", content_ref=reference),))
        first = reply.iterations[0].model_copy(update={"messages": (apart,)})
        changed = reply.model_copy(update={"iterations": (first, *reply.iterations[1:])})
        return talk.model_copy(update={"events": (*talk.events[:-1], changed)})

    talk = await store.create(with_content(talked(1, a_conversation())))
    for _ in range(60):
        talk = await store.update("acme", "invoice-1", lambda old: compacted(talked(1, old)))
    whole = await whole_of(store, "acme", "invoice-1")
    assert talk.sealed_turns > 20

    made = await fork(store, "acme", whole, NewFork("branch", index_of_turn(whole, 40), AT))

    again = await whole_of(store, "acme", "branch")
    assert list(again.events) == list(whole.events[:80])
    assert made.archive != ()
    held = [one.to_turn for one in again.compactions]
    assert held
    assert max(held) <= 40
    assert await store.blob("acme", "branch", reference) == {"rows": "y" * 5_000}
    assert [hit.turn for hit in await store.find("acme", MessageQuery("Message 13", "branch"))] == [13]
    assert [(one.kind, one.path, one.message) for one in verify_directory(tmp_path / "data")] == []


async def test_a_fork_takes_nobody_elses_id(store: JsonConversationStore) -> None:
    await store.create(talked(2, a_conversation()))
    whole = await whole_of(store, "acme", "invoice-1")

    with pytest.raises(AlreadyExists):
        await fork(store, "acme", whole, NewFork("invoice-1", 1, AT))


def test_a_place_to_fork_at_is_one_that_is_there() -> None:
    whole = talked(2)

    assert [index_of_event(whole, "evt_reply_1"), index_of_number(whole, 3), index_of_turn(whole, 1)] == [1, 3, 1]
    for look in (
        lambda: index_of_event(whole, "x"),
        lambda: index_of_number(whole, 4),
        lambda: index_of_turn(whole, 3),
    ):
        with pytest.raises(NotFound):
            look()
