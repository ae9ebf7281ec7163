"""JSON as people read it."""

import json

import pytest

from workflow_agent.adapters.json_layout import laid_out

SHORT = {
    "id": "evt_1",
    "ok": True,
    "none": None,
    "count": 3,
    "share": 0.5,
    "text": 'quoted "ü"',
    "empty": [{}, []],
}


def test_what_fits_on_a_line_stands_on_one() -> None:
    assert laid_out(SHORT) == json.dumps(SHORT, ensure_ascii=False)


@pytest.mark.parametrize(("length", "lines"), [(160, 1), (161, 4)])
def test_what_is_longer_than_160_characters_is_indented(length: int, lines: int) -> None:
    value = {"a": "x" * (length - 17), "b": 1}

    text = laid_out(value, 0)

    assert len(text.splitlines()) == lines
    assert json.loads(text) == value


def test_lines_stand_under_the_place_they_begin_at() -> None:
    assert laid_out({"a": ["x" * 90, "y" * 90]}, 2).splitlines() == [
        "{",
        '   "a": [',
        f'    "{"x" * 90}",',
        f'    "{"y" * 90}"',
        "   ]",
        "  }",
    ]
