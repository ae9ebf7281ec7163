"""The examples in the documentation's fenced blocks, and running them against a server."""

import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SERVER = re.compile(r"(?<![\w.])(?:localhost|127\.0\.0\.1):8000")
_KEY = re.compile(r'"(\w+)":')
_CONTENT = re.compile(r'"content":"((?:[^"\\]|\\.)*)"')
_TIME_LIMIT_SECONDS = 120


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    text: str

    @property
    def asks_a_server(self) -> bool:
        """Say whether it sends requests to the documentation's server."""
        return _SERVER.search(self.text) is not None

    def at(self, server: str) -> "Block":
        """Return the block with the address of the documentation's server exchanged for another one's."""
        return Block(self.page, self.line, self.language, _SERVER.sub(server.removeprefix("http://"), self.text))

    def commands(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each command of a console block, and the lines shown below it."""
        command, shown, is_open = "", list[str](), False
        for line in self.text.splitlines():
            if is_open:
                command += f"\n{line}"
            elif line.startswith("$ "):
                if command:
                    yield command, shown
                command, shown = line.removeprefix("$ "), []
            else:
                shown.append(line)
                continue
            is_open = _goes_on(command)
        if command:
            yield command, shown


def _goes_on(command: str) -> bool:
    """Say whether a command ends inside a quotation or with a backslash."""
    try:
        shlex.split(command)
    except ValueError:
        return True
    return command.endswith("\\")


def blocks(*languages: str) -> list[Block]:
    """Return the blocks in some languages, of the README and all pages."""
    pages = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
    found: list[Block] = []
    for page in pages:
        text = page.read_text("utf-8")
        for fence in _FENCE.finditer(text):
            if fence[1] in languages:
                line = text.count("\n", 0, fence.start()) + 1
                found.append(Block(page.name, line, fence[1], fence[2]))
    return found


def run(command: Sequence[str], folder: Path) -> list[str]:
    """Return what a program prints, line by line; one that fails fails the test."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=_TIME_LIMIT_SECONDS)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout.splitlines()


def is_shown(shown: Sequence[str], came: Sequence[str]) -> bool:
    """Say whether lines of the documentation are some of those that came, in their order.

    A line of JSON is like another one with the same members and the same `content`; where the page cuts
    either short, with the same so far. Of ids only that there is one is compared.
    """
    rest = iter(came)
    return all(any(_is_like(line, other) for other in rest) for line in shown if line.strip())


def _is_like(shown: str, came: str) -> bool:
    wanted, form = _form(shown), _form(came)
    if shown.endswith("…"):
        form = form[: len(wanted)]
    said, answered = _CONTENT.search(shown), _CONTENT.search(came)
    is_said = said is None or (answered is not None and answered[1].startswith(said[1].rstrip("…")))
    return form == wanted and is_said


def _form(line: str) -> tuple[str, ...]:
    head, _, data = line.partition("{")
    if data:
        return (head, *_KEY.findall(data))
    return ("id:",) if re.fullmatch(r"id: \d+", line) else (line,)
