"""A data directory as it is after some use, and a server on another that looks the same."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.server import serving
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.cli.http_backend import local_backend
from workflow_agent.main.in_process import application_transport
from workflow_agent.settings import Settings

MACHINE = (
    '{"Comment": "Charge an order", "StartAt": "Charge card", "States": {"Charge card": '
    '{"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:1:function:charge", "End": true}}}'
)
PIPELINE = "on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n"
EDITS = '[{"op": "set_description", "description": "From receipt to payout."}]'


@pytest.fixture(scope="session")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data directory with the samples and a conversation; copy it before you change it."""
    directory = tmp_path_factory.mktemp("used") / "data"
    begun = {"id": "expenses-chat", "title": "Expenses", "workflow_id": "wf_expense_approval"}
    settings = Settings(data_dir=directory, samples=True)
    with application_transport(settings) as transport, local_backend(transport, "here") as backend:
        backend.post("/conversations", begun)
        for message in ("where can expense approval get stuck?", "add a legal review before pay"):
            for _ in backend.turn({"message": message, "conversation_id": "expenses-chat"}):
                pass
        exported = backend.get("/conversations/expenses-chat/export")
    (directory.parent / "exported.json").write_text(json.dumps(exported))
    return directory


@pytest.fixture
def data_dir(used: Path, tmp_path: Path) -> Path:
    """Return a data directory of one's own."""
    shutil.copytree(used, tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def server(used: Path, tmp_path: Path) -> Iterator[str]:
    """Return the address of a server on such a data directory."""
    shutil.copytree(used, tmp_path / "served")
    with serving(Settings(data_dir=tmp_path / "served"), OfflineModel()) as served:
        yield served.url


@pytest.fixture
def folder(used: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with documents to import and edits to apply."""
    home = tmp_path / "home"
    home.mkdir()
    for name, text in (("machine.json", MACHINE), ("pipeline.yaml", PIPELINE), ("edits.json", EDITS)):
        (home / name).write_text(text)
    shutil.copy(used.parent / "exported.json", home)
    shutil.copytree(Path(__file__).parent / "histories", home / "histories")
    shutil.copy(home / "histories" / "team" / "exported.jsonl", home / "chat.jsonl")
    monkeypatch.chdir(home)
    return home
