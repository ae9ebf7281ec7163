"""Nothing that comes in makes the service ask an address."""

import base64
import json
import re
import socket
from pathlib import Path

from tests.support.server import serving
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.settings import Settings

PACKAGE = Path(__file__).parents[2] / "workflow_agent"
CLIENTS = {
    "aiohttp", "ftplib", "http.client", "httpx", "httpx2", "requests", "smtplib", "socket", "urllib.request",
    "websockets",
}  # fmt: skip
ASKS_ONLY_KNOWN = {
    "api/server.py": "listens",
    "webhooks.py": "tells addresses that an operator registered, on hosts that the settings allow",
    "assistant/retry_after.py": "reads what a provider answered",
    "storage/files/sockets.py": "asks workers of the same server, through Unix sockets",
}
ASKS_SERVERS = ("cli/", "main/")
"""The command line asks the server that its user names, and the provider whether it is there."""


def imported(path: Path) -> set[str]:
    """Return the modules that a file imports anywhere in it."""
    lines = re.findall(r"^\s*(?:from ([\w.]+) import (.*)|import ([\w., ]+))", path.read_text("utf-8"), re.MULTILINE)
    found = {name for _, _, names in lines for name in re.split(r"[ ,]+", names)}
    return found.union(*({module, *(f"{module}.{one}" for one in names.split(", "))} for module, names, _ in lines))


def test_no_tool_store_or_route_can_reach_a_network() -> None:
    reaching = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if any(name in CLIENTS or name.split(".")[0] in CLIENTS for name in imported(path))
    }

    others = {one for one in reaching if not one.startswith(ASKS_SERVERS)}
    assert "api/server.py" in others
    assert others <= set(ASKS_ONLY_KNOWN)


def test_no_address_in_documents_and_workflows_is_ever_asked(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as bait:
        bait.setblocking(False)
        url = f"http://127.0.0.1:{bait.getsockname()[1]}/secret"
        page = f'<html><img src="{url}"><link rel="stylesheet" href="{url}"><p>See {url}</p></html>'
        xml = f'<?xml version="1.0"?><!DOCTYPE x SYSTEM "{url}"><x/>'
        machine = {"StartAt": "Ask", "States": {"Ask": {"Type": "Task", "Resource": url, "End": True}}}
        document = {
            "title": "page.html",
            "source": url,
            "encoding": "base64",
            "content": base64.b64encode(page.encode()).decode(),
        }

        settings = Settings(data_dir=tmp_path)
        with serving(settings, OfflineModel()) as served, served.client() as client:
            attached = client.post(
                "/api/v1/chat", json={"message": f"what does the page say? ![look]({url})", "attachments": [document]}
            )
            pasted = client.post("/api/v1/chat", json={"message": f"import this:\n{json.dumps(machine)}"})
            checked = client.post("/api/v1/chat", json={"message": "what can go wrong?", **_same(pasted)})
            refused = client.post("/api/v1/workflows/import", json={"text": xml})

        assert [one.status_code for one in (attached, pasted, checked)] == [200, 200, 200]
        assert refused.status_code == 422
        assert _nobody_called(bait)


def _same(reply: object) -> dict[str, str]:
    return {"conversation_id": reply.json()["conversation_id"]}


def _nobody_called(bait: socket.socket) -> bool:
    try:
        bait.accept()
    except BlockingIOError:
        return True
    return False
