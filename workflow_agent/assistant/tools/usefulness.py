"""Which of the tools that most turns do not need can be of use in a run."""

import re
from collections.abc import Iterator

from workflow_agent.conversations.agents import ROSTER, AgentProfile, Roster
from workflow_agent.conversations.calls import PROGRAM_TOOL
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.transitions import PHASES

RARE_TOOLS = frozenset({"hand_off", "change_phase", PROGRAM_TOOL})
"""Offered when they can be of use, in the facts of a turn."""
_OF_PHASES = re.compile(
    rf"\b(?:phases?|brainstorming|planning|executing|execution|verify|verifying|reflect|chatting|"
    rf"{'|'.join(PHASES)})\b",
    re.IGNORECASE,
)
_OF_AGENTS = re.compile(r"\b(?:agents?|hand(?:ing)?[ -]?(?:off|over|this|it)|colleagues?)\b", re.IGNORECASE)

_OF_CALLS = re.compile(
    r"\b(?:calls?|called|tools?|results?|records?|how (?:many|much|often|long)|counts?|counted|sum|total|average|"
    r"comput\w*|calculat\w*|statistics?|table|python|programs?|scripts?|(?:long|slow|fast)est)\b",
    re.IGNORECASE,
)


def idle_tools(conversation: Conversation, message: str, agent: AgentProfile, roster: Roster) -> frozenset[str]:
    """Return the names of tools that can do nothing for a message; a request goes without them."""
    return frozenset(_idle(conversation, message, agent, roster))


def _idle(conversation: Conversation, message: str, agent: AgentProfile, roster: Roster) -> Iterator[str]:
    if not _may_hand_off(conversation, message, agent, roster):
        yield "hand_off"
    is_in_phases = conversation.phase != "chat" or bool(conversation.phase_transitions)
    if not is_in_phases and not _OF_PHASES.search(message):
        yield "change_phase"
    latest = conversation.last_reply()
    has_records = bool(conversation.sealed_calls) or any(one.speaker == "agent" for one in conversation.calls)
    goes_on = latest is not None and PROGRAM_TOOL in latest.tools_used
    if not has_records or not (goes_on or _OF_CALLS.search(message)):
        yield PROGRAM_TOOL


def _may_hand_off(conversation: Conversation, message: str, agent: AgentProfile, roster: Roster) -> bool:
    """Say whether another agent may have something that this one has not, or was spoken of.

    What the built-in agents have, the one that works in every mode has by switching.
    """
    others = frozenset(roster) - {agent.name}
    if not others:
        return False
    if agent.mode is not None or dict(roster) != dict(ROSTER) or len(conversation.agent_states) > 1:
        return True
    spoken_of = re.findall(r"\w+", message.casefold())
    return not others.isdisjoint(spoken_of) or _OF_AGENTS.search(message) is not None
