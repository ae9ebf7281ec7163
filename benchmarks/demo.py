"""Play a conversation over real HTTP, with a restart in the middle, and show it as a person would read it.

python -m benchmarks.demo
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.rule import Rule

from benchmarks.kill_storm import free_port

START_SECONDS = 30.0
DESCRIPTION = (
    "When an employee submits an expense the manager approves or rejects it. If approved, finance pays it "
    "out, otherwise tell the employee by email. The manager has two days."
)
BEFORE_RESTART = (
    DESCRIPTION,
    "which of our workflows deal with money people spent on trips?",
    "put a legal review before the payment in the expense one",
    "who approves what in there?",
    "where could an expense get stuck?",
)
AFTER_RESTART = ("what did you change before?", "give the legal review three days")
STREAMED = "explain the workflow to me, step by step"
LAST = "show it as a diagram"


@dataclass
class Server:
    """A server of its own on a free port."""

    data_dir: Path
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def running(self) -> Iterator[httpx.Client]:
        """Run the server for as long as the block lasts, and stop it as an operator would."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("WORKFLOW_AGENT_")}
        command = [str(Path(sys.executable).with_name("workflow-agent")), "serve", "--port", str(self.port)]
        log = self.data_dir.parent / "server.log"
        with log.open("ab") as output:
            process = subprocess.Popen(
                [*command, "--data-dir", str(self.data_dir)], stdout=output, stderr=output, env=environment
            )
        try:
            with httpx.Client(base_url=self.url, timeout=60.0) as client:
                self._wait_until_ready(client, process, log)
                yield client
        finally:
            process.terminate()
            process.wait(timeout=START_SECONDS)

    def _wait_until_ready(self, client: httpx.Client, process: subprocess.Popen[bytes], log: Path) -> None:
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and process.poll() is None:
            try:
                if client.get("/ready").status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.05)
        raise SystemExit(f"The server did not start. Its log:\n{log.read_text()}")


class Play:
    """The conversation so far, and where it is shown."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.conversation_id: str | None = None

    def body(self, message: str) -> dict[str, Any]:
        named = {"conversation_id": self.conversation_id} if self.conversation_id else {}
        return {"message": message, **named}

    def say(self, client: httpx.Client, message: str) -> None:
        """Send a message and show the reply."""
        self.show_message(message)
        answer = client.post("/api/v1/chat", json=self.body(message))
        if answer.status_code != 200:
            raise SystemExit(f"The server answered {answer.status_code}: {answer.text}")
        self.conversation_id = answer.json()["conversation_id"]
        self.show_reply(answer.json())

    def stream(self, client: httpx.Client, message: str) -> None:
        """Send a message and show the reply as it comes."""
        self.show_message(message)
        self.console.print("  [dim]streamed:[/dim]")
        complete: dict[str, Any] = {}
        with client.stream("POST", "/api/v1/chat/stream", json=self.body(message)) as response:
            for name, data in events(response.iter_lines()):
                if name == "tool_call":
                    self.console.print(f"  [dim]· {data['name']}[/dim]")
                if name == "delta":
                    self.console.print(data["text"], end="", markup=False, highlight=False)
                if name == "complete":
                    complete = data
        self.console.print()
        self.show_evidence(complete)

    def show_message(self, message: str) -> None:
        self.console.print()
        self.console.print(f"[bold cyan]you[/bold cyan]  {message}")

    def show_reply(self, reply: Mapping[str, Any]) -> None:
        self.console.print(Padding(Markdown(reply["response"]), (0, 0, 0, 5)))
        self.show_evidence(reply)

    def show_evidence(self, reply: Mapping[str, Any]) -> None:
        mode = reply["mode"]
        tools = " → ".join(reply["tools_used"]) or "no tool"
        touched = ", ".join(f"{one['change']} {one['name']} v{one['version']}" for one in reply["workflows_touched"])
        context = reply["context"]
        line = (
            f"     {mode['name']} ({mode['confidence']:.2f}) · {tools} · "
            f"{context['used_tokens']:,} of {context['budget_tokens']:,} tokens"
        )
        self.console.print(line + (f" · {touched}" if touched else ""), style="dim", highlight=False)


def events(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and data of each server-sent event."""
    name = ""
    for line in lines:
        if line.startswith("event:"):
            name = line.removeprefix("event:").strip()
        if line.startswith("data:"):
            yield name, json.loads(line.removeprefix("data:"))


def main() -> None:
    console = Console(width=min(Console().width, 110))
    folder = Path(tempfile.mkdtemp(prefix="workflow-agent-demo-"))
    server = Server(folder / "data", free_port())
    play = Play(console)
    console.print(Rule(f"a server on {server.url}, with an empty data directory"))
    with server.running() as client:
        for message in BEFORE_RESTART:
            play.say(client, message)
    console.print()
    console.print(Rule("the server is stopped and started again"))
    with server.running() as client:
        for message in AFTER_RESTART:
            play.say(client, message)
        play.stream(client, STREAMED)
        play.say(client, LAST)
    console.print()
    console.print(Rule("what is on disk"))
    conversation = server.data_dir / "default" / "conversations" / f"{play.conversation_id}.json"
    document = json.loads(conversation.read_text())
    console.print(f"the conversation ({len(document['events'])} events, {conversation.stat().st_size:,} bytes):")
    console.print(f"  {conversation}", highlight=False, soft_wrap=True)
    console.print("its workflows, every version of them:")
    console.print(f"  {server.data_dir / 'default' / 'workflows'}", highlight=False, soft_wrap=True)


if __name__ == "__main__":
    main()
