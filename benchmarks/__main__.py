"""Run the benchmarks and write `benchmarks/REPORT.md`, with the last committed figures beside the new.

    python -m benchmarks [section …]

Without a name all run, the timed tests of `benchmarks/test_*.py` among them. `--list` names the sections.
"""

import logging
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks import soak, token_economics
from benchmarks.figures import Measure, Section, read_figures, write_figures
from benchmarks.measured import (
    client_in_path,
    compactions,
    contexts,
    frames,
    memory,
    over_http,
    parts,
    prefixes,
    searching,
    shares,
    starting,
    timed,
    turns,
    variants,
    workers,
)
from benchmarks.report import write_report

HERE = Path(__file__).parent
FIGURES, REPORT = HERE / "results" / "figures.json", HERE / "REPORT.md"
SECTIONS: Mapping[str, Measure] = {
    "turns": turns.measure,
    "shares": shares.measure,
    "variants": variants.measure,
    "compactions": compactions.measure,
    "contexts": contexts.measure,
    "http": over_http.measure,
    "client-in-path": client_in_path.measure,
    "workers": workers.measure,
    "parts": parts.measure,
    "search": searching.measure,
    "memory": memory.measure,
    "soak": soak.measure,
    "starting": starting.measure,
    "prefixes": prefixes.measure,
    "tokens": token_economics.measure,
    "frames": frames.measure,
    "timed": timed.measure,
}


def main(wanted: list[str]) -> None:
    """Run what is wanted, or everything, and write the report of it."""
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown:
        sys.exit(f"There is no section {unknown[0]!r}; there are: {', '.join(SECTIONS)}.")
    logging.disable(logging.WARNING)
    before = read_figures(FIGURES)
    done: list[Section] = []
    for name in wanted or SECTIONS:
        started = time.perf_counter()
        done.append(SECTIONS[name]())
        print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)
        for figure in done[-1].figures:
            mark = "" if figure.holds is None else f"  ({figure.target}: {'yes' if figure.holds else 'NO'})"
            print(f"  {figure.name}: {figure.value:,.3g} {figure.unit}{mark}", flush=True)
    write_report(REPORT if not wanted else HERE.parent / ".benchmarks" / "REPORT.md", done, before)
    if not wanted:
        write_figures(FIGURES, before, done)


if __name__ == "__main__":
    if "--list" in sys.argv:
        print("\n".join(SECTIONS))
    else:
        main(sys.argv[1:])
