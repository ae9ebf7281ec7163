"""`chat` as a person meets it: on a terminal, with slash commands, and with Ctrl-C."""

import asyncio
import os
import pty
import re
import select
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo

from tests.cli.commands import run
from tests.support.scripted import Streaming
from tests.support.server import serving
from workflow_agent.cli.chat import read_message, talk
from workflow_agent.cli.http_backend import server_backend
from workflow_agent.cli.turns import COMMANDS, Asking
from workflow_agent.settings import Settings

# A job in the background, as these tests may be, ignores Ctrl-C, and so does whatever it starts.
_START = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from workflow_agent.main import run; run()"
)
_PROGRAM = [sys.executable, "-c", _START]
_PATIENCE_SECONDS = 120
"""Long, because starting takes seconds of a processor that others may be using; nothing waits that long."""
_STEERING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|[\r\x01\x02\x07]")


class Terminal:
    """A terminal with a command in it; what a person would see, and what they type."""

    def __init__(self, arguments: Sequence[str], environment: dict[str, str]) -> None:
        all_of_it = os.environ | {"TERM": "xterm", "COLUMNS": "80", "LINES": "40"} | environment
        self.master, slave = pty.openpty()
        self._raw = bytearray()
        self._read = 0
        self.process = subprocess.Popen(
            [*_PROGRAM, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env={name: value for name, value in all_of_it.items() if value},
        )
        os.close(slave)

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    @property
    def seen(self) -> str:
        """Return what was not read yet, without what steers the terminal."""
        # Stripped as a whole, because a read may end within a character or a sequence.
        return _STEERING.sub("", self._raw.decode(errors="replace"))[self._read :]

    def until(self, wanted: str) -> str:
        """Return what came up to and with a text, without what steers the terminal."""
        while wanted not in self.seen:
            ready, _, _ = select.select([self.master], [], [], _PATIENCE_SECONDS)
            assert ready, f"{wanted!r} did not come; seen: {self.seen!r}"
            try:
                chunk = os.read(self.master, 65_536)
            except OSError:
                chunk = b""
            assert chunk, f"{wanted!r} did not come before the end; seen: {self.seen!r}"
            self._raw += chunk
        found, _, _ = self.seen.partition(wanted)
        self._read += len(found + wanted)
        return found + wanted

    def end(self) -> int:
        """Return the exit code when the command is over."""
        try:
            while os.read(self.master, 65_536):
                pass
        except OSError:
            # The other side is closed: that is how a terminal ends on Linux.
            pass
        return self.process.wait(_PATIENCE_SECONDS)


@contextmanager
def terminal(*arguments: str, changed: Mapping[str, str] | None = None, **settings: str) -> Iterator[Terminal]:
    prefixed = {f"WORKFLOW_AGENT_{name}": value for name, value in settings.items()}
    shown = Terminal(arguments, prefixed | dict(changed or {}))
    try:
        yield shown
    finally:
        shown.process.kill()
        shown.process.wait()
        os.close(shown.master)


@pytest.mark.untraced
def test_a_conversation_at_the_keyboard(data_dir: Path, tmp_path: Path) -> None:
    with terminal("chat", DATA_DIR=str(data_dir), STATE_DIR=str(tmp_path / "state")) as shown:
        shown.until("you> ")
        shown.type("list \\\n")
        shown.until("...> ")
        shown.type("my workflows\n")
        assert "**" not in shown.until("System access request")
        shown.until("you> ")
        shown.type("/mdoe\n")
        shown.until("Did you mean /mode?")
        shown.until("you> ")
        shown.type("/quit\n")
        shown.until("Go on with: workflow-agent chat -c cv_")
        assert shown.end() == 0

    assert (tmp_path / "state" / "history").read_text().splitlines() == ["list \\", "my workflows", "/mdoe", "/quit"]


_LONG = "\n\n".join(f"Paragraph {number}, and **what** belongs to it." for number in range(1, 101))


async def _long_answer(messages: Sequence[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
    for at in range(0, len(_LONG), 7):
        yield _LONG[at : at + 7]
        await asyncio.sleep(0)


@pytest.mark.untraced
@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({}, id="as most have it"),
        pytest.param({"COLUMNS": "", "LINES": ""}, id="a terminal of no size"),
        pytest.param({"TERM": "dumb"}, id="a dumb terminal"),
        pytest.param({"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, id="only ASCII"),
        pytest.param({"NO_COLOR": "1", "COLUMNS": "30", "LINES": "5"}, id="small and without colours"),
    ],
)
def test_a_reply_longer_than_the_screen_is_shown_once(tmp_path: Path, changed: dict[str, str]) -> None:
    with (
        serving(Settings(data_dir=tmp_path / "data"), Streaming(stream_function=_long_answer)) as served,
        terminal("ask", "at length", changed=changed, URL=served.url) as shown,
    ):
        seen = " ".join(shown.until("(conversation ").split())
        assert shown.end() == 0

    for number in range(1, 101):
        assert seen.count(f"Paragraph {number}, and what belongs to it.") == 1


class Held:
    """A model that begins to answer and then waits until it is let go."""

    def __init__(self) -> None:
        self.stopped = threading.Event()

    async def answer(self, messages: Sequence[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "Thinking. "
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.stopped.set()
            raise
        yield "Never said."


@pytest.mark.untraced
def test_ctrl_c_stops_a_reply_and_the_chat_goes_on(tmp_path: Path) -> None:
    held = Held()
    with (
        serving(Settings(data_dir=tmp_path / "data"), Streaming(stream_function=held.answer)) as served,
        terminal("chat", URL=served.url, STATE_DIR=str(tmp_path / "state")) as shown,
    ):
        shown.until("you> ")
        shown.type("think\n")
        shown.until("Thinking.")
        shown.process.send_signal(signal.SIGINT)
        shown.until("Stopped.")
        shown.until("you> ")
        assert held.stopped.wait(_PATIENCE_SECONDS)
        shown.type("\x04")
        shown.until("Go on with:")
        assert shown.end() == 0


@pytest.mark.untraced
def test_ctrl_c_ends_a_command_without_a_traceback(tmp_path: Path) -> None:
    held = Held()
    with (
        serving(Settings(data_dir=tmp_path / "data"), Streaming(stream_function=held.answer)) as served,
        terminal("ask", "think", URL=served.url) as shown,
    ):
        shown.until("Thinking.")
        shown.process.send_signal(signal.SIGINT)
        assert "Traceback" not in shown.until("Stopped.")
        assert shown.end() == 130
        assert held.stopped.wait(_PATIENCE_SECONDS)


def test_slash_commands_do_what_help_says(data_dir: Path, tmp_path: Path) -> None:
    typed = (
        "/workflow expense approval", "add a legal review before pay", "/undo", "/context", "/mode dancing",
        "/mode analysis", "/mode auto", "/agent", "/new", "/context", "/open", "/open expenses-chat",
        "/workflow", "/help", "/quit", "never read",
    )  # fmt: skip

    ran = run("chat", stdin="\n".join(typed) + "\n", DATA_DIR=str(data_dir), STATE_DIR=str(tmp_path / "state"))

    assert ran.code == 0
    assert "version 3" in ran.out
    assert "tokens (" in ran.out
    sections = re.findall(r"^  (\w+) +([\d,]+)(?:  (█*))?$", ran.out, re.MULTILINE)
    assert {bool(bar) == (size != "0") for _, size, bar in sections} == {True}
    assert {"0", "1"} <= {size if size == "0" else "1" for _, size, _ in sections}
    assert all(name in ran.out for name in COMMANDS)
    for said in (
        "`it` is Expense approval",
        "There is no mode 'dancing'; there are auto,",
        "The mode is analysis",
        "The agent is auto",
        "Nothing was said yet.",
        "In 'Expenses' now.",
        "chat -c expenses-chat",
    ):
        assert said in ran.err
    assert "never read" not in ran.out


def test_ctrl_c_drops_what_is_typed(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    typed = iter(["one \\", KeyboardInterrupt(), "/help", EOFError()])

    def read(_: str) -> str:
        line = next(typed)
        if isinstance(line, str):
            return line
        raise line

    with server_backend(server, None) as backend:
        talk(backend, Asking(), read)

    assert "/context" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        pytest.param(["  hello "], "hello", id="one line"),
        pytest.param(["one \\", "two"], "one \ntwo", id="a backslash goes on"),
        pytest.param(['"""', "one", "", 'two"""'], "one\n\ntwo", id="a text between quotes"),
        pytest.param(['"""one"""'], "one", id="a text between quotes on one line"),
    ],
)
def test_a_message_may_have_several_lines(typed: list[str], message: str) -> None:
    lines = iter(typed)

    assert read_message(lambda _: next(lines)) == message
