from datetime import UTC, datetime

import pytest

from workflow_agent.assistant.turns.addressees import Mentions, agents_for, is_follow_up, mentions_in
from workflow_agent.conversations.agents import ROSTER
from workflow_agent.conversations.document import AgentReply, Conversation, Event, ModeRecord, SystemEvent

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
NAMES = tuple(ROSTER)
SPOKE = AgentReply(
    id="e1",
    index=1,
    turn=1,
    at=NOON,
    author="analyst",
    content="Two findings.",
    run_id="r",
    model="m",
    mode=ModeRecord(name="analysis", confidence=1.0, source="agent"),
)
HANDED = SystemEvent(
    id="e2", index=2, at=NOON, content="handed", kind="handoff", data={"by": "analyst", "to": "editor"}
)


def after(*events: Event) -> Conversation:
    return Conversation(id="c", tenant="t", created_at=NOON, updated_at=NOON, events=events)


@pytest.mark.parametrize(
    ("message", "agents", "unknown"),
    [
        ("@analyst where can this get stuck?", ("analyst",), ()),
        ("what do you say, @Analyst?", ("analyst",), ()),
        ("@finder and @analyst, look; @finder first", ("finder", "analyst"), ()),
        ("write to me@finder.com or finder@analyst.org", (), ()),
        ("use `@editor` and\n```\n@finder\n```\nthere", (), ()),
        ("@app.route('/x') @scope/package @decorator(1)", (), ()),
        ("see https://x.org/@finder", (), ()),
        ("@bob can you look?", (), ("bob",)),
        ("@bob and @finder, look", ("finder",), ("bob",)),
        ("When it fails, notify @sales in Slack", (), ()),
    ],
)
def test_who_is_mentioned(message: str, agents: tuple[str, ...], unknown: tuple[str, ...]) -> None:
    assert mentions_in(message, NAMES) == Mentions(agents, unknown)


@pytest.mark.parametrize(
    ("conversation", "message", "who"),
    [
        pytest.param(after(), "hello", "assistant", id="nobody spoke yet"),
        pytest.param(after(SPOKE), "why?", "analyst", id="a follow-up stays"),
        pytest.param(after(SPOKE), "create a workflow for holidays", "assistant", id="a new request does not"),
        pytest.param(after(SPOKE, HANDED), "create a workflow for holidays", "editor", id="just handed over"),
        pytest.param(after(SPOKE), "undo that", "assistant", id="a change is not for one who only reads"),
        pytest.param(after(SPOKE), "can I undo that?", "analyst", id="a question about one is"),
        pytest.param(after(SPOKE, HANDED), "undo that", "editor", id="a change after a handover"),
        pytest.param(after(SPOKE), "@finder why?", "finder", id="a name wins"),
        pytest.param(after(SPOKE), "@bob why?", "assistant", id="nobody of that name"),
    ],
)
def test_who_answers(conversation: Conversation, message: str, who: str) -> None:
    assert agents_for(conversation, message, ROSTER) == (who,)


@pytest.mark.parametrize(
    ("message", "follows"),
    [
        ("yes", True),
        ("and the second one?", True),
        ("where can this get stuck?", True),
        ("which workflows talk to slack?", False),
        ("delete the expense approval", False),
    ],
)
def test_a_follow_up_is_told_from_a_new_request(message: str, follows: bool) -> None:
    assert is_follow_up(message) is follows
