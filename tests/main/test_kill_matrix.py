"""Hosts are struck at every point of a turn, and nothing is lost or doubled: the benchmark's short form."""

import asyncio

import pytest

from benchmarks.kill_matrix import damage_in, measured
from tests.support.postgres import a_database_of_ones_own

pytestmark = [pytest.mark.slow(is_never_quick=True), pytest.mark.untraced]


def test_hosts_that_are_struck_lose_and_double_nothing() -> None:
    told = asyncio.run(measured(96, 14, 3, 8, 1, a_database_of_ones_own()))

    assert damage_in(told) == {}
    assert told["faults"] >= 7
