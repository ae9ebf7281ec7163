"""Clients of others that take a base URL: several messages of one chat, whole and as they are made."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic_ai import Agent, models

from tests.support.server import Served, serving
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.assistant.providers import Provider, build_model
from workflow_agent.settings import load_settings

FOLDER = os.environ.get("WORKFLOW_AGENT_TEST_CLIENTS")
"""A folder in which pip installed other clients: `pip install --target FOLDER langchain-openai llm`."""
installed = pytest.mark.skipif(FOLDER is None, reason="WORKFLOW_AGENT_TEST_CLIENTS names no folder")
LANGCHAIN = """
import sys
from langchain_openai import ChatOpenAI
chat = ChatOpenAI(base_url=sys.argv[1], api_key="none", model="workflow-agent", temperature=0)
said = [("human", "Create a leave request: the employee asks, the manager decides.")]
said.append(("ai", chat.invoke(said).content))
said.append(("human", "How many steps does it have?"))
print("".join(piece.content for piece in chat.stream(said)))
print(len(chat.batch(["hello", "thank you"])))
"""
OFFERED = "workflow-agent"
BEGIN, GO_ON = ("Create a leave request: the employee asks, the manager decides.", "How many steps does it have?")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(load_settings(data_dir=tmp_path / "data", samples=False), OfflineModel()) as server:
        yield server


def talks(served: Served) -> list[int]:
    """Return how many turns each conversation has."""
    items = httpx.get(f"{served.url}/api/v1/conversations").json()["items"]
    return sorted(one["turns"] for one in items)


def ran(*arguments: str, **variables: str) -> str:
    """Return what a Python program prints that has the other clients."""
    environment = {name: one for name, one in os.environ.items() if not name.startswith("COV")}
    done = subprocess.run(
        [sys.executable, *arguments],
        env=environment | {"PYTHONPATH": str(FOLDER)} | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


async def test_pydantic_ai(served: Served) -> None:
    provider = Provider(f"{served.url}/v1", "none")
    model: Any = build_model(f"openai:{OFFERED}", provider, OfflineModel)
    agent = Agent(model, instructions="Be brief.")

    with models.override_allow_model_requests(True):
        first = await agent.run(BEGIN)
        async with agent.run_stream(GO_ON, message_history=first.all_messages()) as streamed:
            second = await streamed.get_output()
    await model.client.close()

    assert "Leave request" in first.output
    assert "3 steps" in second or "three steps" in second
    assert talks(served) == [2]


@installed
def test_langchain(served: Served) -> None:
    *said, count = ran("-c", LANGCHAIN, f"{served.url}/v1").splitlines()

    assert "3 steps" in " ".join(said)
    assert count == "2"
    assert talks(served) == [1, 1, 2]


@installed
def test_llm(served: Served, tmp_path: Path) -> None:
    known = [{"model_id": OFFERED, "model_name": OFFERED, "api_base": f"{served.url}/v1"}]
    (tmp_path / "extra-openai-models.yaml").write_text(json.dumps(known))

    def llm(*arguments: str) -> str:
        return ran("-m", "llm", *arguments, "--key", "none", LLM_USER_PATH=str(tmp_path))

    first = llm("-m", OFFERED, BEGIN)
    second = llm("-c", GO_ON)

    assert "Leave request" in first
    assert "3 steps" in second
    assert talks(served) == [2]
