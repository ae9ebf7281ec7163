"""Finding, listing, showing and judging workflows, and small talk."""

from typing import Any

import pytest

from tests.support.offline_agent import Chat
from tests.support.offline_documents import workflows


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("find the one that mails invoices", "mails invoices"),
        ("which of ours talk to Slack?", "talk to Slack"),
        ("which workflows use email?", "use email"),
        ("do we have something for onboarding?", "onboarding"),
        ("is there a workflow for contracts?", "contracts"),
        ("do we already have a contract process?", "contract"),
        ("what do we have for finance?", "finance"),
        ("search for signing", "signing"),
        ("where do we announce things?", "announce things"),
        ("anything about overdue invoices?", "overdue invoices"),
        ("I'm looking for the workflow that handles expenses", "expenses"),
        ("what was the one that mails the board?", "mails the board"),
    ],
)
async def test_what_somebody_remembers_is_searched_for(said: str, query: str) -> None:
    turn = await Chat().say(said)

    assert turn.tools[-1] == "search_workflows"
    assert turn.args("search_workflows")["query"] == query


@pytest.mark.parametrize(
    ("said", "args"),
    [
        ("list all workflows", {"limit": 100}),
        ("what workflows do we have?", {"limit": 100}),
        ("show me everything", {"limit": 100}),
        ("how many workflows do we have?", {"limit": 100}),
        ("what runs every Monday?", {"trigger": "schedule", "limit": 100}),
        ("which workflows run on a schedule?", {"trigger": "schedule", "limit": 100}),
        ("what's scheduled?", {"trigger": "schedule", "limit": 100}),
        ("what starts when an expense is submitted?", {"trigger": "event", "limit": 100}),
        ("which ones are tagged legal?", {"tag": "legal", "limit": 100}),
        ("show all finance workflows", {"tag": "finance", "limit": 100}),
        ("list everything tagged reporting", {"tag": "reporting", "limit": 100}),
    ],
)
async def test_lists_ask_the_catalogue_with_the_right_filter(said: str, args: dict[str, Any]) -> None:
    turn = await Chat().say(said)

    assert turn.tools == ["list_workflows"]
    assert turn.args("list_workflows") == args


async def test_a_list_by_time_shows_only_what_starts_then() -> None:
    turn = await Chat().say("what runs every Tuesday?")

    assert "None of them starts every Tuesday" in turn.text
    assert "**Weekly report** (`wf_weekly_report`)" in turn.text


async def test_an_unknown_tag_falls_back_to_a_search() -> None:
    turn = await Chat().say("list everything tagged contract")

    assert turn.tools == ["list_workflows", "search_workflows"]
    assert "No workflow is tagged 'contract'" in turn.text
    assert "**Contract signing**" in turn.text


async def test_an_empty_catalogue_is_told() -> None:
    turn = await Chat(store={}, open_id=None).say("list all workflows")

    assert turn.text.startswith("There are no workflows yet")


async def test_without_any_workflow_a_question_gets_a_way_to_begin() -> None:
    turn = await Chat(store={}, open_id=None).say("what can go wrong?")

    assert turn.text.startswith("There are no workflows yet")


async def test_a_search_without_hits_names_what_is_close() -> None:
    turn = await Chat().say("search for zebra husbandry")

    assert "I found no workflow for 'zebra husbandry'" in turn.text


