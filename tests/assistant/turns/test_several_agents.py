"""Several agents in one conversation: who answers, in which order, and what each is sent."""

from dataclasses import replace

import pytest

from tests.support.chats import APPROVAL, TENANT, chat_with
from tests.support.scripted import Calls, Step, Waits, scripted
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.conversations.agents import ROSTER, AgentProfile
from workflow_agent.conversations.document import AgentReply
from workflow_agent.errors import ModelFailed, StaleRun


def handing_to(*names: str) -> Calls:
    return Calls([("hand_off", {"to": name, "reason": "its field", "summary": f"For {name}."}) for name in names])


def looks() -> Calls:
    return Calls([("list_workflows", {})])


async def test_those_who_are_mentioned_answer_in_order_each_with_a_run() -> None:
    model, script = scripted("Found two.", "The first is sound.")
    under_test = chat_with(model)

    started = await under_test.chat.start(TENANT, TurnRequest("@finder find it, @analyst check it", key="k"))
    outcome = await started.outcome()

    stored = await under_test.store.load(TENANT, outcome.conversation_id)
    assert [event.content for event in stored.events[1:]] == ["Found two.", "The first is sound."]
    assert (outcome.reply.author, [other.author for other in outcome.others]) == ("analyst", ["finder"])
    assert [(run.agent, run.status, run.turn) for run in stored.runs] == [
        ("finder", "completed", 1),
        ("analyst", "completed", 1),
    ]
    assert stored.usage_totals.turns == 1
    assert [call.method_name for call in stored.calls] == ["chat"]
    sent = [part.content for message in script.requests[1][0] for part in message.parts]
    assert "[finder]: Found two." in str(sent[0])
    assert started.stream is not None
    names = [event.name async for event in started.stream.events(0)]
    assert names.count("start") == 2
    assert names[-1] == "complete"
    assert names.count("complete") == 1
    again = await under_test.say("@finder find it, @analyst check it", key="k")
    assert (again.reply, again.others, again.replayed) == (outcome.reply, outcome.others, True)


async def test_an_agent_hands_over_and_the_next_answers_with_its_summary() -> None:
    model, script = scripted(handing_to("editor"), "Over to the editor.", "What shall I change?")
    under_test = chat_with(model)

    outcome = await under_test.say("hand this over to the editor")

    stored = await under_test.store.load(TENANT, outcome.conversation_id)
    assert [event.type for event in stored.events] == ["user_message", "agent_reply", "system_event", "agent_reply"]
    assert outcome.reply.author == "editor"
    sent = [str(part.content) for message in script.requests[-1][0] for part in message.parts]
    assert any("Summary: For editor." in text for text in sent)
    assert (await under_test.chat.recorded_run(TENANT, outcome.run_id))[1].agent == "assistant"


async def test_ping_pong_ends_at_the_bound() -> None:
    steps = [handing_to("editor"), "1", handing_to("analyst"), "2", handing_to("editor"), "3"]
    model, script = scripted(*steps, handing_to("analyst"), "4", handing_to("editor"), "I answer myself.")
    under_test = chat_with(model)

    outcome = await under_test.say("hand this round in circles")

    assert (outcome.reply.content, len(outcome.others)) == ("I answer myself.", 4)
    assert "4 is the most" in str(script.requests[-1][0][-1])


async def test_a_mention_of_nobody_is_answered_with_the_roster_and_no_model() -> None:
    model, script = scripted()
    under_test = chat_with(model)

    outcome = await under_test.say("@bob can you look?")

    assert outcome.reply.content.startswith("There is no @bob here.")
    assert "`@analyst`" in outcome.reply.content
    assert script.requests == []


async def test_a_follow_up_stays_with_who_spoke_last() -> None:
    under_test = chat_with(scripted("A1", "A2", "B")[0])
    first = await under_test.say("@analyst is it sound?")

    second = await under_test.say("why?", conversation_id=first.conversation_id)
    third = await under_test.say("create a workflow for holidays", conversation_id=first.conversation_id)

    assert [one.reply.author for one in (second, third)] == ["analyst", "assistant"]


async def test_a_second_agent_that_fails_is_told_and_answers_when_the_message_comes_again() -> None:
    failing: list[Step] = [looks(), ValueError("boom")]
    under_test = chat_with(scripted("Found two.", *failing, "It is sound.", "Nobody has to.", "Next.")[0])
    said = "@finder, @analyst and @editor, look"
    with pytest.raises(ModelFailed, match="failed"):
        await under_test.say(said, key="k")

    mended = await under_test.say(said, key="k")
    replayed = await under_test.say(said, key="k")

    following = await under_test.say("go on", conversation_id=mended.conversation_id)
    assert not mended.replayed
    assert [one.content for one in (*mended.others, mended.reply)] == ["Found two.", "It is sound.", "Nobody has to."]
    assert replayed == replace(mended, replayed=True)
    assert following.reply.content == "Next."
    stored = await under_test.store.load(TENANT, mended.conversation_id)
    assert [(run.agent, run.status, run.attempt) for run in stored.runs] == [
        ("finder", "completed", 1),
        ("analyst", "completed", 2),
        ("editor", "completed", 1),
        ("editor", "completed", 1),
    ]
    assert [event.type for event in stored.events].count("user_message") == 2
    assert [(call.method_name, call.outcome_summary.status) for call in stored.calls] == [
        ("chat", "success"),
        ("list_workflows", "success"),
        ("chat", "success"),
    ]
    assert stored.calls[1].parent_call_id == stored.calls[0].call_id


