"""What one run is given: an accepted message with all its answer depends on, and its limits."""

from dataclasses import dataclass

from workflow_agent.agent.evidence import Evidence
from workflow_agent.chat.requests import TurnRequest
from workflow_agent.domain.agents import AgentProfile
from workflow_agent.domain.conversation import Conversation, UserMessage
from workflow_agent.domain.runs import Run
from workflow_agent.domain.window import Utilization
from workflow_agent.telemetry import TurnTrace


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What one run may take."""

    timeout_seconds: float = 120.0
    reserve_tokens: int = 4_000
    max_handoffs: int = 4
    utilization: Utilization = "full"


@dataclass(frozen=True, slots=True)
class Job:
    """A message that was accepted, and everything its answer depends on."""

    tenant: str
    request: TurnRequest
    agent: AgentProfile
    conversation: Conversation
    run: Run
    message: UserMessage
    evidence: Evidence
    trace: TurnTrace
