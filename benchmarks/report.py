"""The report of a run, as Markdown with its charts beside it."""

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.figures import Figure, Section

_ABOUT = (
    "Times are of the processor where nothing else is said. A ratio compares with a baseline that ran turn "
    "about in the same process or beside it: it carries over to another machine, milliseconds do not. "
    "*Before* is the figure of the last committed run."
)
_MARKS = {True: "yes", False: "**no**", None: ""}


def write_report(path: Path, sections: Sequence[Section], before: Mapping[str, float]) -> None:
    """Write the report and the charts of these sections."""
    pictures = path.parent / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    for section in sections:
        for name, drawn in section.pictures.items():
            (pictures / name).write_text(drawn, "utf-8")
    path.write_text("\n".join([*_head(), *(line for one in sections for line in _section(one, before))]), "utf-8")


def _head() -> list[str]:
    machine = (
        f"Python {platform.python_version()}, Pydantic AI {version('pydantic-ai-slim')}, {os.cpu_count()} "
        f"processors, load {os.getloadavg()[0]:.1f} when it was done"
    )
    return ["# What it takes", "", f"Written by `make bench`: {machine}. {_ABOUT}", ""]


def _section(section: Section, before: Mapping[str, float]) -> list[str]:
    rows = [_row(one, before.get(f"{section.key}: {one.name}")) for one in section.figures]
    pictures = [f"![{section.title}](pictures/{name})\n" for name in section.pictures]
    return [
        f"## {section.title}",
        "",
        section.about,
        "",
        "| what | figure | before | target | holds |",
        "|---|---|---|---|---|",
        *rows,
        "",
        *pictures,
    ]


def _row(figure: Figure, before: float | None) -> str:
    was = "" if before is None else shown(before, figure.unit)
    now = shown(figure.value, figure.unit)
    return f"| {figure.name} | {now} | {was} | {figure.target} | {_MARKS[figure.holds]} |"


def shown(value: float, unit: str) -> str:
    """Return a value as people read it."""
    digits = f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    return f"{digits} {unit}".strip()
