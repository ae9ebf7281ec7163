"""docs/extending.md is true: its package works outside the tree, the rest in a copy of the sources."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.provider import CallsTools, Says, provider_stub

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text("utf-8")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"# (\S+)\n")
PLUGINS = ("pytest_asyncio.plugin", "pytest_cov.plugin", "_hypothesis_pytestplugin")
PACKAGE = ("pyproject.toml", "house_rules.py", "checklist_format.py")
_CHANGED = re.compile(r"--- a/(\S+)\n\+\+\+ b/\1\n")

USED = '''
"""The tool, the mode, the agent, the route and the setting of the page in the running service."""

from pathlib import Path

from tests.support.scripted import Calls, scripted
from tests.support.server import serving
from workflow_agent.settings import Settings

STEPS = [
    {"id": "ask", "name": "Ask", "type": "human", "assignee": "employee"},
    {"id": "decide", "name": "Decide", "type": "human", "assignee": "manager"},
    {"id": "sign", "name": "Sign", "type": "human", "assignee": "manager"},
    {"id": "done", "name": "Done", "type": "end"},
]
WAYS = [{"from": "ask", "to": "decide"}, {"from": "decide", "to": "sign"}, {"from": "sign", "to": "done"}]


def test_the_agent_answers_in_its_mode_with_its_tool(tmp_path: Path) -> None:
    model, script = scripted(Calls([("list_workload", {"workflow": "wf_leave"})]), "Two people.")
    settings = Settings(data_dir=tmp_path, agents_file=Path("agents.yaml"), max_workload_steps=1)

    with serving(settings, model) as served, served.client() as client:
        made = client.post("/api/v1/workflows",
                           json={"id": "wf_leave", "name": "Leave", "steps": STEPS, "transitions": WAYS})
        reply = client.post("/api/v1/chat", json={"message": "@scribe who does what?"}).json()
        steps = client.get(f"/api/v1/conversations/{reply['conversation_id']}/turns/1/iterations").json()
        modes = [one["name"] for one in client.get("/api/v1/modes").json()["items"]]
        limited = client.get("/api/v1/workflows/wf_leave/workload").json()
        described = client.get("/openapi.json").json()["paths"]["/api/v1/workflows/{workflow_id}/workload"]

    assert made.status_code == 201
    assert (reply["agent"], reply["mode"]["name"]) == ("scribe", "documentation")
    assert reply["response"] == "Two people."
    assert script.offered() == {"list_workflows", "get_workflow", "list_workload"}
    assert "handbooks" in script.instructions()
    (result,) = steps["items"][0]["messages"][-1]["results"]
    assert result["content"]["workload"] == {"employee": ["ask"], "manager": ["decide", "sign"]}
    assert limited == {"workload": {"employee": ["ask"], "manager": ["decide"]}}
    assert described["get"]["operationId"] == "get_workload"
    assert modes[-1] == "documentation"
'''


def put_in(copy: Path) -> list[str]:
    """Put every block of the page into a copy of the sources; return the files it made or changed."""
    done: list[str] = []
    for language, block in _BLOCK.findall(PAGE):
        if (named := _NAMED.match(block)) and named[1] in PACKAGE:
            continue
        if language == "diff":
            changed = _CHANGED.match(block)
            assert changed, block
            path = copy / changed[1]
            text = path.read_text("utf-8")
            for hunk in block[changed.end() :].split("@@\n")[1:]:
                old, new = (_side(hunk, sign) for sign in "-+")
                assert text.count(old) == 1, f"{changed[1]} has no such place any more:\n{old}"
                text = text.replace(old, new)
            path.write_text(text, "utf-8")
            done.append(changed[1])
        else:
            assert named, block
            (copy / named[1]).write_text(block[named.end() :] if language == "markdown" else block, "utf-8")
            done.append(named[1])
    return done


def _side(hunk: str, sign: str) -> str:
    """Return the lines of a hunk as they are before (`-`) or after (`+`) it."""
    return "".join(line[1:] for line in hunk.splitlines(keepends=True) if line[0] in (" ", sign))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the package of the page is installed, built outside the tree."""
    package, target = tmp_path_factory.mktemp("house-rules"), tmp_path_factory.mktemp("installed")
    for _, block in _BLOCK.findall(PAGE):
        if (named := _NAMED.match(block)) and named[1] in PACKAGE:
            (package / named[1]).write_text(block, "utf-8")
    assert sorted(one.name for one in package.iterdir()) == sorted(PACKAGE)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    ran = subprocess.run([*pip, "--target", str(target), str(package)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return target


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the sources with all examples in it that change them."""
    here = tmp_path_factory.mktemp("extended")
    for folder in ("workflow_agent", "prompts", "data", "tests"):
        shutil.copytree(ROOT / folder, here / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", here)
    done = put_in(here)
    (here / "tests" / "test_used.py").write_text(USED, "utf-8")
    assert len(done) == 12
    return here


def environment(*paths: Path) -> dict[str, str]:
    """Return the environment of a process that imports from these places first."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    return kept | {"PYTHONPATH": os.pathsep.join(map(str, paths))}


def passed(copy: Path, installed: Path, *arguments: str) -> int:
    """Run tests in the copy, beside the package; return how many passed."""
    # Only the plugins that these tests need: loading all of them takes longer than the tests.
    plugins = [f"-p{name}" for name in PLUGINS]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugins, *arguments],
        cwd=copy,
        env=environment(copy, installed) | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-4_000:] + ran.stderr[-2_000:]
    return int(re.findall(r"(\d+) passed", ran.stdout)[-1])


