import pytest

from workflow_agent.assistant.modes.inference import infer_mode, most_likely
from workflow_agent.conversations.agents import Mode


def scores(**given: float) -> dict[Mode, float]:
    none: dict[Mode, float] = {"general": 0, "creation": 0, "search": 0, "modification": 0, "analysis": 0}
    return none | given


@pytest.mark.parametrize(
    ("given", "mode"),
    [
        pytest.param({"modification": 2.0, "analysis": 2.0}, "analysis", id="even"),
        pytest.param({"modification": 2.1, "analysis": 2.0}, "analysis", id="hardly ahead"),
        pytest.param({"modification": 2.5, "analysis": 2.0}, "modification", id="clearly ahead"),
        pytest.param({"creation": 2.0, "modification": 2.0}, "creation", id="both would write"),
        pytest.param({"search": 2.0, "analysis": 2.1}, "analysis", id="both only read"),
    ],
)
def test_writing_needs_a_clear_lead(given: dict[str, float], mode: str) -> None:
    assert most_likely(scores(**given)) == mode


@pytest.mark.parametrize(
    "message",
    [
        "don't change anything, just tell me who signs at the end",
        "would anything break if I removed the notification step?",
        "should we add a second reviewer?",
        "what if we skipped the legal check?",
        "why was the payment step deleted?",
        "is there a way to skip the review?",
        "we added a step last week, did it slow things down?",
        "which workflows would I have to change if the tax rate changes?",
        "how do I change a step, do I just tell you?",
        "can I undo that?",
        "can I undo the last change",
        "could that be undone?",
    ],
)
@pytest.mark.parametrize("workflow_loaded", [False, True])
def test_talk_about_changes_is_no_request_for_one(message: str, workflow_loaded: bool) -> None:
    decision = infer_mode(message, workflow_loaded=workflow_loaded)

    assert decision.mode in {"general", "search", "analysis"}


def test_a_process_told_step_by_step_is_to_be_created() -> None:
    listed = "1. guest books\n2. desk confirms\n3. guest pays"
    told = "The guest books a room. The desk confirms it, the guest pays, and the cleaner prepares the room."

    assert (infer_mode(listed).mode, infer_mode(told).mode) == ("creation", "creation")


@pytest.mark.parametrize(
    ("previous_tools", "mode"),
    [
        pytest.param(("list_workflows",), "search", id="after a list"),
        pytest.param(("search_workflows", "edit_workflow"), "modification", id="the last tool counts"),
        pytest.param(("edit_workflow", "a_tool_of_tomorrow"), "modification", id="a tool it does not know"),
    ],
)
def test_what_was_done_last_completes_a_short_message(previous_tools: tuple[str, ...], mode: str) -> None:
    assert infer_mode("and the second one", previous_tools=previous_tools).mode == mode


def test_the_phase_tips_the_balance_a_little() -> None:
    chatting = infer_mode("the approval of travel requests", phase="chat")
    verifying = infer_mode("the approval of travel requests", phase="verification")

    assert 0 < verifying.scores["analysis"] - chatting.scores["analysis"] < 1


def test_confidence_grows_with_the_lead() -> None:
    unclear, clear = infer_mode("approval"), infer_mode("please rename the last step to Archive")

    assert unclear.confidence < 0.75 < clear.confidence


@pytest.mark.parametrize("message", ["list my workflows", "where can it get stuck?", "undo that"])
def test_each_signal_is_told_once(message: str) -> None:
    signals = infer_mode(message, workflow_loaded=True).signals

    assert len(set(signals)) == len(signals)
