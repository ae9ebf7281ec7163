"""What the conversation around a message says about its mode: tools used, the open workflow, the phase."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from workflow_agent.domain.modes.evidence import Evidence, Mode

TOOL_LEANINGS: Final[Mapping[str, Mapping[Mode, float]]] = {
    "search_workflows": {"search": 2.6, "general": -0.4},
    "list_workflows": {"search": 2.6, "general": -0.4},
    "get_workflow": {"analysis": 0.6, "modification": 0.9, "search": 0.9, "general": -0.5},
    "create_workflow": {"modification": 1.2, "creation": 1.0},
    "edit_workflow": {"modification": 1.9, "general": 0.3},
    "undo_change": {"modification": 1.4},
    "validate_workflow": {"modification": 0.6, "analysis": 1.0},
    "analyze_workflow": {"modification": 0.5, "analysis": 1.2},
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

    Args:
        previous_tools: Tools of the previous turn, oldest first; names that are not known say nothing.
        phase: The conversation's phase.
        workflow_loaded: Whether a workflow is open.
        dependence: 0..1, how much the message needs the turn before it to be understood.
    """
    tool = last_telling(previous_tools)
    for mode, weight in TOOL_LEANINGS.get(tool, {}).items():
        yield Evidence(mode, weight * max(dependence, BACKGROUND), f"previous turn used {tool}")
    for mode, weight in PHASE_LEANINGS.get(phase, {}).items():
        yield Evidence(mode, weight, f"phase {phase}")
    if workflow_loaded:
        yield Evidence("modification", 0.8 + 0.8 * dependence, "a workflow is open")
        yield Evidence("analysis", 0.4 + 0.8 * dependence, "a workflow is open")
