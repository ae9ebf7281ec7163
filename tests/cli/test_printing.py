"""What commands print of texts from outside."""

import pytest

from workflow_agent.cli.output import clean, print_facts, print_note, print_rows, print_text

HOSTILE = "red\x1b[31m, title\x1b]0;x\x07, back\x08, \u202eright to left\x9b2J"


def test_nothing_from_outside_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_text(HOSTILE)
    print_note(HOSTILE)
    print_rows(("name",), [(HOSTILE,)], "none")
    print_facts({"name": HOSTILE})

    shown = capsys.readouterr()
    assert not set("\x1b\x07\x08\u202e\x9b") & set(shown.out + shown.err)
    assert (shown.out + shown.err).count("title") == 4


def test_a_cell_of_a_table_steers_nothing_either() -> None:
    assert not set("\x1b\x07\x08\u202e\x9b") & set(clean(HOSTILE).plain)
