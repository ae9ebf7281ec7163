"""Sealed turns as the bytes of their file."""

import json
from typing import Any

import pytest
from pydantic_core import to_json

from tests.support.long_talks import a_compaction, compacted, talked
from workflow_agent.conversations.compactions import Dropped, Ledger
from workflow_agent.conversations.document import AgentReply, Event, UserMessage
from workflow_agent.conversations.iterations import Iteration, Message
from workflow_agent.conversations.seals import SealedPart, SealRule, next_sealing
from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.archives import parsed_part, written_part

LONG = "What becomes of an expense that nobody approves, neither the manager nor finance?"


def a_part() -> SealedPart:
    sealing = next_sealing(compacted(talked(12), keep=3), 10**6, SealRule(above_bytes=1, fewest_turns=1))
    assert sealing is not None
    return sealing.part


def with_first_turn(part: SealedPart, asked: str, *said: str) -> SealedPart:
    """Return the part with other words in its first turn: a message, and what the loop's steps said."""
    message, reply, *others = part.events
    assert isinstance(message, UserMessage)
    assert isinstance(reply, AgentReply)
    steps = tuple(
        Iteration(
            number=number,
            messages=(
                *((Message(role="user", content=asked),) if number == 1 else ()),
                Message(role="assistant", content=text),
            ),
            started_at=reply.at,
        )
        for number, text in enumerate(said, 1)
    )
    call = part.calls[0].model_copy(update={"args": (asked,)})
    events: tuple[Event, ...] = (
        message.model_copy(update={"content": asked}),
        reply.model_copy(update={"content": "\n\n".join(said), "iterations": steps}),
        *others,
    )
    return part.model_copy(update={"events": events, "calls": (call, *part.calls[1:])})


def first_messages(data: bytes) -> list[dict[str, Any]]:
    reply = json.loads(data)["events"][1]
    return [message for step in reply["iterations"] for message in step["messages"]]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        pytest.param("hi", ("hello",), id="short"),
        pytest.param(LONG, (f"It waits. {LONG}",), id="long"),
        pytest.param(LONG, (LONG, LONG), id="the same again"),
        pytest.param("é🙂" * 40, ("🙂" * 60, "\x7f\n\u2028" * 40), id="beyond ASCII"),
        pytest.param(LONG, ("",), id="nothing said"),
    ],
)
def test_what_is_written_is_read_back(asked: str, said: tuple[str, ...]) -> None:
    part = with_first_turn(a_part(), asked, *said)

    assert parsed_part(written_part(part)) == part


def test_each_long_text_is_there_once() -> None:
    steps = ("First I look at the workflow, and then at who approves.", f"Nobody, it waits. {'And waits. ' * 9}")
    part = with_first_turn(a_part(), LONG, *steps)

    data = written_part(part)

    assert [data.decode().count(text) for text in (LONG, *steps)] == [1, 1, 1]
    message, reply = part.events[:2]
    assert first_messages(data) == [
        {"role": "user", "content_of": message.id},
        {"role": "assistant", "content_of": reply.id, "slice": [0, len(steps[0])]},
        {"role": "assistant", "content_of": reply.id, "slice": [len(steps[0]) + 2, len(reply.content)]},
    ]
    assert json.loads(data)["calls"][0]["args_of"] == message.id


def test_what_was_said_to_others_than_the_user_stays_where_it_is() -> None:
    part = with_first_turn(a_part(), LONG, "Let me see what there is, and who it is that has to approve.")
    reply = part.events[1].model_copy(update={"content": "Nobody."})
    part = part.model_copy(update={"events": (part.events[0], reply, *part.events[2:])})

    data = written_part(part)

    assert "content" in first_messages(data)[1]
    assert parsed_part(data) == part


def test_of_a_compaction_the_facts_there_are_come_back() -> None:
    ledger = Ledger(names=("wf_x = Expenses",), events=("turn 1: asked",))
    made = a_compaction(1, 2).model_copy(update={"ledger": ledger, "dropped": Dropped(numbers=("7",))})
    part = a_part().model_copy(update={"compactions": (made,)})

    data = written_part(part)

    assert json.loads(data)["compactions"][0]["ledger"] == {"names": ["wf_x = Expenses"], "events": ["turn 1: asked"]}
    assert parsed_part(data) == part


def test_a_file_of_the_schema_before_is_read() -> None:
    part = a_part()

    assert parsed_part(to_json(part, by_alias=True, indent=2)) == part


def test_it_takes_less_room_than_the_schema_before() -> None:
    part = a_part()

    assert len(written_part(part)) < 0.9 * len(to_json(part, by_alias=True))


def test_a_file_of_a_newer_release_is_refused() -> None:
    newer = written_part(a_part()).replace(b'"schema_version":3', b'"schema_version":4')

    with pytest.raises(StorageFailed, match=r"newer release \(schema 4"):
        parsed_part(newer)
