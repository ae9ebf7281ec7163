"""Which of the five modes a message asks for, and why."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from workflow_agent.assistant.modes.reader import read
from workflow_agent.assistant.modes.scores import gather, phrase_scores, sign_evidence, sign_scores, signs_in
from workflow_agent.assistant.modes.shape import dependence
from workflow_agent.conversations.modes import MODES, WRITING, Evidence, Mode

TIE: Final = 0.2
"""Writing has to lead by more than this, because a question must never change a workflow."""
CAUTION: Final = 0.9
"""Scales the lead so that a confidence of 0.9 is right nine times out of ten on messages nobody has seen."""
SHOWN_SIGNALS: Final = 6
READ_FIRST_CHARS: Final = 16_000
READ_LAST_CHARS: Final = 8_000
"""Of a longer message these ends are read."""


@dataclass(frozen=True, slots=True)
class ModeDecision:
    """A mode and what led to it."""

    mode: Mode
    confidence: float
    """0..1, how likely the mode is the one that was meant."""
    signals: tuple[str, ...]
    """The reasons for the mode, strongest first, as in "modification: phrase 'put that in before'"."""
    scores: Mapping[Mode, float]


def infer_mode(
    message: str, *, previous_tools: Sequence[str] = (), phase: str = "chat", workflow_loaded: bool = False
) -> ModeDecision:
    """Return the mode a message asks for, with the reasons.

    Args:
        message: What the person wrote, of any length.
        previous_tools: Names of the tools that the previous turn used, oldest first.
        phase: The conversation's phase.
        workflow_loaded: Whether a workflow is open in the conversation.
    """
    reading = read(_ends_of(message))
    leaning = dependence(reading)
    evidence = gather(reading, previous_tools, phase, workflow_loaded=workflow_loaded, dependence=leaning)
    signs = signs_in(reading, previous_tools, workflow_loaded=workflow_loaded, dependence=leaning)
    said, hinted = phrase_scores(evidence), sign_scores(signs)
    scores: dict[Mode, float] = {mode: round(said[mode] + hinted[mode], 3) for mode in MODES}
    mode = most_likely(scores)
    reasons = [*(item for item in evidence if item.mode == mode and item.weight > 0), *sign_evidence(signs, mode)]
    return ModeDecision(mode, _confidence(scores, mode), _readable(reasons), scores)


def _ends_of(message: str) -> str:
    """Return a long message without its middle: what is wanted is said first or last."""
    if len(message) <= READ_FIRST_CHARS + READ_LAST_CHARS:
        return message
    return f"{message[:READ_FIRST_CHARS]}\n{message[-READ_LAST_CHARS:]}"


def most_likely(scores: Mapping[Mode, float]) -> Mode:
    """Return the mode with the highest score; unless writing clearly leads, the best that only reads."""
    best = _highest(scores, MODES)
    if best not in WRITING:
        return best
    reader = _highest(scores, tuple(mode for mode in MODES if mode not in WRITING))
    return best if scores[best] - scores[reader] > TIE else reader


def _confidence(scores: Mapping[Mode, float], mode: Mode) -> float:
    highest = max(scores.values())
    odds = {each: math.exp(CAUTION * (score - highest)) for each, score in scores.items()}
    return round(odds[mode] / sum(odds.values()), 3)


def _readable(reasons: Iterable[Evidence]) -> tuple[str, ...]:
    strongest = sorted(reasons, key=lambda item: (-item.weight, item.reason))
    # The same words may fit two phrases.
    told = dict.fromkeys(f"{item.mode}: {item.reason}" for item in strongest)
    return tuple(islice(told, SHOWN_SIGNALS))


def _highest(scores: Mapping[Mode, float], modes: Sequence[Mode]) -> Mode:
    return max(modes, key=lambda mode: scores[mode])
