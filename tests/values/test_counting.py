"""Counting tokens: estimates learn from plausible reports alone, and shares always sum."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_agent.values.tokens import Calibration, TokenCounter, apportioned

SECTIONS = st.dictionaries(st.text(max_size=8), st.integers(0, 200_000), min_size=1, max_size=12).filter(
    lambda parts: sum(parts.values()) > 0
)


@given(SECTIONS, st.integers(0, 2_000_000))
def test_shares_sum_to_the_total_and_keep_their_order(parts: dict[str, int], total: int) -> None:
    shares = apportioned(parts, total)

    assert sum(shares.values()) == total
    assert list(shares) == list(parts)
    assert all(share >= 0 for share in shares.values())
    assert all(shares[name] == 0 for name, part in parts.items() if part == 0)


@given(SECTIONS)
def test_sharing_out_what_the_parts_sum_to_changes_nothing(parts: dict[str, int]) -> None:
    assert apportioned(parts, sum(parts.values())) == parts


def test_without_reports_four_characters_are_a_token() -> None:
    counter = Calibration().counter()

    assert (counter.counting, counter.count("x" * 9)) == ("chars_div_4", 3)


def test_estimates_follow_what_was_reported() -> None:
    calibration = Calibration()
    for _ in range(3):
        calibration.learn(1_000, 1_500)

    counter = calibration.counter()

    assert (counter.counting, counter.count("x" * 400)) == ("calibrated", 150)


@pytest.mark.parametrize("reported", [0, -5, 1, 50, 10**9], ids=str)
def test_absurd_reports_teach_nothing(reported: int) -> None:
    calibration = Calibration()

    calibration.learn(1_000, reported)

    assert calibration.counter() == TokenCounter()


def test_nothing_is_learned_from_an_empty_request() -> None:
    calibration = Calibration()

    calibration.learn(0, 10)

    assert calibration.counter().counting == "chars_div_4"


def test_one_odd_report_does_not_move_the_others() -> None:
    calibration = Calibration()
    for reported in (1_200, 1_200, 7_900, 1_200):
        calibration.learn(1_000, reported)

    assert calibration.counter().factor == pytest.approx(1.2)


def test_old_reports_are_forgotten() -> None:
    calibration = Calibration()
    for reported in [3_000] * 20 + [1_000] * 20:
        calibration.learn(1_000, reported)

    assert calibration.counter().factor == 1.0


@given(st.lists(st.tuples(st.integers(-10, 10**6), st.integers(-10, 10**7)), max_size=60), st.text(max_size=500))
def test_whatever_is_reported_counts_stay_sane(reports: list[tuple[int, int]], text: str) -> None:
    calibration = Calibration()
    for estimate, reported in reports:
        calibration.learn(estimate, reported)

    count = calibration.counter().count(text)

    assert 0 <= count <= 8 * (len(text) // 4 + 1) + 1
