"""What a program does with the history, read from its source."""

import pytest

from workflow_agent.conversations.call_history import HistoryUse, scan_program

READ = 'h = context["conversation_history"]\n'


@pytest.mark.parametrize(
    ("code", "patterns"),
    [
        pytest.param("[r for r in h if r.get('ok')]", ("filter",), id="filters"),
        pytest.param("[r['method_name'] for r in h]", ("map",), id="maps"),
        pytest.param("h[-3:]", ("slice",), id="slices"),
        pytest.param("len(h)", ("count",), id="counts"),
        pytest.param("d = {}\nfor r in h:\n    d.setdefault(r['speaker'], r)", ("group",), id="groups"),
        pytest.param("sorted(h, key=lambda r: r['timestamp'])", ("sort",), id="sorts"),
        pytest.param("h", (), id="only reads"),
    ],
)
def test_what_a_program_does_with_the_history_is_named(code: str, patterns: tuple[str, ...]) -> None:
    assert scan_program(READ + code) == HistoryUse(is_detected=True, patterns=patterns)


@pytest.mark.parametrize("code", ["sorted([3, 1])", "not a program", "'a \x00 null'"])
def test_a_program_that_reads_no_history_uses_none(code: str) -> None:
    assert scan_program(code) == HistoryUse()
