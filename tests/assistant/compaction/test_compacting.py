"""Compaction around whole chats: when it is made, what the model sees, what failures leave behind."""

import asyncio
from dataclasses import replace
from decimal import Decimal

import pytest
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage, SystemPromptPart, UserPromptPart

from tests.support.chats import TENANT, ChatUnderTest, chat_with
from tests.support.compacted_talks import Answer, SummarizerScript
from tests.support.scripted import Script, Waits, scripted
from workflow_agent.assistant.compaction.policy import CompactionRule, in_force, turns_compacted
from workflow_agent.assistant.compaction.service import MOST_AT_ONCE
from workflow_agent.conversations.document import AgentReply, Conversation, UserMessage
from workflow_agent.errors import NothingToCompact
from workflow_agent.values.tokens import tokens_of

pytestmark = pytest.mark.untraced

GOOD: Answer = {"text": "The user told each team about its message."}
RULES = [f"Always tell team {n} about message {n}." for n in range(1, 40)]
ASIDE = "Such messages are read by everybody who works there, and nobody has to do more about them. " * 3
"""What makes a turn longer than the record that stands for it."""


async def talk_for(chat: ChatUnderTest, turns: int, conversation_id: str | None = None) -> Conversation:
    """Send so many messages, each once the compaction after the one before is made."""
    start = 0
    if conversation_id is not None:
        start = (await chat.store.load(TENANT, conversation_id)).turn_count
    for n in range(start, start + turns):
        outcome = await chat.say(RULES[n], conversation_id=conversation_id)
        conversation_id = outcome.conversation_id
        await chat.compactor.settled()
    assert conversation_id is not None
    return await chat.store.load(TENANT, conversation_id)


async def eleven_turns(chat: ChatUnderTest) -> str:
    """Send eleven messages at once after another; return the conversation's id."""
    conversation_id = None
    for n in range(11):
        conversation_id = (await chat.say(RULES[n], conversation_id=conversation_id)).conversation_id
    assert conversation_id is not None
    return conversation_id


def chatting(summarizer: SummarizerScript, turns: int = 40, **options: object) -> tuple[ChatUnderTest, Script]:
    model, script = scripted(*[f"Noted {n}. {ASIDE}" for n in range(1, turns)], window_tokens=64_000)
    return chat_with(model, summarizer=summarizer.model, **options), script


def shown(messages: list[ModelMessage]) -> list[str]:
    parts = [part for message in messages for part in message.parts]
    return [f"{part.content}" for part in parts if isinstance(part, UserPromptPart | SystemPromptPart)]


async def test_the_eleventh_reply_starts_a_compaction_and_the_tenth_does_not() -> None:
    chat, _ = chatting(SummarizerScript(GOOD))

    ten = await talk_for(chat, 10)
    eleven = await talk_for(chat, 1, ten.id)

    assert ten.compactions == ()
    [made] = eleven.compactions
    assert (made.trigger, made.from_turn, made.to_turn, made.fallback) == ("turns", 1, 4, None)
    assert made.summary is not None
    assert made.summary.text == GOOD["text"]
    assert made.tokens_before > 0 < made.tokens_after
    assert made.event_ids == tuple(event.id for event in eleven.events[:8])


async def test_the_window_shows_summary_and_ledger_in_place_of_compacted_turns() -> None:
    chat, script = chatting(SummarizerScript(GOOD))
    talk = await talk_for(chat, 11)

    outcome = await chat.say("and now?", conversation_id=talk.id)

    head, *messages = shown(script.requests[-1][0])
    assert "=== EARLIER TURNS ===\nThe first turns are not shown word for word." in head
    assert "It stands for turns 1 to 4." in head
    assert "The user told each team about its message." in head
    assert all(f"- {rule}" in head for rule in RULES[:4])
    assert "`recall`" in head
    assert messages == [*RULES[4:11], "and now?"]
    record = outcome.reply.context
    assert record["turns"] == {"included": 7, "compacted": 4, "excluded": 0}
    assert record["compaction"] == {"id": talk.compactions[0].id, "to_turn": 4, "fallback": None}
    assert record["breakdown"]["summary"] > 0 < record["breakdown"]["ledger"]
    assert sum(record["breakdown"].values()) == record["used_tokens"]


