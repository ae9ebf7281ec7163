"""What went wrong in a run, in words for people and as an error for programs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic_ai.exceptions import (
    AgentRunError,
    FallbackExceptionGroup,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelTimeoutError,
    RunTimedOut,
    UnexpectedModelBehavior,
)

from workflow_agent.conversations.runs import RunError
from workflow_agent.errors import InvalidInput, ModelBusy, ModelFailed, WorkflowAgentError

_FAILURES: Sequence[tuple[type[Exception], str, str, bool]] = (
    (RunTimedOut, "run_timeout", "The answer took longer than allowed and was stopped.", True),
    (ModelTimeoutError, "model_timeout", "The model's provider did not answer in time.", True),
    (ModelRateLimitError, "rate_limited", "The model's provider refused: too many requests.", True),
    (ModelQuotaExceededError, "quota_exceeded", "The quota at the model's provider is used up.", False),
    (ModelContextWindowExceededError, "context_too_long", "The request was longer than the model takes.", False),
    (ModelAuthenticationError, "authentication", "The model's provider refused the API key.", False),
    (ModelNotFoundError, "model_not_found", "The model's provider has no such model.", False),
    (ModelOverloadedError, "overloaded", "The model's provider is overloaded.", True),
    (ModelConnectionError, "connection", "The connection to the model's provider failed.", True),
    (ModelAPIError, "provider_error", "The model's provider answered with an error.", True),
    (UnexpectedModelBehavior, "unexpected_behavior", "The model's answer could not be used.", True),
    (AgentRunError, "run_failed", "The run could not be finished.", True),
)
_REFUSALS = frozenset({400, 413, 415, 422})
_REJECTED = (
    "request_rejected",
    "The model's provider refused the request as it is; sent again, it would be refused again.",
    False,
)
_UNKNOWN = (Exception, "internal", "Something failed inside the service.", True)
_NEXT = " Your message is kept; the conversation takes the next one."


def failure_of(error: Exception, run_id: str) -> tuple[RunError, WorkflowAgentError]:
    """Return an exception as a run stores it, and as the caller gets it.

    Provider messages stay out of both: they may quote keys, prompts or addresses. Logs have them.
    """
    if isinstance(error, WorkflowAgentError):
        return RunError(type=error.code, message=error.message, retriable=False), error
    cause = error.exceptions[-1] if isinstance(error, FallbackExceptionGroup) else error
    kind, name, message, retriable = next((one for one in _FAILURES if isinstance(cause, one[0])), _UNKNOWN)
    if kind is ModelAPIError and isinstance(cause, ModelHTTPError) and cause.status_code in _REFUSALS:
        name, message, retriable = _REJECTED
    stored = RunError(type=name, message=message + _NEXT, retriable=retriable)
    details: dict[str, object] = {"error_type": name, "run_id": run_id, "retriable": retriable}
    if not isinstance(cause, ModelRateLimitError):
        return stored, ModelFailed(stored.message, **details)
    if cause.retry_after is None:
        return stored, ModelBusy(stored.message, **details)
    told = f"{message} It asks to wait {cause.retry_after:.0f} s.{_NEXT}"
    stored = RunError(type=name, message=told, retriable=retriable)
    return stored, ModelBusy(told, **details, retry_after=cause.retry_after)


def error_data(error: WorkflowAgentError) -> dict[str, object]:
    """Return an error as the data of a stream's `error` event."""
    return {"code": error.code, "detail": error.message, **error.details}


def error_of(data: Mapping[str, Any]) -> WorkflowAgentError:
    """Return the error that an `error` event tells of."""
    details = {name: value for name, value in data.items() if name not in ("code", "detail")}
    kind = next((kind for kind in _kinds() if kind.code == data["code"]), WorkflowAgentError)
    return kind(str(data["detail"]), **details)


def _kinds(root: type[WorkflowAgentError] = WorkflowAgentError) -> Iterator[type[WorkflowAgentError]]:
    """Yield the errors that are made of a message and details alone."""
    if root.__init__ in (WorkflowAgentError.__init__, InvalidInput.__init__):
        yield root
    for kind in root.__subclasses__():
        yield from _kinds(kind)
