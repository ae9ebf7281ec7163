"""Every request that the documentation shows is answered as it shows: curl, Python and JavaScript."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.documented import Block, blocks, is_shown, run
from tests.support.server import serving
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.settings import load_settings

pytestmark = pytest.mark.untraced

SHOWN = [block for block in blocks("console", "python", "js") if block.asks_a_server]
PACKAGED = [block for block in SHOWN if block.language == "js" and ' from "' in block.text]
PLAIN = [block for block in SHOWN if block not in PACKAGED]
PAGES = sorted({block.page for block in PLAIN})
NEEDED = {"console": ("curl", "jq"), "js": ("node",), "python": ()}
"""The programs that a language's examples are run by, beside bash and Python."""
NPM_FOLDER = os.environ.get("WORKFLOW_AGENT_TEST_NPM")
"""A folder in which the npm packages of the examples are installed: `openai`, `ai`, `@ag-ui/client`."""


def where(block: Block) -> str:
    return f"{block.page}:{block.line}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = load_settings(data_dir=tmp_path_factory.mktemp("documented"))
    with serving(settings, OfflineModel()) as served:
        yield served.url


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_get_what_it_shows(page: str, server: str, tmp_path: Path) -> None:
    missing = {name for names in NEEDED.values() for name in names if shutil.which(name) is None}

    for block in (one.at(server) for one in PLAIN if one.page == page):
        if not missing.intersection(NEEDED[block.language]):
            check(block, tmp_path)

    if missing:
        pytest.skip(f"only the other examples were run: {', '.join(sorted(missing))} are not here")


def check(block: Block, folder: Path) -> None:
    """Run an example; each goes on where the one before left off."""
    if block.language == "python":
        assert run([sys.executable, "-W", "error", "-c", block.text], folder)
    elif block.language == "js":
        script = folder / "example.mjs"
        script.write_text(block.text, "utf-8")
        assert run(["node", str(script)], folder)
    else:
        for command, shown in block.commands():
            came = run(["bash", "-euo", "pipefail", "-c", command], folder)
            assert came
            assert is_shown(shown, came), f"{command}\n" + "\n".join(came)


@pytest.mark.skipif(
    NPM_FOLDER is None or shutil.which("node") is None,
    reason="WORKFLOW_AGENT_TEST_NPM names no folder with the npm packages, or node is not here",
)
@pytest.mark.parametrize("block", PACKAGED, ids=where)
def test_an_example_with_an_npm_package_prints_an_answer(block: Block, server: str, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(Path(str(NPM_FOLDER)) / "node_modules")

    check(block.at(server), tmp_path)
