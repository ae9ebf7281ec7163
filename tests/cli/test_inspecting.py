"""`inspect`: what it shows, in any width and without colour, and what it leaves out of a terminal."""

import asyncio
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from tests.cli.commands import wiring_without_serving
from tests.support.long_talks import accepted, compacted, talked
from tests.support.stored import AT, a_conversation
from workflow_agent.cli import cli
from workflow_agent.cli.conversation_view import of_conversation, of_turn
from workflow_agent.conversations.document import AgentReply, Conversation, Event
from workflow_agent.conversations.iterations import IterationToolCall
from workflow_agent.conversations.outcome import end_run
from workflow_agent.conversations.runs import RunError
from workflow_agent.conversations.seals import SealRule
from workflow_agent.conversations.transitions import PhaseChange, change_phase
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.values.stored import JsonObject
from workflow_agent.values.tokens import Cost

RULE = SealRule(above_bytes=32 * 1024, fewest_turns=4, most_turns=8)


def stored(root: Path, *changes: Callable[[Conversation], Conversation]) -> None:
    async def store() -> None:
        kept = JsonConversationStore(DurableFiles(root), seal=RULE)
        await kept.create(a_conversation(tenant="default", title="Invoices [draft]"))
        for change in changes:
            await kept.update("default", "invoice-1", change)

    asyncio.run(store())


def run(root: Path, *arguments: str, columns: int = 100) -> tuple[int, str]:
    result = CliRunner().invoke(
        cli,
        ["inspect", *arguments, "--data-dir", str(root)],
        obj=wiring_without_serving(),
        env={"COLUMNS": str(columns)},
    )
    return result.exit_code, result.output


def with_calls(talk: Conversation) -> Conversation:
    """Return the conversation with what its replies' steps called."""

    def called(event: Event) -> Event:
        if not isinstance(event, AgentReply):
            return event
        call = IterationToolCall(id=f"call_{event.turn}", name="get_workflow", outcome="failed", duration_ms=12.0)
        first = event.iterations[0].model_copy(update={"tool_calls": (call,)})
        return event.model_copy(update={"iterations": (first, *event.iterations[1:])})

    return talk.model_copy(update={"events": tuple(map(called, talk.events))})


def recorded(context: JsonObject) -> Callable[[Conversation], Conversation]:
    """Return what gives every reply a context record."""

    def changed(talk: Conversation) -> Conversation:
        events = (
            one.model_copy(update={"context": context}) if isinstance(one, AgentReply) else one for one in talk.events
        )
        return talk.model_copy(update={"events": tuple(events)})

    return changed


def failed(talk: Conversation) -> Conversation:
    started = accepted(talk)
    return end_run(
        started.conversation,
        started.run.run_id,
        started.run.fence,
        "failed",
        error=RunError(type="ModelFailed", message="The provider is away."),
        at=AT,
    )


def planned(talk: Conversation) -> Conversation:
    return change_phase(talk, PhaseChange(agent="user", to="plan"), at=AT, new_id=lambda _: "evt_p")[0]


def test_a_conversation_is_shown_turn_by_turn(tmp_path: Path) -> None:
    stored(tmp_path, lambda old: with_calls(talked(2, old)), failed, planned)

    code, output = run(tmp_path, "invoice-1")

    assert code == 0
    for words in (
        "Invoices [draft]",
        "Turn 1, ",
        "Message 1",
        "Answer 2.",
        "2 steps: get_workflow (failed)",
        "mode general 1.00, request",
        "2 requests, 100 tokens in and 10 out",
        "$0.0200",
        "failed (assistant, attempt 1): The provider is away.",
        "* The phase is now plan",
    ):
        assert words in output


def test_a_turn_is_shown_in_full_with_its_calls(tmp_path: Path) -> None:
    stored(tmp_path, lambda old: with_calls(talked(3, old)))

    code, output = run(tmp_path, "invoice-1", "--turn", "2")

    assert code == 0
    assert "turn 2 of 3" in output
    assert "workflow='it'" in output
    assert "Message 1" not in output


def an_artifact(source: str, strategy: str, why: str, taken: int | None = None) -> JsonObject:
    sizes = {"original_size_chars": 1_200, "processed_size_chars": taken}
    return {"source": source, "strategy": strategy, "rationale": why, **sizes}