async def test_a_second_agent_that_was_stopped_is_not_answered_for_by_the_first() -> None:
    waits = Waits()
    under_test = chat_with(scripted("Found two.", waits)[0])
    request = TurnRequest("@finder and @analyst, look", key="k")
    started = await under_test.chat.start(TENANT, request)
    await waits.begun.wait()
    await under_test.chat.cancel(TENANT, started.run_id)

    again = await under_test.chat.start(TENANT, request)

    with pytest.raises(StaleRun, match="cancelled"):
        await again.outcome()


async def test_stopping_the_first_run_stops_whoever_answers_after_it() -> None:
    waits = Waits()
    under_test = chat_with(scripted("Found two.", waits)[0])
    started = await under_test.chat.start(TENANT, TurnRequest("@finder and @analyst, look"))
    await waits.begun.wait()

    await under_test.chat.cancel(TENANT, started.run_id)

    with pytest.raises(StaleRun):
        await started.outcome()
    stored = await under_test.store.load(TENANT, started.conversation_id)
    assert [run.status for run in stored.runs] == ["completed", "cancelled"]
    assert isinstance(stored.events[-1], AgentReply)


async def test_a_yes_to_what_a_reading_agent_offers_reaches_one_that_may_do_it() -> None:
    rename = {"workflow": APPROVAL.id, "edits": [{"op": "rename_workflow", "name": "Spending"}]}
    model, script = scripted("It has a dull name. Shall I rename it?", Calls([("edit_workflow", rename)]), "Done.")
    under_test = chat_with(model)
    await under_test.add()
    offered = await under_test.say("@analyst what is wrong with it?", workflow_id=APPROVAL.id)

    done = await under_test.say("yes", conversation_id=offered.conversation_id, key="k")
    again = await under_test.say("yes", conversation_id=offered.conversation_id, key="k")

    assert (done.reply.author, done.reply.mode.name) == ("editor", "modification")
    assert done.reply.content == "analyst changes nothing, so editor takes this over.\n\nDone."
    assert (again.reply, again.replayed) == (done.reply, True)
    assert (await under_test.workflows.get(TENANT, APPROVAL.id)).name == "Spending"
    assert "Offer of analyst confirmed by the user: rename it" in script.instructions(1)
    stored = await under_test.store.load(TENANT, offered.conversation_id)
    assert [event.type for event in stored.events] == [
        "user_message",
        "agent_reply",
        "system_event",
        "user_message",
        "agent_reply",
    ]
    assert stored.phase_transitions[0].agent == "editor"


async def test_the_default_agent_may_do_what_was_confirmed_where_there_is_no_editor() -> None:
    model, script = scripted("Shall I fix it?", "Done.")
    under_test = chat_with(model, roster={name: ROSTER[name] for name in ("assistant", "analyst")})
    offered = await under_test.say("@analyst what is wrong with it?")

    done = await under_test.say("yes", conversation_id=offered.conversation_id)

    assert (done.reply.author, done.reply.mode.name) == ("assistant", "modification")
    assert "edit_workflow" in script.offered()


async def test_a_mode_that_was_asked_for_is_not_left_for_a_yes() -> None:
    under_test = chat_with(scripted("Shall I fix it?", "Not in this mode.")[0])
    offered = await under_test.say("@analyst what is wrong with it?")

    asked = await under_test.say("yes", conversation_id=offered.conversation_id, mode="analysis")

    assert asked.reply.author == "analyst"


async def test_the_offline_model_does_what_another_agent_offered() -> None:
    under_test = chat_with(OfflineModel())
    await under_test.add()
    offered = await under_test.say("@analyst what can go wrong in the expense approval?")

    done = await under_test.say("yes please", conversation_id=offered.conversation_id)

    assert offered.reply.content.endswith("Shall I fix that?")
    assert done.reply.author == "editor"
    assert "Done: I fixed 1 finding" in done.reply.content
    assert (await under_test.workflows.get(TENANT, APPROVAL.id)).version == 2


async def test_an_agent_with_a_fixed_mode_is_not_offered_to_switch_it() -> None:
    model, script = scripted("One.", "Two.", Calls([("switch_mode", {"mode": "analysis", "reason": "x"})]), "Three.")
    under_test = chat_with(model)

    await under_test.say("@editor hello")
    await under_test.say("@assistant hello")
    await under_test.say("@finder hello")

    assert ["switch_mode" in script.offered(number) for number in (0, 1)] == [False, True]
    assert "You always work in mode modification" in script.instructions(0)
    assert "switch_mode" in str(script.requests[-1][0][-1]), "it was refused, whoever asks for it"


async def test_an_agent_has_the_tools_the_roster_gives_it() -> None:
    lister = AgentProfile(name="lister", description="Lists.", tools=("list_workflows", "edit_workflow"))
    model, script = scripted("Listed.", Calls([("get_workflow", {"workflow": "x"})]), "I cannot.")
    under_test = chat_with(model, roster={**ROSTER, "lister": lister})

    await under_test.say("@lister which are there?", mode="search")
    await under_test.say("@lister show x", mode="modification")

    assert script.offered(0) == {"list_workflows"}
    assert script.offered(1) == {"list_workflows", "edit_workflow"}


async def test_a_limit_of_the_roster_is_its_agents_alone() -> None:
    brief = AgentProfile(name="brief", description="Is brief.", max_iterations=2)
    under_test = chat_with(scripted(*[looks()] * 2, *[looks()] * 3)[0], roster={**ROSTER, "brief": brief})

    one = await under_test.say("@brief look")

    assert "after 2 steps" in one.reply.content
