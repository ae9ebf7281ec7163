"""Listing and searching workflows: from a directory the same as from a server, and without the service."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.cli.test_chat import terminal

HEAVY = {"pydantic_ai", "fastapi", "workflow_agent.main.composition"}
LISTING = f"""
import sys
from workflow_agent.main import run

try:
    run()
finally:
    print("heavy:", *{HEAVY} & {{*sys.modules}}, file=sys.stderr)
"""


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("list",), id="all"),
        pytest.param(("list", "--tag", "finance", "--limit", "2"), id="with a tag"),
        pytest.param(("list", "--trigger", "schedule"), id="started so"),
        pytest.param(("list", "--tag", "nobody has it"), id="none"),
        pytest.param(("search", "who", "approves", "expenses"), id="by words"),
        pytest.param(("search", "expence aproval", "--limit", "1"), id="misspelt"),
    ],
)
def test_a_directory_lists_what_a_server_on_it_would(command: tuple[str, ...], data_dir: Path, server: str) -> None:
    here = run("workflows", *command, "--json", "--data-dir", str(data_dir))
    there = run("workflows", *command, "--json", "--url", server)

    assert (here.code, here.err) == (0, "")
    assert json.loads(here.out) == json.loads(there.out)


def test_an_analysis_tells_what_was_proved_and_for_what(data_dir: Path) -> None:
    told = run("workflows", "analyse", "wf_expense_approval", "--data-dir", str(data_dir))

    assert "Proved sound over" in told.out
    assert "a decision may take any of its ways" in told.out


def test_listing_a_directory_builds_no_service(data_dir: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LISTING, "workflows", "list", "--data-dir", str(data_dir)],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ),
    )

    assert ended.returncode == 0
    assert len(ended.stdout.splitlines()) == 16
    assert ended.stderr.splitlines()[-1] == "heavy:"


def test_samples_that_are_asked_for_are_there_when_they_are_listed(tmp_path: Path) -> None:
    found = run("workflows", "list", "--json", "--data-dir", str(tmp_path), SAMPLES="true")

    assert len(json.loads(found.out)) == 16


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.parametrize(("columns", "described"), [(120, "An employee claims an expense, "), (60, "")], ids=str)
def test_a_workflow_is_one_line_on_a_terminal_however_narrow(data_dir: Path, columns: int, described: str) -> None:
    with terminal(
        "workflows", "list", changed={"COLUMNS": str(columns), "TERM": "dumb"}, DATA_DIR=str(data_dir)
    ) as shown:
        _, titles, *lines = shown.until("wf_access_request").splitlines()

    assert max(map(len, lines)) <= columns
    assert len(lines) == 17
    (line,) = (one for one in lines if "wf_expense_approval" in one)
    version, steps, name = line.split()[1:4]
    assert (version, steps, name) == ("2", "10", "Expense")
    assert described in line
    assert ("description" in titles, "\u2026" in line) == (bool(described), True)