RECORD: JsonObject = {
    "used_tokens": 1_000,
    "budget_tokens": 2_000,
    "level": "ok",
    "counting": "provider",
    "breakdown": {"history": 750, "tools": 250, "phase": 0},
    "turns": {"included": 3, "compacted": 4, "excluded": 5},
    "compaction": {"id": "cmp_1", "to_turn": 4, "fallback": "TimeoutError"},
    "message": {"original_chars": 9_000, "included_chars": 4_000},
    "artifacts_processed": [
        an_artifact("attachment:Travel policy", "rag_extract", "may hold what is asked for", 300),
        an_artifact("history:msg_7:get_workflow", "exclude", "shares no words with the question"),
    ],
    "planning": {
        "planned_by": "fallback",
        "reason": "historical artifacts",
        "model": "planner-1",
        "failure": "ModelHTTPError",
        "corrections": ["art_1 was planned twice"],
        "notes": [],
    },
}


def test_a_turn_is_shown_with_what_the_model_saw_and_who_decided(tmp_path: Path) -> None:
    stored(tmp_path, lambda old: talked(3, old), recorded(RECORD))

    _, output = run(tmp_path, "invoice-1", "--turn", "2")

    lines = [" ".join(line.split()) for line in output.splitlines()]
    for line in (
        "history 750 75% ######### The earlier turns that are in view, with their frame",
        "tools 250 25% ### The definitions of the tools that are offered",
        "counted as the provider counted",
        "turns 3 in view, 4 as a summary, 5 left out",
        "compaction cmp_1 stands for turns 1 to 4, without a summary: TimeoutError",
        "message 4,000 of 9,000 characters were sent",
        "planning by rule, as the model planner-1 failed (ModelHTTPError): historical artifacts",
        "art_1 was planned twice",
        "attachment:Travel policy in passages 300 of 1,200 may hold what is asked for",
        "history:msg_7:get_workflow left out 1,200 shares no words with the question",
    ):
        assert line in lines
    assert re.search(r"^ +run \S+, attempt 1: completed$", output, re.MULTILINE)


def priced(*replies: tuple[str, float | None]) -> Callable[[Conversation], Conversation]:
    """Return what gives each reply a model and a cost, and the conversation their sum."""

    def changed(talk: Conversation) -> Conversation:
        left = iter(replies)
        events: list[Event] = []
        for one in talk.events:
            event: Event = one
            if isinstance(one, AgentReply):
                model, spent = next(left)
                event = one.model_copy(update={"model": model, "cost": Cost(total_usd=spent)})
            events.append(event)
        spent = sum(amount or 0 for _, amount in replies)
        totals = talk.usage_totals.model_copy(update={"cost_usd": spent})
        return talk.model_copy(update={"events": tuple(events), "usage_totals": totals})

    return changed


@pytest.mark.parametrize(
    ("replies", "whole", "each"),
    [
        pytest.param([("offline", None)], "nothing", ["nothing"], id="offline"),
        pytest.param([("local", None)], "price not known", ["price not known"], id="without a price"),
        pytest.param([("o1", 0.5), ("offline", None)], "$0.5000", ["$0.5000", "nothing"], id="both"),
        pytest.param(
            [("o1", 0.5), ("local", None)],
            "$0.5000, and turns whose price is not known",
            ["$0.5000", "price not known"],
            id="one of two without a price",
        ),
    ],
)
def test_what_costs_nothing_is_told_from_what_has_no_known_price(
    tmp_path: Path, replies: list[tuple[str, float | None]], whole: str, each: list[str]
) -> None:
    stored(tmp_path, lambda old: talked(len(replies), old), priced(*replies))

    _, output = run(tmp_path, "invoice-1")

    assert re.search(rf"^cost +{re.escape(whole)}$", output, re.MULTILINE)
    told = [line.rpartition(", ")[2] for line in output.splitlines() if "tokens in and" in line][1:]
    assert told == each


@pytest.mark.parametrize(
    "record",
    [
        {"breakdown": 3},
        {"breakdown": {"history": "much"}, "turns": 1, "planning": ["x"], "artifacts_processed": {"a": 1}},
        {"breakdown": {"other": 1}, "message": {"original_chars": "x"}, "artifacts_processed": [1, {}]},
        {"breakdown": {"other": 1}, "planning": {"planned_by": "rule", "notes": 3}, "compaction": 1},
    ],
)
def test_a_record_of_another_form_is_no_obstacle(tmp_path: Path, record: JsonObject) -> None:
    stored(tmp_path, lambda old: talked(1, old), recorded(record))

    code, output = run(tmp_path, "invoice-1", "--turn", "1")

    assert code == 0
    assert "Answer 1." in output


