"""Figures of a run: what they are called, what they may be, and what they were the last time."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time

RATIO = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value."""

    name: str
    value: float
    unit: str
    """`RATIO` for one to a baseline that was measured in the same run, turn about with it."""
    most: float | None = None
    """The target, where it is an upper bound."""
    least: float | None = None
    """The target, where it is a lower bound."""

    @property
    def holds(self) -> bool | None:
        """Say whether the target is met; None where there is none."""
        if self.most is None and self.least is None:
            return None
        return (self.most is None or self.value <= self.most) and (self.least is None or self.value >= self.least)

    @property
    def target(self) -> str:
        """Return the target in words."""
        if self.most is not None:
            return f"≤ {self.most:g} {self.unit}"
        return f"≥ {self.least:g} {self.unit}" if self.least is not None else ""


@dataclass(frozen=True, slots=True)
class Section:
    """Figures that belong together, and how they came about."""

    key: str
    title: str
    about: str
    figures: Sequence[Figure]
    pictures: Mapping[str, str] = field(default_factory=dict[str, str])
    """SVG by file name."""


Measure = Callable[[], Section]


def mean_ms(act: Callable[[], object], rounds: int) -> float:
    """Return the mean processor time of an act too short to be timed by itself, in milliseconds."""
    act()
    started = process_time()
    for _ in range(rounds):
        act()
    return (process_time() - started) * 1_000 / rounds


def read_figures(path: Path) -> Mapping[str, float]:
    """Return the figures of an earlier run by section and name; none where there was none."""
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def write_figures(path: Path, known: Mapping[str, float], sections: Sequence[Section]) -> None:
    """Keep the figures of a run; those of sections that did not run stay as they were."""
    fresh = {f"{one.key}: {each.name}": round(each.value, 4) for one in sections for each in one.figures}
    ran = tuple(f"{one.key}: " for one in sections)
    kept = {name: value for name, value in known.items() if not name.startswith(ran)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(kept | fresh, indent=1, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")
