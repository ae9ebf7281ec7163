"""Hosts are struck at every point of a turn, and nothing is lost or doubled: the benchmark's short form."""

import pytest

from benchmarks.kill_matrix.__main__ import Rounds
from benchmarks.kill_matrix.verdict import damage_in, summed_up

pytestmark = [pytest.mark.slow(is_never_quick=True), pytest.mark.untraced]


def test_hosts_that_are_struck_lose_and_double_nothing() -> None:
    rounds = Rounds(hosts=3)
    try:
        told = rounds.done(seed=1, turns=72, faults=14, conversations=8, pause_seconds=0.2)
    finally:
        rounds.close()

    assert damage_in(told) == {}
    assert told["faults"] >= 14


def test_rounds_are_summed_up() -> None:
    one = {"faults": 2, "longest cancel, s": 0.4, "answers": {"200": 3}, "until taken over, s": [1.0]}
    other = {"faults": 3, "longest cancel, s": 0.9, "answers": {"200": 1, "503": 1}, "until taken over, s": [2.0]}

    assert summed_up([one, other]) == {
        "rounds": 2,
        "faults": 5,
        "longest cancel, s": 0.9,
        "answers": {"200": 4, "503": 1},
        "until taken over, s": [1.0, 2.0],
    }
