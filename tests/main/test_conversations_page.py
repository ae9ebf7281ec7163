"""docs/conversations.md is true: its examples run on such a conversation, and find what it shows."""

import json
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from workflow_agent.cli.http_backend import local_backend
from workflow_agent.conversations.context_records import SECTIONS, ContextRecord
from workflow_agent.main.in_process import application_transport
from workflow_agent.settings import Settings

pytestmark = pytest.mark.untraced

DOCS = Path(__file__).parents[2] / "docs"
README = DOCS.parent / "README.md"
PAGE = (DOCS / "conversations.md").read_text("utf-8")
EXAMPLE = re.compile(r"```sh\n(?P<commands>.*?)```(?:\n\n```text\n(?P<shown>.*?)```)?", re.DOTALL)
EXAMPLES = [
    (one["commands"], one["shown"]) for one in EXAMPLE.finditer(PAGE) if "workflow-agent" not in one["commands"]
]
SAID = (
    "When an employee submits an expense, the manager approves or rejects it. If approved, finance pays it out.",
    "who approves?",
    "put a legal review before the payment",
    "list my workflows",
    "where could an expense get stuck?",
    "what happens when it is rejected?",
    "rename the payment step to Payout",
    "undo that",
    "draw it",
    "which steps wait for people?",
    "set a timeout of 2 days on the legal review",
    "find the one about invoices",
    "what changed today?",
    "where can it get stuck?",
    "thanks",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which `data` has the conversation, two sealed files of it included."""
    home = tmp_path_factory.mktemp("read")
    settings = Settings(
        data_dir=home / "data", samples=True, seal_above_bytes=20_000, planning_few_chars=1, planning_buffer=1
    )
    with application_transport(settings) as transport, local_backend(transport, "here") as backend:
        backend.post("/conversations", {"id": "expenses-chat", "title": "Expenses"})
        for message in SAID:
            for _ in backend.turn({"message": message, "conversation_id": "expenses-chat"}):
                pass
        deadline = time.monotonic() + 60
        while not backend.get("/conversations/expenses-chat")["archive"][1:]:
            assert time.monotonic() < deadline, "the turns were not compacted and sealed"
    return home


def shell(folder: Path, commands: str) -> str:
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def without_numbers(text: str) -> list[str]:
    """Return the lines of a text, in which ids, times and counts are not compared."""
    return [re.sub(r"\d+", "0", line).rstrip() for line in text.splitlines()]


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
@pytest.mark.parametrize(("commands", "shown"), EXAMPLES[1:], ids=lambda one: (one or "")[:60])
def test_an_example_finds_what_it_shows(folder: Path, commands: str, shown: str | None) -> None:
    found = shell(folder, EXAMPLES[0][0] + commands)

    if shown is not None:
        assert without_numbers(found) == without_numbers(shown)
    else:
        assert found.strip() != "" or "outcome_summary" in commands
        assert "null null" not in found


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_the_examples_of_the_readme_read_a_conversation_from_its_first_turn(folder: Path) -> None:
    (commands,) = re.findall(r"```sh\n(cd data/.*?)```", README.read_text("utf-8"), re.DOTALL)
    place, *examples = re.split(r"\n\n# .*\n", commands.replace("cv_2ac0d804ae02", "expenses-chat"))
    since, whole, calls, tokens = (shell(folder, f"{place}\n{one}") for one in examples)
    every_turn = [turn for turn in range(1, len(SAID) + 1) for _ in ("message", "reply")]

    assert [int(line.split()[0]) for line in whole.splitlines()] == every_turn
    assert whole.startswith(f"1 user [-]: {SAID[0]}\n1 assistant [creation]: ")
    assert whole.endswith(since)
    assert since.startswith("9 user")
    assert "get_workflow success " in calls
    assert '"prompt_module": ' in tokens


def names_in(schema: Any) -> set[str]:
    """Return every name that a member has anywhere in a schema."""
    if isinstance(schema, list):
        return set().union(*map(names_in, schema)) if schema else set()
    if not isinstance(schema, dict):
        return set()
    own = set(schema.get("properties", {}))
    return own.union(*map(names_in, schema.values()))


def test_the_examples_and_the_table_name_what_the_files_have() -> None:
    known = names_in(json.loads((DOCS / "schemas" / "conversation.schema.json").read_text("utf-8")))
    filters = " ".join(re.findall(r"jq [^']*'([^']*)'", PAGE))
    used = set(re.findall(r"\.([a-z_0-9]{2,})", re.sub(r'"(?:\\"|[^"(])*\\\(', "", filters)))
    listed = set(re.findall(r"`([a-z_]+)`", re.search(r"\| field \|.*?\n\n", PAGE, re.DOTALL)[0]))

    in_contents = {"findings", "severity", "message", "key", "value"}
    words = {"imported", "user_message", "agent_reply", "system_event", "json"}
    assert used - known - in_contents == set()
    assert listed - known - words == set()


def undescribed(value: Any, schema: Any, whole: Any, at: str = "context") -> list[str]:
    """Return where a value has a member that its schema does not describe."""
    schema = next((one for one in schema.get("anyOf", ()) if one != {"type": "null"}), schema)
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    if isinstance(value, list):
        return [place for one in value for place in undescribed(one, schema["items"], whole, f"{at}[]")]
    if not isinstance(value, dict):
        return []
    found: list[str] = []
    for name, one in value.items():
        described = schema.get("properties", {}).get(name, {})
        if "description" not in described:
            found.append(f"{at}.{name}")
        found += undescribed(one, described, whole, f"{at}.{name}")
    return found


def test_every_field_of_a_context_record_is_described_and_of_its_type(folder: Path) -> None:
    (file,) = (folder / "data").rglob("expenses-chat.json")
    events = json.loads(file.read_text("utf-8"))["events"]
    records = [event["context"] for event in events if "context" in event]
    schema = ContextRecord.model_json_schema(mode="serialization")

    # Rules plan offline, so that no record has what a planner cost.
    assert any(one["artifacts_processed"] and one["compaction"] for one in records)
    for record in records:
        assert undescribed(record, schema, schema) == []
        jsonschema_rs.validate(schema, record)
    assert set(ContextRecord.model_fields) == set(records[-1])
    assert "default" not in json.dumps(schema)


def test_the_page_tells_of_every_section() -> None:
    table = re.search(r"\| section \|.*?\n\n", PAGE, re.DOTALL)[0]
    named = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)

    assert set(re.findall(r"\w+", " ".join(named))) == set(SECTIONS)
