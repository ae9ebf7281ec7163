"""Changes that are shown before they are made: which ones, and what is kept of them until the answer.

A change waits for a yes when it takes back more than a person sees at a glance. Everything else is applied
at once, because it can be undone at once:

- deleting a workflow;
- edits that remove more than two steps;
- restoring a version older than the one before the newest;
- fixes of findings that come to more than five edits;
- and whatever was asked for as a dry run.
"""

from collections.abc import Sequence
from typing import Literal

from workflow_agent.values.stored import JsonObject, Revision, Value, digest_of, mark_of
from workflow_agent.workflows.diff import diff_workflows
from workflow_agent.workflows.diff.words import describe_diff
from workflow_agent.workflows.edits.operations import Edit, edit_document
from workflow_agent.workflows.model.workflow import Workflow

_MOST_STEPS_REMOVED = 2
MOST_FIX_EDITS = 5
_MOST_VERSIONS_BACK = 1

PreviewAction = Literal["edit", "restore", "delete"]


class Preview(Value):
    """A change that was shown and not made: it can be confirmed once, by the next message."""

    id: str
    """Made of the run and the change, so that a repeated run shows the same one."""
    action: PreviewAction
    workflow_id: str
    workflow_name: str
    version: int
    """The version it was made for; of any other it is stale."""
    mark: str | None = None
    """What the content of that version came to: edited by hand in its file since, it is stale too."""
    reason: str
    """Why it waits for a yes, as the end of a sentence."""
    edits: tuple[JsonObject, ...] = ()
    to_version: int | None = None
    """The version to restore."""
    changes: tuple[str, ...] = ()
    """What would change, in readable lines."""
    diff: JsonObject | None = None

    @property
    def shown(self) -> Revision:
        """Return the state of the workflow that it was made for."""
        return Revision(self.version, self.mark)


def preview_of(
    action: PreviewAction,
    before: Workflow,
    after: Workflow,
    reason: str,
    *,
    told_in: str,
    edits: Sequence[Edit] = (),
    to_version: int | None = None,
) -> Preview:
    """Return the preview of edits, or of going back to a version: why it waits, and which run shows it."""
    diff = diff_workflows(before, after)
    documents = tuple(edit_document(edit) for edit in edits)
    told = [told_in, action, before.id, before.version, to_version, list(documents)]
    return Preview(
        id=f"pv_{digest_of(told)[:12]}",
        action=action,
        workflow_id=before.id,
        workflow_name=before.name,
        version=before.version,
        mark=mark_of(before),
        reason=reason,
        edits=documents,
        to_version=to_version,
        changes=tuple(describe_diff(diff)),
        diff=diff.as_dict(),
    )


def preview_of_deletion(workflow: Workflow, reason: str, *, told_in: str) -> Preview:
    """Return the preview of deleting a workflow."""
    preview = preview_of("delete", workflow, workflow, reason, told_in=told_in)
    changes = (f"Delete workflow {workflow.name!r} ({workflow.id})",)
    return preview.model_copy(update={"changes": changes, "diff": None})


def why_edits_wait(before: Workflow, after: Workflow) -> str | None:
    """Return why edits wait for a yes; None when they are applied at once."""
    left = {step.id for step in after.steps}
    removed = sum(step.id not in left for step in before.steps)
    return f"it removes {removed} steps" if removed > _MOST_STEPS_REMOVED else None


def why_fixes_wait(before: Workflow, after: Workflow, edits: int) -> str | None:
    """Return why fixes wait for a yes; None when they are applied at once."""
    return f"it takes {edits} edits" if edits > MOST_FIX_EDITS else why_edits_wait(before, after)


def why_restoring_waits(current: Workflow, to_version: int) -> str | None:
    """Return why going back to a version waits for a yes; None when it is done at once."""
    back = current.version - to_version
    return f"it goes back {back} versions" if back > _MOST_VERSIONS_BACK else None
