"""Histories of other services: what becomes of each part of them, and what is refused, with its place."""

from datetime import UTC, datetime
from typing import Any

import pytest

from workflow_agent.conversations.document import AgentReply, UserMessage
from workflow_agent.conversations.migration.history import KEPT_BYTES, conversation_of, fitting_id
from workflow_agent.conversations.migration.shapes import histories_in
from workflow_agent.errors import InvalidInput
from workflow_agent.values.stored import iso_milliseconds

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def turn(**members: Any) -> dict[str, Any]:
    return {"user_message": "hi", "agent_response": "hello", "timestamp": "2025-03-03T09:00:00Z"} | members


def said(document: Any) -> list[tuple[str, int, str, str]]:
    """Return who said what, in which turn and when."""
    (history,) = histories_in(document)
    made = conversation_of(history, "default", history.id or "unnamed", NOW)
    assert all(isinstance(event, UserMessage | AgentReply) for event in made.events)
    return [(one.author, getattr(one, "turn", 0), one.content, iso_milliseconds(one.at)) for one in made.events]


def refusal(document: Any) -> str:
    with pytest.raises(InvalidInput) as caught:
        histories_in(document)
    return caught.value.message


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        pytest.param("2025-03-03T10:00:00.5+01:00", "2025-03-03T09:00:00.500Z", id="an offset"),
        pytest.param("2025-03-03T09:00:00", "2025-03-03T09:00:00.000Z", id="no zone is UTC"),
        pytest.param(1740992400, "2025-03-03T09:00:00.000Z", id="seconds"),
        pytest.param(1740992400123, "2025-03-03T09:00:00.123Z", id="milliseconds"),
    ],
)
def test_times_are_kept(given: Any, kept: str) -> None:
    flat = {"conversation_id": "a", "turns": [turn(timestamp=given)]}
    listed = [{"role": "user", "content": "hi", "created_at": given}]

    assert [at for *_, at in said(flat)] == [kept, kept]
    assert [at for *_, at in said(listed)] == [kept]


def test_what_has_no_time_has_that_of_the_one_before() -> None:
    listed = [
        {"role": "user", "content": "first"},
        {"role": "user", "content": "second", "timestamp": "2025-03-03T09:00:00Z"},
        {"role": "assistant", "content": "third"},
    ]

    assert [at[:10] for *_, at in said(listed)] == ["2025-03-03", "2025-03-03", "2025-03-03"]
    assert said([{"role": "user", "content": "hi"}])[0][3] == iso_milliseconds(NOW)


def test_turns_without_an_answer_or_a_message_keep_the_half_they_have() -> None:
    flat = {"turns": [turn(agent_response=None), turn(user_message=" ", agent_response="By the way …"), turn()]}

    assert [(who, number, text) for who, number, text, _ in said(flat)] == [
        ("user", 1, "hi"),
        ("assistant", 1, "By the way …"),
        ("user", 2, "hi"),
        ("assistant", 2, "hello"),
    ]


def test_tools_are_named_and_the_rest_of_their_calls_kept_beside() -> None:
    call = {"tool_name": "search", "arguments": {"q": "invoice"}}
    (history,) = histories_in({"turns": [turn(mcp_tools_used=["list", call, "list", 7])]})
    made = conversation_of(history, "default", "a", NOW)

    reply = made.events[1]
    assert isinstance(reply, AgentReply)
    assert reply.tools_used == ("list", "search")
    assert [(one["pointer"], one["value"]) for one in made.metadata["imported"]["left"]] == [
        ("/turns/0/mcp_tools_used/1", call),
        ("/turns/0/mcp_tools_used/3", 7),
    ]


