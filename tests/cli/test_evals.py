"""`evals from-conversations`, on the real application over files."""

import json
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.support.scripted import Calls, scripted
from tests.support.server import application_for, client_of
from workflow_agent.settings import load_settings

MADE = ("create_workflow", {"name": "Leave", "steps": [{"name": "Ask"}, {"name": "Approve"}]})
SHOWN = ("list_workflows", {})
TALK = "/api/v1/conversations/talk"


@pytest.fixture
async def rated(tmp_path: Path) -> Path:
    """Rate the first and the last of three replies; the first made a workflow."""
    model, _ = scripted(Calls([MADE]), "Made it.", Calls([SHOWN]), "There is one.", "Good bye.")
    made = application_for(load_settings(data_dir=tmp_path), model)
    async with client_of(made) as one:
        await one.post("/api/v1/conversations", json={"id": "talk"})
        for message in ("Create a workflow for leave: ask, then approve", "What is there?", "Bye"):
            body = {"message": message, "conversation_id": "talk"}
            (await one.post("/api/v1/chat", json=body)).raise_for_status()
        up = {"rating": "up", "note": "Just right."}
        (await one.put(f"{TALK}/turns/1/feedback", json=up)).raise_for_status()
        (await one.put(f"{TALK}/turns/3/feedback", json={"rating": "down"})).raise_for_status()
    return tmp_path


def test_rated_turns_are_written_as_cases(rated: Path) -> None:
    every = run("evals", "from-conversations", DATA_DIR=str(rated))
    down = run("evals", "from-conversations", "--rated", "down", DATA_DIR=str(rated))

    first, last = map(json.loads, every.out.splitlines())
    assert (first["message"], first["reply"]) == ("Create a workflow for leave: ask, then approve", "Made it.")
    assert (first["rating"], first["note"], first["turn"]) == ("up", "Just right.", 1)
    assert [
        (one["name"], one["change"], one["version_before"], one["version_after"]) for one in first["workflows"]
    ] == [("Leave", "created", None, 1)]
    assert first["context"]["used_tokens"] <= first["context"]["budget_tokens"]
    assert (last["turn"], last["reply"], last["workflows"]) == (3, "Good bye.", [])
    assert [json.loads(line) for line in down.out.splitlines()] == [last]
    assert (every.code, every.err.strip(), down.err.strip()) == (0, "Cases: 2.", "Cases: 1.")


def test_without_ratings_there_are_no_cases(tmp_path: Path) -> None:
    ran = run("evals", "from-conversations", DATA_DIR=str(tmp_path))

    assert (ran.code, ran.out, ran.err.strip()) == (0, "", "Cases: 0.")
