"""Changes that wait for somebody's word beyond a conversation, and what of a workflow is published."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from workflow_agent.errors import InvalidInput, PreviewClosed, PreviewNotFound, WorkflowConflict, WorkflowNotFound
from workflow_agent.values.stored import Moment, Revision, Value, digest_of
from workflow_agent.workflows.edits.operations import Edit
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.previews import Preview, preview_of
from workflow_agent.workflows.service import WorkflowService, Writer
from workflow_agent.workflows.store import Author, Records

Decision = Literal["apply", "reject"]
PreviewState = Literal["waiting", "applied", "rejected", "expired", "outdated"]


class WaitingChange(Value):
    """A preview that waits for a decision, or how it was decided."""

    preview: Preview
    asked_by: str
    conversation_id: str | None = None
    """Where it was shown; None where it was proposed without one."""
    created_at: Moment
    expires_at: Moment
    state: PreviewState = "waiting"
    """`outdated`: the workflow has been changed since, so it can only be proposed anew."""
    decided_by: str | None = None
    decided_at: Moment | None = None
    made_version: int | None = None
    """The version that applying it made."""


class Publication(Value):
    """Which version of a workflow is published."""

    workflow_id: str
    version: int
    published_by: str
    published_at: Moment
    of: Moment | None = None
    """When the workflow was created; tells it from another that takes its id later."""


@dataclass(frozen=True, slots=True)
class Approvals:
    """What waits for a decision in a tenant, and what is published."""

    records: Records
    workflows: WorkflowService
    now: Callable[[], datetime]
    kept: timedelta
    """How long a change waits."""

    async def wait(self, preview: Preview, asked_by: str, conversation_id: str | None = None) -> WaitingChange:
        """Let a preview wait for a decision; one that is known already stays as it is."""
        if (known := await self._known(preview.id)) is not None:
            return known
        at = self.now()
        change = WaitingChange(preview=preview, asked_by=asked_by, created_at=at, expires_at=at + self.kept)
        return await self._stored(change, conversation_id=conversation_id)

    async def propose(
        self, workflow_id: str, edits: Sequence[Edit], asked_by: str, reason: str, *, expected: Revision | None = None
    ) -> WaitingChange:
        """Let edits wait for somebody else's decision.

        Raises:
            EditRefused: One of them does not fit.
            WorkflowConflict: `expected` is not the newest.
            WorkflowNotFound: No such workflow.
        """
        report = await self.workflows.preview(workflow_id, edits, expected=expected)
        preview = preview_of("edit", report.before, report.after, reason, told_in=asked_by, edits=edits)
        return await self.wait(preview, asked_by)

    async def listed(self, workflow_id: str | None = None) -> Sequence[WaitingChange]:
        """Return the changes that were ever shown and are still kept, the newest first."""
        found = [one for one in await self._all() if workflow_id in (None, one.preview.workflow_id)]
        shown = [await self._as_it_stands(one) for one in found]
        return sorted(shown, key=lambda one: one.created_at, reverse=True)

    async def get(self, preview_id: str) -> WaitingChange:
        """Return a change as it stands.

        Raises:
            PreviewNotFound: There is none of this id.
        """
        known = await self._known(preview_id)
        if known is None:
            raise PreviewNotFound(f"There is no preview {preview_id[:80]!r}. The list of previews shows what waits.")
        return await self._as_it_stands(known)

    async def decide(self, preview_id: str, decision: Decision, by: str) -> WaitingChange:
        """Make a change that waits, or turn it down; the same decision again is the same.

        Raises:
            PreviewClosed: It was decided otherwise, or has expired, or the workflow moved on.
            PreviewNotFound: There is none of this id.
        """
        async with self.records.alone("previews"):
            change = await self.get(preview_id)
            wanted: PreviewState = "applied" if decision == "apply" else "rejected"
            if change.state not in ("waiting", wanted):
                raise _closed(change)
            if change.state == wanted and change.decided_at is not None:
                return change
            made = change.made_version
            if change.state == "waiting" and wanted == "applied":
                try:
                    made = await self._made(change, by)
                except WorkflowConflict as error:
                    raise _closed(change.model_copy(update={"state": "outdated"})) from error
            return await self._stored(change, state=wanted, decided_by=by, decided_at=self.now(), made_version=made)

    async def answered(self, preview: Preview, word: Literal["yes", "no"], by: str) -> None:
        """Note what its own conversation said to a preview; a yes counts once its change is there."""
        change = await self._known(preview.id)
        if change is None or change.state != "waiting":
            return
        version = await self._version(preview.workflow_id)
        is_made = version is None if preview.action == "delete" else version == preview.version + 1
        if word == "yes" and not is_made:
            return
        state, made = ("applied", version) if word == "yes" else ("rejected", None)
        await self._stored(change, state=state, decided_by=by, decided_at=self.now(), made_version=made)

    async def is_open(self, preview: Preview) -> bool:
        """Say whether its own conversation may still answer a preview."""
        change = await self._known(preview.id)
        return change is None or (change.state == "waiting" and self.now() < change.expires_at)

    async def sweep(self) -> int:
        """Forget the changes that ended long ago; return how many."""
        old = [one for one in await self._all() if one.expires_at + self.kept < self.now()]
        for one in old:
            await self.records.remove("previews", one.preview.id)
        return len(old)

    async def publish(self, workflow_id: str, by: str, *, version: int | None = None) -> Publication:
        """Publish a version of a workflow, the newest unless one is named.

        Raises:
            WorkflowNotFound: No such workflow.
            InvalidInput: It has no such version.
        """
        current = await self.workflows.at(workflow_id)
        chosen = current.version if version is None else version
        if chosen > current.version:
            raise InvalidInput(
                f"Workflow {workflow_id!r} has no version {chosen} to publish; it has 1 to {current.version}."
            )
        published = Publication(
            workflow_id=current.id, version=chosen, published_by=by, published_at=self.now(), of=current.created_at
        )
        await self.records.put("publications", current.id, published.model_dump(mode="json"))
        return published

    async def publication(self, workflow: Workflow) -> Publication | None:
        """Return which version of a workflow is published; None where none ever was."""
        known = await self.records.get("publications", workflow.id)
        if known is None:
            return None
        found = Publication.model_validate(known)
        return found if found.of == workflow.created_at else None

    async def _made(self, change: WaitingChange, by: str) -> int | None:
        writer = Writer(Author(user=by, conversation_id=change.conversation_id), _mark(change))
        if change.preview.action == "delete":
            await self.workflows.delete(change.preview.workflow_id, writer, expected=change.preview.shown)
            return None
        return (await self.workflows.apply(change.preview, writer)).after.version

    async def _as_it_stands(self, change: WaitingChange) -> WaitingChange:
        if change.state != "waiting":
            return change
        preview = change.preview
        version = await self._version(preview.workflow_id)
        if version == preview.version:
            return change.model_copy(update={"state": "expired"}) if self.now() >= change.expires_at else change
        if version is not None and version > preview.version:
            made = await self.workflows.catalog.version(self.workflows.tenant, preview.workflow_id, preview.version + 1)
            if made.digest == _mark(change):
                # Applied by a process that died before it could write that down.
                return change.model_copy(update={"state": "applied", "made_version": made.version})
        return change.model_copy(update={"state": "outdated"})

    async def _version(self, workflow_id: str) -> int | None:
        try:
            return (await self.workflows.at(workflow_id)).version
        except WorkflowNotFound:
            return None

    async def _known(self, preview_id: str) -> WaitingChange | None:
        known = await self.records.get("previews", preview_id)
        return None if known is None else WaitingChange.model_validate(known)

    async def _all(self) -> list[WaitingChange]:
        return [WaitingChange.model_validate(one) for one in (await self.records.all("previews")).values()]

    async def _stored(self, change: WaitingChange, **decided: object) -> WaitingChange:
        stored = change.model_copy(update=decided)
        await self.records.put("previews", stored.preview.id, stored.model_dump(mode="json"))
        return stored


def _mark(change: WaitingChange) -> str:
    return digest_of(["preview", change.preview.id])


def _closed(change: WaitingChange) -> PreviewClosed:
    name = change.preview.workflow_name
    why = {"applied": "it was applied already", "rejected": "it was turned down", "expired": "it waited too long"}.get(
        change.state, f"{name!r} has been changed since; ask for the change again"
    )
    return PreviewClosed(f"Preview {change.preview.id!r} cannot be decided: {why}.", state=change.state)