@pytest.mark.parametrize(
    ("said", "tool"),
    [
        ("show it", "get_workflow"),
        ("show me the steps", "get_workflow"),
        ("explain it", "get_workflow"),
        ("walk me through it", "get_workflow"),
        ("how does this work?", "get_workflow"),
        ("explain the expense approval step by step", "get_workflow"),
        ("what can go wrong?", "analyze_workflow"),
        ("any issues?", "analyze_workflow"),
        ("what am I missing?", "analyze_workflow"),
        ("how could we improve it?", "analyze_workflow"),
        ("is it any good?", "analyze_workflow"),
        ("make it more robust", "analyze_workflow"),
        ("where can it get stuck?", "analyze_workflow"),
        ("why would an invoice sit there for days?", "analyze_workflow"),
        ("is it valid?", "validate_workflow"),
        ("does it still hold together?", "validate_workflow"),
        ("check it for errors", "validate_workflow"),
        ("draw it", "draw_diagram"),
        ("show me a diagram", "draw_diagram"),
        ("can you draw me a picture?", "draw_diagram"),
        ("what changed?", "compare_versions"),
    ],
)
async def test_the_workflow_at_hand_is_shown_judged_and_drawn(said: str, tool: str) -> None:
    turn = await Chat().say(said)

    assert turn.tools[-1] == tool
    assert turn.args(tool)["workflow"] == "wf_expense_approval"


@pytest.mark.parametrize(
    ("said", "args"),
    [
        ("compare versions 2 and 3", {"from_version": 2, "to_version": 3}),
        ("what changed since version 2?", {"from_version": 2}),
        ("what's the difference between version 1 and 3?", {"from_version": 1, "to_version": 3}),
    ],
)
async def test_versions_are_compared_by_number(said: str, args: dict[str, int]) -> None:
    turn = await Chat().say(said)

    assert turn.args("compare_versions") == {"workflow": "wf_expense_approval", **args}


async def test_an_old_version_is_shown() -> None:
    turn = await Chat().say("show version 2")

    assert turn.args("get_workflow") == {"workflow": "wf_expense_approval", "version": 2}


async def test_findings_come_with_severity_steps_and_the_offer_of_a_fix() -> None:
    turn = await Chat().say("what can go wrong?")

    assert "**Warning:** 'Pay out' (pay)" in turn.text
    assert turn.text.endswith("Shall I fix that?")


async def test_waiting_is_told_even_where_no_rule_complains() -> None:
    turn = await Chat(open_id="wf_weekly_report").say("where can it get stuck?")

    assert "It waits on purpose at **Wait for late numbers** (`pause`) for 1 day" in turn.text


async def test_errors_are_listed_when_a_workflow_is_not_valid() -> None:
    lost = {"id": "wf_lost", "name": "Lost", "steps": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]}
    chat = Chat(store=workflows(lost), open_id="wf_lost")

    turn = await chat.say("is it valid?")

    assert turn.text.startswith("No, **Lost** (version 1) has errors:")


async def test_a_workflow_named_in_the_question_is_looked_up() -> None:
    turn = await Chat().say("analyse the contract signing")

    assert turn.tools == ["search_workflows", "analyze_workflow"]
    assert turn.args("analyze_workflow") == {"workflow": "wf_contract_signing"}


async def test_a_workflow_met_before_needs_no_search() -> None:
    turn = await Chat(known=["wf_contract_signing"]).say("draw contract signing")

    assert turn.tools == ["draw_diagram"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("hi", "Hello!"),
        ("good morning", "Hello!"),
        ("thanks, that's great", "You're welcome"),
        ("what can you do?", "I work on workflows with you"),
        ("help", "I work on workflows with you"),
        ("who are you?", "I'm the offline assistant"),
        ("are you ChatGPT?", "I'm the offline assistant"),
        ("how do I rename a step?", "Just say it in your own words"),
        ("tell me a joke", "outside what I can do"),
        ("bye", "Goodbye"),
        ("ok", "All right"),
        ("that's wrong", "Sorry"),
        ("run it", "I don't run them"),
        ("asdf qwer zxcv", "I didn't understand that"),
        ("what's the capital of France?", "workflows are all I know about"),
    ],
)
async def test_talk_needs_no_tool(said: str, told: str) -> None:
    turn = await Chat(mode="general").say(said)

    assert turn.tools == []
    assert told in turn.text


async def test_words_that_say_nothing_else_are_searched_for_in_search_mode() -> None:
    turn = await Chat(mode="search").say("slack announcements")

    assert turn.args("search_workflows")["query"] == "slack announcements"
