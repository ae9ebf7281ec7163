"""What is drawn of descriptions, what is named as not read, and what may never happen whatever the text."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.growth import assert_grows_linearly
from workflow_agent.assistant.offline.drafting.description import Drafted, read_description, tells_work
from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.workflows.edits.drafts import parse_draft, workflow_from_draft

_SHOWN = ("timeout", "duration", "escalate_to", "parent")
_FEWEST_DRAWN = 0.5
"""Of the descriptions in the table this share is drawn without asking."""
_FEWEST_ASKED = 0.6
"""Of those that may be meant in two ways this share is shown first."""
TABLE = json.loads((Path(__file__).parent / "descriptions.json").read_text("utf-8"))
"""Descriptions with the graphs they tell, those of them that are known to be drawn otherwise, and doubtful ones."""


def lines(draft: Drafted) -> list[str]:
    """Return the graph of a draft, a line a step: `name @role {field}: next, [condition] next`."""
    steps, edges = draft.arguments["steps"], draft.arguments["transitions"]
    names = {step["id"]: step["name"] for step in steps}
    lines: list[str] = []
    for step in steps:
        if step["type"] == "end":
            continue
        role = f" @{step['assignee']}" if step.get("assignee") else ""
        fields = "".join(f" {{{name}={step[name]}}}" for name in _SHOWN if name in step)
        out = [
            (f"[{edge.get('when', 'else')}] " if edge.get("type") else "") + names[edge["to"]]
            for edge in edges
            if edge["from"] == step["id"] and names[edge["to"]] not in ("Done", "Rejected")
        ]
        lines.append(f"{step['name']}{role}{fields}" + (f": {', '.join(out)}" if out else ""))
    return lines


def is_made(draft: Drafted | None) -> bool:
    """Say whether a draft is made without asking."""
    return draft is not None and not draft.unread and not draft.undrawn


def test_what_is_drawn_without_asking_is_what_is_told() -> None:
    drafts = {text: read_description(text) for text in TABLE["drawn"]}
    made = {text: lines(draft) for text, draft in drafts.items() if draft is not None and is_made(draft)}
    others = {text for text, graph in made.items() if graph != TABLE["drawn"][text]}

    # Who mends one takes it out of the table.
    assert others == set(TABLE["known"])
    assert len(made) >= _FEWEST_DRAWN * len(drafts)


def test_what_may_be_meant_in_two_ways_is_mostly_shown_first() -> None:
    doubtful = TABLE["doubtful"]

    assert sum(not is_made(read_description(text)) for text in doubtful) >= _FEWEST_ASKED * len(doubtful)


@pytest.mark.parametrize(
    ("text", "trigger"),
    [
        ("Every night at 2 the job exports the orders and uploads the file.", {"cron": "0 2 * * *"}),
        ("Each Monday at 9: collect the hours, check them, send them to payroll.", {"cron": "0 9 * * 1"}),
        ("On the first of the month accounting closes the books and the CFO signs off.", {"cron": "0 9 1 * *"}),
        ("When an order comes in, the warehouse packs it and the courier delivers it.", {"event": "order.received"}),
    ],
)
def test_a_time_or_an_event_starts_it(text: str, trigger: dict[str, str]) -> None:
    draft = read_description(text)

    assert draft is not None
    assert trigger.items() <= draft.arguments["triggers"][0].items()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Make a process called Visitor registration where the visitor signs in and reception prints a badge.",
         "Visitor registration"),
        ("Travel request: employee submits it, manager approves it", "Travel request"),
        ("Please set up a workflow for lost luggage. The agent fills in the form, the team searches the bag.",
         "Lost luggage"),
        ("Build an invoice approval: the clerk enters the invoice, the boss checks it, accounting pays.",
         "Invoice approval"),
        ("Create a workflow: sow, water, harvest", None),
        ("The clerk enters the invoice and the manager approves it.", None),
    ],
)  # fmt: skip
def test_a_name_is_read_or_left_open(text: str, name: str | None) -> None:
    draft = read_description(text)

    assert draft is not None
    assert draft.name == name
    assert draft.arguments["name"] == (name or "New workflow")


@pytest.mark.parametrize(
    "text", ["create a workflow", "```\nA sends a letter\nB signs it\n```", "", "- \n- \n...", "#"]
)
def test_what_tells_no_work_is_not_drawn(text: str) -> None:
    assert read_description(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "My manager approved the budget yesterday, so I'm happy.",
        "I had such a terrible morning, the train was late and then the coffee machine broke",
    ],
)
def test_talk_is_hardly_taken_for_a_description(text: str) -> None:
    draft = read_description(text)

    assert draft is None or tells_work(text) < 0.5


def test_what_comes_behind_the_words_that_are_read_is_told() -> None:
    draft = read_description(" -> ".join(f"pack box{at}" for at in range(600)))

    assert draft is not None
    assert any(told.startswith("what comes from") for told in draft.undrawn)


def test_who_does_several_steps_is_written_one_way() -> None:
    draft = read_description("Support logs the ticket. Then the expert solves it. Finally support closes it.")

    assert draft is not None
    assert {step.get("assignee") for step in draft.arguments["steps"] if step["type"] == "human"} == {
        "support",
        "expert",
    }


_WORDS = st.sampled_from(
    [
        "the",
        "clerk",
        "manager",
        "HR",
        "checks",
        "approves",
        "signs",
        "contract",
        "order",
        "if",
        "otherwise",
        "until",
        "again",
        "back",
        "to",
        "goes",
        "in",
        "parallel",
        "when",
        "both",
        "are",
        "done",
        "every",
        "Monday",
        "at",
        "9",
        "within",
        "two",
        "days",
        "for",
        "each",
        "item",
        "unless",
        "rejected",
        "approved",
        ",",
        ",",
        ".",
        ".",
        ":",
        ";",
        "->",
        "(",
        ")",
        "or",
        "and",
        "then",
        "finally",
        "meanwhile",
        "as",
        "long",
        "whatever",
        "happens",
        "repeat",
        "500",
        "under",
        "above",
        "between",
        "who",
        "which",
        "that",
        "it",
        "they",
        "is",
        "sent",
        "by",
        "said",
        "quickly",
        "?",
        "\n",
        "\n-",
        "\n1.",
        "fails",
        "retry",
        "three",
        "times",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_WORDS, max_size=45).map(" ".join))
def test_any_text_gives_a_valid_workflow_or_none(text: str) -> None:
    draft = read_description(text)

    if draft is not None:
        workflow_from_draft(parse_draft(draft.arguments), "wf_any")


@settings(max_examples=100, deadline=None)
@given(st.lists(_WORDS, max_size=45).map(" ".join))
def test_every_content_word_is_drawn_or_named(text: str) -> None:
    draft = read_description(
        f"{text}. The keeper feeds the zebra. The clerk checks the quagga. The manager signs the okapi."
    )

    if draft is not None:
        parts = [draft.arguments[part] for part in ("steps", "transitions", "triggers")]
        said = f"{parts} {draft.name} {draft.unread}".lower()
        assert all(word in said for word in ("zebra", "quagga", "okapi"))


@pytest.mark.parametrize(
    "piece",
    [
        "unless until if ",
        "if it is approved the clerk of the order ",
        "The clerk checks it. If it is ok, the boss signs it, otherwise the clerk calls. ",
        "every Monday at 9 ",
        "and a big red order , ",
        "the new hire of the house ",
    ],
)
def test_a_description_is_read_in_time_with_its_length(piece: str) -> None:
    assert_grows_linearly(lambda size: piece * size, read_description, 200)


@pytest.mark.parametrize("piece", ["step_", "a.b_", "e.g.", "x-", "https://a", "a@b."])
def test_one_long_word_is_read_in_time_with_its_length(piece: str) -> None:
    assert_grows_linearly(lambda size: piece * size, read_tokens, 1_600)


@pytest.mark.slow
def test_a_line_of_many_signs_is_read_in_time_with_its_length() -> None:
    assert_grows_linearly(lambda size: "check" + " > send" * size, read_description, 6_000)