def test_tools_and_refusals_of_a_message_list_belong_to_the_answer() -> None:
    function = {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    listed = {
        "messages": [
            {"role": "developer", "content": "be brief"},
            {"role": "user", "content": "find it"},
            {"role": "assistant", "content": None, "tool_calls": [function]},
            {"role": "tool", "tool_call_id": "c", "content": "[]"},
            {"role": "assistant", "content": None, "refusal": "I may not."},
            {"role": "assistant", "content": "Not yet.", "tool_calls": [function]},
        ]
    }
    (history,) = histories_in(listed)

    assert [(one.text, one.tools) for one in history.said if one.role == "assistant"] == [
        ("I may not.", ("search",)),
        ("Not yet.", ("search",)),
    ]
    assert [one.pointer for one in history.left] == [
        "/messages/0",
        "/messages/2/tool_calls",
        "/messages/3",
        "/messages/5/tool_calls",
    ]


def test_tools_that_nobody_answered_with_are_kept_beside() -> None:
    function = {"id": "c", "function": {"name": "search"}}
    listed = [{"role": "user", "content": "find it"}, {"role": "assistant", "tool_calls": [function]}]

    assert histories_in(listed)[0].left[-1].value == ["search"]
    assert histories_in({"turns": [turn(agent_response="", mcp_tools_used=["x"])]})[0].left[0].value == ["x"]


def test_what_is_too_large_to_keep_is_counted() -> None:
    (history,) = histories_in({"turns": [turn(trace="x" * KEPT_BYTES, mood="fine")]})

    source = conversation_of(history, "default", "a", NOW).metadata["imported"]

    assert [one["pointer"] for one in source["left"]] == ["/turns/0/mood"]
    assert source["too_large"] == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("expenses-chat", "expenses-chat", id="fits"),
        pytest.param("Expenses/Chat", "expenses-chat-", id="is made of it"),
        pytest.param("Ünïcode", "n-code-", id="other letters"),
        pytest.param("  ", "cv-", id="nothing left of it"),
        pytest.param("x" * 80, "x" * 48 + "-", id="too long"),
    ],
)
def test_an_id_that_does_not_fit_is_made_to(old: str, new: str) -> None:
    made = fitting_id(old)

    assert made.startswith(new)
    assert fitting_id(made) == made
    assert fitting_id(old) == made
    assert len({fitting_id(old), fitting_id(old.upper() + "!")}) == 2


def test_the_same_history_makes_the_same_conversation() -> None:
    (history,) = histories_in({"conversation_id": 42, "turns": [turn(), turn()]})

    first, again = (conversation_of(history, "default", "42", NOW) for _ in range(2))

    assert first == again
    assert len({event.id for event in first.events}) == 4
    assert first.title == "hi"
    assert first.metadata["imported"]["id"] == "42"


@pytest.mark.parametrize(
    ("document", "place"),
    [
        pytest.param({"turns": [turn(), turn(user_message=7)]}, "/turns/1/user_message", id="no text"),
        pytest.param({"turns": [turn(timestamp="yesterday")]}, "/turns/0/timestamp: is no time", id="no time"),
        pytest.param({"turns": [turn(timestamp=True)]}, "/turns/0/timestamp: is no time", id="a truth"),
        pytest.param({"turns": [turn(timestamp=1e300)]}, "/turns/0/timestamp: is no time", id="far off"),
        pytest.param({"turns": "none"}, "/turns: ", id="no list"),
        pytest.param({"turns": []}, "/: nobody says anything", id="empty"),
        pytest.param([{"turns": [turn()]}, {"turns": [3]}], "/1/turns/0", id="the second of a list"),
        pytest.param([{"role": "user", "content": "x"}, {"role": "cat", "content": "y"}], "/1/role", id="role"),
        pytest.param({"messages": [{"content": "x"}]}, "/messages/0/role", id="no role"),
        pytest.param({"messages": [{"role": "user", "content": "\ud800"}]}, "/messages/0/content", id="half"),
        pytest.param({"chats": 1}, "/: is no conversation of a shape that is read here", id="no shape"),
        pytest.param("text", "/: is no conversation of a shape that is read here", id="no object"),
        pytest.param([], "/: is no conversation of a shape that is read here", id="nothing"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(document: Any, place: str) -> None:
    assert place in refusal(document)
