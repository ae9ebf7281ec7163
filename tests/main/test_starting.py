"""A server listens before it has read what its first requests can wait for, and has all of it soon after."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from workflow_agent.main.composition import build
from workflow_agent.settings import load_settings

BUILT = """
import json, sys
from pathlib import Path
from workflow_agent.main.composition import build
from workflow_agent.settings import load_settings

application = build(load_settings(data_dir=Path(sys.argv[1])))
print(json.dumps(sorted(sys.modules)))
application.close()
"""


@pytest.mark.slow
def test_a_built_server_has_not_read_what_few_requests_need(tmp_path: Path) -> None:
    code = [sys.executable, "-c", BUILT, str(tmp_path)]

    told = subprocess.run(code, check=True, capture_output=True, text=True).stdout

    read = set(json.loads(told))
    late = {
        "workflow_agent.assistant.offline.answering", "workflow_agent.assistant.offline.drafting.flow",
        "workflow_agent.workflows.formats.kestra", "openai", "anthropic", "mcp", "ag_ui", "pypdf", "docx",
    }  # fmt: skip
    assert read & late == set()
    assert {"workflow_agent.api.native.chat", "workflow_agent.assistant.offline.model"} <= read


async def test_catching_up_reads_the_rules(tmp_path: Path) -> None:
    application = build(load_settings(data_dir=tmp_path))

    await application.catch_up()

    application.close()
    assert "workflow_agent.assistant.offline.answering" in sys.modules
