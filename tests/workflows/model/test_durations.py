"""ISO 8601 durations, measured and said."""

import pytest

from workflow_agent.workflows.model.durations import (
    duration_in_words,
    duration_of,
    exact_seconds,
    in_words,
    is_duration,
    seconds_of,
    whole_seconds,
)


@pytest.mark.parametrize(
    ("duration", "seconds", "words"),
    [
        pytest.param("P1Y2M", 36_720_000, "425 days", id="years and months"),
        pytest.param("P1W", 604_800, "7 days", id="weeks"),
        pytest.param("PT90M", 5_400, "1 hour 30 minutes", id="minutes"),
        pytest.param("PT0.5S", 0.5, "no time", id="a fraction"),
        pytest.param("P1DT1S", 86_401, "1 day 1 second", id="days and seconds"),
    ],
)
def test_durations_are_read_and_said(duration: str, seconds: float, words: str) -> None:
    assert seconds_of(duration) == seconds
    assert in_words(seconds) == words


@pytest.mark.parametrize(
    ("duration", "words"),
    [
        pytest.param("P2D", "2 days", id="one unit"),
        pytest.param("PT1H30M", "1 hour and 30 minutes", id="two units"),
        pytest.param("P1DT2H0.5S", "1 day, 2 hours and 0.5 seconds", id="three units"),
        pytest.param("soon", "soon", id="no duration"),
    ],
)
def test_a_duration_is_said_unit_by_unit(duration: str, words: str) -> None:
    assert duration_in_words(duration) == words


@pytest.mark.parametrize(
    ("duration", "exact", "whole"),
    [
        pytest.param("P1W2DT3H", 788_400, 788_400, id="of fixed units"),
        pytest.param("PT0.5S", 0.5, None, id="a fraction"),
        pytest.param("P1M", None, None, id="a month has no fixed length"),
        pytest.param("P1Y", None, None, id="nor has a year"),
        pytest.param("soon", None, None, id="no duration"),
        pytest.param("P", 0, 0, id="of nothing"),
        pytest.param(None, None, None, id="none"),
    ],
)
def test_only_fixed_units_have_an_exact_length(duration: str | None, exact: float | None, whole: int | None) -> None:
    assert exact_seconds(duration) == exact
    assert whole_seconds(duration) == whole


@pytest.mark.parametrize(
    ("seconds", "duration"), [(172_800, "P2D"), (5_400, "PT1H30M"), (90_000, "PT25H"), (0.5, "PT0.5S"), (0, "PT0S")]
)
def test_a_length_is_written_in_its_largest_units(seconds: float, duration: str) -> None:
    assert duration_of(seconds) == duration
    assert exact_seconds(duration) == seconds
    assert is_duration(duration)