async def test_the_next_summary_is_made_of_the_one_before() -> None:
    summarizer = SummarizerScript(GOOD, {"text": "More messages for every team."})
    chat, _ = chatting(summarizer)

    talk = await talk_for(chat, 15)

    assert [one.to_turn for one in talk.compactions] == [4, 8]
    assert "The user told each team" in summarizer.sources[1]
    assert RULES[4] in summarizer.sources[1]
    assert f"[turn 1] user: {RULES[0]}" not in summarizer.sources[1]


async def test_a_sentence_that_the_turns_do_not_say_is_left_out_of_the_summary() -> None:
    chat, script = chatting(SummarizerScript({"text": f"{GOOD['text']} Team 1 got 9999 messages."}))
    talk = await talk_for(chat, 11)

    await chat.say("and now?", conversation_id=talk.id)

    [made] = talk.compactions
    assert made.summary is not None
    assert made.summary.text == GOOD["text"]
    assert made.unsupported == ("Team 1 got 9999 messages. ('9999' is nowhere)",)
    head = shown(script.requests[-1][0])[0]
    assert "9999" not in head
    assert "(1 of its sentences left out: the turns do not say so.)" in head


async def test_a_summary_of_lies_is_not_used() -> None:
    lies: Answer = {"text": "Team 1 got 9999 messages. The team of Ottokar was told.", "done": ["Deleted team 2."]}
    chat, script = chatting(SummarizerScript(lies))
    talk = await talk_for(chat, 11)

    await chat.say("and now?", conversation_id=talk.id)

    assert talk.compactions[0].summary is None
    assert talk.compactions[0].fallback == "3 of its 3 sentences are not in the turns"
    assert not {"9999", "Ottokar", "Deleted"} & set(shown(script.requests[-1][0])[0].split())


async def test_turns_shorter_than_the_record_of_them_are_not_compacted() -> None:
    summarizer = SummarizerScript(GOOD)
    model, _ = scripted(*["Yes."] * 14, window_tokens=64_000)
    chat = chat_with(model, summarizer=summarizer.model)
    conversation_id = None
    for _ in range(13):
        conversation_id = (await chat.say("Yes?", conversation_id=conversation_id)).conversation_id
        await chat.compactor.settled()
    assert conversation_id is not None

    with pytest.raises(NothingToCompact, match="no longer than the record"):
        await chat.compactor.on_request(TENANT, conversation_id, "cmp_asked_for")

    assert (await chat.store.load(TENANT, conversation_id)).compactions == ()
    assert summarizer.sources == []


FAILURES: dict[str, Answer] = {
    "failing": ModelHTTPError(503, "summer"),
    "slow": None,
    "empty": {},
    "babbling": {"text": "Bananas grow quickly under tropical sunshine beside beautiful oceans."},
    "long": {"text": "Tell team about message. " * 400},
}


@pytest.mark.slow
@pytest.mark.parametrize("position", [1, 2, 3])
@pytest.mark.parametrize("failure", FAILURES)
async def test_a_summariser_that_fails_at_any_point_loses_nothing(failure: str, position: int) -> None:
    answers: list[Answer] = [GOOD] * (position - 1)
    patience = 1.0 if failure == "slow" else 30.0
    summarizer = SummarizerScript(*answers, FAILURES[failure], GOOD)
    chat, script = chatting(summarizer, summary_timeout_seconds=patience)
    due = 7 + 4 * position

    talk = await talk_for(chat, due)
    failed = talk.compactions[-1]
    await chat.say("what now?", conversation_id=talk.id)
    head = shown(script.requests[-1][0])[0]
    await chat.compactor.settled()
    later = await chat.store.load(TENANT, talk.id)

    assert failed.summary is None
    assert failed.fallback
    assert f"Turns {failed.from_turn} to {failed.to_turn} could not be summed up" in head
    assert ("The user told each team" in head) is (position > 1)
    assert all(f"- {rule}" in head for rule in RULES[: failed.to_turn])
    again = later.compactions[-1]
    assert (again.from_turn, again.to_turn, again.fallback) == (failed.from_turn, failed.to_turn, None)
    assert turns_compacted(later) == failed.to_turn
    said = [event.content for event in later.events if isinstance(event, UserMessage)]
    assert said == [*RULES[:due], "what now?"]


