from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.growth import assert_grows_linearly
from workflow_agent.workflows.formats import FORMATS, import_workflow
from workflow_agent.workflows.formats.base import MAX_CHARS, UnreadableDocument
from workflow_agent.workflows.formats.text import read_text, without_comments, write_json
from workflow_agent.workflows.formats.yaml_text import write_yaml


@pytest.mark.parametrize(
    ("text", "data"),
    [
        pytest.param('{"a": [1, 2.5, null, true]}', {"a": [1, 2.5, None, True]}, id="json"),
        pytest.param("on: push\nyes: no\n", {"on": "push", "yes": "no"}, id="on, yes and no are text"),
        pytest.param("a: 010\nb: 0o10\nc: 0x1F\n", {"a": 10, "b": 8, "c": 31}, id="octal only with 0o"),
        pytest.param("a: 2026-11-21\nb: 12:30:45\n", {"a": "2026-11-21", "b": "12:30:45"}, id="dates are text"),
        pytest.param("a: 1e3\nb: ~\nc: .5\n", {"a": 1000.0, "b": None, "c": 0.5}, id="core schema"),
        pytest.param("a: .inf\nb: .nan\n", {"a": "inf", "b": "nan"}, id="what json has not becomes text"),
        pytest.param("2: a\ntrue: b\n~: c\n", {"2": "a", "true": "b", "null": "c"}, id="keys become text"),
        pytest.param("a: &x {b: 1}\nc: *x\n", {"a": {"b": 1}, "c": {"b": 1}}, id="aliases"),
        pytest.param("a: &x {b: 1}\nc: {<<: *x, d: 2}\n", {"a": {"b": 1}, "c": {"b": 1, "d": 2}}, id="merge"),
        pytest.param("a: <<\nb: [<<]\n", {"a": "<<", "b": ["<<"]}, id="what merges is a key"),
        pytest.param("a: &x 1\nb: *x\nc: &x 2\nd: *x\n", {"a": 1, "b": 1, "c": 2, "d": 2}, id="an anchor anew"),
        pytest.param(
            "a: &x {b: 1, c: 2}\nd: &y {b: 3}\ne: {<<: [*y, *x], f: 4}\n",
            {"a": {"b": 1, "c": 2}, "d": {"b": 3}, "e": {"b": 3, "c": 2, "f": 4}},
            id="the first of several merged wins",
        ),
        pytest.param("a: !!str 1\nb: '2'\nc: !!int '3'\n", {"a": "1", "b": "2", "c": 3}, id="tags"),
        pytest.param("---\na: 1\n---\n", {"a": 1}, id="an empty second document does not count"),
        pytest.param("{a: 1, b: [c]}", {"a": 1, "b": ["c"]}, id="flow style is yaml"),
        pytest.param("{a: http://x, b: src/**/x}", {"a": "http://x", "b": "src/**/x"}, id="no comments"),
        pytest.param('{"a": 1}\n--- # empty\n', {"a": 1}, id="json between the lines of yaml"),
    ],
)
def test_text_is_read_as_json_or_yaml_1_2(text: str, data: Any) -> None:
    assert read_text(text) == data


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [{','.join('*' + a for _ in range(9))}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(BOMB, "once its aliases are expanded", id="billion laughs"),
        pytest.param("[" * 100_000, "nested deeper", id="deep json"),
        pytest.param("- " * 1_000, "nested deeper", id="deep yaml"),
        pytest.param('{"a": ' * 200 + "1" + "}" * 200, "nested deeper", id="deep but valid json"),
        pytest.param("x" * (MAX_CHARS + 1), "more than the 5000000 that are read", id="too long"),
        pytest.param("a: [1, 2", "at line 2, column 1", id="broken"),
        pytest.param(
            "a: !!python/object/apply:os.system [id]", "apply:os.system' is not known at line 1", id="no code"
        ),
        pytest.param("a: 1\n---\nb: 2\n", "has 2 documents", id="two documents"),
        pytest.param("", "has 0 documents", id="nothing"),
        pytest.param("a: *nobody", "undefined alias", id="unknown alias"),
        pytest.param("a: &x {b: *x}", "undefined alias 'x' at line 1", id="an alias in itself"),
        pytest.param("a: {{ b }}", "a key is a mapping or a list at line 1", id="a template to fill in"),
        pytest.param("a: " + "9" * 5_000, "/a: is a whole number that", id="a number without end"),
        pytest.param('{"a": NaN', "line 2", id="neither"),
    ],
)
def test_what_cannot_or_must_not_be_read_is_refused_with_its_place(text: str, told: str) -> None:
    with pytest.raises(UnreadableDocument, match=told):
        read_text(text)


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]))
KEYS = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]))
SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=20)


