"""Whatever the summariser does: what counts is in the window or on record, and no window grows."""

import re
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import count, islice
from random import Random

import pytest
from pydantic_ai.exceptions import UnexpectedModelBehavior

from tests.support.compacted_talks import Answer, SummarizerScript, said
from tests.support.in_memory import InMemoryConversationStore
from tests.support.stored import AT
from workflow_agent.assistant.compaction.compaction import LEAST_SAVING
from workflow_agent.assistant.compaction.policy import CompactionRule, in_force, turns_compacted
from workflow_agent.assistant.compaction.service import Compactor
from workflow_agent.assistant.compaction.summarizer import Summarizer
from workflow_agent.assistant.compaction.text import earlier_turns
from workflow_agent.conversations.document import Conversation
from workflow_agent.telemetry.providers import build_telemetry
from workflow_agent.values.tokens import tokens_of

_SENTENCES = {
    "decision": "We agreed that the {thing} goes to {place}.",
    "rule": "The {thing} must stand beside the {other}.",
    "preference": "I'd rather have the {thing} in {colour}.",
    "name": "Somebody called {person} asked for the {thing}.",
    "number": "The {thing} took {n} crates of screws.",
    "deadline": "The {thing} is due by the end of {month}.",
    "open question": "Does the {thing} need a permit for {place}?",
}
_SMALL_TALK = "Well, that was a nice day all in all, and then we had something warm to drink, as one does. "
_THINGS = ("crane", "kiln", "ferry", "loom", "mast", "oven", "press", "quilt", "ramp", "sled", "tent", "urn", "vault")
_WORDS = {
    "place": ("Lyon", "Porto", "Graz", "Turku", "Cork"),
    "colour": ("crimson", "teal", "ochre", "violet"),
    "person": ("Irene", "Tomas", "Yuki", "Farid", "Olu"),
    "month": ("March", "June", "October"),
}


def sentences(random: Random) -> Iterator[str]:
    """Yield sentences of the kinds in turn, no two about the same thing."""
    for number in count():
        form = list(_SENTENCES.values())[number % len(_SENTENCES)]
        thing = f"{random.choice(_THINGS)} {'abcdefghij'[number % 10]}{number}"
        filled = {name: random.choice(words) for name, words in _WORDS.items()}
        yield form.format(thing=thing, other=random.choice(_THINGS), n=random.randint(20, 9_000), **filled)


def good(source: str) -> Answer:
    told = re.findall(r"^\[turn \d+\] user: ([^\n]+?[.?])(?= Well,|\n|$)", source, re.MULTILINE)
    before = re.findall(r"<summary_so_far>\n(.*?)\n</", source, re.DOTALL)[0]
    kept = [] if before == "none" else re.split(r"(?<=[.?]) ", before)[-10:]
    return {"text": " ".join([*kept, *told[::2]])}


def lying(source: str) -> Answer:
    answer = good(source)
    assert isinstance(answer, dict)
    text = re.sub(r"\d+(?= crates)", lambda found: str(int(found[0]) + 1), answer["text"])
    return {"text": re.sub("Lyon|Porto|Graz", "Cádiz", text).replace(" must ", " must not ")}


SUMMARISERS = {
    "failing": SummarizerScript(UnexpectedModelBehavior("no summary")),
    "lying": SummarizerScript(lying),
    "good": SummarizerScript(good),
}


def is_told(sentence: str, told: str) -> bool:
    """Say whether one line has nearly all words of a sentence, and all of its names and numbers."""
    words = set(re.findall(r"\w{3,}", sentence))
    telling = {one for one in words if one[0].isupper() or any(sign.isdigit() for sign in one)}
    telling -= {re.match(r"\w+", sentence)[0]}  # pyright: ignore[reportOptionalSubscript] - each has a first word
    lines = [set(re.findall(r"\w{3,}", line)) for line in re.split(r"\n| · |(?<=[.?]) ", told)]
    return any(telling <= line and len(words & line) >= 0.6 * len(words) for line in lines)


async def compacted(summariser: SummarizerScript, compactions: int) -> tuple[Conversation, list[str]]:
    """Return a talk after so many compactions, and what was found missing or too large after any of them."""
    numbers, random, wrong, talk = count(1), Random(19), list[str](), said()
    store = InMemoryConversationStore()
    compactor = Compactor(
        store,
        Summarizer(summariser.model, "Sum up.", timeout_seconds=5, window_tokens=32_000),
        CompactionRule(),
        build_telemetry(),
        lambda: talk.events[-1].at if talk.events else AT,
        lambda prefix: f"{prefix}_{next(numbers)}",
        lambda *_: nullcontext(),
    )
    told: dict[str, int] = {}
    made = 0
    await store.create(talk)
    for sentence in islice(sentences(random), compactions * 12):
        message = f"{sentence} {_SMALL_TALK * random.randint(1, 3)}"
        talk = await store.update(talk.tenant, talk.id, lambda now, m=message: said(m, conversation=now))
        told[sentence] = talk.turn_count
        before = earlier_turns(talk)
        compactor.after_reply(talk, tokens_of)
        await compactor.settled()
        talk = await store.load(talk.tenant, talk.id)
        latest = talk.compactions[-1] if talk.compactions else None
        if latest is None or len(talk.compactions) == made:
            continue
        made = len(talk.compactions)
        earlier = earlier_turns(talk)
        assert earlier is not None
        on_record = "\n".join(lost.text for one in talk.compactions for lost in one.dropped.sentences)
        covered = [one for one, turn in told.items() if turn <= turns_compacted(talk)]
        known = f"{earlier.text}\n{on_record}"
        wrong += [f"missing: {one}" for one in covered if one not in known and not is_told(one, known)]
        shown = tokens_of(before.text) if before else 0
        if latest.tokens_after > latest.tokens_before - LEAST_SAVING * (latest.tokens_before - shown):
            wrong.append(f"larger: {latest.tokens_before} to {latest.tokens_after} tokens")
        if made >= compactions:
            break
    return talk, list(dict.fromkeys(wrong))


@pytest.mark.parametrize("name", SUMMARISERS)
async def test_nothing_that_counts_is_missing_without_a_line(name: str) -> None:
    talk, wrong = await compacted(SUMMARISERS[name], 15)

    assert wrong == []
    assert len(in_force(talk)) == 15
    refused = [one for one in talk.compactions if one.fallback or one.unsupported]
    assert (len(refused) > 0) == (name != "good")


@pytest.mark.slow(is_never_quick=True)
@pytest.mark.parametrize("name", SUMMARISERS)
async def test_nothing_that_counts_is_missing_after_two_hundred_compactions(name: str) -> None:
    talk, wrong = await compacted(SUMMARISERS[name], 67)

    assert wrong == []
    assert len(talk.compactions) == 67
