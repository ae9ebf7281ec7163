"""Every request that the documentation shows is answered as it shows: curl, Python and JavaScript."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.documented import Block, blocks, is_shown, run
from tests.support.server import serving
from workflow_agent.agent.offline import drafting
from workflow_agent.agent.offline.model import OfflineModel
from workflow_agent.settings import load_settings

CURL = [block for block in blocks("console") if "$ curl" in block.text]
PYTHON = blocks("python")
JAVASCRIPT = blocks("js")
NPM_FOLDER = os.environ.get("WORKFLOW_AGENT_TEST_NPM")
"""A folder in which the npm packages of the examples are installed: `openai`, `ai`, `@ag-ui/client`."""

pytestmark = pytest.mark.xdist_group("documented")
"""One server and one conversation: pages go on where they left off."""


def where(block: Block) -> str:
    return f"{block.page}:{block.line}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = load_settings(data_dir=tmp_path_factory.mktemp("documented"))
    with serving(settings, OfflineModel(drafting=drafting)) as served:
        yield served.url


@pytest.mark.parametrize("block", PYTHON, ids=where)
def test_a_python_example_prints_an_answer(block: Block, server: str, tmp_path: Path) -> None:
    assert run([sys.executable, "-W", "error", "-c", block.at(server).text], tmp_path)


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="curl and jq are not here")
@pytest.mark.parametrize("block", CURL, ids=where)
def test_what_curl_gets_is_what_is_shown(block: Block, server: str, tmp_path: Path) -> None:
    for command, shown in block.at(server).commands():
        came = run(["bash", "-euo", "pipefail", "-c", command], tmp_path)

        assert came
        assert is_shown(shown, came), f"{command}\n" + "\n".join(came)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not here")
@pytest.mark.parametrize("block", JAVASCRIPT, ids=where)
def test_a_javascript_example_prints_an_answer(block: Block, server: str, tmp_path: Path) -> None:
    if ' from "' in block.text:
        if NPM_FOLDER is None:
            pytest.skip("WORKFLOW_AGENT_TEST_NPM names no folder with the npm packages of this example")
        (tmp_path / "node_modules").symlink_to(Path(NPM_FOLDER) / "node_modules")
    script = tmp_path / "example.mjs"
    script.write_text(block.at(server).text, "utf-8")

    assert run(["node", str(script)], tmp_path)