@pytest.mark.slow
@given(st.dictionaries(st.text("abcyesnoff019~.", max_size=5), JSON, min_size=1))
def test_what_is_written_reads_back(data: dict[str, Any]) -> None:
    assert read_text(write_json(data)) == data
    assert read_text(write_yaml(data)) == data


def _bpmn_chain(tasks: int) -> str:
    nodes = "".join(f'<task id="t{n}" name="Task {n}"/>' for n in range(tasks))
    flows = "".join(f'<sequenceFlow id="f{n}" sourceRef="t{n}" targetRef="t{n + 1}"/>' for n in range(tasks - 1))
    return (
        '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="x">'
        f'<process id="p" name="P">{nodes}{flows}</process></definitions>'
    )


@pytest.mark.slow
def test_a_long_chain_of_bpmn_is_read_and_written_in_linear_time() -> None:
    def through(text: str) -> None:
        _, imported = import_workflow(text)
        FORMATS["bpmn"].write(imported.workflow)

    _, imported = import_workflow(_bpmn_chain(4_900))

    assert len(imported.workflow.steps) == 4_900
    assert_grows_linearly(_bpmn_chain, through, 2_400)


@pytest.mark.parametrize("size", [pytest.param(95_000, id="as many as are read"), pytest.param(200_000, id="more")])
def test_yaml_of_very_many_keys_is_read_or_refused_in_linear_time(size: int) -> None:
    def refuse(text: str) -> None:
        with pytest.raises(UnreadableDocument):
            import_workflow(text)

    assert_grows_linearly(lambda n: "extra:\n" + "".join(f"  k{at}: {at}\n" for at in range(n)), refuse, size)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('// of a config\n{"a": "http://x", "b": [1, 2]}', id="a line before"),
        pytest.param('{"a": "http://x", /* two\nlines */ "b": [1, 2]} // end', id="between and after"),
        pytest.param("{a: 'http://x', /* JSON5 */ b: [1, 2,],}", id="names, quotes and commas of JSON5"),
        pytest.param("{a:'http://x',b:[1,2,/* no more */]}", id="JSON5 without a space"),
    ],
)
def test_comments_in_json_are_passed_over(text: str) -> None:
    assert read_text(text) == {"a": "http://x", "b": [1, 2]}


def test_a_string_in_single_quotes_may_hold_both_kinds_of_quotes() -> None:
    assert read_text(r"""{it:'Lee\'s "own"\n'}""") == {"it": 'Lee\'s "own"\n'}


def test_text_after_a_json_document_is_said_in_the_words_of_json() -> None:
    with pytest.raises(UnreadableDocument, match="JSON with more text after its end, at line 2, column 1"):
        read_text('{"a": 1}\nand so on')


def test_comments_that_never_end_are_read_in_linear_time() -> None:
    assert_grows_linearly(lambda size: "/*" * size, without_comments, 200_000)
    assert_grows_linearly(lambda size: '\\"' * size, without_comments, 200_000)


@pytest.mark.parametrize("part", ["a", "a ", ",", "'", "\\'", "a: "])
def test_what_is_nearly_json5_is_read_in_linear_time(part: str) -> None:
    def refuse(text: str) -> None:
        with pytest.raises(UnreadableDocument):
            read_text(text)

    assert_grows_linearly(lambda size: "{" + part * size, refuse, 100_000)
