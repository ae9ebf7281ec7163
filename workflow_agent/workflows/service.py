"""Writing workflows: create, copy, import, edit, replace, undo, restore, preview and delete, each once.

Routes, tools of the assistant, the MCP server and commands call these and only translate what goes in and
what comes out. Reading needs no more than the catalogue.
"""

import secrets
from asyncio import to_thread
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from workflow_agent.errors import AlreadyExists, InvalidInput, WorkflowNotFound
from workflow_agent.values.stored import Revision, RunFence, digest_of
from workflow_agent.workflows.analysis import Analysis, analysis_of, analyze
from workflow_agent.workflows.diff import WorkflowDiff, diff_workflows
from workflow_agent.workflows.diff.words import describe_diff
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.drafts import copied_as, workflow_id_for
from workflow_agent.workflows.edits.operations import Edit, edit_document, parse_edits
from workflow_agent.workflows.formats import Part, import_workflows, summary_of_import
from workflow_agent.workflows.model.findings import Finding
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.previews import Preview
from workflow_agent.workflows.store import Author, Change, WorkflowCatalog, WorkflowVersion, check_expected

_RESTORED = "restored version "
_STEM_CHARS = 48
_SUFFIX_CHARS = 12


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes, and what tells the same write sent again from another one."""

    author: Author = field(default_factory=Author)
    digest: str | None = None
    """Of the request. A write with the digest of an earlier one, in the same run or in none, is that one."""
    fence: RunFence | None = None

    def change(self, action: str, summary: Sequence[str] = (), edits: Sequence[Edit] = ()) -> Change:
        """Return the change to store."""
        documents = tuple(edit_document(edit) for edit in edits)
        return Change(self.author, action, tuple(summary), documents, self.digest, self.fence)


@dataclass(frozen=True, slots=True)
class Created:
    """A workflow that was stored under an id of its own."""

    workflow: Workflow
    is_new: bool = True
    """False where the same request had made it before."""


@dataclass(frozen=True)
class ChangeReport:
    """What a change did to a workflow, or would do."""

    before: Workflow
    after: Workflow
    """As stored; where nothing was stored, as it would be. The same as before where nothing changes."""
    is_stored: bool = True

    @cached_property
    def diff(self) -> WorkflowDiff:
        """Return what differs."""
        return diff_workflows(self.before, self.after)

    @cached_property
    def changes(self) -> tuple[str, ...]:
        """Return what changed, in readable lines."""
        return tuple(describe_diff(self.diff))

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Return the findings that the workflow did not have before."""
        known = {one.key for one in analyze(self.before)}
        return tuple(one for one in analyze(self.after) if one.key not in known)


