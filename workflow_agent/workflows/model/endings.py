"""How steps end the work, or cannot."""

from workflow_agent.workflows.model.steps import Step

_SPLITS = frozenset({"decision", "fork"})
_FAILURE_WORDS = (
    "reject",
    "fail",
    "cancel",
    "declin",
    "abort",
    "error",
    "denied",
    "deny",
    "expire",
    "timeout",
    "timed",
)


def ends_badly(step: Step) -> bool:
    """Say whether an end step stands for a rejection or a failure."""
    text = f"{step.outcome or ''} {step.name} {step.id}".lower()
    return any(word in text for word in _FAILURE_WORDS)


def must_lead_on(step: Step) -> bool:
    """Say whether a step makes no sense as the last one: it only splits the way."""
    return step.type in _SPLITS
