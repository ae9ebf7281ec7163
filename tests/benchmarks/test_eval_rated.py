"""Turns that people rated up are asked of a model again: exported by the command, over HTTP to a stand-in."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import models

from benchmarks.eval_model import RATED, Options, Stopped, evaluate
from tests.cli.commands import run
from tests.support.provided import WORKFLOW, provided
from tests.support.provider import Answer, CallsTools, ProviderStub, Says, provider_stub

pytestmark = pytest.mark.untraced
RENAMING = {"workflow": WORKFLOW, "edits": [{"op": "rename_step", "step": "review_3", "name": "Legal"}]}
RENAMES = CallsTools([("edit_workflow", json.dumps(RENAMING))])
LEAVE = {"name": "Leave", "steps": [{"name": "Ask"}, {"name": "Approve"}]}
MAKES = CallsTools([("create_workflow", json.dumps(LEAVE))])
LOOKS = CallsTools([("get_workflow", json.dumps({"workflow": WORKFLOW}))])
TOLD = "The group 5 is looked at in Review 5, and it ends with Paid."
TURNS = {"rename": (RENAMES, "Renamed it."), "leave": (MAKES, "Made it."), "who": (LOOKS, TOLD)}
MESSAGES = (
    "rename the step Review 3 to Legal",
    "make a leave request: ask, then approve",
    "who looks at the fifth one?",
)


@pytest.fixture(autouse=True)
def allow_local_requests() -> Iterator[None]:
    with models.override_allow_model_requests(True):
        yield


def good(request: dict[str, Any]) -> Answer:
    """Do what was done, and say what was said."""
    said = next(one["content"] for one in reversed(request["messages"]) if one["role"] == "user")
    call, text = next(turn for words, turn in TURNS.items() if words in said.partition("<turn_facts")[0])
    return Says([text]) if request["messages"][-1]["role"] == "tool" else call


def vague(request: dict[str, Any]) -> Answer:
    """Look, and say nothing of it."""
    return Says(["I see."]) if request["messages"][-1]["role"] == "tool" else LOOKS


@pytest.fixture
async def exported(tmp_path: Path) -> Path:
    """Export three turns that were rated up, and one that was rated down."""
    answers = [one for call, text in TURNS.values() for one in (call, Says([text]))]
    async with provided(tmp_path, *answers, Says(["Bye."])) as under_test:
        for at, message in enumerate((*MESSAGES, "bye"), 1):
            await under_test.say(message, workflow_id=None if at > 1 else WORKFLOW)
            path = f"/api/v1/conversations/{under_test.conversation_id}/turns/{at}/feedback"
            rating = {"rating": "up" if at < 4 else "down"}
            (await under_test.client.put(path, json=rating)).raise_for_status()
    ran = run("evals", "from-conversations", DATA_DIR=str(tmp_path))
    assert (ran.code, ran.err.strip()) == (0, "Cases: 4.")
    path = tmp_path / "cases.jsonl"
    path.write_text(ran.out, encoding="utf-8")
    return path


async def asked(stub: ProviderStub, cases: Path, name: str, told: list[str]) -> dict[tuple[str, int], bool]:
    out = cases.with_name(f"{name}.jsonl")
    options = Options("openai:stub-1", out, stub.base_url, attempts=1, at_once=1, rated=cases)
    return (await evaluate(options, told.append)).done


async def test_what_was_rated_up_has_to_come_out_again(exported: Path) -> None:
    told: list[str] = []
    async with provider_stub() as stub:
        stub.chooses = good
        again = await asked(stub, exported, "good", told)
        stub.chooses = vague
        otherwise = await asked(stub, exported, "vague", [])

    assert again == {(RATED, 1): True, (RATED, 2): True, (RATED, 3): True}, told
    assert otherwise == {(RATED, 1): False, (RATED, 2): False, (RATED, 3): False}
    assert "1 turns of" in told[0]


async def test_a_file_without_a_turn_that_was_rated_up_stops_it(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    async with provider_stub() as stub:
        path.write_text("", encoding="utf-8")
        with pytest.raises(Stopped, match="no turn that was rated up"):
            await asked(stub, path, "out", [])
        path.write_text('{"message": "hello"}', encoding="utf-8")
        with pytest.raises(Stopped, match="is not a case of `evals from-conversations`"):
            await asked(stub, path, "out", [])
