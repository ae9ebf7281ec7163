"""What all stores do alike: how a write becomes the next version of a workflow, and what is refused in which words."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from workflow_agent.conversations.archive import Position
from workflow_agent.errors import (
    AlreadyExists,
    ContentNotFound,
    ConversationNotFound,
    InvalidInput,
    NotFound,
    WorkflowNotFound,
)
from workflow_agent.storage.files.file_system import is_conversation_id, is_workflow_id, shown
from workflow_agent.workflows.model.workflow import Workflow, workflow_document
from workflow_agent.workflows.store import Author, Change, WorkflowVersion

_ID_RULE = "1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit"


def check_new_id(conversation_id: str) -> None:
    """Refuse an id that no conversation may have."""
    if not is_conversation_id(conversation_id):
        raise InvalidInput(f"{shown(conversation_id)} is not a conversation id, which is {_ID_RULE}.")


def id_taken(kind: Literal["conversation", "workflow"], taken: str, aside: str | None = None) -> AlreadyExists:
    """Return the error for an id that another one has, or had until its file was set aside."""
    told = {f"{kind}_id": taken}
    if aside is None:
        return AlreadyExists(f"There is already a {kind} {taken!r}. Choose another id.", **told)
    return AlreadyExists(
        f"There was a {kind} {taken!r}; its file did not parse and waits as {aside!r} to be mended. Choose another id.",
        **told,
        aside=aside,
    )


def no_conversation(conversation_id: str) -> ConversationNotFound:
    """Return the error for an id that no conversation has."""
    advice = (
        "Create it under this id, or send a message without one."
        if is_conversation_id(conversation_id)
        else f"An id is {_ID_RULE}."
    )
    return ConversationNotFound(
        f"There is no conversation {shown(conversation_id)}. {advice}", conversation_id=conversation_id[:64]
    )


def damaged_conversation(conversation_id: str, aside: str) -> ConversationNotFound:
    """Return the error for a conversation whose file was set aside and not mended yet."""
    return ConversationNotFound(
        f"Conversation {conversation_id!r} cannot be read: its file did not parse and was set aside as "
        f"{aside!r}. Mend it and rename it back, or restore a backup.",
        conversation_id=conversation_id,
        aside=aside,
    )


def no_content(conversation_id: str, content_ref: str) -> ContentNotFound:
    """Return the error for a reference under which a conversation keeps nothing."""
    return ContentNotFound(
        f"Conversation {shown(conversation_id)} keeps nothing under {shown(content_ref)}. "
        "The reference is wrong, or the content was removed.",
        conversation_id=conversation_id[:64],
        content_ref=content_ref[:80],
    )


def not_sealed(conversation_id: str, position: Position) -> NotFound:
    """Return the error for a position that is in no sealed file."""
    what, number = position
    return NotFound(f"Conversation {shown(conversation_id)} has no sealed {what} {number}.")


UNRECORDED = Change(Author(user="unknown"), "imported", ("Was there without a record of its versions",))
"""For a document that somebody put in its place by hand."""
SAMPLE = Change(Author(user="system"), "created", ("Came as a sample",))
"""For what a new tenant begins with."""


def first_version(workflow: Workflow, at: datetime) -> Workflow:
    """Return a new workflow as it is stored: version 1, its times set."""
    moment = _in_milliseconds(at)
    return workflow.model_copy(update={"version": 1, "created_at": moment, "updated_at": moment})


def next_version(current: Workflow, changed: Workflow, at: datetime) -> Workflow:
    """Return a changed workflow as it is stored: the id kept, one version up."""
    return changed.model_copy(
        update={
            "id": current.id,
            "version": current.version + 1,
            "created_at": current.created_at,
            "updated_at": _in_milliseconds(at),
        }
    )


def _in_milliseconds(at: datetime) -> datetime:
    # As it is written, so that what a write returns equals what a read finds.
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def record_of(workflow: Workflow, change: Change, at: datetime) -> WorkflowVersion:
    """Return the record of one version."""
    return WorkflowVersion(
        workflow_id=workflow.id,
        version=workflow.version,
        at=at,
        author=change.author,
        action=change.action,
        summary=change.summary,
        edits=change.edits,
        digest=change.digest,
        document=workflow_document(workflow),
    )


def may_repeat(change: Change) -> bool:
    """Say whether this write may have been made already: not where its fence is that of a first attempt."""
    is_first = change.fence is not None and change.author.attempt == 1
    return change.digest is not None and not is_first


def earlier_write(records: Iterable[WorkflowVersion], change: Change) -> WorkflowVersion | None:
    """Return the record of the same write, by whichever attempt of the same run, or None."""
    if not may_repeat(change):
        return None
    wanted = (change.author.run_id, change.digest)
    return next((record for record in records if (record.author.run_id, record.digest) == wanted), None)


def check_new_workflow_id(workflow_id: str) -> None:
    """Refuse an id that no workflow may have."""
    if not is_workflow_id(workflow_id):
        raise InvalidInput(f"{shown(workflow_id)} is not a workflow id: wf_ and 1 to 61 of a-z, 0-9, _ and -.")


def no_workflow(workflow_id: str) -> WorkflowNotFound:
    """Return the error for an id that no workflow has."""
    return WorkflowNotFound(f"There is no workflow {shown(workflow_id)}.", workflow_id=workflow_id[:64])


def damaged_workflow(workflow_id: str, aside: str, versions: str) -> WorkflowNotFound:
    """Return the error for a workflow whose document was set aside and not mended yet."""
    return WorkflowNotFound(
        f"Workflow {workflow_id!r} cannot be read: its file did not parse and was set aside as {aside!r}. "
        f"Mend it and rename it back, or take `document` of the newest version in {versions!r}.",
        workflow_id=workflow_id,
        aside=aside,
    )


def no_version(workflow: Workflow, number: int) -> WorkflowNotFound:
    """Return the error for a version that a workflow does not have."""
    return WorkflowNotFound(
        f"Workflow {workflow.id!r} has no version {number}; it has 1 to {workflow.version}.",
        workflow_id=workflow.id,
        version=number,
    )
