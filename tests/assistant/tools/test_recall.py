"""The tool that brings earlier turns back: what it finds, and what it gives when asked by number."""

from tests.support.chats import TENANT, ChatUnderTest, chat_with
from tests.support.scripted import Calls, Script, scripted
from workflow_agent.conversations.document import AgentReply
from workflow_agent.workflows.model.parser import parse_workflow


async def recalled(chat: ChatUnderTest, script: Script, conversation_id: str, **asked: object) -> str:
    """Return what the model is told when it recalls so."""
    script.steps += [Calls([("recall", asked)]), "There."]
    await chat.say("Look it up.", conversation_id=conversation_id)
    return str(script.requests[-1][0][-1].parts[0].model_response_str())


async def a_talk() -> tuple[ChatUnderTest, Script, str]:
    model, script = scripted(
        "Blue it is.", Calls([("list_workflows", {})]), "There is one.", "Red, noted.", window_tokens=64_000
    )
    chat = chat_with(model)
    await chat.add()
    conversation_id = (await chat.say("The lorry is painted blue.")).conversation_id
    await chat.say("Which workflows are there?", conversation_id=conversation_id)
    await chat.say("The tractor is painted red.", conversation_id=conversation_id)
    return chat, script, conversation_id


async def test_words_find_the_turn_that_says_it_before_any_other() -> None:
    chat, script, conversation_id = await a_talk()

    told = await recalled(chat, script, conversation_id, query="what colour was the lorry painted?")

    assert "The lorry is painted blue." in told
    assert "Blue it is." in told
    assert "tractor" not in told[: told.index("lorry")]


async def test_a_turn_comes_with_what_its_tools_gave() -> None:
    chat, script, conversation_id = await a_talk()

    told = await recalled(chat, script, conversation_id, turn=2)

    assert "Which workflows are there?" in told
    assert "wf_expense_approval" in told


async def test_words_find_what_only_a_tool_said() -> None:
    chat, script, conversation_id = await a_talk()

    told = await recalled(chat, script, conversation_id, query="wf_expense_approval")

    assert '"turn":2' in told.replace(" ", "")


async def test_words_find_what_only_a_result_kept_apart_says_and_show_the_place() -> None:
    names = [f"Filler step {n} of no use to anybody here" for n in range(300)]
    names[200] = "Open the zebra crossing at gate nine"
    long = parse_workflow(
        {
            "id": "wf_long",
            "name": "Long one",
            "steps": [{"id": f"s{n}", "name": name, "type": "action"} for n, name in enumerate(names)],
        }
    )
    model, script = scripted(
        Calls([("get_workflow", {"workflow": "wf_long"})]), "That is all.", "Red, noted.", window_tokens=64_000
    )
    chat = chat_with(model, inline_bytes=10)
    await chat.add(long)
    conversation_id = (await chat.say("Open it.")).conversation_id
    await chat.say("The tractor is painted red.", conversation_id=conversation_id)
    reply = (await chat.store.load(TENANT, conversation_id)).events[1]

    told = await recalled(chat, script, conversation_id, query="where is the zebra crossing")

    assert isinstance(reply, AgentReply)
    kept = [one for step in reply.iterations for message in step.messages for one in message.results]
    assert [one.content for one in kept] == [None]
    assert "Open the zebra crossing at gate nine" in told
    assert "characters left out" in told
    assert "tractor" not in told


async def test_several_turns_in_a_row_come_in_order() -> None:
    chat, script, conversation_id = await a_talk()

    told = await recalled(chat, script, conversation_id, from_turn=1, to_turn=3)

    assert told.index("lorry") < told.index("Which workflows") < told.index("tractor")


async def test_turns_that_are_not_there_are_refused_with_those_that_are() -> None:
    chat, script, conversation_id = await a_talk()

    told = await recalled(chat, script, conversation_id, turn=9)

    assert "turns go from 1 to 3" in told


async def test_it_is_asked_one_way_at_a_time() -> None:
    chat, script, conversation_id = await a_talk()

    told = await recalled(chat, script, conversation_id, turn=1, query="lorry")

    assert "give query, or turn, or from_turn together with to_turn" in told
