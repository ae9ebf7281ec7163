"""A call history that does not fit its schema is set right, with a warning, and loses nothing."""

import json
import logging
from pathlib import Path

import pytest

from workflow_agent.storage.files.conversation_documents import parse_file

GOOD = {
    "call_id": "c1",
    "timestamp": "2026-11-21T12:00:00.000Z",
    "speaker": "agent",
    "method_name": "get_turn",
    "outcome_summary": {"status": "success", "ok": True, "mood": "fine"},
    "shoe_size": 43,
}


def file_with(calls: object) -> tuple[bytes, Path]:
    document = {
        "schema_version": 1,
        "id": "talk",
        "tenant": "default",
        "created_at": "2026-11-21T12:00:00.000Z",
        "updated_at": "2026-11-21T12:00:00.000Z",
        "calls": calls,
    }
    return json.dumps(document).encode(), Path("default/conversations/talk.json")


def test_a_bad_record_is_mended_beside_the_good_ones(caplog: pytest.LogCaptureFixture) -> None:
    bad = {"call_id": "c2", "speaker": "the cat", "kwargs": {"a": 1}, "colour": "red"}

    with caplog.at_level(logging.WARNING):
        conversation = parse_file(*file_with([GOOD, bad, "not a record"])).conversation

    good, mended, kept = (call.model_dump(mode="json") for call in conversation.calls)
    assert (good["shoe_size"], good["outcome_summary"]["mood"]) == (43, "fine")
    assert (mended["call_id"], mended["kwargs"], mended["colour"]) == ("c2", {"a": 1}, "red")
    assert (mended["speaker"], mended["malformed_speaker"]) == ("tool", "the cat")
    assert kept["malformed"] == "not a record"
    assert "a call history was set right" in caplog.text


def test_a_history_that_is_no_list_becomes_an_empty_one(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        conversation = parse_file(*file_with({"no": "list"})).conversation

    assert conversation.calls == ()
    assert "a call history was set right" in caplog.text