async def test_no_turn_waits_for_a_summary() -> None:
    summarizer = SummarizerScript(GOOD)
    summarizer.gate = asyncio.Event()
    chat, script = chatting(summarizer)
    conversation_id = await eleven_turns(chat)

    await chat.say("go on", conversation_id=conversation_id)
    summarizer.gate.set()
    await chat.compactor.settled()

    assert shown(script.requests[-1][0]) == [*RULES[:11], "go on"]
    talk = await chat.store.load(TENANT, conversation_id)
    assert [one.to_turn for one in talk.compactions] == [4]
    assert len(summarizer.sources) == 1


async def test_what_was_under_way_when_the_server_stopped_is_made_again() -> None:
    summarizer = SummarizerScript(GOOD)
    summarizer.gate = asyncio.Event()
    chat, _ = chatting(summarizer)
    conversation_id = await eleven_turns(chat)

    await chat.chat.shut_down(1.0)
    stopped = await chat.store.load(TENANT, conversation_id)
    chat.chat.worker.live.is_closing = False
    summarizer.gate.set()
    talk = await talk_for(chat, 1, conversation_id)

    assert stopped.compactions == ()
    assert [one.to_turn for one in talk.compactions] == [4]


async def test_a_compaction_of_a_state_that_is_gone_is_discarded_and_its_cost_counted() -> None:
    summarizer = SummarizerScript(GOOD)
    chat, _ = chatting(summarizer)
    ten = await talk_for(chat, 10)
    summarizer.gate = asyncio.Event()
    await chat.say(RULES[10], conversation_id=ten.id)
    other, _ = chatting(SummarizerScript(GOOD), store=chat.store)

    elsewhere = await other.compactor.on_request(TENANT, ten.id, "cmp_asked_for")
    before = await chat.store.load(TENANT, ten.id)
    summarizer.gate.set()
    await chat.compactor.settled()

    after = await chat.store.load(TENANT, ten.id)
    assert [one.id for one in after.compactions] == [elsewhere.id]
    assert after.usage_totals.input_tokens == before.usage_totals.input_tokens + 100


async def test_usage_of_summaries_is_in_the_totals() -> None:
    chat, _ = chatting(SummarizerScript(GOOD))

    talk = await talk_for(chat, 15)

    replies = [event.usage for event in talk.events if isinstance(event, AgentReply)]
    compactions = [one.usage for one in talk.compactions]
    assert [one.input_tokens for one in compactions] == [100, 100]
    for name in ("requests", "input_tokens", "output_tokens"):
        spent = sum(getattr(one, name) for one in (*replies, *compactions))
        assert getattr(talk.usage_totals, name) == spent


SUMMARY_USD = Decimal(100) * Decimal("2.5") / 1_000_000 + Decimal(10) * 10 / 1_000_000
"""What gpt-4o takes for the script's summary."""


async def test_the_price_of_summaries_is_in_the_conversations_totals() -> None:
    chat, _ = chatting(SummarizerScript(GOOD).priced())

    talk = await talk_for(chat, 15)

    assert [Decimal(str(one.cost.summarizer_usd)) for one in talk.compactions] == [SUMMARY_USD] * 2
    assert [Decimal(str(one.cost.total_usd)) for one in talk.compactions] == [SUMMARY_USD] * 2
    assert Decimal(str(talk.usage_totals.cost_usd)) == 2 * SUMMARY_USD


async def test_the_price_of_a_summary_that_a_turn_waited_for_is_that_turns() -> None:
    model, _ = scripted(*["Yes."] * 12, window_tokens=12_500)
    rule = CompactionRule(max_turns=100, trigger_share=1.0)
    chat = chat_with(model, summarizer=SummarizerScript(GOOD).priced().model, rule=rule)
    outcome = await chat.say(RULES[0])
    for n in range(1, 7):
        long = f"{RULES[n]} " + f"Then the team reads the message {n} again. " * 120
        outcome = await chat.say(long, conversation_id=outcome.conversation_id)
        if outcome.reply.context["turns"]["compacted"]:
            break

    talk = await chat.store.load(TENANT, outcome.conversation_id)
    [made] = talk.compactions
    assert made.trigger == "overflow"
    assert Decimal(str(outcome.reply.cost.summarizer_usd)) == SUMMARY_USD
    assert Decimal(str(outcome.reply.cost.total_usd)) == SUMMARY_USD
    assert Decimal(str(talk.usage_totals.cost_usd)) == SUMMARY_USD


