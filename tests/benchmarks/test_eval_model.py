"""The evaluation of a provider's model tells a good one from a bad one, and from one that does nothing."""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import models

from benchmarks.eval_model import (
    KINDS,
    Evaluation,
    Options,
    Stopped,
    by_chance,
    comparison,
    evaluate,
    main,
    read,
    verdicts,
    wilson,
)
from benchmarks.offline_graphs import differences, graph_of, wanted
from benchmarks.prompted import nearest
from tests.support.provider import Answer, CallsTools, ProviderStub, Refuses, Says, provider_stub

pytestmark = pytest.mark.untraced
JsonObject = dict[str, Any]
BREAD = ("Mix dough", "Let rise", "Shape loaves", "Bake", "Cool")
ONE_OF_EACH = {
    "mix dough": (
        "create_workflow",
        {
            "name": "Bread",
            "steps": [{"name": one, "type": "human"} for one in BREAD],
            "transitions": [{"from": a, "to": b} for a, b in pairwise(BREAD)],
        },
        "The workflow is there.",
    ),
    "taste test": (
        "edit_workflow",
        {
            "workflow": "wf_cake",
            "edits": [{"op": "insert_step", "after": "decorate", "step": {"name": "Taste test", "type": "human"}}],
        },
        "There is a taste test now.",
    ),
    "who bakes": ("get_workflow", {"workflow": "wf_cake"}, "The baker."),
    "show hiring": ("get_workflow", {"workflow": "Hiring"}, "Hiring has nine steps."),
    "deposit": (None, {}, "I cannot do it in this mode. Before it comes the design, then Bake cake. Shall I?"),
}
"""What a good model calls for the first case of each kind, and says."""


@pytest.fixture(autouse=True)
def allow_local_requests() -> Iterator[None]:
    with models.override_allow_model_requests(True):
        yield


def good(request: JsonObject) -> Answer:
    """Do what the message asks, once."""
    last = request["messages"][-1]
    said = next(one["content"] for one in reversed(request["messages"]) if one["role"] == "user")
    tool, arguments, text = next(
        answer for words, answer in ONE_OF_EACH.items() if words in said.partition("<turn_facts")[0]
    )
    if tool is None or last["role"] == "tool":
        return Says([text])
    return CallsTools([(tool, json.dumps(arguments))])


def bad(request: JsonObject) -> Answer:
    """Delete whatever is open, whatever was asked, and call it done."""
    if request["messages"][-1]["role"] == "tool":
        return Says(["Done: deleted it."])
    return CallsTools([("delete_workflow", '{"workflow": "wf_cake"}')])


def idle(_: JsonObject) -> Answer:
    return Says(["OK."])


async def evaluated(
    out: Path, chooses: Callable[[JsonObject], Answer], stub: ProviderStub | None = None, **options: Any
) -> Evaluation:
    if stub is None:
        async with provider_stub() as own:
            return await evaluated(out, chooses, own, **options)
    stub.chooses = chooses
    wished = {"model": "openai:stub-1", "base_url": stub.base_url, "cases": 1, "attempts": 1, "at_once": 2}
    return await evaluate(Options(out=out, **(wished | options)))


async def test_a_good_model_is_right_and_one_that_does_nothing_or_harm_is_not(tmp_path: Path) -> None:
    found = {model: await evaluated(tmp_path / f"{model.__name__}.jsonl", model) for model in (good, bad, idle)}

    assert set(found[good].done) == {(kind, 1) for kind in KINDS}
    assert all(found[good].done.values()), (tmp_path / "good.jsonl").read_text()
    assert not any(found[bad].done.values())
    assert not any(found[idle].done.values())


@pytest.mark.slow
async def test_a_model_that_does_nothing_scores_0_where_nothing_should_happen(tmp_path: Path) -> None:
    traps = await evaluated(tmp_path / "idle.jsonl", idle, cases=30)

    assert len(traps.done) == 4 * 30 + 10 + 10
    assert not any(traps.done.values())


CANNED = ("Shall I do that in another mode?", "I cannot do that here. Yes.", "No, there is none: 10.")


