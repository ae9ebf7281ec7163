"""`migrate`: real files of other services, into a data directory and into a server."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Ran, run
from workflow_agent.storage.files.verification.directory import verify_directory

HISTORIES = Path(__file__).parent / "histories"
ALL = 4


@pytest.fixture
def histories(tmp_path: Path) -> Path:
    shutil.copytree(HISTORIES, tmp_path / "histories")
    return tmp_path / "histories"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "brought"


def migrated(data: Path, *arguments: object) -> Ran:
    return run("migrate", *map(str, arguments), DATA_DIR=str(data))


def stored(data: Path) -> dict[str, Any]:
    """Return the conversations of a data directory by id."""
    files = (data / "default" / "conversations").glob("*.json")
    return {one["id"]: one for one in (json.loads(file.read_text()) for file in files)}


def snapshot(data: Path) -> dict[str, tuple[bytes, int]]:
    """Return every file with its content and the time of its last change."""
    files = (file for file in data.rglob("*") if file.is_file())
    return {str(file): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


def test_a_directory_is_brought_in_with_its_times_and_old_ids(histories: Path, data: Path) -> None:
    ran = migrated(data, histories)

    assert ran.code == 0, ran.err
    assert f"Brought in {ALL} conversations with 7 turns" in ran.err
    found = {one["metadata"]["imported"]["id"]: one for one in stored(data).values()}
    assert set(found) == {"Support Chat #42", "team/leave", "onboarding", "team/exported-3"}
    support = found["Support Chat #42"]
    assert [event["at"] for event in support["events"]] == [
        "2025-03-03T09:15:00.250Z",
        "2025-03-03T09:15:00.250Z",
        "2025-03-03T09:17:30.000Z",
        "2025-03-03T09:17:30.000Z",
        "2025-03-03T09:20:00.000Z",
    ]
    assert support["events"][3]["tools_used"] == ["update_workflow"]
    assert found["onboarding"]["title"] == "Onboarding"
    assert verify_directory(data) == []


def test_the_second_time_changes_nothing(histories: Path, data: Path) -> None:
    migrated(data, histories)
    run("ask", "what did I ask first?", "-c", "onboarding", DATA_DIR=str(data))
    before = stored(data)

    ran = migrated(data, histories)

    assert ran.code == 0
    assert f"Brought in 0 conversations with 0 turns; {ALL} were there already." in ran.err
    assert stored(data) == before


def test_a_dry_run_tells_the_same_and_writes_nothing(histories: Path, data: Path) -> None:
    told = migrated(data, histories, "--dry-run")
    written = [file for file in data.rglob("*") if file.is_file()]

    done = migrated(data, histories)

    assert written == []
    assert told.code == 0
    assert told.err == f"Would bring in {ALL} conversations with 7 turns; 0 were there already.\n"
    assert told.out == done.out


def test_the_report_says_what_was_not_taken_and_why(histories: Path, data: Path) -> None:
    report = {one["old_id"]: one for one in json.loads(migrated(data, histories, "--json").out)}

    assert [one["pointer"] for one in report["Support Chat #42"]["left"]] == [
        "/turns/1/latency_ms",
        "/turns/1/mcp_tools_used/0",
    ]
    assert report["Support Chat #42"]["notes"] == [
        "1 of 3 turns without an answer",
        "1 of 3 turns with a time without a zone, read as UTC",
    ]
    assert [(one["pointer"], one["why"].split(";")[0]) for one in report["team/leave"]["left"]] == [
        ("/0", "instructions of the other service"),
        ("/2/tool_calls", "what a tool of the other service was called with or gave back"),
        ("/3", "what a tool of the other service was called with or gave back"),
        ("/5/content/1", "a part of a message that is not text"),
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param('{"turns": [{"user_message": 1}]}', "/turns/0/user_message", id="a wrong member"),
        pytest.param('{"turns": [\n  {"user_message": "x",}]}', "line 2, column 24: not JSON", id="no JSON"),
        pytest.param('{"turns": [{"user_message": "x", "n": NaN}]}', "NaN is no JSON number", id="no number"),
        pytest.param("[" * 100_000, "not JSON", id="too deep"),
        pytest.param(
            '{"turns": [{"user_message": "x", "n": ' + "[" * 200 + "]" * 200 + "}]}", "nested deeper", id="deep"
        ),
        pytest.param(b"\xff{}", "it is not UTF-8 text", id="no text"),
    ],
)
def test_a_bad_file_is_refused_with_its_place_and_nothing_is_changed(
    histories: Path, data: Path, text: str | bytes, place: str
) -> None:
    (histories / "bad.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    before = snapshot(data)

    ran = migrated(data, histories)

    assert ran.code == 1
    assert "Nothing was changed" in ran.err
    assert place in ran.err
    assert str(histories / "bad.json") in ran.err
    assert snapshot(data) == before


def test_the_rest_is_brought_in_where_that_is_asked_for(histories: Path, data: Path) -> None:
    (histories / "lines.jsonl").write_text('{"messages": []}\n{"messages": [}\n')

    ran = migrated(data, histories, "--skip-bad")

    assert ran.code == 1
    assert len(stored(data)) == ALL
    assert f"{histories}/lines.jsonl:1: /: nobody says anything in it" in ran.err
    assert f"{histories}/lines.jsonl:2: line 2, column 15: not JSON" in ran.err


def test_a_taken_id_is_told_and_never_overwritten(histories: Path, data: Path) -> None:
    migrated(data, histories / "support-chat.json")
    grown = json.loads((histories / "support-chat.json").read_text())
    grown["turns"].append(dict(grown["turns"][0]))
    (histories / "support-chat.json").write_text(json.dumps(grown))
    run("ask", "hello", "-c", "mine", DATA_DIR=str(data))
    (histories / "mine.json").write_text('{"conversation_id": "onboarding", "turns": [{"user_message": "x"}]}')
    before = stored(data)

    ran = migrated(data, histories)

    assert ran.code == 4
    assert "was made of an earlier state of this history" in ran.err
    assert "has the same id" in ran.err
    assert stored(data) == before


def test_a_conversation_that_began_here_keeps_its_id(data_dir: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.json"
    mine.write_text('{"conversation_id": "expenses-chat", "turns": [{"user_message": "x"}]}')

    ran = migrated(data_dir, mine)

    assert ran.code == 4
    assert "a conversation that began here has the id 'expenses-chat'" in ran.err


def test_one_that_comes_twice_is_brought_in_once(histories: Path, data: Path) -> None:
    shutil.copy(histories / "support-chat.json", histories / "copy.json")

    ran = migrated(data, histories)

    assert ran.code == 0
    assert f"Brought in {ALL} conversations with 7 turns; 1 was there already." in ran.err


def test_a_server_takes_them_too(histories: Path, server: str) -> None:
    first = run("migrate", str(histories), "--url", server)
    again = run("migrate", str(histories), "--url", server)

    assert (first.code, again.code) == (0, 0)
    assert f"Brought in {ALL}" in first.err
    assert f"{ALL} were there already" in again.err


def test_one_that_cannot_be_stored_is_named_and_the_rest_can_follow(histories: Path, data: Path) -> None:
    large = {"conversation_id": "z", "turns": [{"user_message": "x" * 9_000, "agent_response": "y"}]}
    (histories / "zz.json").write_text(json.dumps(large))

    stopped = run("migrate", str(histories), DATA_DIR=str(data), MAX_BODY_BYTES="9000")
    again = migrated(data, histories)

    assert stopped.code == 1
    assert f"{histories}/zz.json: " in stopped.err
    assert f"{ALL} of {ALL + 1} came in before" in stopped.err
    assert f"Brought in 1 conversation with 1 turn; {ALL} were there already." in again.err


def test_standard_input_is_read(data: Path) -> None:
    ran = run("migrate", "-", stdin='[{"role": "user", "content": "hello"}]', DATA_DIR=str(data))

    assert ran.code == 0
    assert set(stored(data)) == {"stdin"}


@pytest.mark.parametrize("path", ["nowhere.json", "empty"])
def test_a_path_with_nothing_in_it_is_told(path: str, data: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    ran = migrated(data, tmp_path / path)

    assert ran.code == 3
    assert "There is no" in ran.err


ASIDE = "The colleagues at the window have been waiting for their lunch. " * 20
"""What makes turns longer than the record that stands for them."""


@pytest.mark.slow
def test_a_long_one_goes_on_and_is_compacted(data: Path, tmp_path: Path) -> None:
    turns = [{"user_message": f"note number {n}. " + ASIDE, "agent_response": f"noted {n}"} for n in range(300)]
    (tmp_path / "long.json").write_text(json.dumps({"conversation_id": "long", "turns": turns}))

    assert migrated(data, tmp_path / "long.json").code == 0
    for message in ("hello", "what did I say about number 299?"):
        assert run("ask", message, "-c", "long", DATA_DIR=str(data)).code == 0

    assert stored(data)["long"]["compactions"] != []
    assert verify_directory(data) == []


def test_an_import_of_what_was_not_exported_here_leads_to_migrate(histories: Path, data: Path) -> None:
    ran = run("conversations", "import", str(histories / "support-chat.json"), DATA_DIR=str(data))

    assert ran.code == 2
    assert "`workflow-agent migrate` reads those of other services" in ran.err


def test_what_was_brought_in_is_found(histories: Path, data: Path) -> None:
    migrated(data, histories)

    found = run("conversations", "search", "late fees", DATA_DIR=str(data))

    assert "what did we agree about late fees" in found.out