async def test_a_turn_that_would_overflow_compacts_first_and_counts_what_that_took() -> None:
    summarizer = SummarizerScript(GOOD)
    model, script = scripted(*["Yes."] * 12, window_tokens=12_500)
    chat = chat_with(model, summarizer=summarizer.model, rule=CompactionRule(max_turns=100, trigger_share=1.0))
    conversation_id = None
    for n in range(6):
        long = f"{RULES[n]} " + f"Then the team reads the message {n} again. " * 120
        outcome = await chat.say(long, conversation_id=conversation_id)
        conversation_id = outcome.conversation_id
        if outcome.reply.context["turns"]["compacted"]:
            break

    talk = await chat.store.load(TENANT, outcome.conversation_id)
    made = talk.compactions[0]
    assert made.trigger == "overflow"
    assert outcome.reply.context["turns"]["excluded"] == 0
    assert outcome.reply.usage.input_tokens == 100 + made.usage.input_tokens - 100 + 50
    assert talk.usage_totals.input_tokens == sum(
        event.usage.input_tokens for event in talk.events if isinstance(event, AgentReply)
    )
    assert RULES[0] in shown(script.requests[-1][0])[0]


async def test_a_deleted_conversation_stays_deleted() -> None:
    summarizer = SummarizerScript(GOOD)
    summarizer.gate = asyncio.Event()
    chat, _ = chatting(summarizer)
    conversation_id = await eleven_turns(chat)

    await chat.store.delete(TENANT, conversation_id)
    summarizer.gate.set()
    await chat.compactor.settled()

    assert (await chat.store.page(TENANT)).items == ()


async def test_the_next_turn_may_run_while_a_summary_is_stored() -> None:
    summarizer = SummarizerScript(GOOD)
    waits = Waits()
    steps = [*[f"Noted. {ASIDE}"] * 11, waits]
    model, _ = scripted(*steps, window_tokens=64_000)
    chat = chat_with(model, summarizer=summarizer.model)
    summarizer.gate = asyncio.Event()
    conversation_id = await eleven_turns(chat)
    running = asyncio.create_task(chat.say("go on", conversation_id=conversation_id))
    await waits.begun.wait()

    summarizer.gate.set()
    await chat.compactor.settled()
    waits.let.set()
    await running

    talk = await chat.store.load(TENANT, conversation_id)
    assert [one.to_turn for one in in_force(talk)] == [4]
    assert talk.turn_count == 12
    assert talk.active_run() is None


async def test_two_processes_compact_a_conversation_once() -> None:
    both = asyncio.Lock()
    summarizer = SummarizerScript(GOOD)
    summarizer.gate = asyncio.Event()
    chat, _ = chatting(summarizer)
    conversation_id = await eleven_turns(chat)
    other, _ = chatting(late := SummarizerScript(GOOD), store=chat.store)
    here, there = (replace(one.compactor, across_processes=lambda *_: both) for one in (chat, other))
    talk = await chat.store.load(TENANT, conversation_id)
    await chat.compactor.shut_down()

    here.after_reply(talk, tokens_of)
    there.after_reply(talk, tokens_of)
    summarizer.gate.set()
    await asyncio.gather(here.settled(), there.settled())

    assert [one.to_turn for one in (await chat.store.load(TENANT, conversation_id)).compactions] == [4]
    assert len(late.sources) == 0


async def test_a_slow_summariser_is_behind_with_many_conversations_and_holds_few() -> None:
    summarizer = SummarizerScript(GOOD)
    summarizer.gate = asyncio.Event()
    talks = MOST_AT_ONCE + 2
    chat, _ = chatting(summarizer, turns=12 * talks)

    for _ in range(talks):
        await eleven_turns(chat)
    at_first = len(summarizer.sources)
    summarizer.gate.set()
    await chat.compactor.settled()

    page = await chat.store.page(TENANT)
    compacted = [len((await chat.store.load(TENANT, one.id)).compactions) for one in page.items]
    assert at_first == MOST_AT_ONCE
    assert compacted == [1] * talks
