"""`previews` and `workflows publish`, on the real application over files."""

import json
from pathlib import Path

import pytest

from tests.api.test_approvals import FLOW, OWNER, RENAME
from tests.cli.commands import Ran, run
from tests.support.server import application_for, client_of
from workflow_agent.settings import load_settings


@pytest.fixture
async def waiting(tmp_path: Path) -> list[str]:
    """Let two changes wait and return their ids."""
    made = application_for(load_settings(data_dir=tmp_path))
    ids: list[str] = []
    async with client_of(made) as one:
        (await one.post("/api/v1/workflows", json=FLOW)).raise_for_status()
        for edits in (RENAME, OWNER):
            body = {"workflow_id": "wf_flow", "edits": edits, "by": "ana"}
            ids.append((await one.post("/api/v1/previews", json=body)).json()["preview"]["id"])
    return ids


def test_waiting_changes_are_listed_made_and_turned_down(tmp_path: Path, waiting: list[str]) -> None:
    def told(*arguments: str) -> Ran:
        return run(*arguments, DATA_DIR=str(tmp_path))

    listed = told("previews", "list").out.splitlines()
    made = told("previews", "apply", waiting[0], "--by", "ben")
    late = told("previews", "apply", waiting[1])
    published = told("workflows", "publish", "wf_flow", "1", "--by", "ana")
    every = json.loads(told("previews", "list", "--all", "--json").out)

    assert sorted(line.split("\t")[0] for line in listed) == sorted(waiting)
    assert (made.code, "First" in made.out, "applied: version 2" in made.err) == (0, True, True)
    assert (late.code != 0, "has been changed since" in late.err) == (True, True)
    assert (published.code, "Version 1 of wf_flow" in published.err) == (0, True)
    assert {one["preview"]["id"]: one["state"] for one in every} == {waiting[0]: "applied", waiting[1]: "outdated"}
    assert told("previews", "list").out == ""
    assert told("previews", "reject", "pv_none").code != 0
