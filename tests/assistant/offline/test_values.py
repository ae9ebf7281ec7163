"""Lengths of time, how often and times of day, as people say them."""

import pytest

from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.assistant.offline.values import clock_at, durations_in, times_at


@pytest.mark.parametrize(
    ("said", "lengths"),
    [
        ("2 months", ["P2M"]),
        ("a quarter", ["P3M"]),
        ("a year", ["P1Y"]),
        ("half a year", ["P6M"]),
        ("a year and a half", ["P18M"]),
        ("two and a half months", ["P75D"]),
        ("half a month", ["P15D"]),
        ("24 months", ["P24M"]),
        ("3 hours and 20 minutes", ["PT3H20M"]),
        ("2 and a half hours", ["PT2H30M"]),
        ("an hour and a half", ["PT1H30M"]),
        ("one and a half weeks", ["PT252H"]),
        ("a week and 2 days", ["P9D"]),
        ("a couple of days", ["P2D"]),
        ("a few hours", ["PT3H"]),
        ("half a day", ["PT12H"]),
        ("half an hour", ["PT30M"]),
        ("a dozen weeks", ["P12W"]),
        ("five working days", ["P5D"]),
        ("three days and a night", ["P3D"]),
        ("one day, then two hours", ["P1D", "PT2H"]),
        ("an hour and a quarter", ["PT1H15M"]),
        ("a full day", ["P1D"]),
        ("another banking day", ["P1D"]),
        ("fourteen days", ["P14D"]),
        ("1 hr", ["PT1H"]),
        ("2 wks", ["P2W"]),
        ("1 HR person", []),
        ("the second week", []),
        ("a second approval", []),
    ],
)
def test_lengths_of_time(said: str, lengths: list[str]) -> None:
    assert [found.value for _, found in durations_in(read_tokens(said))] == lengths


@pytest.mark.parametrize(
    ("said", "count"),
    [("twice", 2), ("3 times", 3), ("five attempts", 5), ("two more tries", 2), ("3 x", 3), ("2.5 times", None)],
)
def test_how_often(said: str, count: int | None) -> None:
    found = times_at(read_tokens(said), 0)

    assert (found and found.value) == count


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("2am", (2, 0)),
        ("12am", (0, 0)),
        ("12 pm", (12, 0)),
        ("14:30", (14, 30)),
        ("24:00", (0, 0)),
        ("9 o'clock", (9, 0)),
        ("noon", (12, 0)),
        ("25:00", None),
        ("8", None),
    ],
)
def test_times_of_day(said: str, time: tuple[int, int] | None) -> None:
    found = clock_at(read_tokens(said), 0)

    assert (found and found.value) == time
