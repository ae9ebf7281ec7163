"""Log lines: one JSON object a line whatever is logged, with the ids of the run they belong to."""

import io
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from opentelemetry import trace

from tests.support.chats import chat_with
from tests.support.scripted import scripted
from workflow_agent.errors import ModelFailed
from workflow_agent.telemetry.logs import JsonLines

HOSTILE = 'first\n{"level": "critical"}\n\r\x1b[31mred\x1b[0m\n\u2028\u2029\x85\x0b\x0c\n\x00'
_SPLITTERS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\x1b\x00"


@dataclass
class Captured:
    """What a logger wrote through the formatter of the server."""

    logger: logging.Logger
    stream: io.StringIO

    def text(self) -> str:
        return self.stream.getvalue()

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text().splitlines()]


@pytest.fixture
def captured() -> Iterator[Captured]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("workflow_agent")
    logger.addHandler(handler)
    yield Captured(logger, stream)
    logger.removeHandler(handler)


@pytest.mark.parametrize("place", ["message", "argument", "extra value", "extra name", "exception"])
def test_no_input_splits_a_line(captured: Captured, place: str) -> None:
    match place:
        case "message":
            captured.logger.warning(HOSTILE)
        case "argument":
            captured.logger.warning("from %s", HOSTILE)
        case "extra value":
            captured.logger.warning("came", extra={"path": HOSTILE, "nested": {"a": [HOSTILE]}})
        case "extra name":
            captured.logger.warning("came", extra={HOSTILE: 1})
        case _:
            captured.logger.warning("failed", exc_info=ValueError(HOSTILE))

    written = captured.text()
    assert written.count("\n") == 1
    assert len(written.splitlines()) == 1
    assert not set(written[:-1]) & set(_SPLITTERS)
    assert captured.lines()[0]["level"] == "warning"


def test_what_cannot_be_json_is_still_logged(captured: Captured) -> None:
    odd = {"thing": {1, 2}, "figure": float("nan"), "object": object(), "keys": {(1, 2): 3}}

    captured.logger.warning("odd", extra=odd)

    assert captured.lines()[0]["message"] == "odd"
    assert "NaN" not in captured.text()


def test_extra_cannot_pass_itself_off_as_the_level_or_the_time(captured: Captured) -> None:
    captured.logger.warning("came", extra={"level": "debug", "time": "then", "logger": "other"})

    line = captured.lines()[0]
    assert (line["level"], line["logger"]) == ("warning", "workflow_agent")
    assert line["time"] != "then"


async def test_lines_of_a_run_carry_its_ids(captured: Captured) -> None:
    under_test = chat_with(scripted(ValueError("no"))[0])

    with pytest.raises(ModelFailed) as failure:
        await under_test.say("hi")

    line = next(line for line in captured.lines() if line["message"] == "run failed")
    assert line["run_id"] == failure.value.details["run_id"]
    assert line["run_id"].startswith(f"run_{line['conversation_id']}_")
    assert (len(line["trace_id"]), len(line["span_id"])) == (32, 16)


def test_lines_outside_of_a_run_have_no_ids(captured: Captured) -> None:
    captured.logger.warning("starting")

    assert not trace.get_current_span().get_span_context().is_valid
    assert not captured.lines()[0].keys() & {"run_id", "conversation_id", "trace_id", "span_id"}


async def test_a_window_that_is_nearly_full_is_said(captured: Captured) -> None:
    model, _ = scripted("Fine.", window_tokens=7_600)

    reply = (await chat_with(model).say("word " * 4_000)).reply

    assert reply.context["level"] in ("warning", "critical")
    line = next(line for line in captured.lines() if line["message"] == "the window is nearly full")
    assert line["context_level"] == reply.context["level"]
    assert (line["used_tokens"], line["run_id"]) == (reply.context["used_tokens"], reply.run_id)
    assert "word word" not in captured.text()
