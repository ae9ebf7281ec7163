"""Reading JSON from outside: what is taken, what is refused, and that each refusal names its place."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_agent.api.body import parse_json
from workflow_agent.errors import InvalidInput
from workflow_agent.settings import load_settings

LIMITS = load_settings(max_body_depth=64, max_body_values=1_000, max_object_members=50)
CLEAN = st.text(st.characters(exclude_categories=("Cs", "Cc")))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | CLEAN | FLOATS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(CLEAN, inner, max_size=4),
    max_leaves=20,
)


@given(DOCUMENTS)
def test_a_clean_document_comes_out_as_it_went_in(document: Any) -> None:
    assert parse_json(json.dumps(document).encode(), LIMITS) == document


@pytest.mark.parametrize(
    ("raw", "pointer", "words"),
    [
        pytest.param(rb'{"a": ["\u0000"]}', "/a/0", "control character, U\\+0000, at character 0", id="escaped NUL"),
        pytest.param(b'{"a": "x\x7f"}', "/a", "U\\+007F, at character 1", id="raw DEL"),
        pytest.param('{"a": "\x85"}'.encode(), "/a", "U\\+0085", id="raw C1"),
        pytest.param(rb'{"a": "\ud800"}', "/a", "lone surrogate, U\\+D800", id="lone surrogate"),
        pytest.param(rb'{"a": {"b\u0001": 1}}', "/a", "a key with a control character", id="in a key"),
        pytest.param(rb'{"a/b": ["\u0008"]}', "/a~1b/0", "U\\+0008", id="escaped pointer"),
        pytest.param(b'{"a": [1, NaN]}', "/a/1", "NaN", id="NaN"),
        pytest.param(b"[-Infinity]", "/0", "-Infinity", id="infinity"),
        pytest.param(b"[1e999]", "/0", "too large for a double", id="number beyond a double"),
        pytest.param(b"[18446744073709551616]", "/0", "64 bits", id="integer beyond 64 bits"),
        pytest.param(b"[" + b"9" * 5_000 + b"]", "/0", "64 bits", id="integer of 5000 digits"),
        pytest.param(b'{"a": 1, "b": 2, "a": 3}', "", "'a' more than once", id="a key twice"),
        pytest.param(rb'[{"b": [{"\u0061": 1, "a": 1}]}]', "/0/b/0", "'a' more", id="twice, one escaped"),
        pytest.param(b"[" * 65 + b"]" * 65, "/0" * 64, "nested deeper than 64", id="65 levels"),
        pytest.param(b"[" * 100_000, "", "nested far too deep", id="100000 levels"),
        pytest.param(b"[" + b"1," * 1_000 + b"1]", "", "more than 1000 values", id="too many values"),
        pytest.param(
            json.dumps({"a": dict.fromkeys(map(str, range(51)))}).encode(),
            "/a",
            "more than 50 members",
            id="too many members",
        ),
        pytest.param(b'{"a": "\xff"}', "", "not UTF-8: byte 7", id="not UTF-8"),
        pytest.param(b'{"a": }', "", "at byte 6", id="no value"),
        pytest.param('{"é": }'.encode(), "", "at byte 7", id="bytes, not characters"),
        pytest.param(b'{"a": 1} x', "", "Extra data at byte 9", id="more than one document"),
        pytest.param(b'{"a": "\n"}', "", "control character at", id="raw newline in a string"),
    ],
)
def test_what_is_refused_is_named_with_its_place(raw: bytes, pointer: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as refused:
        parse_json(raw, LIMITS)

    assert refused.value.problems[0].pointer == pointer


@pytest.mark.parametrize("text", ["\t", "\n", "\r", "\u200b", "\ufeff", "\U0001f600", "\u2028"])
def test_other_characters_pass(text: str) -> None:
    assert parse_json(json.dumps({text: text}).encode(), LIMITS) == {text: text}


def test_64_levels_pass() -> None:
    assert parse_json(b"[" * 64 + b"]" * 64, LIMITS)


def test_a_place_is_cut_when_it_is_long() -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_json(json.dumps({"k" * 5_000: "\0"}).encode(), LIMITS)

    assert len(refused.value.message) < 400
