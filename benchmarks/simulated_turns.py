"""Conversations as the labelled messages suggest them: which mode follows which, and what a turn adds."""

import json
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workflow_agent.conversations.agents import MODES, Mode

DATA = Path(__file__).parent / "data"
CONVERSATIONS, TURNS = 20, 100
MESSAGE, CALL, RESULT, REPLY = 40, 80, 400, 150
WRITING = frozenset({"creation", "modification"})
MODE_OF_TOOL: Mapping[str, Mode] = {
    "search_workflows": "search",
    "list_workflows": "search",
    "get_workflow": "search",
    "create_workflow": "creation",
    "edit_workflow": "modification",
    "undo_change": "modification",
    "analyze_workflow": "analysis",
    "compare_workflows": "analysis",
    "find_in_workflow": "analysis",
}

Part = tuple[str, int]
"""What it is, and its tokens; equal parts are equal text."""


@dataclass(frozen=True)
class Turn:
    """One turn: its mode, and the versions of what it begins with."""

    number: int
    mode: Mode
    facts: int
    outline: int

    def said(self) -> list[Part]:
        return [(f"message {self.number}", MESSAGE), (f"reply {self.number}", REPLY)]

    def loop(self) -> list[Part]:
        """Return what the run adds before its last request."""
        return [] if self.mode == "general" else [(f"call {self.number}", CALL), (f"result {self.number}", RESULT)]

    def whole(self) -> list[Part]:
        message, reply = self.said()
        return [message, *self.loop(), reply]


def mode_changes() -> Mapping[Mode, Counter[Mode]]:
    """Return how often each mode follows each in the labelled messages."""
    follows: dict[Mode, Counter[Mode]] = {mode: Counter() for mode in MODES}
    for path in sorted(DATA.glob("mode_inference_*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            before = [MODE_OF_TOOL[tool] for tool in row["previous_tools"] if tool in MODE_OF_TOOL]
            follows[before[-1] if before else "general"][row["mode"]] += 1
    return follows


def conversation(follows: Mapping[Mode, Counter[Mode]], chance: random.Random) -> list[Turn]:
    """Return a conversation whose modes follow one another as they do in the data."""
    turns: list[Turn] = []
    mode: Mode = "general"
    seen = version = 0
    for number in range(TURNS):
        mode = chance.choices(list(follows[mode]), list(follows[mode].values()))[0]
        turns.append(Turn(number, mode, seen, version))
        seen += mode != "general"
        version += mode in WRITING
    return turns


def conversations() -> list[list[Turn]]:
    """Return the simulated conversations, the same each time."""
    follows, chance = mode_changes(), random.Random(20261121)
    return [conversation(follows, chance) for _ in range(CONVERSATIONS)]
