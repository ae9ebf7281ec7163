"""The mode a message asks for, with what its conversation says about that."""

from workflow_agent.domain.conversation import AgentReply, Conversation
from workflow_agent.domain.modes import ModeDecision, infer_mode


def mode_asked_for(
    conversation: Conversation, message: str, *, workflow_id: str | None = None
) -> ModeDecision:
    """Return the mode that a message asks for, with the reasons.

    Args:
        conversation: Before the message.
        message: What was said.
        workflow_id: The workflow it was sent about, beside the conversation's own.
    """
    previous = next((e for e in reversed(conversation.events) if isinstance(e, AgentReply)), None)
    return infer_mode(
        message,
        previous_tools=previous.tools_used if previous else (),
        phase=conversation.phase,
        workflow_loaded=bool(workflow_id or conversation.bound_workflow_id),
    )
