"""What a data directory shows of how programs used the call history."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from workflow_agent.cli import cli


def record(number: int, method: str, **fields: Any) -> dict[str, Any]:
    return {
        "call_id": f"c{number}",
        "timestamp": "2026-11-21T12:00:00.000Z",
        "speaker": "agent",
        "method_name": method,
        "outcome_summary": {"status": "success", "ok": True},
        **fields,
    }


def test_the_report_counts_programs_and_what_they_do_with_the_history(tmp_path: Path) -> None:
    directory = tmp_path / "default" / "conversations"
    directory.mkdir(parents=True)
    reading = {"history_access_detected": True, "history_query_patterns": ["filter", "count"]}
    calls = [
        record(1, "list_workflows"),
        record(2, "run_python", **reading),
        record(3, "content", depth=2),
        record(4, "run_python", history_access_detected=False),
    ]
    (directory / "one.json").write_text(json.dumps({"calls": calls}))
    (directory / "broken.json").write_text("{")
    before = sorted(tmp_path.rglob("*"))

    result = CliRunner().invoke(cli, ["evidence", "--data-dir", str(tmp_path), "--json"])

    assert json.loads(result.output) == {
        "conversations": 1,
        "records": 4,
        "programs": 2,
        "programs_that_failed": 0,
        "programs_that_read_the_history": 1,
        "patterns": {"filter": 1, "map": 0, "slice": 0, "count": 1, "group": 0, "sort": 0},
        "calls_by_programs": {"content": 1},
    }
    assert sorted(tmp_path.rglob("*")) == before
    assert (
        "programs that read the history: 1" in CliRunner().invoke(cli, ["evidence", "--data-dir", str(tmp_path)]).output
    )
