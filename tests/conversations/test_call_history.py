import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_agent.conversations.call_history import CallRecord
from workflow_agent.values.stored import MAX_VALUE_CHARS, json_safe


class Odd:
    def __repr__(self) -> str:
        return "<odd \ud800>"


def cycle() -> list[Any]:
    ring: list[Any] = []
    ring.append(ring)
    return ring


@pytest.mark.parametrize(
    ("value", "safe"),
    [
        pytest.param(b"\xff\x00a", "\ufffd\x00a", id="bytes"),
        pytest.param(float("nan"), "nan", id="not a number"),
        pytest.param(float("-inf"), "-inf", id="infinity"),
        pytest.param("\ud800x", "?x", id="lone surrogate"),
        pytest.param(2**80, hex(2**80), id="an integer beyond 64 bits"),
        pytest.param(cycle(), ["<cycle>"], id="cycle"),
        pytest.param({1: (True, None, 1.5)}, {"1": [True, None, 1.5]}, id="plain data"),
        pytest.param(Odd(), "<odd ?>", id="an object becomes its repr"),
    ],
)
def test_a_value_becomes_plain_json(value: Any, safe: Any) -> None:
    assert json_safe(value) == safe


def test_what_is_too_long_is_cut_and_says_so() -> None:
    assert json_safe("x" * 5_000) == "x" * MAX_VALUE_CHARS + "… (5000 characters)"
    assert json_safe(list(range(60)))[-1] == "… 10 more"
    assert json_safe({str(n): n for n in range(60)})["…"] == "10 more"


def test_what_is_too_deep_is_cut() -> None:
    deep: Any = 1
    for _ in range(20):
        deep = [deep]

    assert "<too deep>" in json.dumps(json_safe(deep))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.frozensets(st.integers()),
)


@given(VALUES)
def test_any_value_can_be_written(value: Any) -> None:
    text = json.dumps(json_safe(value), allow_nan=False)

    assert text.encode()


def test_unknown_optional_fields_survive_a_round_trip() -> None:
    stored = {
        "call_id": "c1",
        "timestamp": "2026-11-21T12:00:00.000Z",
        "speaker": "agent",
        "method_name": "search_workflows",
        "args": [],
        "kwargs": {"query": "x"},
        "outcome_summary": {"status": "success", "ok": True},
        "shoe_size": 43,
    }

    record = CallRecord.model_validate(stored)

    assert record.model_dump(mode="json", exclude_unset=True) == stored
