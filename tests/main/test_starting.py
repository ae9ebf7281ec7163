"""A server listens before it has read what its first requests can wait for, and has all of it soon after."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from fastapi.routing import iter_route_contexts

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
        "workflow_agent.api.openai.responses", "workflow_agent.api.native.workflows",
        "workflow_agent.api.openapi", "workflow_agent.workflows.formats.bpmn",
        "workflow_agent.workflows.formats.native", "pydantic_ai.ui",
        "openai", "anthropic", "mcp", "ag_ui", "pypdf", "docx",
    }  # fmt: skip
    assert read & late == set()
    assert {"workflow_agent.api.native.chat", "workflow_agent.assistant.offline.model"} <= read


async def test_catching_up_reads_the_rules_and_takes_in_every_route(tmp_path: Path) -> None:
    application = build(load_settings(data_dir=tmp_path))
    began_with = {route.path for route in iter_route_contexts(application.app.routes)}

    await application.catch_up()

    paths = {route.path for route in iter_route_contexts(application.app.routes)}
    application.close()
    assert "/api/v1/chat" in began_with
    assert {"/api/v1/workflows", "/v1/chat/completions"} & began_with == set()
    assert {"/api/v1/workflows", "/v1/chat/completions"} <= paths
    assert "workflow_agent.assistant.offline.answering" in sys.modules
