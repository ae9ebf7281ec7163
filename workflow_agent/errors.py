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


def in_short(problems: Sequence[Problem]) -> str:
    """Return the first five problems in a line, and how many more there are."""
    listed = "; ".join(f"{one.pointer or '/'}: {one.message}" for one in problems[:5])
    return listed + (f" (and {len(problems) - 5} more)" if len(problems) > 5 else "")


class WorkflowAgentError(Exception):
    """The root: a message a person can act on, and the facts behind it as JSON-safe data."""

    code: ClassVar[str] = "error"

    def __init_subclass__(cls, *, code: str | None = None) -> None:
        super().__init_subclass__()
        cls.code = code or cls.code

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, Any] = details


class InvalidInput(WorkflowAgentError, code="invalid_input"):
    """The request is malformed; the caller mends it and sends it again."""

    def __init__(self, message: str, problems: Sequence[Problem] = (), **details: Any) -> None:
        super().__init__(message, **details)
        self.problems = tuple(problems)


class InvalidWorkflow(InvalidInput, code="invalid_workflow"):
    """A workflow document breaks the model; every problem is listed."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(f"The workflow is not valid: {in_short(problems)}", problems)


class EditRefused(InvalidInput, code="edit_refused"):
    """One edit of a list cannot be applied, so none was."""

    def __init__(self, message: str, *, index: int, op: str, valid: Sequence[str] = ()) -> None:
        problem = Problem(f"/edits/{index}", message, tuple(valid))
        hint = f"; valid here: {', '.join(valid)}." if valid else ""
        super().__init__(f"Edit {index} ({op}) was refused: {message}{hint}", [problem], index=index, op=op)


class UnreadableAttachment(InvalidInput, code="unreadable_attachment"):
    """An attached document is damaged, protected or not what it claims to be; the caller sends another."""


class UnsupportedDocument(WorkflowAgentError, code="unsupported_document"):
    """A document is of a kind that this server does not read; the caller converts it to text."""


class BodyTooLarge(WorkflowAgentError, code="too_large"):
    """The request is larger than a limit; the caller sends less."""


class NotFound(WorkflowAgentError, code="not_found"):
    """Nothing has this id; the caller looks for the right one."""


class ConversationNotFound(NotFound, code="conversation_not_found"):
    """No conversation has this id."""


class WorkflowNotFound(NotFound, code="workflow_not_found"):
    """No workflow, or no version of it, has this id."""


class RunNotFound(NotFound, code="run_not_found"):
    """No run has this id, or its stream is no longer kept."""


class ContentNotFound(NotFound, code="content_ref_not_found"):
    """What a reference stands for is not there any more; the caller goes on without it."""


class CompactionNotFound(NotFound, code="compaction_not_found"):
    """The conversation has no compaction with this id."""


class CannotRestore(WorkflowAgentError, code="cannot_restore"):
    """The turns of a compaction cannot come back into the window; the caller reads them where they are."""


class NothingToCompact(WorkflowAgentError, code="nothing_to_compact"):
    """No turn may leave the window now; the caller goes on talking."""


class AlreadyExists(WorkflowAgentError, code="already_exists"):
    """The id is taken; the caller picks another."""


class ConversationBusy(WorkflowAgentError, code="conversation_busy"):
    """Another run answers in this conversation; the caller waits for it or cancels it."""


class VersionConflict(WorkflowAgentError, code="version_conflict"):
    """The document changed since the caller read it; the caller reads it again and retries."""


class ConversationConflict(VersionConflict, code="conversation_conflict"):
    """The conversation changed since the caller read it."""


class WorkflowConflict(VersionConflict, code="workflow_conflict"):
    """The workflow changed since the caller read it."""


class PreconditionRequired(WorkflowAgentError, code="precondition_required"):
    """A write that replaces a document came without If-Match; the caller sends the ETag it read."""


class IdempotencyMismatch(WorkflowAgentError, code="idempotency_mismatch"):
    """The idempotency key was used for another request; the caller takes a new key."""


class StaleRun(WorkflowAgentError, code="stale_run"):
    """The run lost its fence: it was cancelled, or another attempt took over. Its result is discarded."""


class PhaseNotAllowed(WorkflowAgentError, code="phase_not_allowed"):
    """The conversation cannot go from its phase to this one; the allowed ones are listed."""


class HandoffNotAllowed(WorkflowAgentError, code="handoff_not_allowed"):
    """The conversation cannot be handed to this agent now; the caller names another, or lets it answer."""


class PreviewNotFound(NotFound, code="preview_not_found"):
    """There is no such preview."""


class PreviewClosed(WorkflowAgentError, code="preview_closed"):
    """The preview was decided otherwise, expired, or its workflow moved on; the caller proposes anew."""


class Unauthorized(WorkflowAgentError, code="unauthorized"):
    """The API key is missing or wrong."""


class UserNotAllowed(WorkflowAgentError, code="user_not_allowed"):
    """The request may not say that it is from this user; the caller leaves the user out."""


class ContextOverflow(WorkflowAgentError, code="context_overflow"):
    """What must be sent is larger than the model's window, before any history."""


class ModelFailed(WorkflowAgentError, code="model_failed"):
    """The model or its provider failed; the conversation takes the next turn."""


class ModelBusy(ModelFailed, code="model_busy"):
    """The model's provider takes no more for now; the caller waits as long as `retry_after` says."""


class LimitReached(WorkflowAgentError, code="limit_reached"):
    """The tenant has used what it may for now; the caller waits as long as `retry_after` says."""


class StorageFailed(WorkflowAgentError, code="storage_failed"):
    """Something could not be stored or read; nothing was acknowledged."""


class CorruptDocument(StorageFailed, code="corrupt_document"):
    """A stored file does not parse; it was set aside, not overwritten."""


class ShuttingDown(WorkflowAgentError, code="shutting_down"):
    """The server is stopping and accepts nothing new; the caller retries elsewhere or later."""


class CannotListen(WorkflowAgentError, code="cannot_listen"):
    """The address cannot be listened on; the operator chooses another or frees it."""


class Misconfigured(WorkflowAgentError, code="misconfigured"):
    """A setting cannot work; the operator mends it."""
