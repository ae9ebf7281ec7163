"""Mode inference: which of the five prompt modules should lead the answer to a message."""

from workflow_agent.domain.modes.evidence import MODES, WRITING, Mode
from workflow_agent.domain.modes.inference import ModeDecision, infer_mode

__all__ = ["MODES", "WRITING", "Mode", "ModeDecision", "infer_mode"]
