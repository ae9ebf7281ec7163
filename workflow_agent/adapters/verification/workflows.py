"""The workflows of a tenant: documents, and a record for every version."""

from collections.abc import Iterator
from pathlib import Path

from workflow_agent.adapters.data_paths import is_workflow_id
from workflow_agent.adapters.durable_files import DurableFiles
from workflow_agent.adapters.verification.documents import plain_object
from workflow_agent.adapters.verification.findings import Finding
from workflow_agent.domain.errors import InvalidWorkflow
from workflow_agent.domain.workflow import Workflow
from workflow_agent.domain.workflow_parsing import parse_workflow
from workflow_agent.ports import WorkflowVersion


class WorkflowCheck:
    """Checks the workflows of one directory."""

    def __init__(self, files: DurableFiles, directory: Path) -> None:
        self._files = files
        self._directory = directory
        self._names = files.names(directory)

    def known_ids(self) -> set[str]:
        """Return the ids of the workflows there are, or were: what is deleted is kept aside."""
        aside = self._files.names(self._directory / ".deleted")
        return {name.split(".", 1)[0] for name in (*self._names, *aside)}

    def findings(self) -> Iterator[Finding]:
        """Yield what is wrong with them."""
        for name in self._names:
            path = self._directory / name
            stem = name.removesuffix(".json")
            if ".corrupt-" in name:
                yield self._finding(
                    "set_aside", path, "It did not parse and was set aside. Mend it or remove it."
                )
            elif name.endswith(".json") and is_workflow_id(stem):
                yield from self._document(path)
            elif name.endswith(".versions") and f"{name.removesuffix('.versions')}.json" not in self._names:
                yield self._finding("workflow_missing", path, "There are versions of it, and no document.")

    def _document(self, path: Path) -> Iterator[Finding]:
        try:
            workflow = parse_workflow(plain_object(self._files, path))
        except (ValueError, InvalidWorkflow) as error:
            yield self._finding("unreadable_workflow", path, f"It is no workflow: {error}")
            return
        if workflow.id != path.stem:
            yield self._finding("wrong_place", path, f"It holds the workflow {workflow.id!r}.")
            return
        yield from self._versions(path, workflow)

    def _versions(self, path: Path, workflow: Workflow) -> Iterator[Finding]:
        versions = path.with_suffix(".versions")
        names = set(self._files.names(versions))
        for number in range(1, workflow.version + 1):
            record = versions / f"{number:06d}.json"
            if record.name not in names:
                yield self._finding(
                    "workflow_version_gap", record,
                    f"Version {number} of {workflow.version} of {workflow.id!r} has no record.",
                )  # fmt: skip
                continue
            try:
                kept = WorkflowVersion.model_validate(plain_object(self._files, record))
            except ValueError as error:
                yield self._finding("unreadable_workflow", record, f"It is no version record: {error}")
                continue
            if (kept.workflow_id, kept.version) != (workflow.id, number):
                yield self._finding(
                    "wrong_place", record, f"It holds version {kept.version} of {kept.workflow_id!r}."
                )

    def _finding(self, kind: str, path: Path, message: str) -> Finding:
        return Finding(kind, self._files.name_of(path), message)
