"""The report on all peers, as Markdown with its charts beside it."""

import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.charts import bars
from benchmarks.peers.protocol import CLIENTS, LOOKED_AT, MODEL_SECONDS, PEERS, TURNS_EACH, Peer

Found = Mapping[str, Mapping[str, Any]]
"""By peer: the figures of `talking` by turn, and those of many clients."""
_TURNS = [str(turn) for turn in LOOKED_AT]
_ABOUT = """\
Every peer holds the same conversation with the same fake model, which answers about 300 characters at once;
one model call a turn, each peer in a process of its own, nothing else in it. Figures are medians of the
last turns up to the one that is named; the mean has the turns that compact or sum up in it. A machine that
has other work to do, or a slower disk, shows in the times by the clock: compare within this page."""
_ABOUT_HTTP = """\
The service is served as itself; each other peer by a minimal FastAPI application. The processor's time is
the server's alone, with the most clients; a thousand milliseconds of it are the turns a second that one
processor allows whatever else the machine does.
"""
_COMMON_NOTES = """\
- Where SQLite is used, its write-ahead log is part of the size; nobody was asked to compact their file.
- A turn of the service chooses a mode, counts the window, stores the message before the model is asked,
  and keeps every step and call; the peers store a turn's messages, LangGraph and the Harness its steps
  too."""
_SEEDED_NOTE = """\
- {name} talked {turns} turns; the figures of turn {last:,} are those of its last turns on a history that
  was put in at once, because talking so far takes too long. What it would have on disk by then was not
  measured."""


def write(found: Found, results: Path, report_file: Path) -> None:
    """Replace results, report and charts."""
    pictures = report_file.parent / "pictures"
    results.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    report_file.write_text(report(found), "utf-8")
    last = {PEERS[name].name: one["turns"][_TURNS[-1]]["processor_ms"] for name, one in found.items()}
    rate = {PEERS[name].name: one["http"][-1]["per_second"] for name, one in found.items()}
    title = f"Turns a second, {CLIENTS[-1]} conversations at once, a model of {MODEL_SECONDS * 1_000:.0f} ms"
    (pictures / "peers-turns.svg").write_text(bars(f"Processor time of turn {LOOKED_AT[-1]:,}", last, "ms"), "utf-8")
    (pictures / "peers-http.svg").write_text(bars(title, rate, ""), "utf-8")


def report(found: Found) -> str:
    """Return the figures as Markdown."""
    last = f"mean at {LOOKED_AT[-1]:,}"
    model = f"a model of {MODEL_SECONDS * 1_000:.0f} ms"
    seeded = [PEERS[name] for name in found if PEERS[name].seeded_at]
    notes = [_SEEDED_NOTE.format(name=one.name, turns=one.seeded_at, last=LOOKED_AT[-1]) for one in seeded]
    return "\n".join(
        [
            "# Beside what people would use instead\n",
            f"Written by `make bench-peers`: {_machine()}.\n{_ABOUT}\n",
            *_set_ups(found),
            "## Processor time of a turn, ms\n",
            *_table(found, [*_named_turns(), last], lambda one: [*_by_turn(one, "processor_ms"), _mean(one)]),
            f"![Processor time of turn {LOOKED_AT[-1]:,}](pictures/peers-turns.svg)\n",
            "## Time of a turn by the clock, ms\n",
            *_table(found, _named_turns(), lambda one: _by_turn(one, "wall_ms")),
            "## On disk after so many turns, kB\n",
            *_table(found, _named_turns(), lambda one: _by_turn(one, "stored_kb")),
            "## Resident memory after so many turns, MB\n",
            *_table(found, _named_turns(), lambda one: _by_turn(one, "resident_mb")),
            f"## Over HTTP, conversations of {TURNS_EACH} turns, {model}\n",
            _ABOUT_HTTP,
            *_by_load(found, "http", "One model call a turn"),
            *_by_load(found, "http_calls", "One tool call a turn, so two model calls"),
            "![Turns a second](pictures/peers-http.svg)\n",
            "## Notes\n",
            *notes,
            _COMMON_NOTES,
            "",
        ]
    )


def _by_load(found: Found, kind: str, title: str) -> list[str]:
    """Return the figures of each number of clients, and what the processor alone would allow."""
    columns = [f"{figure}, {clients} clients" for clients in CLIENTS for figure in ("turns a second", "p99 ms")]
    columns += ["processor of a turn, ms", "turns a second of one processor"]

    def cells(one: Mapping[str, Any]) -> list[str]:
        spent_ms = one[kind][-1]["processor_ms"]
        loads = [_shown(each[figure]) for each in one[kind] for figure in ("per_second", "p99_ms")]
        return [*loads, _shown(spent_ms), _shown(1_000 / spent_ms)]

    return [f"### {title}\n", *_table(found, columns, cells)]


def _machine() -> str:
    load = f"load {os.getloadavg()[0]:.1f} when it was done"
    return f"Python {platform.python_version()}, {os.cpu_count()} processors, {load}"


def _set_ups(found: Found) -> list[str]:
    rows = [
        f"| {one.name} | {_versions(one)} | {one.keeps} | {one.durable} |" for one in (PEERS[name] for name in found)
    ]
    head = "| peer | versions | keeps | what a power cut leaves of an answered turn |"
    return ["## Set-ups\n", head, "|---|---|---|---|", *rows, ""]


def _versions(peer: Peer) -> str:
    return ", ".join(f"{package} {version(package)}" for package in peer.packages) or "\N{EM DASH}"


def _named_turns() -> list[str]:
    return [f"turn {turn:,}" for turn in LOOKED_AT]


def _table(found: Found, columns: Sequence[str], cells: Callable[[Mapping[str, Any]], Sequence[str]]) -> list[str]:
    rows = [f"| {PEERS[name].name} | {' | '.join(cells(one))} |" for name, one in found.items()]
    return [f"| peer | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}", *rows, ""]


def _by_turn(one: Mapping[str, Any], figure: str) -> list[str]:
    return [_shown(one["turns"][turn][figure]) for turn in _TURNS]


def _mean(one: Mapping[str, Any]) -> str:
    return _shown(one["turns"][_TURNS[-1]]["processor_mean_ms"])


def _shown(value: float | None) -> str:
    """Return a figure for people; a dash where it was not measured."""
    if value is None:
        return "\N{EM DASH}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