@pytest.mark.slow
@pytest.mark.parametrize("said", CANNED)
async def test_a_model_that_says_one_thing_scores_0(tmp_path: Path, said: str) -> None:
    kinds = ["questions", "reading modes", "injection"]
    found = await evaluated(tmp_path / "canned.jsonl", lambda _: Says([said]), kinds=kinds, cases=10)

    assert len(found.done) == 30
    assert not any(found.done.values())


def test_an_answer_under_several_messages_is_none_unless_something_was_looked_at() -> None:
    rows = {
        ("questions", at): {"is_right": True, "reply": reply, "said": [str(at)], "used_tools": at > 3}
        for at, reply in enumerate(["Yes."] * 3 + ["Two."] * 5)
    }

    assert [right for _, right in sorted(verdicts(rows).items())] == [False] * 3 + [True] * 5


async def test_it_goes_on_where_it_stopped_and_asks_nothing_twice(tmp_path: Path) -> None:
    out = tmp_path / "good.jsonl"
    async with provider_stub() as stub:
        price = (1_000.0, 0.0)
        first = await evaluated(out, good, stub, price=price, most_usd=0.15, at_once=1)
        asked = len(stub.requests)
        second = await evaluated(out, good, stub, price=price)

    assert first.is_at_limit
    assert 0 < len(first.done) < len(KINDS)
    assert first.spent.usd == pytest.approx(0.1 * asked)
    assert set(second.done) == {(kind, 1) for kind in KINDS}
    assert len(out.read_text().splitlines()) == len(KINDS)
    assert all(row["usd"] > 0 for row in read(out).values())


async def test_a_limit_that_cannot_be_kept_stops_it(tmp_path: Path) -> None:
    with pytest.raises(Stopped, match="'openai:stub-1' is not known, so --most-usd cannot be kept"):
        await evaluated(tmp_path / "out.jsonl", good, most_usd=1.0, at_once=1)


async def test_what_the_provider_did_not_answer_is_asked_by_the_next_run(tmp_path: Path) -> None:
    out = tmp_path / "good.jsonl"

    broken = await evaluated(out, lambda _: Refuses(503), kinds=["questions"])
    mended = await evaluated(out, good, kinds=["questions"])

    assert (broken.done, len(broken.unanswered)) == ({}, 1)
    assert mended.done == {("questions", 1): True}


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        pytest.param(Refuses(401, "invalid_api_key"), "refused the API key", id="a wrong key"),
        pytest.param(Refuses(404, "model_not_found"), "has no such model", id="an unknown model"),
    ],
)
async def test_what_no_case_would_survive_stops_it_with_a_sentence(
    tmp_path: Path, refusal: Refuses, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with provider_stub() as stub:
        stub.chooses = lambda _: refusal
        code = await asyncio.to_thread(
            main, ["--model", "openai:stub-1", "--base-url", stub.base_url, "--out", str(tmp_path / "out.jsonl")]
        )

    shown = capsys.readouterr()
    assert code == 1
    assert told in shown.err
    assert len(shown.err.splitlines()) == 1
    assert shown.out == ""
    assert not (tmp_path / "out.jsonl").exists()


async def test_a_wrong_key_stops_the_command_with_a_sentence_and_no_traceback(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    async with provider_stub() as stub:
        stub.chooses = lambda _: Refuses(401, "invalid_api_key")
        command = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "benchmarks.eval_model", "--model", "openai:stub-1"),
            *("--base-url", stub.base_url, "--out", str(out)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        shown, told = await command.communicate()

    assert (command.returncode, shown) == (1, b"")
    assert told.decode().splitlines() == [
        "The model's provider refused the API key (authentication): check the model's name, the base URL and the key."
    ]
    assert "Traceback" in out.with_suffix(".log").read_text()
    assert not out.exists()


@pytest.mark.slow
async def test_where_nobody_answers_it_stops_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with provider_stub() as stub:
        nowhere = stub.base_url

    code = await asyncio.to_thread(
        main, ["--model", "openai:stub-1", "--base-url", nowhere, "--out", str(tmp_path / "out.jsonl")]
    )

    told = capsys.readouterr().err.splitlines()
    assert code == 1
    assert "None of the first 5 cases was answered" in told[-1]
    assert not (tmp_path / "out.jsonl").exists()


def test_a_name_that_is_no_model_stops_it_with_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["--model", "nosuch:model", "--out", str(tmp_path / "out.jsonl")])

    assert (code, len(capsys.readouterr().err.splitlines())) == (1, 1)


def test_two_models_are_compared_over_what_both_were_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, rights in (("one", [True] * 9 + [False]), ("other", [False] * 9)):
        rows = [
            {"model": name, "kind": "editing", "number": number, "is_right": right}
            for number, right in enumerate(rights)
        ]
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)))

    monkeypatch.setenv("COLUMNS", "160")
    code = main(["--compare", str(tmp_path / "one"), str(tmp_path / "other")])

    shown = capsys.readouterr().out
    assert code == 0
    assert "100.0% · 70% to 100%" in " ".join(shown.split())
    assert "0.004" in shown
    with pytest.raises(Stopped, match="no case in common"):
        comparison(read(tmp_path / "one"), {})


