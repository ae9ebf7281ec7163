"""What a summary may say: lies of many kinds are left out, honest words for the same things stay."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.compacted_talks import said
from workflow_agent.assistant.compaction.evidence import Evidence, supported
from workflow_agent.conversations.compactions import Summary
from workflow_agent.conversations.document import AgentReply, Event, WorkflowTouch

_FILE = Path(__file__).with_name("data") / "summaries.txt"


@dataclass(frozen=True)
class Talk:
    """What was said and done in a talk, and what summaries say of it."""

    name: str
    events: tuple[Event, ...]
    lies: tuple[str, ...]
    honest: tuple[str, ...]


def talk_of(text: str) -> Talk:
    name, *lines = text.strip().splitlines()
    told: list[str] = []
    did: dict[int, list[str]] = {}
    for line in lines:
        if line.startswith("> "):
            told.append(line[2:])
        if line.startswith("< "):
            did[len(told)] = line[2:].split(" | ")
    events: list[Event] = []
    for event in said(*told).events:
        if isinstance(event, AgentReply) and event.turn in did:
            change, workflow, called, reply = did[event.turn]
            touch = WorkflowTouch.model_validate({"id": workflow, "name": called, "version": 2, "change": change})
            events.append(event.model_copy(update={"content": reply, "workflows_touched": (touch,)}))
        else:
            events.append(event)
    lies, honest = (tuple(line[2:] for line in lines if line.startswith(sign)) for sign in ("- ", "+ "))
    return Talk(name, tuple(events), lies, honest)


TALKS = [talk_of(one) for one in _FILE.read_text("utf-8").split("\n# ")[1:]]


@pytest.mark.parametrize(
    ("talk", "lie"), [pytest.param(talk, one, id=f"{talk.name}: {one}") for talk in TALKS for one in talk.lies]
)
def test_a_lie_is_left_out_and_said_so(talk: Talk, lie: str) -> None:
    kept, gone, _ = supported(Summary(text=f"{talk.honest[0]} {lie}", decisions=(lie,)), Evidence("", talk.events))

    assert kept == Summary(text=talk.honest[0])
    assert [one.startswith(lie) for one in gone] == [True, True]


@pytest.mark.parametrize(
    ("talk", "honest"), [pytest.param(talk, one, id=f"{talk.name}: {one}") for talk in TALKS for one in talk.honest]
)
def test_an_honest_paraphrase_stays(talk: Talk, honest: str) -> None:
    kept, gone, _ = supported(Summary(text=honest), Evidence("", talk.events))

    assert (kept.text, gone) == (honest, ())


def test_a_question_may_stand_among_the_open_ones_and_nowhere_else() -> None:
    events = said("Is the warehouse insured against floods?").events

    kept, _, _ = supported(
        Summary(
            open_questions=("Insured against floods",), text="The warehouse is insured against floods. They talked."
        ),
        Evidence("", events),
    )

    assert (kept.open_questions, kept.text) == (("Insured against floods",), "They talked.")
