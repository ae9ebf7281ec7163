"""The wheel, installed into an empty environment, serves from any directory with what it brought along."""

import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pydantic
import pytest

ROOT = Path(__file__).parents[2]
DEPENDENCIES = Path(pydantic.__file__).parents[1]
"""Where the dependencies are: the environment gets them from here, so that none is downloaded."""
OFFLINE = ("--quiet", "--disable-pip-version-check", "--no-index", "--no-deps")


def pip(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", "pip", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Return the program that installing the wheel makes in an environment of its own."""
    pip("wheel", *OFFLINE, "--no-build-isolation", "--wheel-dir", str(tmp_path), str(ROOT))
    (wheel,) = tmp_path.glob("workflow_agent-*.whl")
    venv.create(tmp_path / "own", with_pip=False)
    pip("--python", str(tmp_path / "own"), "install", *OFFLINE, str(wheel))
    (packages,) = (tmp_path / "own").glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(f"{DEPENDENCIES}\n")
    return tmp_path / "own" / "bin" / "workflow-agent"


@contextmanager
def serving(program: Path, folder: Path) -> Iterator[httpx.Client]:
    """Serve from a folder for as long as the block lasts."""
    kept = {name: one for name, one in os.environ.items() if not name.startswith(("COV", "PYTHON"))}
    process = subprocess.Popen(
        [program, "serve", "--port", "0", "--samples"],
        cwd=folder,
        env=kept,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    said: list[str] = []
    try:
        for line in process.stdout:
            said.append(line)
            if announced := re.search(r"listens on (http://\S+)", line):
                with httpx.Client(base_url=announced[1], timeout=60) as client:
                    yield client
                return
        raise AssertionError("".join(said))
    finally:
        process.terminate()
        process.communicate()


@pytest.mark.slow(is_never_quick=True)
def test_it_serves_from_any_directory_with_its_own_prompts_and_samples(program: Path, tmp_path: Path) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir()

    with serving(program, elsewhere) as client:
        health = client.get("/health")
        page = client.get("/")
        reply = client.post("/api/v1/chat", json={"message": "Which workflows are there?"}).json()
        listed = client.get("/api/v1/workflows", params={"limit": 100}).json()["items"]

    python = program.with_name("python")
    where = [str(python), "-c", "import workflow_agent; print(workflow_agent.__file__)"]
    package = Path(subprocess.run(where, cwd=elsewhere, capture_output=True, text=True, check=True).stdout)
    assert health.status_code == 200
    assert "<html" in page.text
    assert package.is_relative_to(program.parents[1])
    assert len(listed) == len(list((ROOT / "data" / "samples").glob("*.json")))
    assert reply["mode"]["name"] == "search"
    assert (elsewhere / "data").is_dir()
    brought = package.parent / "_resources" / "prompts"
    assert sorted(one.name for one in brought.iterdir()) == sorted(one.name for one in (ROOT / "prompts").iterdir())
