"""The table of evaluations is what they give now, as far as they are quick."""

from benchmarks.evaluations import REPORT, markdown, modes, references


def test_the_figures_of_modes_and_references_are_those_in_the_table() -> None:
    written = REPORT.read_text("utf-8").splitlines()

    rows = [line for line in markdown([*modes(), *references()]).splitlines() if line.startswith("| ")]

    assert [line for line in written if line.startswith(("| mode inference", "| references"))] == rows[1:]
