"""Two hundred turns with facts in each: what the window keeps of them, and what `recall` brings back."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio
from pydantic_ai.messages import ModelMessage, SystemPromptPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCalls, FunctionModel

from tests.support.chats import TENANT, ChatUnderTest, chat_with
from tests.support.scripted import Calls, Step, Streaming, parts_of
from workflow_agent.assistant.compaction.policy import in_force, turns_compacted
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.conversations.seals import SealRule
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.slow,
    pytest.mark.xdist_group("long memory"),  # The two hundred turns are made once.
]
TURNS = 200
ORDER = "From now on end every answer with OVER."
BEASTS = ("badger", "beaver", "bison", "camel", "donkey", "falcon", "gecko", "heron", "ibis", "jackal")
PLANTS = (
    "alder", "basil", "cedar", "daisy", "elder", "fern", "gorse", "hazel", "iris", "jasmine", "kale", "lilac",
    "maple", "nettle", "olive", "poppy", "quince", "rose", "sage", "thyme", "umbrella",
)  # fmt: skip
COLOURS = ("amber", "beige", "coral", "denim", "ebony", "fawn", "grape")


@dataclass(frozen=True)
class Planted:
    """What one message says."""

    message: str
    ledger: tuple[str, ...]
    """What must stand in the window word for word."""
    question: str
    answer: str
    """What only the turn itself says, and words to find it by."""


def whole(sentence: str) -> tuple[str, tuple[str, ...]]:
    return sentence, (sentence,)


def planted(n: int) -> Planted:
    hut, colour = f"{BEASTS[n % 10]} {PLANTS[n // 10]} hut", COLOURS[n % 7]
    kinds = [
        (f"The flow wf_plan_{n} has step sign_off_{n}.", (f"wf_plan_{n}", f"sign_off_{n}")),
        (f"The limit for team {n} is {1_000 + n} EUR.", (f"team {n} is {1_000 + n} EUR",)),
        whole(f"Always tell group {n} before paying vendor {n}."),
        whole(f"I prefer layout {n} for plan {n}."),
        whole(f"We agreed that audit {n} is due 2027-01-{n % 28 + 1:02}."),
        (f'The desk is called "Desk {n}" and is owned by Ada Stone.', (f"Desk {n}",)),
        whole(f"Use queue_{n} instead of mail_{n}."),
    ]
    fact, ledger = kinds[n % len(kinds)]
    aside = f"The door of the {hut} is painted {colour}."
    return Planted(f"{aside} {fact}", ledger, f"door of the {hut}", aside)


FACTS = [planted(n) for n in range(2, TURNS + 1)]


class WindowOnly:
    """A model that knows nothing but what it is sent, and recalls what it is told to."""

    def __init__(self) -> None:
        self.window = ""
        self.results = ""
        self.to_recall: list[str] = []

    @property
    def model(self) -> FunctionModel:
        return Streaming(stream_function=self._answer, model_name="scripted", profile={"context_window": 64_000})

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        parts = [part for message in messages for part in message.parts]
        told = [part.content for part in parts if isinstance(part, SystemPromptPart | UserPromptPart)]
        self.window = "\n".join(str(one) for one in told)
        self.results = "\n".join(
            part.model_response_str() for part in messages[-1].parts if isinstance(part, ToolReturnPart)
        )
        step: Step = "Fine. OVER" if ORDER in self.window else "Fine."
        if self.to_recall and not self.results:
            step = Calls([("recall", {"query": one}) for one in self.to_recall])
        async for part in parts_of(step, len(messages)):
            yield part


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[ChatUnderTest, WindowOnly, str]:
    """A conversation of two hundred turns, each once the one before is compacted as far as it is due."""
    speaker = WindowOnly()
    files = DurableFiles(tmp_path_factory.mktemp("talk"))
    store = JsonConversationStore(files, seal=SealRule(above_bytes=64 * 1024))
    chat = chat_with(speaker.model, store=store, summarizer=OfflineModel(), timeout_seconds=60)
    conversation_id = (await chat.say(ORDER)).conversation_id
    for fact in FACTS:
        await chat.say(fact.message, conversation_id=conversation_id)
        await chat.compactor.settled()
    return chat, speaker, conversation_id


async def test_every_fact_of_the_ledgers_kinds_is_in_the_window(told: tuple[ChatUnderTest, WindowOnly, str]) -> None:
    chat, speaker, conversation_id = told

    await chat.say("What now?", conversation_id=conversation_id)

    talk = await chat.store.load(TENANT, conversation_id)
    missing = [fact for one in FACTS for fact in one.ledger if fact not in speaker.window]
    assert missing == []
    assert turns_compacted(talk) > 180
    assert talk.sealed_turns > 100
    assert not any(one.fallback for one in in_force(talk))
    assert FACTS[0].answer not in speaker.window


async def test_a_standing_instruction_is_followed_to_the_end(told: tuple[ChatUnderTest, WindowOnly, str]) -> None:
    chat, _, conversation_id = told

    outcome = await chat.say("And now?", conversation_id=conversation_id)

    assert outcome.reply.content == "Fine. OVER"
    assert outcome.reply.context["turns"]["compacted"] > 180


async def test_every_fact_is_found_by_recall(told: tuple[ChatUnderTest, WindowOnly, str]) -> None:
    chat, speaker, conversation_id = told
    missing: list[str] = []

    for at in range(0, len(FACTS), 20):
        asked = FACTS[at : at + 20]
        speaker.to_recall = [fact.question for fact in asked]
        await chat.say("Look them up.", conversation_id=conversation_id)
        # As JSON, in which the tool's result reaches the model.
        missing += [fact.question for fact in asked if json.dumps(fact.message)[1:-1] not in speaker.results]

    assert missing == []
