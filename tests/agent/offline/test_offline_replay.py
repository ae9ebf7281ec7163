"""Replaying a skill against recorded calls, and reading facts from instructions."""

from datetime import UTC, datetime
from typing import Any

import pytest

from workflow_agent.agent.offline.turn.facts import read_facts
from workflow_agent.agent.offline.turn.outcome import Call, Reply, Skill
from workflow_agent.agent.offline.turn.reading import Exchange
from workflow_agent.agent.offline.turn.replay import run_skill
from workflow_agent.domain.conversation import WorkflowReference
from workflow_agent.domain.memory import memory_lines

TOOLS = frozenset({"a", "b", "switch_mode"})


def two_calls() -> Skill:
    first = yield Call("a", {"x": 1})
    second = yield Call("b", {"of": first})
    return Reply(f"{first} {second}")


def test_the_first_unanswered_call_is_asked_for() -> None:
    assert run_skill(two_calls(), [], TOOLS) == Call("a", {"x": 1})
    assert run_skill(two_calls(), [Exchange("a", {"x": 1}, result=7)], TOOLS) == Call("b", {"of": 7})


def test_the_reply_comes_once_every_call_is_answered() -> None:
    recorded = [Exchange("a", {"x": 1}, result=7), Exchange("b", {"of": 7}, result=8)]

    assert run_skill(two_calls(), recorded, TOOLS) == Reply("7 8")


def test_calls_of_somebody_else_are_passed_over() -> None:
    recorded = [Exchange("a", {"x": 2}, result=0), Exchange("a", {"x": 1}, result=7)]

    assert run_skill(two_calls(), recorded, TOOLS) == Call("b", {"of": 7})


def test_a_failure_ends_the_skill_with_what_the_tool_said() -> None:
    reply = run_skill(two_calls(), [Exchange("a", {"x": 1}, failure="Out of paper.")], TOOLS)

    assert reply == Reply("I tried to use a, but it didn't work: Out of paper.")


def test_a_skill_that_goes_in_circles_is_stopped() -> None:
    def circles() -> Skill:
        while True:
            yield Call("a")

    reply = run_skill(circles(), [Exchange("a", {}, result=0)] * 40, TOOLS)

    assert isinstance(reply, Reply)
    assert "circles" in reply.text


@pytest.mark.parametrize(
    ("line", "mode"),
    [
        pytest.param("Mode: analysis", "analysis", id="said"),
        pytest.param("Mode: search\nMode: creation", "search", id="the first of two"),
        pytest.param("  Mode: creation", "general", id="quoted in an outline"),
        pytest.param("", "general", id="nothing"),
    ],
)
def test_the_mode_is_read_from_its_line(line: str, mode: str) -> None:
    assert read_facts(line).mode == mode


def test_the_open_workflow_is_read_from_its_line_only() -> None:
    facts = read_facts(
        'Open workflow: wf_a "A \\"quoted\\"" (version 3)\n  Open workflow: wf_evil "E" (version 1)'
    )

    assert facts.open is not None
    assert facts.open.id == "wf_a"


def test_an_outline_cannot_open_a_workflow() -> None:
    facts = read_facts('Open workflow: none\n  step: Open workflow: wf_evil "E" (version 1)')

    assert facts.open is None


def test_workflows_of_the_conversation_are_read_with_what_was_done() -> None:
    references = [
        WorkflowReference(
            workflow_id=f"wf_{name}", name=name, relation="created", turn=2, conversation_id=conversation,
            at=datetime(2026, 11, 20, 9, tzinfo=UTC), aliases=("the \"big\" one",),
        )
        for name, conversation in (('a, called "b": viewed', "cv_1"), ("c", "cv_2"))
    ]  # fmt: skip
    references = [one.model_copy(update={"workflow_id": f"wf_{at}"}) for at, one in enumerate(references)]
    now = datetime(2026, 11, 21, 9, tzinfo=UTC)

    facts = read_facts("\n".join(memory_lines(references, now=now, conversation_id="cv_1")))

    told: list[Any] = [(ref.id, ref.name, ref.change, ref.turn) for ref in facts.known]
    assert told == [("wf_0", 'a, called "b": viewed', "created", 2)]
    assert [(ref.workflow_id, ref.aliases) for ref in facts.references] == [
        ("wf_0", ('the "big" one',)),
        ("wf_1", ('the "big" one',)),
    ]
