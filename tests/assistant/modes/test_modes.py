from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.eval_modes import HALVES, accuracy
from workflow_agent.assistant.modes.inference import WORD_WEIGHTS, infer_mode
from workflow_agent.conversations.agents import MODES


@pytest.mark.parametrize("path", [pytest.param(path, id=half) for half, path in HALVES.items()])
def test_the_modes_are_those_people_labelled(path: Path) -> None:
    assert accuracy(path) >= 0.92


@pytest.mark.parametrize(
    ("message", "mode"),
    [
        ("could you put a legal check in before it's signed?", "modification"),
        ("which of ours talk to Slack?", "search"),
        ("why would an invoice sit there for days?", "analysis"),
        ("we need something for onboarding suppliers", "creation"),
        ("what can you do?", "general"),
        ("when an employee submits an expense the manager approves it; if approved finance pays", "creation"),
        ("draft -> review -> publish", "creation"),
        ("what would happen if I removed the review?", "analysis"),
        ("don't change anything yet, just tell me who signs", "analysis"),
        ("create a list of all our workflows", "search"),
        ("undo that", "modification"),
        ("thanks a lot!", "general"),
    ],
)
def test_ordinary_speech_is_read_as_it_is_meant(message: str, mode: str) -> None:
    assert infer_mode(message).mode == mode


@pytest.mark.parametrize(
    ("message", "previous_tools", "mode"),
    [
        ("and remove the second one", ("create_workflow",), "modification"),
        ("what about the finance ones?", ("search_workflows",), "search"),
        ("why?", ("analyze_workflow",), "analysis"),
    ],
)
def test_a_follow_up_leans_on_what_was_done_before(message: str, previous_tools: tuple[str, ...], mode: str) -> None:
    decision = infer_mode(message, previous_tools=previous_tools, workflow_loaded=True)

    assert decision.mode == mode


@given(st.text(max_size=300), st.booleans())
def test_any_text_gets_a_mode_a_confidence_and_the_same_again(message: str, workflow_loaded: bool) -> None:
    decision = infer_mode(message, workflow_loaded=workflow_loaded)

    assert decision.mode in MODES
    assert 0.0 <= decision.confidence <= 1.0
    assert set(decision.scores) == set(MODES)
    assert infer_mode(message, workflow_loaded=workflow_loaded) == decision


def test_a_decision_says_what_led_to_it() -> None:
    decision = infer_mode("rename the review step to check")

    assert decision.signals
    assert all(signal.startswith("modification: ") for signal in decision.signals)


@pytest.mark.parametrize(
    "hostile",
    [
        pytest.param("a" * 100_000, id="one word"),
        pytest.param("could you " * 10_000, id="one frame over and over"),
        pytest.param("(" * 50_000 + ")" * 50_000, id="brackets"),
        pytest.param("if if if then else -> " * 4_500, id="connectives"),
        pytest.param("e\u0301\u200d👩‍👩‍👧 " * 8_000, id="combining marks"),
        pytest.param("0 ; 0 ; " * 12_000, id="numbers and semicolons"),
    ],
)
def test_a_hundred_kilobytes_of_anything_get_a_mode(hostile: str) -> None:
    assert infer_mode(hostile).mode in MODES


def test_every_word_has_a_weight_for_every_mode() -> None:
    assert WORD_WEIGHTS
    assert {len(weights) for weights in WORD_WEIGHTS.values()} == {len(MODES)}
