"""The real server with its offline model, and OpenAI's own client in front of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from openai import OpenAI

from tests.support.server import Served, serving
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.settings import load_settings


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(load_settings(data_dir=tmp_path), OfflineModel()) as running:
        yield running


@pytest.fixture
def client(served: Served) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0, timeout=20) as asking:
        yield asking