@dataclass(frozen=True, slots=True)
class WorkflowService:
    """The use cases that write workflows of one tenant.

    Beside what is named below, each raises StaleRun where the fence of a run is no longer the current one,
    and StorageFailed where nothing could be stored.
    """

    catalog: WorkflowCatalog
    tenant: str

    async def create(self, workflow: Workflow, by: Writer, *, is_id_chosen: bool = False) -> Created:
        """Store a new workflow under its id, or, where nobody chose it and it is taken, under one like it.

        Raises:
            AlreadyExists: The chosen id is taken.
        """
        change = by.change("created", [f"Created {workflow.name!r}"])
        return await self._stored_new(workflow, change, is_id_chosen=is_id_chosen)

    async def copy(self, original: Workflow, name: str, by: Writer) -> Created:
        """Store a workflow like another one, under a name and an id of its own.

        Raises:
            InvalidWorkflow: The name is no name.
        """
        copied = copied_as(original, name).model_copy(update={"id": await self.free_id(name)})
        source = f"{original.name!r} ({original.id}, version {original.version})"
        return await self._stored_new(copied, by.change("copied", [f"Copied from {source}"]))

    async def read_documents(self, text: str, format_name: str | None = None) -> tuple[Part, ...]:
        """Return what a text in another tool's format holds; at least one part is a workflow.

        Raises:
            InvalidInput: There is no such format.
            UnreadableDocument: Nothing in it is a document of the format.
        """
        return await to_thread(import_workflows, text, format_name)

    async def store_imported(self, workflow: Workflow, part: Part, by: Writer) -> Created:
        """Store the workflow that was read from a part of a text."""
        return await self._stored_new(workflow, by.change("imported", summary_of_import(workflow.name, part.format)))

    async def free_id(self, name: str) -> str:
        """Return an id made from a workflow's name that no workflow has now."""
        plain = workflow_id_for(name)
        try:
            await self.catalog.get(self.tenant, plain)
        except WorkflowNotFound:
            return plain
        return workflow_id_for(name, list(await self.catalog.heads(self.tenant)))

    async def preview(
        self, workflow_id: str, edits: Sequence[Edit], *, expected: Revision | None = None
    ) -> ChangeReport:
        """Return what edits would do; nothing is stored.

        Raises:
            EditRefused: One of them does not fit.
            WorkflowConflict: `expected` is not the newest.
            WorkflowNotFound: No such workflow.
        """
        current = await self.catalog.get(self.tenant, workflow_id)
        check_expected(current, expected)
        return ChangeReport(current, apply_edits(current, edits).workflow, is_stored=False)

    async def edit(
        self, workflow_id: str, edits: Sequence[Edit], by: Writer, *, expected: Revision | None = None
    ) -> ChangeReport:
        """Apply edits to the newest version, all or none; edits that change nothing make no version.

        Raises:
            EditRefused: One of them does not fit; nothing is stored.
            WorkflowConflict: `expected` is not the newest.
            WorkflowNotFound: No such workflow.
        """
        known = by.change("edited", edits=edits)

        def edited(current: Workflow) -> tuple[Workflow, Change]:
            changed = apply_edits(current, edits)
            if changed.workflow == current:
                raise _Unchanged(current)
            return changed.workflow, replace(known, summary=tuple(describe_diff(changed.diff)))

        try:
            stored = await self.catalog.update(self.tenant, workflow_id, edited, expected=expected, beforehand=known)
        except _Unchanged as unchanged:
            return ChangeReport(unchanged.workflow, unchanged.workflow)
        return await self._since_the_version_before(stored)

    async def replace(
        self, workflow_id: str, replacement: Workflow, by: Writer, *, expected: Revision | None = None
    ) -> Workflow:
        """Make another document the newest version of a workflow; return it as stored.

        Raises:
            WorkflowConflict: `expected` is not the newest.
            WorkflowNotFound: No such workflow.
        """

        def replaced(current: Workflow) -> tuple[Workflow, Change]:
            return replacement, by.change("replaced", describe_diff(diff_workflows(current, replacement)))

        return await self.catalog.update(self.tenant, workflow_id, replaced, expected=expected)

    async def restore(
        self, workflow_id: str, version: int, by: Writer, *, expected: Revision | None = None
    ) -> ChangeReport:
        """Make an earlier version the newest again, as a new one; nothing of the history is lost.

        Raises:
            WorkflowConflict: `expected` is not the newest.
            WorkflowNotFound: No such workflow or version.
        """
        earlier = await self.at(workflow_id, version)
        known = by.change(f"{_RESTORED}{version}")

        def restored(current: Workflow) -> tuple[Workflow, Change]:
            return earlier, replace(known, summary=tuple(describe_diff(diff_workflows(current, earlier))))

        stored = await self.catalog.update(self.tenant, workflow_id, restored, expected=expected, beforehand=known)
        return await self._since_the_version_before(stored)

    async def version_to_undo_to(self, workflow: Workflow) -> int:
        """Return the version before the newest change that is not an undo: a second undo goes further back.

        Raises:
            InvalidInput: It is as it was created.
        """
        number = workflow.version
        while number > 1:
            record = await self.catalog.version(self.tenant, workflow.id, number)
            restored = record.action.removeprefix(_RESTORED)
            if restored == record.action:
                return number - 1
            number = int(restored)
        raise InvalidInput(f"Workflow {workflow.id!r} is as it was created: there is no change to undo.")

    async def delete(self, workflow_id: str, by: Writer, *, expected: Revision | None = None) -> Workflow | None:
        """Remove a workflow; return it, or None where an earlier attempt at the same run removed it.

        Raises:
            WorkflowConflict: `expected` is not the newest.
            WorkflowNotFound: No such workflow.
        """
        try:
            workflow = await self.catalog.get(self.tenant, workflow_id)
            await self.catalog.delete(self.tenant, workflow_id, expected=expected, fence=by.fence)
        except WorkflowNotFound:
            if (by.author.attempt or 1) == 1:
                raise
            return None
        return workflow

    async def apply(self, preview: Preview, by: Writer) -> ChangeReport:
        """Make the edits, or go back to the version, that a preview showed.

        Raises:
            EditRefused: An edit does not fit.
            WorkflowConflict: The workflow was changed since it was shown.
            WorkflowNotFound: It is gone.
        """
        workflow_id, shown = preview.workflow_id, preview.shown
        if preview.to_version is not None:
            return await self.restore(workflow_id, preview.to_version, by, expected=shown)
        edits = parse_edits(list(preview.edits))
        return await self.edit(workflow_id, edits, by, expected=shown)

    async def at(self, workflow_id: str, version: int | None = None) -> Workflow:
        """Return a version of a workflow; the newest unless one is named.

        Raises:
            WorkflowNotFound: No such workflow or version.
        """
        if version is None:
            return await self.catalog.get(self.tenant, workflow_id)
        return _document_of(await self.catalog.version(self.tenant, workflow_id, version))

    async def analysis_of(self, workflow: Workflow) -> Analysis:
        """Return what can go wrong in a workflow, seen among the others too, and what was proved of it."""
        portfolio = await self.catalog.all(self.tenant)
        return await to_thread(analysis_of, workflow, portfolio)

    async def before_attempt(self, workflow: Workflow, by: Author) -> Workflow:
        """Return a workflow as it was before an earlier attempt at the author's run changed it."""
        number = workflow.version
        while (by.attempt or 1) > 1 and number > 1:
            record = await self.catalog.version(self.tenant, workflow.id, number)
            if record.author.run_id != by.run_id:
                return _document_of(record)
            number -= 1
            workflow = await self.at(workflow.id, number)
        return workflow

    async def _since_the_version_before(self, stored: Workflow) -> ChangeReport:
        # What is stored, not what was read first: another writer may have come between.
        return ChangeReport(await self.at(stored.id, stored.version - 1), stored)

    async def _stored_new(self, workflow: Workflow, change: Change, *, is_id_chosen: bool = False) -> Created:
        try:
            return Created(await self.catalog.create(self.tenant, workflow, change))
        except AlreadyExists:
            if made := await self._made_before(workflow.id, change):
                return Created(made, is_new=False)
            if is_id_chosen:
                raise
        other = workflow.model_copy(update={"id": _id_like(workflow.id, change)})
        return await self._stored_new(other, change, is_id_chosen=True)

    async def _made_before(self, workflow_id: str, change: Change) -> Workflow | None:
        """Return a workflow as it is now where the same request made it."""
        if change.digest is None:
            return None
        try:
            first = await self.catalog.version(self.tenant, workflow_id, 1)
            if (first.author.run_id, first.digest) != (change.author.run_id, change.digest):
                return None
            return await self.catalog.get(self.tenant, workflow_id)
        except WorkflowNotFound:
            return None


class _Unchanged(Exception):
    """Edits leave a workflow as it is."""

    def __init__(self, workflow: Workflow) -> None:
        super().__init__(workflow.id)
        self.workflow = workflow


def _document_of(record: WorkflowVersion) -> Workflow:
    return parse_workflow(record.document)


def _id_like(workflow_id: str, change: Change) -> str:
    """Return an id like a taken one; for the same request it is the same each time."""
    known = digest_of(change.digest) if change.digest else secrets.token_hex(_SUFFIX_CHARS)
    return f"{workflow_id[:_STEM_CHARS]}_{known[:_SUFFIX_CHARS]}"
