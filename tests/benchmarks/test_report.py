"""The report says what was measured, what it was before, and whether its target holds."""

from pathlib import Path

from benchmarks.figures import RATIO, Figure, Section, read_figures, write_figures
from benchmarks.report import write_report


def a_section(value: float) -> Section:
    return Section("turns", "A turn", "How.", [Figure("turn / bare", value, RATIO, most=1.4)], {"a.svg": "<svg/>"})


def test_a_figure_stands_beside_the_one_before_and_its_target(tmp_path: Path) -> None:
    write_report(tmp_path / "REPORT.md", [a_section(1.5)], {"turns: turn / bare": 1.3})

    told = (tmp_path / "REPORT.md").read_text("utf-8")
    assert f"| turn / bare | 1.5 {RATIO} | 1.3 {RATIO} | ≤ 1.4 {RATIO} | **no** |" in told
    assert (tmp_path / "pictures" / "a.svg").exists()


def test_what_did_not_run_keeps_its_figures(tmp_path: Path) -> None:
    kept = tmp_path / "figures.json"

    write_figures(kept, {"http: p99": 7.0, "turns: gone": 1.0}, [a_section(1.5)])

    assert read_figures(kept) == {"http: p99": 7.0, "turns: turn / bare": 1.5}