def test_a_file_of_another_model_is_not_added_to(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text(
        json.dumps({"model": "openai:other", "half": "dev", "kind": "editing", "number": 1, "is_right": True})
    )

    with pytest.raises(Stopped, match="holds an evaluation of 'openai:other'"):
        asyncio.run(evaluated(out, good))


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [(0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (50, 100, 0.404, 0.596), (1, 1, 0.207, 1.0)],
)
def test_intervals_are_wilsons(right: int, of: int, low: float, high: float) -> None:
    assert wilson(right, of) == (pytest.approx(low, abs=0.001), pytest.approx(high, abs=0.001))


def test_an_even_split_may_be_chance_and_an_uneven_one_is_not() -> None:
    assert by_chance(5, 5) == by_chance(0, 0) == 1.0
    assert by_chance(0, 9) == pytest.approx(2 / 2**9)


DRAWN: JsonObject = {
    "id": "wf_x", "name": "X", "start": "ask",
    "steps": [
        {"id": "ask", "name": "Ask", "type": "human", "assignee": "clerk",
         "form": {"fields": [{"key": "why", "type": "text"}]}},
        {"id": "approve", "name": "Approve", "type": "human", "assignee": "manager", "timeout": "P2D"},
        {"id": "pay", "name": "Pay", "type": "action", "uses": "bank.pay", "retry": {"max_attempts": 3}},
        {"id": "tell", "name": "Tell the clerk", "type": "action", "uses": "email.send"},
        {"id": "paid", "name": "Paid", "type": "end"}, {"id": "refused", "name": "Refused", "type": "end"},
    ],
    "transitions": [
        {"id": "1", "from": "ask", "to": "approve"},
        {"id": "2", "from": "approve", "to": "pay", "type": "condition", "when": {"text": "approved"}},
        {"id": "3", "from": "approve", "to": "tell", "type": "condition", "when": {"text": "rejected"}},
        {"id": "4", "from": "pay", "to": "paid"},
        {"id": "5", "from": "pay", "to": "approve", "type": "error"},
        {"id": "6", "from": "tell", "to": "refused"},
    ],
}  # fmt: skip
CLAIMS = ["a: ask @clerk", "b: approve @manager", "c: pay", "+a>b", "+b>c ~?"]


def test_what_the_prompt_asks_for_does_not_count_against_a_model() -> None:
    own = wanted(graph_of(None), CLAIMS)

    assert differences(own, DRAWN, "ask, approve, pay")
    assert nearest(DRAWN, (), lambda one: differences(own, one, "ask, approve, pay")) == []


def test_what_nobody_asked_for_still_counts() -> None:
    own = wanted(graph_of(None), ["a: ask @clerk", "b: approve @manager", "+a>b"])

    assert nearest(DRAWN, (), lambda one: differences(own, one, "ask, approve"))
