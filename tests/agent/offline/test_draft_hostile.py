"""Any text gives nothing or a sound graph, soon."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.drafts import Graph
from workflow_agent.agent.offline.drafting import (
    draft_workflow,
    parse_duration,
    parse_schedule,
    parse_step,
    parse_trigger,
)
from workflow_agent.domain.workflow import Step
from workflow_agent.domain.workflow_parsing import parse_workflow

pytestmark = pytest.mark.slow

_TALK = """
the manager approves or rejects it if approved finance pays otherwise tell employee then and , . ; : ( )
-> 1. - * at same time in parallel while until unless when once after before every Monday 9 two days
within try three times again send back to author go step 2 wait for reply IT legal reviews signed by is
are not over 500 states: open from by can be reopened nobody answers escalate director fails retry form
with name amount date both a workflow called "X" for each finally process ends meanwhile invoice arrives
customer email Slack Jira who which that he they
"""
_WORDS = [*_TALK.split(), "\n", "\n- "]
_sentences = st.lists(st.sampled_from(_WORDS), max_size=60).map(" ".join)
_checked = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _reached(graph: Graph) -> set[str]:
    reached, left = {graph["start"]}, [graph["start"]]
    while left:
        here = left.pop()
        ways = [edge["to"] for edge in graph["transitions"] if edge["from"] == here]
        left += [step for step in ways if step not in reached]
        reached.update(ways)
    return reached


def _assert_sound(text: str) -> None:
    draft = draft_workflow(text)
    if draft is None:
        return
    graph = draft.arguments()
    parse_workflow({**graph, "id": "wf_x"})
    if any(step["type"] == "state" for step in graph["steps"]):
        return
    left = {edge["from"] for edge in graph["transitions"]}
    assert _reached(graph) == {step["id"] for step in graph["steps"]}
    assert {step["id"] for step in graph["steps"] if step["type"] != "end"} == left


@given(_sentences)
@_checked
def test_random_process_talk_gives_nothing_or_a_graph_without_loose_ends(text: str) -> None:
    _assert_sound(text)


@given(st.text(max_size=300))
@_checked
def test_any_text_gives_nothing_or_a_graph_without_loose_ends(text: str) -> None:
    _assert_sound(text)


@given(_sentences | st.text(max_size=100))
@_checked
def test_any_phrase_gives_nothing_or_a_valid_step(text: str) -> None:
    step = parse_step(text)

    assert step is None or Step.model_validate({"id": "x", **step})
    parse_duration(text)
    parse_schedule(text)
    parse_trigger(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a" * 100_000, id="one long word"),
        pytest.param(" " * 100_000 + "x", id="blanks"),
        pytest.param("(" * 100_000, id="brackets"),
        pytest.param("->" * 50_000, id="arrows"),
        pytest.param("a -> " * 20_000, id="a long chain"),
        pytest.param("\n- x" * 25_000, id="a long list"),
        pytest.param("1. a 2. b " * 10_000, id="inline numbers"),
        pytest.param("if " * 33_000, id="nothing but if"),
        pytest.param(
            "if a is over 5 then the manager pays otherwise the clerk pays. " * 1_600, id="many choices"
        ),
        pytest.param("then the manager approves or rejects it. " * 2_500, id="many verdicts"),
        pytest.param("the manager approves and " * 4_000, id="one endless sentence"),
        pytest.param("from a to b " * 8_500, id="moves"),
        pytest.param("a ticket goes from " * 5_300, id="paths"),
        pytest.param("can be x, " * 10_000, id="possibilities"),
        pytest.param('called "' * 12_500, id="quotes"),
        pytest.param("create a a a a " * 6_700, id="a request without an end"),
        pytest.param("states: " + "a, " * 33_000, id="states"),
        pytest.param("Title: text\n" * 8_000, id="titles"),
        pytest.param("1 2 3 4 " * 12_500, id="numbers"),
    ],
)
def test_a_hundred_kilobytes_of_anything_are_read_soon(text: str) -> None:
    began = time.process_time()

    _assert_sound(text)

    assert time.process_time() - began < 5


def test_a_long_text_is_cut_and_says_so() -> None:
    draft = draft_workflow(
        "The manager signs the contract. Then legal archives it. " + "Nothing else. " * 3_000
    )

    assert draft is not None
    assert draft.left_out == ("I read the first 32,000 characters.",)


def test_more_steps_than_anybody_describes_are_left_out_and_it_says_so() -> None:
    draft = draft_workflow("\n".join(f"{number}. Do task {number}" for number in range(1, 400)))

    assert draft is not None
    assert len(draft.steps) == 301
    assert draft.left_out == ("I stopped after 300 steps; the rest of the text is not drawn.",)


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        (
            " -> ".join(f"do task {number}" for number in range(400)),
            "I stopped after 300 steps; the rest of the text is not drawn.",
        ),
        (
            "states: " + ", ".join(f"state{number}" for number in range(80)),
            "I stopped after 60 states; the rest of the text is not drawn.",
        ),
        (
            "The clerk opens it" + "".join(f", then the clerk signs form {n}" for n in range(90)),
            "I read the first 400 words of a sentence; shorter ones are read whole.",
        ),
    ],
)
def test_whatever_its_form_a_text_that_is_too_long_says_so(text: str, left_out: str) -> None:
    draft = draft_workflow(f"Create a workflow: {text}")

    assert draft is not None
    assert draft.left_out == (left_out,)
