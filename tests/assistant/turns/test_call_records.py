"""What a run leaves: its iterations and one record a call, whatever way it ends."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.support.chats import TENANT, ChatUnderTest, FakeOwners, chat_with
from tests.support.scripted import Calls, Waits, scripted
from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.conversations.document import Conversation
from workflow_agent.errors import StaleRun
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.journals import JsonlRunJournal
from workflow_agent.values.stored import content_ref_of

THREE = Calls(
    [
        ("list_workflows", {}),
        ("get_workflow", {"workflow": "expense approval"}),
        ("search_workflows", {"query": "expense"}),
    ]
)
FAILING = Calls([("get_workflow", {"workflow": "no such thing"})])


def calls_of(conversation: Conversation) -> list[tuple[str, int | None, str]]:
    return [(call.method_name, call.depth, call.outcome_summary.status) for call in conversation.calls]


async def test_three_parallel_calls_then_a_failing_one_then_the_answer() -> None:
    under_test = chat_with(scripted(THREE, FAILING, "Here it is.")[0])
    await under_test.add()

    outcome = await under_test.say("look around")

    stored = await under_test.store.load(TENANT, outcome.conversation_id)
    first, second, third = outcome.reply.iterations
    assert [(call.name, call.outcome) for call in first.tool_calls] == [
        ("list_workflows", "success"),
        ("get_workflow", "success"),
        ("search_workflows", "success"),
    ]
    assert len([message for message in first.messages if message.role == "tool"]) == 1
    assert [(call.name, call.outcome) for call in second.tool_calls] == [("get_workflow", "retried")]
    assert (third.tool_calls, third.messages[-1].content) == ((), "Here it is.")
    assert all(one.completed_at for one in outcome.reply.iterations)
    assert sorted(calls_of(stored)[1:4]) == [
        ("get_workflow", 1, "success"),
        ("list_workflows", 1, "success"),
        ("search_workflows", 1, "success"),
    ]
    assert calls_of(stored)[0] == ("chat", 0, "success")
    assert calls_of(stored)[4:] == [("get_workflow", 1, "retried")]
    assert len({call.call_id for call in stored.calls}) == 5


async def test_a_record_says_where_the_result_is_and_came_from() -> None:
    under_test = chat_with(scripted(Calls([("search_workflows", {"query": "expense"})]), "Found.")[0])
    await under_test.add()

    outcome = await under_test.say("find expenses")

    stored = await under_test.store.load(TENANT, outcome.conversation_id)
    record = stored.calls[1]
    (result,) = outcome.reply.iterations[0].messages[-1].results
    assert record.kwargs == {"query": "expense"}
    assert record.content_ref == content_ref_of(result.content)
    assert record.source is not None
    assert record.source.model_dump() == {"count": 1, "primary": "wf_expense_approval", "retrieval_mode": "exact_name"}
    assert record.trace_id is not None
    assert record.outcome_summary.value_class == "dict"


async def test_what_a_program_reads_is_on_record_below_it() -> None:
    code = (
        "refs = [r['content_ref'] for r in context['conversation_history'] if r.get('content_ref')]\n"
        "found = content(refs[0])\n"
        "try:\n    content('sha256:gone')\nexcept LookupError as e:\n    missing = str(e)\n"
        "[len(found['workflows']), get_turn(1)['message'], len(search_history('workflows')), missing]"
    )
    under_test = chat_with(
        scripted(Calls([("list_workflows", {})]), "None.", Calls([("run_python", {"code": code})]), "Done.")[0]
    )
    first = await under_test.say("which workflows are there?")

    outcome = await under_test.say("how many results are there?", conversation_id=first.conversation_id)

    await under_test.sandbox.close()
    (result,) = outcome.reply.iterations[0].messages[-1].results
    assert result.content["result"] == [0, "which workflows are there?", 1, "content_ref_not_found: sha256:gone"]
    stored = await under_test.store.load(TENANT, first.conversation_id)
    program, *inner = stored.calls[3:]
    assert (program.method_name, program.history_access_detected) == ("run_python", True)
    assert program.history_query_patterns == ("filter", "map", "count")
    assert program.kwargs == {}
    assert [(c.method_name, c.speaker, c.depth, c.outcome_summary.status) for c in inner] == [
        ("content", "tool", 2, "success"),
        ("content", "tool", 2, "error"),
        ("get_turn", "tool", 2, "success"),
        ("search_history", "tool", 2, "success"),
    ]
    assert {call.parent_call_id for call in inner} == {program.call_id}
    assert [call.artifact_hit for call in inner] == [True, False, None, None]


async def test_a_wrong_program_is_mended_by_the_model_and_never_ends_the_run() -> None:
    wrong = Calls([("run_python", {"code": "nobody"})])
    looked = Calls([("list_workflows", {})])
    under_test = chat_with(scripted(looked, "None.", *[wrong] * 5, "I give up.")[0])
    first = await under_test.say("list")

    outcome = await under_test.say("count", conversation_id=first.conversation_id)

    await under_test.sandbox.close()
    ended = [call.outcome for one in outcome.reply.iterations for call in one.tool_calls]
    assert outcome.reply.content == "I give up."
    assert ended[:3] == ["retried", "retried", "retried"]
    assert set(ended[3:]) <= {"failed", "retried"}


async def test_the_prompt_tells_in_a_line_each_what_the_latest_calls_were_and_came_to() -> None:
    looked = Calls([("search_workflows", {"query": "the merger " * 10})])
    model, script = scripted(looked, "Nothing.", "Hello.")
    under_test = chat_with(model)
    first = await under_test.say("find the merger")

    second = await under_test.say("hello", conversation_id=first.conversation_id)

    told = script.instructions()
    assert "Call history: 2 records" in told
    (line,) = [one for one in told.splitlines() if one.startswith("- agent:")]
    assert line.startswith("- agent: search_workflows(query=the merger the merger")
    assert line.endswith("…): success, 0 found")
    assert len(line) <= 202
    assert "- user:" not in told
    assert "Call history" not in script.instructions(0)
    assert first.reply.context["breakdown"]["calls"] == 0
    assert second.reply.context["breakdown"]["calls"] > 0


@pytest.mark.parametrize("ended", ["cancelled", "interrupted"])
async def test_a_stopped_run_leaves_one_record_for_each_open_call(ended: str) -> None:
    waits = Waits()
    under_test = chat_with(scripted(THREE, waits)[0])
    started = await under_test.chat.start(TENANT, TurnRequest("look around"))
    await waits.begun.wait()

    if ended == "cancelled":
        await under_test.chat.cancel(TENANT, started.run_id)
    else:
        await under_test.chat.shut_down(0)

    with pytest.raises(Exception, match=r"cancelled|stopped"):
        await started.outcome()
    stored = await under_test.store.load(TENANT, started.conversation_id)
    assert calls_of(stored)[0] == ("chat", 0, ended)
    assert sorted(calls_of(stored)[1:]) == [
        ("get_workflow", 1, "retried"),
        ("list_workflows", 1, "success"),
        ("search_workflows", 1, "success"),
    ]
    assert all(one.completed_at for one in stored.runs[0].iterations)


async def test_a_failed_run_is_on_record_too() -> None:
    under_test = chat_with(scripted(THREE, RuntimeError("broken"))[0])
    started = await under_test.chat.start(TENANT, TurnRequest("look around"))

    with pytest.raises(Exception, match="Something failed"):
        await started.outcome()

    stored = await under_test.store.load(TENANT, started.conversation_id)
    assert calls_of(stored)[0] == ("chat", 0, "error")
    assert len(stored.calls) == 4


async def worked_off(*run_ids: str) -> None:
    """Wait for the very end of runs: their journals go after their replies are told."""
    tasks = [task for task in asyncio.all_tasks() if task.get_name() in run_ids]
    await asyncio.gather(*tasks, return_exceptions=True)


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def journals(root: Path) -> list[Path]:
    return list(root.rglob("*.run-*"))


def on_disk(root: Path, *steps: Any, owners: FakeOwners) -> ChatUnderTest:
    return chat_with(
        scripted(*steps)[0],
        store=JsonConversationStore(DurableFiles(root)),
        owners=owners,
        journal=JsonlRunJournal(root),
        timeout_seconds=60.0,
    )


async def test_a_killed_process_leaves_its_steps_and_its_open_calls_as_interrupted(tmp_path: Path) -> None:
    waits = Waits()
    dying = on_disk(tmp_path, THREE, waits, owners=FakeOwners(owner="dying"))
    started = await dying.chat.start(TENANT, TurnRequest("look around", key="k"))
    await waits.begun.wait()
    run = (await dying.store.load(TENANT, started.conversation_id)).runs[0]
    # Killed while the model's second answer, another call, had come and the call had not ended.
    evidence_of = JsonlRunJournal(tmp_path)
    left = await evidence_of.left_by(TENANT, run)
    open_call = left.iterations[0].tool_calls[0].model_copy(update={"id": "open", "outcome": None})
    second = left.iterations[0].model_copy(
        update={
            "number": 2,
            "completed_at": None,
            "tool_calls": (open_call,),
            "messages": (left.iterations[0].messages[2],),
        }
    )
    await evidence_of.keep(TENANT, run, second, left.calls)

    next_one = on_disk(tmp_path, "Here again.", owners=FakeOwners(owner="next", dead={"dying"}))
    again = await next_one.say("hello?", conversation_id=started.conversation_id)

    stored = await next_one.store.load(TENANT, started.conversation_id)
    dead = stored.runs[0]
    assert again.reply.content == "Here again."
    assert dead.status == "interrupted"
    assert [one.number for one in dead.iterations] == [1, 2]
    assert all(one.completed_at for one in dead.iterations)
    assert [call.outcome for call in dead.iterations[1].tool_calls] == ["interrupted"]
    assert calls_of(stored)[0] == ("chat", 0, "interrupted")
    assert [call.call_id for call in stored.calls if call.outcome_summary.status == "interrupted"][1:] == ["open"]
    await worked_off(again.run_id)
    assert journals(tmp_path) == []
    waits.let.set()
    with pytest.raises(StaleRun):
        await started.outcome()


async def test_a_torn_line_of_a_journal_costs_only_itself(tmp_path: Path) -> None:
    waits = Waits()
    under_test = on_disk(tmp_path, THREE, waits, owners=FakeOwners())
    started = await under_test.chat.start(TENANT, TurnRequest("look around"))
    await waits.begun.wait()
    run = (await under_test.store.load(TENANT, started.conversation_id)).runs[0]
    (journal,) = journals(tmp_path)
    append(journal, b'{"run_id": "' + run.run_id.encode() + b'", "iterat')

    left = await JsonlRunJournal(tmp_path).left_by(TENANT, run)

    assert [one.number for one in left.iterations] == [1]
    assert len(left.calls) == 3
    waits.let.set()
    await started.outcome()
    await worked_off(started.run_id)
    assert not journal.exists()


async def test_a_change_is_told_by_what_it_did_and_the_version_it_made() -> None:
    edit = {"workflow": "wf_expense_approval", "edits": [{"op": "rename_step", "step": "submit", "name": "Ask"}]}
    model, script = scripted(Calls([("edit_workflow", edit)]), "Renamed.", "Hello.", "Hello.")
    under_test = chat_with(model)
    await under_test.add()
    first = await under_test.say("rename the first step to Ask", mode="modification")
    await under_test.say("thanks", conversation_id=first.conversation_id)

    await under_test.say("hello", conversation_id=first.conversation_id)

    stored = await under_test.store.load(TENANT, first.conversation_id)
    (call,) = [one for one in stored.calls if one.method_name == "edit_workflow"]
    assert call.source is not None
    (line,) = [one for one in script.instructions().splitlines() if one.startswith("- agent:")]
    assert line == f"- agent: edit_workflow: {call.source.change} → wf_expense_approval v2"
    assert "'Ask'" in line or '"Ask"' in line or " Ask" in line


async def test_records_do_not_repeat_what_was_said_and_have_it_where_they_are_read(tmp_path: Path) -> None:
    store = JsonConversationStore(DurableFiles(tmp_path))
    code = "[r['args'] for r in context['conversation_history'] if r['speaker'] == 'user']"
    model, _ = scripted(Calls([("list_workflows", {})]), "Noted.", Calls([("run_python", {"code": code})]), "Those.")
    under_test = chat_with(model, store=store)
    said = f"{'The driver called about this and that. ' * 4}The heliotrope lorry is late."
    first = await under_test.say(said)

    outcome = await under_test.say("count what I said", conversation_id=first.conversation_id)

    await under_test.sandbox.close()
    (result,) = outcome.reply.iterations[0].messages[-1].results
    assert result.content["result"] == [[said]]
    file = (tmp_path / TENANT / "conversations" / f"{first.conversation_id}.json").read_text("utf-8")
    # In the message, and in what the program gave back.
    assert file.count("heliotrope") == 2
