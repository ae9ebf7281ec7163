"""Events for other programs: signed, in order, again until they are taken, also by the next process."""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import httpx
import pytest

from tests.api.test_approvals import FLOW, RENAME
from tests.support.server_process import server_process
from workflow_agent.webhooks import signature

pytestmark = [pytest.mark.slow, pytest.mark.untraced]
PATIENCE_SECONDS = 60


@dataclass
class Receiver:
    """A program that is told, and fails as often as it is set to."""

    failures: int = 0
    url: str = ""
    heard: Queue[tuple[dict[str, str], bytes]] = field(default_factory=Queue[tuple[dict[str, str], bytes]])
    refused: Queue[str] = field(default_factory=Queue[str])

    def next(self) -> tuple[dict[str, str], dict[str, Any]]:
        """Wait for what is taken next."""
        headers, body = self.heard.get(timeout=PATIENCE_SECONDS)
        return headers, json.loads(body)


@contextmanager
def receiving(failures: int = 0) -> Iterator[Receiver]:
    receiver = Receiver(failures)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            taken = receiver.failures == 0
            self.send_response(204 if taken else 503)
            self.end_headers()
            if taken:
                receiver.heard.put(({name.lower(): value for name, value in self.headers.items()}, body))
            else:
                receiver.failures -= 1
                receiver.refused.put(self.headers["X-Workflow-Agent-Id"])

        def log_message(self, format: str, *args: Any) -> None:
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.url = f"http://127.0.0.1:{server.server_port}/told"
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.slow(is_quick=True)
def test_events_are_told_in_order_and_again_until_they_are_taken_also_after_a_crash(tmp_path: Path) -> None:
    options = {"WORKFLOW_AGENT_WEBHOOK_SECRET": "s3cret", "WORKFLOW_AGENT_WEBHOOK_HOSTS": "127.0.0.1"}
    with receiving(failures=1_000) as receiver:
        server = server_process(tmp_path, options)
        with httpx.Client(base_url=f"{server.url}/api/v1", timeout=60) as asking:
            elsewhere = asking.post("/webhooks", json={"url": "http://10.0.0.1/told"})
            asking.post("/workflows", json={**FLOW, "id": "wf_before"}).raise_for_status()
            hook = asking.post("/webhooks", json={"url": receiver.url}).raise_for_status().json()
            asking.post("/workflows", json=FLOW).raise_for_status()
            receiver.refused.get(timeout=PATIENCE_SECONDS)
            asking.post("/workflows/wf_flow/edits", json={"edits": RENAME}).raise_for_status()
            asking.post("/workflows/wf_flow/publish", json={"by": "ana"}).raise_for_status()
            edits = [{"op": "set_assignee", "step": "one", "assignee": "legal"}]
            body = {"workflow_id": "wf_flow", "edits": edits, "by": "ana"}
            asking.post("/previews", json=body).raise_for_status()
        server.process.send_signal(signal.SIGKILL)
        server.kill()
        receiver.failures = 1
        again = server_process(tmp_path, options)
        try:
            heard = [receiver.next() for _ in range(4)]
        finally:
            again.kill()

    told = [(event["type"], event["data"].get("version")) for _, event in heard]
    assert told == [("workflow.changed", 1), ("workflow.changed", 2), ("workflow.published", 2), ("preview.waiting", 2)]
    assert len({event["id"] for _, event in heard}) == 4
    assert (elsewhere.status_code, {event["data"].get("id") for _, event in heard[:2]}) == (422, {"wf_flow"})
    for headers, event in heard:
        body = json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode()
        signed = signature(hook["key"], headers["x-workflow-agent-timestamp"], body)
        assert headers["x-workflow-agent-signature"] == f"sha256={signed}"
        assert headers["x-workflow-agent-id"] == event["id"]
    assert "s3cret" not in "".join(file.read_text(errors="replace") for file in tmp_path.rglob("*.json"))


def test_a_failed_run_is_told(tmp_path: Path) -> None:
    options = {
        "WORKFLOW_AGENT_WEBHOOK_SECRET": "s3cret",
        "WORKFLOW_AGENT_WEBHOOK_HOSTS": "*",
        "WORKFLOW_AGENT_MODEL": "openai:none",
        "WORKFLOW_AGENT_MODEL_BASE_URL": "http://127.0.0.1:9/v1",
        "WORKFLOW_AGENT_MODEL_ATTEMPTS": "1",
    }
    with receiving() as receiver:
        server = server_process(tmp_path, options)
        try:
            with httpx.Client(base_url=f"{server.url}/api/v1", timeout=60) as asking:
                wanted = {"url": receiver.url, "events": ["run.failed"]}
                asking.post("/webhooks", json=wanted).raise_for_status()
                asking.post("/workflows", json=FLOW).raise_for_status()
                failed = asking.post("/chat", json={"message": "hello"}).json()
                _, event = receiver.next()
        finally:
            server.kill()

    assert (event["type"], event["data"]["run_id"]) == ("run.failed", failed["run_id"])
    assert event["data"]["error"]["type"] == "connection"


def test_an_event_is_tried_at_once_signed_as_all_and_its_failure_told(tmp_path: Path) -> None:
    options = {"WORKFLOW_AGENT_WEBHOOK_SECRET": "s3cret", "WORKFLOW_AGENT_WEBHOOK_HOSTS": "127.0.0.1"}
    with receiving() as receiver:
        server = server_process(tmp_path, options)
        try:
            with httpx.Client(base_url=f"{server.url}/api/v1", timeout=60) as asking:
                hook = asking.post("/webhooks", json={"url": receiver.url}).raise_for_status().json()
                taken = asking.post(f"/webhooks/{hook['id']}/test").json()
                headers, event = receiver.next()
                receiver.failures = 1
                refused = asking.post(f"/webhooks/{hook['id']}/test").json()
                unknown = asking.post("/webhooks/wh_none/test")
                listed = asking.get("/webhooks").json()
        finally:
            server.kill()

    body = json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode()
    signed = signature(hook["key"], headers["x-workflow-agent-timestamp"], body)
    assert headers["x-workflow-agent-signature"] == f"sha256={signed}"
    assert (event["type"], taken["is_taken"]) == ("webhook.test", True)
    assert (refused["is_taken"], refused["problem"]) == (False, "status 503")
    assert unknown.status_code == 404
    assert (listed["is_enabled"], listed["hosts"], listed["items"][0]["waiting"]) == (True, ["127.0.0.1"], 0)
    assert "key" not in listed["items"][0]
