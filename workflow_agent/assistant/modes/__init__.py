"""Mode inference: which of the five prompt modules should lead the answer to a message."""

from workflow_agent.assistant.modes.inference import ModeDecision, infer_mode
from workflow_agent.conversations.agents import MODES, WRITING, Mode

__all__ = ["MODES", "WRITING", "Mode", "ModeDecision", "infer_mode"]
