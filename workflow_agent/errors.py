"""Every error of the product, one class for each reaction a caller may have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a document, and where."""

    pointer: str
    """JSON pointer (RFC 6901) to the offending value; empty for the whole document."""
    message: str
    valid: tuple[str, ...] = ()
    """What would have been accepted, where that is a short list."""

    def as_dict(self) -> dict[str, Any]:
        """Return the problem as plain JSON data, without an empty `valid`."""
        plain: dict[str, Any] = {"pointer": self.pointer, "message": self.message}
        return plain | {"valid": list(self.valid)} if self.valid else plain


class WorkflowAgentError(Exception):
    """The root: a message a person can act on, and the same facts as data.

    Args:
        message: What happened, the offending value, what to do.
        details: The facts behind the message, JSON-safe, for programs.
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, Any] = details


class InvalidInput(WorkflowAgentError):
    """The request is malformed; the caller mends it and sends it again."""

    code = "invalid_input"

    def __init__(self, message: str, problems: Sequence[Problem] = (), **details: Any) -> None:
        super().__init__(message, **details)
        self.problems = tuple(problems)


class InvalidWorkflow(InvalidInput):
    """A workflow document breaks the model; every problem is listed."""

    code = "invalid_workflow"

    def __init__(self, problems: Sequence[Problem], what: str = "workflow") -> None:
        listed = "; ".join(f"{p.pointer or '/'}: {p.message}" for p in problems[:5])
        more = f" (and {len(problems) - 5} more)" if len(problems) > 5 else ""
        super().__init__(f"The {what} is not valid: {listed}{more}", problems)


class EditRefused(InvalidInput):
    """One edit of a list cannot be applied, so none was."""

    code = "edit_refused"

    def __init__(self, message: str, *, index: int, op: str, valid: Sequence[str] = ()) -> None:
        problem = Problem(f"/edits/{index}", message, tuple(valid))
        hint = f"; valid here: {', '.join(valid)}." if valid else ""
        super().__init__(f"Edit {index} ({op}) was refused: {message}{hint}", [problem], index=index, op=op)


class UnreadableAttachment(InvalidInput):
    """An attached document is damaged, protected or not what it claims to be; the caller sends another."""

    code = "unreadable_attachment"


class UnsupportedDocument(WorkflowAgentError):
    """A document is of a kind that this server does not read; the caller converts it to text."""

    code = "unsupported_document"


class BodyTooLarge(WorkflowAgentError):
    """The request is larger than a limit; the caller sends less."""

    code = "too_large"


class NotFound(WorkflowAgentError):
    """Nothing has this id; the caller looks for the right one."""

    code = "not_found"


class ConversationNotFound(NotFound):
    """No conversation has this id."""

    code = "conversation_not_found"


class WorkflowNotFound(NotFound):
    """No workflow, or no version of it, has this id."""

    code = "workflow_not_found"


class RunNotFound(NotFound):
    """No run has this id, or its stream is no longer kept."""

    code = "run_not_found"


class ContentNotFound(NotFound):
    """What a reference stands for is not there any more; the caller goes on without it."""

    code = "content_ref_not_found"


class CompactionNotFound(NotFound):
    """The conversation has no compaction with this id."""

    code = "compaction_not_found"


class CannotRestore(WorkflowAgentError):
    """The turns of a compaction cannot come back into the window; the caller reads them where they are."""

    code = "cannot_restore"


class NothingToCompact(WorkflowAgentError):
    """No turn may leave the window now; the caller goes on talking."""

    code = "nothing_to_compact"


class AlreadyExists(WorkflowAgentError):
    """The id is taken; the caller picks another."""

    code = "already_exists"


class ConversationBusy(WorkflowAgentError):
    """Another run answers in this conversation; the caller waits for it or cancels it."""

    code = "conversation_busy"


class VersionConflict(WorkflowAgentError):
    """The document changed since the caller read it; the caller reads it again and retries."""

    code = "version_conflict"


class ConversationConflict(VersionConflict):
    """The conversation changed since the caller read it."""

    code = "conversation_conflict"


class WorkflowConflict(VersionConflict):
    """The workflow changed since the caller read it."""

    code = "workflow_conflict"


class PreconditionRequired(WorkflowAgentError):
    """A write that replaces a document came without If-Match; the caller sends the ETag it read."""

    code = "precondition_required"


class IdempotencyMismatch(WorkflowAgentError):
    """The idempotency key was used for another request; the caller takes a new key."""

    code = "idempotency_mismatch"


class StaleRun(WorkflowAgentError):
    """The run lost its fence: it was cancelled, or another attempt took over. Its result is discarded."""

    code = "stale_run"


class PhaseNotAllowed(WorkflowAgentError):
    """The conversation cannot go from its phase to this one; the allowed ones are listed."""

    code = "phase_not_allowed"


class HandoffNotAllowed(WorkflowAgentError):
    """The conversation cannot be handed to this agent now; the caller names another, or lets it answer."""

    code = "handoff_not_allowed"


class PreviewNotFound(NotFound):
    """There is no such preview."""

    code = "preview_not_found"


class PreviewClosed(WorkflowAgentError):
    """The preview was decided otherwise, expired, or its workflow moved on; the caller proposes anew."""

    code = "preview_closed"


class Unauthorized(WorkflowAgentError):
    """The API key is missing or wrong."""

    code = "unauthorized"


class UserNotAllowed(WorkflowAgentError):
    """The request may not say that it is from this user; the caller leaves the user out."""

    code = "user_not_allowed"


class ContextOverflow(WorkflowAgentError):
    """What must be sent is larger than the model's window, before any history."""

    code = "context_overflow"


class ModelFailed(WorkflowAgentError):
    """The model or its provider failed; the conversation takes the next turn."""

    code = "model_failed"


class ModelBusy(ModelFailed):
    """The model's provider takes no more for now; the caller waits as long as `retry_after` says."""

    code = "model_busy"


class LimitReached(WorkflowAgentError):
    """The tenant has used what it may for now; the caller waits as long as `retry_after` says."""

    code = "limit_reached"


class StorageFailed(WorkflowAgentError):
    """Something could not be stored or read; nothing was acknowledged."""

    code = "storage_failed"


class CorruptDocument(StorageFailed):
    """A stored file does not parse; it was set aside, not overwritten."""

    code = "corrupt_document"


class ShuttingDown(WorkflowAgentError):
    """The server is stopping and accepts nothing new; the caller retries elsewhere or later."""

    code = "shutting_down"


class CannotListen(WorkflowAgentError):
    """The address cannot be listened on; the operator chooses another or frees it."""

    code = "cannot_listen"


class Misconfigured(WorkflowAgentError):
    """A setting cannot work; the operator mends it."""

    code = "misconfigured"
