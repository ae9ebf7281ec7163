"""docs/operations.md is true: its proxy, its backup, its dashboard and its symptoms."""

import json
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.scripted import Waits, scripted
from tests.support.server import Served, serving
from workflow_agent.api.errors import STATUS_OF
from workflow_agent.settings import ENV_PREFIX, Settings
from workflow_agent.storage.files.verification.directory import repair_directory, verify_directory

pytestmark = pytest.mark.untraced

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "operations.md").read_text("utf-8")
NAME = "workflows.example.com"
KEY = {"Authorization": "Bearer one-two-three"}


def blocks(language: str, section: str) -> list[str]:
    """Return the blocks of a language in a section of the page."""
    text = PAGE.split(f"## {section}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextmanager
def nginx(folder: Path, upstream: int) -> Iterator[httpx.Client]:
    """Run nginx with the page's configuration, but for its ports and certificates; give a client of it."""
    port = free_port()
    (site,) = blocks("nginx", "Behind nginx")
    changed = {
        "127.0.0.1:8000;": f"127.0.0.1:{upstream};",
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "listen 443 ssl;": f"listen 127.0.0.1:{port};",
    }
    for old, new in changed.items():
        assert site.count(old) == 1
        site = site.replace(old, new)
    site = re.sub(r"ssl_certificate\S* .*\n", "\n", site)
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"pid {folder}/pid; error_log stderr; daemon off; master_process off; events {{}}\n"
        f"http {{ access_log off; {temporary}\n{site} }}"
    )
    command = ["nginx", "-e", "stderr", "-p", str(folder), "-c", str(configuration)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as running:
        headers = {"Host": NAME, **KEY}
        try:
            transport = httpx.HTTPTransport(retries=8)
            address = f"http://127.0.0.1:{port}"
            with httpx.Client(base_url=address, headers=headers, timeout=30, transport=transport) as client:
                yield client
        finally:
            running.terminate()


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
def test_behind_the_pages_nginx_a_chat_streams(tmp_path: Path) -> None:
    waits = Waits()
    model, _ = scripted(["first ", "second"], waits, "Noted.")
    settings = Settings(data_dir=tmp_path / "data", allowed_hosts=(NAME,), api_keys=("one-two-three",))

    with serving(settings, model) as served, nginx(tmp_path, served.port) as client:
        whole = client.post("/api/v1/chat", json={"message": "hello"})
        events: list[str] = []
        with client.stream("POST", "/api/v1/chat/stream", json={"message": "wait"}) as reply:
            for line in reply.iter_lines():
                events += [line[7:]] if line.startswith("event: ") else []
                if events[-1:] == ["mode"]:
                    # It came through although the reply has not even begun.
                    served.call(waits.let.set)
        too_large = client.post("/api/v1/chat", content=b"0" * 10_500_000)
        scraped = client.get("/metrics")
        foreign = client.get("/health", headers={"Host": "evil.example"})
        keyless = client.get("/api/v1/workflows", headers={"Authorization": ""})

    assert whole.json()["response"] == "first second"
    assert re.fullmatch(r"[0-9a-f]{32}", whole.headers["x-request-id"])
    assert events[0] == "start"
    assert events[-1] == "complete"
    assert (too_large.status_code, too_large.json()["code"]) == (413, "too_large")
    assert [one.status_code for one in (scraped, foreign, keyless)] == [404, 421, 401]


def talk(served: Served, name: str, until: threading.Event) -> None:
    """Talk in a conversation, and make workflows, until told to stop."""
    with served.client() as client:
        client.post("/api/v1/conversations", json={"id": name})
        number = 0
        while not until.is_set():
            number += 1
            client.post("/api/v1/chat", json={"message": f"note {number}", "conversation_id": name})
            client.post(
                "/api/v1/workflows",
                json={"id": f"wf_{name}_{number}", "name": "W", "steps": [{"id": "a", "name": "A", "type": "end"}]},
            )


def test_a_backup_of_a_running_server_is_sound_and_restores_what_was_said(tmp_path: Path) -> None:
    backup, _, restore = blocks("sh", "Backup and restore")[:3]
    data, copied, restored = (tmp_path / name for name in ("data", "copied", "restored"))
    places = f"DATA={data}\nBACKUP={copied}\n"
    until = threading.Event()

    with serving(Settings(data_dir=data, seal_above_bytes=8_000, max_turns=6)) as served:
        talking = [threading.Thread(target=talk, args=(served, f"talk-{n}", until)) for n in range(3)]
        for thread in talking:
            thread.start()
        try:
            with served.client() as client:
                before = conversations_of_eight_turns(client)
                assert client.delete("/api/v1/workflows/wf_talk-0_1", headers={"If-Match": "*"}).is_success
            shell(places + re.sub(r"^(DATA|BACKUP)=.*\n", "", backup, flags=re.MULTILINE))
        finally:
            until.set()
            for thread in talking:
                thread.join()
    _, left = repair_directory(copied)
    assert not left
    unpacking = [line for line in restore.splitlines() if not line.startswith("workflow-agent")]
    shell(f"DATA={restored}\nBACKUP={copied}\n" + "\n".join(unpacking))

    assert verify_directory(restored) == []
    assert restored.stat().st_mode & 0o077 == 0
    with serving(Settings(data_dir=restored)) as served, served.client() as client:
        after = {one["id"]: one["turns"] for one in client.get("/api/v1/conversations").json()["items"]}
        last = client.get("/api/v1/conversations/talk-0/turns/1").json()
        again = said_once_free(client, {"message": "on", "conversation_id": "talk-0"})
    assert all(after[one["id"]] >= one["turns"] for one in before)
    gone = list(restored.glob("*/workflows/.deleted/wf_talk-0_1*"))
    assert gone, "deleted workflows are kept, in backups too"
    assert last["replies"][0]["content"] == "Noted."
    assert again.status_code == 200


def said_once_free(client: httpx.Client, message: dict[str, str]) -> httpx.Response:
    """Return the answer to a message once the turn that the backup was made in has been finished by the server."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        answer = client.post("/api/v1/chat", json=message)
        if answer.status_code != 409:
            return answer
        assert answer.json()["code"] == "conversation_busy", answer.text
    raise AssertionError("the turn that was open in the backup does not end")


def conversations_of_eight_turns(client: httpx.Client) -> list[dict[str, Any]]:
    """Return three conversations once each has eight turns."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found: list[dict[str, Any]] = client.get("/api/v1/conversations").json()["items"]
        if len(found) == 3 and all(one["turns"] >= 8 for one in found):
            return found
    raise AssertionError("nobody talks")


def shell(commands: str) -> None:
    ran = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_the_dashboard_shows_metrics_that_there_are(tmp_path: Path) -> None:
    dashboard = json.loads((DOCS / "dashboards" / "workflow-agent.json").read_text("utf-8"))
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]

    with serving(Settings(data_dir=tmp_path)) as served, served.client() as client:
        long = "The colleagues have been waiting for their lunch. " * 60
        body = {"message": f"hello. {long}"}
        body |= {"conversation_id": client.post("/api/v1/chat", json=body).json()["conversation_id"]}
        for number, key in enumerate("abcc"):
            body["message"] = f"note {number}. {long}"
            client.post("/api/v1/chat", json=body, headers={"Idempotency-Key": key})
        compacted = client.post(f"/api/v1/conversations/{body['conversation_id']}/compactions")
        text = client.get("/metrics").text

    assert compacted.status_code == 201
    samples = [one for family in text_string_to_metric_families(text) for one in family.samples]
    known = {one.name for one in samples}
    labels = {name for one in samples for name in one.labels}
    assert {name for expr in asked for name in re.findall(r"workflow_agent_\w+", expr)} <= known
    named = {
        name
        for expr in asked
        for by in re.findall(r"by \(([^)]*)\)|\{(\w+)=", expr)
        for group in by
        for name in re.findall(r"\w+", group)
    }
    assert named <= labels


def test_each_symptom_has_the_status_of_its_code() -> None:
    told = re.findall(r"^\| (\d{3}) `(\w+)`", PAGE, re.MULTILINE)

    status = {kind.code: number.value for kind, number in STATUS_OF.items()}
    assert len(told) > 5
    assert [(status[code], code) for _, code in told] == [(int(number), code) for number, code in told]


def test_every_variable_that_pages_name_is_a_setting() -> None:
    pages = [DOCS.parent / "README.md", *DOCS.rglob("*.md")]
    named = {name for page in pages for name in re.findall(rf"{ENV_PREFIX}([A-Z_]*[A-Z])", page.read_text("utf-8"))}

    assert {name for name in named if name.lower() not in Settings.model_fields} == set()
