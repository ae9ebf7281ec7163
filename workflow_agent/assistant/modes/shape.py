"""What the build of a message says about its mode: enumerations, narrated processes, length, topic."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from workflow_agent.assistant.modes.reader import Reading
from workflow_agent.conversations.agents import Evidence, Mode

_BY_WEIGHT = {
    1.0: "FLOW PART NAMED",
    0.6: "TOPIC",
    0.5: "TRADE TRADE_ED TRADE_S TRADE_ING",
    0.4: "FLAW our",
    0.3: "QUOTE",
    0.2: "we us",
}
TOPIC_WEIGHTS: Final = {name: weight for weight, names in _BY_WEIGHT.items() for name in names.split()}
_FOLLOW_UP_STARTS = """
    and also then now same what how too instead actually again or but so ok no yes it that this
    those them another
"""
_COURTESIES = """
    PAD GREET THANKS BYE YES NO PRAISE
    a ahead all am amazing an answer answers are bad bingo by clear continue cool course do done
    else enough everything fair for go good got guess have help i is it leave like looking looks lot
    love makes me mind much my never not nothing of on one over perfectly pity proceed promising
    question ready really see sense so sounds that thats the too true understood very was we will
    works you your
"""
FOLLOW_UP_STARTS: Final = frozenset(_FOLLOW_UP_STARTS.split())
"""Words that open a message which goes on from the one before."""
COURTESIES: Final = frozenset(_COURTESIES.split())
"""Words and classes of which a courtesy or a bare answer is made."""


def topic_strength(reading: Reading) -> float:
    """Return 0..1, how clearly the message is about workflows."""
    strength = 0.0
    for found in reading.classes:
        strength += max((TOPIC_WEIGHTS[name] for name in found if name in TOPIC_WEIGHTS), default=0.0)
        if strength >= 1:
            return 1.0
    return strength


def dependence(reading: Reading) -> float:
    """Return 0..1, how much the message leans on the one before: by being short, or by opening with "and"."""
    spoken = [found for found in reading.classes if "END" not in found]
    brevity = max(0.0, 1 - max(0, len(spoken) - 3) / 9)
    opens_as_follow_up = bool(spoken) and not spoken[0].isdisjoint(FOLLOW_UP_STARTS)
    return min(1.0, brevity + (0.4 if opens_as_follow_up else 0.0))


def shape_signals(reading: Reading) -> Iterator[Evidence]:
    """Yield what the build of the message says, a reason each."""
    classes = reading.classes
    is_question = "?" in reading.words
    arrows = sum("ARROW" in found for found in classes)
    # "Step 2 the boss signs" introduces a step by its number.
    numbered = sum("step" in found and "NUM" in after for found, after in pairwise(classes))
    bullets = sum("BULLET" in found for found in classes) + numbered
    if _is_courtesy(classes):
        yield Evidence("general", 3.5, "nothing but a courtesy")
    if arrows >= 2 or bullets >= 2:
        yield Evidence("creation", 2.2, "steps in a row" if arrows >= 2 else "a list of steps")
    told = _narrated_steps(classes)
    if told >= 2 and not is_question:
        yield Evidence("creation", min(2.8, 0.7 * told), f"{told} steps told one after the other")
    items = _short_items(classes)
    if items >= 3:
        yield Evidence("creation", min(1.8, 0.5 * items), f"{items} items in a row")


def _is_courtesy(classes: Sequence[frozenset[str]]) -> bool:
    """Return whether nothing is said beyond greeting, thanking, agreeing or declining."""
    spoken = [found for found in classes if "END" not in found]
    return len(spoken) <= 8 and not any(map(COURTESIES.isdisjoint, spoken))


def _narrated_steps(classes: Sequence[frozenset[str]]) -> int:
    """Return how many things are said to happen: third-person verbs behind a subject, and words of order."""
    told = sum("SEQ" in found and "OPEN" in found for found in classes[1:])
    for before, found, after in zip(classes, classes[1:], classes[2:], strict=False):
        is_verb = any(name.endswith("_S") for name in found)
        has_subject = before.isdisjoint({"DEF", "INDEF", "END", "BE"})
        told += is_verb and has_subject and after.isdisjoint({"BE", "MODAL"})
    return told


def _short_items(classes: Sequence[frozenset[str]]) -> int:
    """Return how many stretches of one to five words stand between commas, colons or arrows."""
    ends = [at for at, found in enumerate(classes) if "END" in found]
    return sum(1 <= end - before - 1 <= 5 for before, end in pairwise([-1, *ends]))


TOOL_LEANINGS: Final[Mapping[str, Mapping[Mode, float]]] = {
    "search_workflows": {"search": 2.6, "general": -0.4},
    "list_workflows": {"search": 2.6, "general": -0.4},
    "get_workflow": {"analysis": 0.6, "modification": 0.9, "search": 0.9, "general": -0.5},
    "create_workflow": {"modification": 1.2, "creation": 1.0},
    "edit_workflow": {"modification": 1.9, "general": 0.3},
    "undo_change": {"modification": 1.4},
    "validate_workflow": {"modification": 0.6, "analysis": 1.0},
    "analyze_workflow": {"modification": 0.5, "analysis": 1.2},
    "simulate_workflow": {"analysis": 1.0},
    "draw_diagram": {"analysis": 0.8, "modification": 0.5},
    "compare_versions": {"analysis": 1.0, "modification": 0.4},
    "search_history": {"general": 0.8},
    "get_turn": {"general": 0.8},
}
"""Where a message that only makes sense after the one before tends to go, by the last tool used there."""
PHASE_LEANINGS: Final[Mapping[str, Mapping[Mode, float]]] = {
    "brainstorm": {"creation": 0.3, "general": 0.1},
    "plan": {"creation": 0.3, "analysis": 0.1},
    "execute": {"modification": 0.2, "creation": 0.2},
    "verification": {"analysis": 0.4},
    "chores": {"modification": 0.2},
    "reflection": {"analysis": 0.3},
}
BACKGROUND: Final = 0.4
"""The part of a tool's leaning that counts for a message which stands on its own."""


def last_telling(tools: Sequence[str]) -> str:
    """Return the last tool that says something about what the person was doing; empty if none does."""
    return next((tool for tool in reversed(tools) if tool in TOOL_LEANINGS), "")


def around_message(
    previous_tools: Sequence[str], phase: str, *, workflow_loaded: bool, dependence: float
) -> Iterator[Evidence]:
    """Yield what the circumstances say.

    Of the previous tools, oldest first, those that are not known say nothing; `dependence` is 0..1, how much the
    message needs the turn before it to be understood.
    """
    tool = last_telling(previous_tools)
    for mode, weight in TOOL_LEANINGS.get(tool, {}).items():
        yield Evidence(mode, weight * max(dependence, BACKGROUND), f"previous turn used {tool}")
    for mode, weight in PHASE_LEANINGS.get(phase, {}).items():
        yield Evidence(mode, weight, f"phase {phase}")
    if workflow_loaded:
        yield Evidence("modification", 0.8 + 0.8 * dependence, "a workflow is open")
        yield Evidence("analysis", 0.4 + 0.8 * dependence, "a workflow is open")