async def run(*arguments: str, cwd: Path, **variables: str) -> str:
    """Return what the command line prints, as somebody runs it who has the package beside the service."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "workflow_agent",
        *arguments,
        cwd=cwd,
        env=environment(ROOT) | variables,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode()


@pytest.mark.slow
async def test_a_package_brings_a_tool_an_agent_and_a_model(tmp_path: Path, installed: Path) -> None:
    (tmp_path / "list.yaml").write_text(
        "id: wf_leave\nname: Leave\nstart: ask\ntransitions: []\n"
        "steps: [{id: ask, name: Ask, type: human, assignee: hr}]\n"
    )
    path = os.pathsep.join(map(str, (installed, ROOT)))
    looks = CallsTools([("list_workload", json.dumps({"workflow": "Leave"}))])
    async with provider_stub(looks, Says(["HR asks."])) as stub:
        house = {"PYTHONPATH": path, "HOUSE_MODEL_URL": stub.base_url, "WORKFLOW_AGENT_MODEL": "house:one"}
        await run("workflows", "import", "list.yaml", cwd=tmp_path, **house)
        said = await run("ask", "@dispatcher who does what?", cwd=tmp_path, **house)

    assert "HR asks." in said
    assert "list_workload" in {tool["function"]["name"] for tool in stub.requests[0]["tools"]}
    assert "You are the agent dispatcher" in stub.requests[0]["messages"][0]["content"]
    assert '"hr":["ask"]' in stub.requests[1]["messages"][-1]["content"].replace(" ", "")


@pytest.mark.slow
async def test_a_package_brings_a_format(tmp_path: Path, installed: Path) -> None:
    (tmp_path / "list.yaml").write_text("checklist: Moving house\nitems: [Pack, Drive]\n")
    beside = {"PYTHONPATH": os.pathsep.join(map(str, (installed, ROOT)))}

    made = (await run("workflows", "import", "list.yaml", "--data-dir", "data", cwd=tmp_path, **beside)).strip()
    written = await run(
        "workflows", "export", made, "--format", "checklist", "--data-dir", "data", cwd=tmp_path, **beside
    )

    assert made == "wf_moving_house"
    assert "Pack" in written


@pytest.mark.slow
def test_the_examples_work_and_pass_the_suites_of_their_ports(copy: Path, installed: Path) -> None:
    suites = ("tests/workflows/formats/test_every_format.py", "tests/contracts/test_workflow_memory.py")

    assert passed(copy, installed, "tests/test_used.py", *suites, "-k", "checklist or sqlite or the_agent_answers") > 30


@pytest.mark.slow
def test_the_examples_are_written_as_we_write(copy: Path) -> None:
    made = [name for name in _NAMED.findall(PAGE) if name.endswith(".py")]
    for language, block in _BLOCK.findall(PAGE):
        if language == "python" and (named := _NAMED.match(block)) and named[1] in PACKAGE:
            (copy / named[1]).write_text(block, "utf-8")

    ran = subprocess.run(
        [sys.executable, "-m", "ruff", "check", *made], cwd=copy, capture_output=True, text=True, check=False
    )

    assert ran.returncode == 0, ran.stdout
