from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_agent.conversations import iterations
from workflow_agent.conversations.acceptance import (
    Acceptance,
    NewMessage,
    accept_message,
    cancel_run,
    interrupt_dead_runs,
)
from workflow_agent.conversations.document import (
    AgentReply,
    Conversation,
    ModeRecord,
    SystemEvent,
    UserMessage,
    WorkflowReference,
)
from workflow_agent.conversations.iterations import Iteration, ToolCall, ToolResult
from workflow_agent.conversations.message_records import MAX_TITLE_CHARS, conversation_of_run, title_from
from workflow_agent.conversations.outcome import Reply, commit_reply, end_run
from workflow_agent.conversations.runs import Run, RunError
from workflow_agent.conversations.store import LeftBehind
from workflow_agent.conversations.transitions import PhaseChange
from workflow_agent.errors import ConversationBusy, IdempotencyMismatch, RunNotFound, StaleRun
from workflow_agent.values.tokens import Cost, Usage

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Ids:
    """Numbered ids."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def __call__(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers)}"


def conversation() -> Conversation:
    return Conversation(id="invoices", tenant="default", created_at=NOON, updated_at=NOON)


def message(content: str = "hello", *, key: str | None = None, fingerprint: str = "f1") -> NewMessage:
    return NewMessage(content, author="user", agent="assistant", fingerprint=fingerprint, key=key)


def accept(
    into: Conversation, what: NewMessage, *, alive: bool = True, at: datetime = NOON, ids: Ids | None = None
) -> Acceptance:
    return accept_message(into, what, owner="me", is_alive=lambda _: alive, at=at, new_id=ids or Ids())


def reply(content: str = "hi", *, usage: Usage | None = None, cost: float | None = None) -> Reply:
    reference = WorkflowReference(
        workflow_id="wf_a", name="A", relation="viewed", turn=1, conversation_id="invoices", at=NOON
    )
    return Reply(
        content=content,
        model="offline",
        mode=ModeRecord(name="general", confidence=0.9, source="inferred"),
        tools_used=("get_workflow",),
        workflows_touched=(),
        references=(reference,),
        usage=usage or Usage(requests=1, input_tokens=10, output_tokens=5),
        cost=Cost(primary_usd=cost, total_usd=cost),
        context={},
        iterations=(),
        calls=(),
        bound_workflow_id="wf_a",
    )


def committed(accepted: Acceptance, at: datetime = NOON) -> Conversation:
    run = accepted.run
    return commit_reply(accepted.conversation, run.run_id, run.fence, reply(), at=at, new_id=Ids())


def test_an_accepted_message_is_the_first_event_and_its_run_is_running() -> None:
    accepted = accept(conversation(), message("Build an expense approval"))

    (event,) = accepted.conversation.events
    assert isinstance(event, UserMessage)
    assert (event.index, event.turn, event.content) == (0, 1, "Build an expense approval")
    assert event.run_id == accepted.run.run_id
    assert accepted.run.status == "running"
    assert accepted.is_new
    assert accepted.conversation.title == "Build an expense approval"


def test_what_came_in_while_an_agent_answered_it_has_not_read() -> None:
    accepted = accept(conversation(), message())
    note = SystemEvent(id="evt_note", index=1, at=NOON, content="The phase is now plan.", kind="phase_change")
    meanwhile = accepted.conversation.model_copy(update={"events": (*accepted.conversation.events, note)})

    done = commit_reply(meanwhile, accepted.run.run_id, 1, replace(reply(), seen_index=0), at=NOON, new_id=Ids())

    assert done.events[-1].index == 2
    assert done.agent_states["assistant"].last_processed_index == 0


def test_a_phase_change_that_came_too_late_is_on_record_and_the_reply_stands() -> None:
    accepted = accept(conversation(), message())
    late = replace(reply(), phase_changes=(PhaseChange(to="reflection", agent="assistant"),))

    done = commit_reply(accepted.conversation, accepted.run.run_id, 1, late, at=NOON, new_id=Ids())

    answer, event = done.events[1:]
    assert isinstance(answer, AgentReply)
    assert isinstance(event, SystemEvent)
    assert (event.index, event.kind, event.data["to"]) == (2, "phase_change_refused", "reflection")
    assert event.content.startswith("assistant could not change the phase. The conversation is in phase 'chat'")
    assert (done.phase, done.phase_transitions) == ("chat", ())


def test_a_reply_follows_its_message_and_completes_its_run() -> None:
    accepted = accept(conversation(), message())

    done = committed(accepted, at=NOON + timedelta(seconds=2))

    answer = done.events[1]
    assert isinstance(answer, AgentReply)
    assert (answer.index, answer.turn, answer.duration_ms) == (1, 1, 2000.0)
    assert done.run(accepted.run.run_id) == accepted.run.model_copy(
        update={"status": "completed", "completed_at": NOON + timedelta(seconds=2), "reply_event_id": answer.id}
    )
    assert done.agent_states["assistant"].last_processed_index == 1
    assert done.execution_time.total_ms == 2000.0
    assert done.execution_time.current_since is None
    assert done.bound_workflow_id == "wf_a"


def test_usage_and_cost_add_up_over_turns() -> None:
    first = accept(conversation(), message())
    one = commit_reply(first.conversation, first.run.run_id, 1, reply(cost=0.25), at=NOON, new_id=Ids())
    second = accept(one, message("again"))

    two = commit_reply(second.conversation, second.run.run_id, 2, reply(cost=0.5), at=NOON, new_id=Ids())

    assert two.usage_totals.model_dump() == {
        "requests": 2,
        "input_tokens": 20,
        "output_tokens": 10,
        "cache_read_tokens": 0,
        "cache_write_tokens": 0,
        "is_complete": True,
        "turns": 2,
        "cost_usd": 0.75,
        "cost_is_complete": True,
    }


def test_the_same_key_and_request_after_the_reply_is_the_same_run() -> None:
    done = committed(accept(conversation(), message(key="k1")))

    again = accept(done, message(key="k1"))

    assert not again.is_new
    assert again.conversation is done
    assert again.run.status == "completed"


def test_the_same_key_while_the_run_goes_on_attaches_to_it() -> None:
    accepted = accept(conversation(), message(key="k1"))

    again = accept(accepted.conversation, message(key="k1"))

    assert (again.is_new, again.run, again.conversation) == (False, accepted.run, accepted.conversation)


def test_the_same_key_with_another_request_is_refused() -> None:
    accepted = accept(conversation(), message(key="k1"))

    with pytest.raises(IdempotencyMismatch, match="'k1' was used for a different request"):
        accept(accepted.conversation, message("other", key="k1", fingerprint="f2"))


def test_another_message_during_a_run_is_refused_with_its_id() -> None:
    accepted = accept(conversation(), message())

    with pytest.raises(ConversationBusy) as refusal:
        accept(accepted.conversation, message("me too"))

    assert refusal.value.details["run_id"] == accepted.run.run_id


def test_a_dead_run_is_interrupted_and_the_next_message_accepted() -> None:
    accepted = accept(conversation(), message())

    following = accept(accepted.conversation, message("still there?"), alive=False)

    dead, running = following.conversation.runs
    assert (dead.status, running.status) == ("interrupted", "running")
    assert dead.error is not None
    assert dead.error.retriable
    assert [event.content for event in following.conversation.events] == ["hello", "still there?"]


def test_an_interrupted_runs_key_runs_again_without_a_second_message() -> None:
    ids = Ids()
    accepted = accept(conversation(), message(key="k1"), ids=ids)

    again = accept(accepted.conversation, message(key="k1"), alive=False, ids=ids)

    assert again.is_new
    assert (again.run.run_id, again.run.attempt) == (accepted.run.run_id, 2)
    assert again.run.fence > accepted.run.fence
    assert len(again.conversation.events) == 1


def test_a_failed_runs_key_runs_again() -> None:
    accepted = accept(conversation(), message(key="k1"))
    failed = end_run(
        accepted.conversation, accepted.run.run_id, 1, "failed", error=RunError(type="t", message="m"), at=NOON
    )

    again = accept(failed, message(key="k1"))

    assert again.is_new
    assert again.run.error is None


def test_a_cancelled_runs_key_does_not_run_again() -> None:
    accepted = accept(conversation(), message(key="k1"))
    cancelled = cancel_run(accepted.conversation, accepted.run.run_id, at=NOON)

    again = accept(cancelled, message(key="k1"))

    assert (again.is_new, again.run.status) == (False, "cancelled")


def test_an_attempt_that_lost_its_fence_cannot_commit() -> None:
    first = accept(conversation(), message(key="k1"))
    again = accept(first.conversation, message(key="k1"), alive=False)

    with pytest.raises(StaleRun, match="fence 1 may not commit: it is running"):
        commit_reply(again.conversation, first.run.run_id, 1, reply(), at=NOON, new_id=Ids())


def test_a_cancelled_run_cannot_commit() -> None:
    accepted = accept(conversation(), message())
    cancelled = cancel_run(accepted.conversation, accepted.run.run_id, at=NOON)

    with pytest.raises(StaleRun, match="it is cancelled"):
        commit_reply(cancelled, accepted.run.run_id, 1, reply(), at=NOON, new_id=Ids())


def test_cancelling_a_finished_run_changes_nothing() -> None:
    done = committed(accept(conversation(), message()))

    assert cancel_run(done, done.runs[0].run_id, at=NOON) is done


def test_cancelling_an_unknown_run_is_refused() -> None:
    with pytest.raises(RunNotFound):
        cancel_run(conversation(), "run_invoices_1_x", at=NOON)


def test_committing_to_a_run_that_is_gone_is_stale() -> None:
    with pytest.raises(StaleRun, match="it is gone"):
        commit_reply(conversation(), "run_invoices_1_x", 1, reply(), at=NOON, new_id=Ids())


def test_a_workflow_is_referred_to_once_for_each_relation() -> None:
    first = committed(accept(conversation(), message()))

    second = committed(accept(first, message("again")))

    assert [ref.workflow_id for ref in second.workflow_refs] == ["wf_a"]


@given(st.lists(st.sampled_from(["send", "resend", "die", "finish", "fail", "cancel"]), max_size=30))
def test_every_message_is_there_once_whatever_happens(happenings: list[str]) -> None:
    ids = Ids()
    current = conversation()
    sent: list[str] = []
    for step in happenings:
        active = current.active_run()
        if step == "send" and active is None:
            sent.append(f"k{len(sent)}")
            current = accept(current, message(sent[-1], key=sent[-1]), ids=ids).conversation
        elif step == "resend" and sent and (active is None or active.key == sent[-1]):
            current = accept(current, message(sent[-1], key=sent[-1]), ids=ids).conversation
        elif step == "die":
            current = interrupt_dead_runs(current, is_alive=lambda _: False, at=NOON)
        elif active is not None:
            current = _ended(current, active, step, ids)

    messages = [event.content for event in current.events if isinstance(event, UserMessage)]
    replied = [event.run_id for event in current.events if isinstance(event, AgentReply)]
    assert messages == sent
    assert len(replied) == len(set(replied))
    assert [event.index for event in current.events] == list(range(len(current.events)))
    assert sum(run.status == "running" for run in current.runs) <= 1
    assert len({run.fence for run in current.runs}) == len(current.runs)


def _ended(current: Conversation, active: Run, step: str, ids: Ids) -> Conversation:
    if step == "finish":
        return commit_reply(current, active.run_id, active.fence, reply(), at=NOON, new_id=ids)
    if step == "fail":
        error = RunError(type="t", message="m")
        return end_run(current, active.run_id, active.fence, "failed", error=error, at=NOON)
    if step == "cancel":
        return cancel_run(current, active.run_id, at=NOON)
    return current


@pytest.mark.parametrize(
    ("text", "title"),
    [
        pytest.param("  Hello\nworld", "Hello", id="the first line"),
        pytest.param("\n \n", "", id="nothing visible"),
        pytest.param("word " * 40, "word " * 14 + "word…", id="cut at a word"),
        pytest.param("x" * 200, "x" * (MAX_TITLE_CHARS - 1) + "…", id="one long word"),
    ],
)
def test_a_title_is_the_beginning_of_the_message(text: str, title: str) -> None:
    made = title_from(text)

    assert made == title
    assert len(made) <= MAX_TITLE_CHARS


def test_a_runs_id_carries_its_conversation() -> None:
    accepted = accept(conversation(), message())

    assert conversation_of_run(accepted.run.run_id) == "invoices"


@pytest.mark.parametrize("wrong", ["", "run_", "run_../x_1_a", "nope", "run_a_b", "run_a_1_" + "x" * 40])
def test_what_is_no_runs_id_is_not_found(wrong: str) -> None:
    with pytest.raises(RunNotFound):
        conversation_of_run(wrong)


def test_a_crashed_run_counts_until_its_last_sign_of_life() -> None:
    accepted = accept(conversation(), message())
    seen, found = NOON + timedelta(seconds=7), NOON + timedelta(hours=5)

    settled = interrupt_dead_runs(
        accepted.conversation, is_alive=lambda _: False, at=found, left_by=lambda _: LeftBehind(last_seen=seen)
    )

    assert settled.execution_time.total_ms == 7_000.0
    assert settled.execution_time.current_since is None
    assert settled.updated_at == found


def steps(*sessions: str | None) -> tuple[Iteration, ...]:
    """Return the iterations of a run in which a provider named these sessions, one an answer."""
    turn = iterations.new("hello", at=NOON)
    for number, session in enumerate(sessions):
        call = ToolCall(id=f"call_{number}", name="look")
        turn = iterations.add_assistant_message(turn, "", [call], session_id=session, at=NOON)
        turn = iterations.add_tool_results(turn, [ToolResult(id=call.id, name="look")], at=NOON)
    return iterations.close(turn, at=NOON).iterations


def after_reply(before: Conversation, *sessions: str | None) -> Conversation:
    run = (accepted := accept(before, message("hello", key=str(len(before.runs))))).run
    answer = replace(reply(), iterations=steps(*sessions))
    return commit_reply(
        accepted.conversation, run.run_id, run.fence, answer, at=NOON, new_id=lambda _: f"id{len(before.runs)}"
    )


def test_a_provider_session_is_kept_until_a_newer_one_comes() -> None:
    first = after_reply(conversation(), "s1", "s2", None)
    none_named = after_reply(first, None)
    newer = after_reply(none_named, "s3")

    kept = [one.agent_states["assistant"].session_id for one in (first, none_named, newer)]
    assert kept == ["s2", "s2", "s3"]


@pytest.mark.parametrize("how", ["failed", "killed", "cancelled from outside"])
def test_a_run_without_a_reply_leaves_its_session_too(how: str) -> None:
    accepted = accept(after_reply(conversation(), "s1"), message("again", fingerprint="f2"))
    run, under_way = accepted.run, accepted.conversation
    left = LeftBehind(steps("s2"))

    if how == "failed":
        error = RunError(type="provider_error", message="no")
        ended = end_run(under_way, run.run_id, run.fence, "failed", error=error, iterations=left.iterations, at=NOON)
    elif how == "killed":
        ended = interrupt_dead_runs(under_way, is_alive=lambda _: False, at=NOON, left_by=lambda _: left)
    else:
        ended = cancel_run(under_way, run.run_id, at=NOON, left=left)

    state = ended.agent_states["assistant"]
    assert (state.session_id, state.last_processed_index) == ("s2", 1)