@pytest.mark.parametrize("columns", [80, 120])
def test_nothing_is_wider_than_the_terminal(tmp_path: Path, columns: int) -> None:
    stored(tmp_path, lambda old: talked(3, old), recorded(RECORD), failed, planned)
    conversation = asyncio.run(JsonConversationStore(DurableFiles(tmp_path)).load("default", "invoice-1"))

    views = (of_turn(conversation, conversation, number) for number in (2, 4))
    for view in (of_conversation(conversation), *views):
        console = Console(file=io.StringIO(), width=columns)
        for part in view:
            console.print(part)
        assert isinstance(console.file, io.StringIO)
        assert max(map(len, console.file.getvalue().splitlines())) <= columns


def test_in_a_pipe_there_is_no_box_and_no_colour_and_nothing_is_cut(tmp_path: Path) -> None:
    long = "word " * 80 + "end"
    stored(tmp_path, lambda old: with_calls(talked(3, old)), lambda old: accepted(old, content=long).conversation)

    _, overview = run(tmp_path, "invoice-1")
    _, turn = run(tmp_path, "invoice-1", "--turn", "2")

    for line in (overview + turn).splitlines():
        assert not re.search(r"[\u2500-\u257f\x1b]|\s$", line), line
    assert long in overview
    assert re.search(r"^ *1 +get_workflow +workflow='it'", turn, re.MULTILINE)


def test_a_conversation_of_a_server_is_shown_the_same(used: Path, server: str, tmp_path: Path) -> None:
    for arguments in (["--turn", "2"], ["--json"], []):
        here = CliRunner().invoke(
            cli, ["inspect", "expenses-chat", *arguments, "--data-dir", str(used)], obj=wiring_without_serving()
        )
        there = CliRunner().invoke(
            cli, ["inspect", "expenses-chat", *arguments, "--url", server], obj=wiring_without_serving()
        )
        assert (there.exit_code, there.output) == (0, here.output)

    missing = CliRunner().invoke(
        cli, ["inspect", "expenses-chat", "--turn", "9", "--url", server], obj=wiring_without_serving()
    )
    assert (missing.exit_code, "has no turn 9" in missing.output) == (3, True)


def test_sealed_turns_are_read_back_and_compactions_told(tmp_path: Path) -> None:
    stored(tmp_path, *[lambda old: compacted(talked(1, old))] * 40)

    _, overview = run(tmp_path, "invoice-1")
    code, sealed = run(tmp_path, "invoice-1", "--turn", "3")

    assert "are sealed; --turn N shows any of them." in overview
    assert "Compactions" in overview
    assert "1,000 to 100" in overview
    assert code == 0
    assert "turn 3 of 40 (sealed)" in sealed
    assert "Message 3" in sealed


def test_text_cannot_move_the_cursor_or_be_taken_for_markup(tmp_path: Path) -> None:
    stored(tmp_path, lambda old: accepted(old, content="[red]stop[/red] \x1b[2J\x07 [/]").conversation)

    code, output = run(tmp_path, "invoice-1")

    assert code == 0
    assert "[red]stop[/red] \ufffd[2J\ufffd [/]" in output


def test_json_has_every_turn_with_its_evidence(tmp_path: Path) -> None:
    stored(tmp_path, lambda old: talked(2, old), failed)

    whole = json.loads(run(tmp_path, "invoice-1", "--json")[1])
    one = json.loads(run(tmp_path, "invoice-1", "--json", "--turn", "2")[1])

    assert [turn["turn"] for turn in whole["turns"]] == [1, 2, 3]
    assert whole["turns"][2]["runs"][0]["status"] == "failed"
    assert [turn["mode"]["name"] for turn in one["turns"]] == ["general"]
    assert len(one["turns"][0]["events"][1]["iterations"]) == 2


def test_what_is_not_there_is_said_and_nothing_is_made(tmp_path: Path) -> None:
    stored(tmp_path, lambda old: talked(1, old))
    before = sorted(tmp_path.rglob("*"))

    assert run(tmp_path, "missing")[0] == 3
    code, output = run(tmp_path, "invoice-1", "--turn", "7")

    assert (code, "has no turn 7" in output) == (3, True)
    assert sorted(tmp_path.rglob("*")) == before
