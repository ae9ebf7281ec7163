"""The workflows of a tenant: documents, and a record for every version."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import orjson

from workflow_agent.errors import InvalidWorkflow, StorageFailed
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import is_workflow_id
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.store import WorkflowVersion


def plain_object(files: DurableFiles, path: Path) -> dict[str, Any]:
    """Return the JSON object in a file; raises ValueError where there is none."""
    stored = files.read(path)
    plain: Any = orjson.loads(stored.data) if stored is not None else None
    if not isinstance(plain, dict):
        raise ValueError("it holds no JSON object")
    return cast("dict[str, Any]", plain)


Mend = Callable[[], object]
_LEFTOVERS = {
    "stale_temporary_file",
    "lock_orphan",
    "journal_orphan",
    "sealed_file_orphan",
    "blob_orphan",
    "cut_off_creation",
    "cut_off_deletion",
}
"""What an ordinary kill leaves; a server that runs clears most of it away."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, where, and whether it can be set right."""

    kind: str
    """Such as `sealed_file_missing`; docs/operations.md lists them all."""
    path: str
    """The file, relative to the data directory."""
    message: str
    mend: Mend | None = None
    """Sets it right without guessing; None where somebody has to decide."""

    @property
    def is_leftover(self) -> bool:
        """Say whether it is what a killed process leaves, and no damage: nothing is lost or wrong."""
        return self.kind in _LEFTOVERS and self.mend is not None

    def set_right(self) -> bool:
        """Set it right where that needs no guess; say whether it was."""
        if self.mend is None:
            return False
        self.mend()
        return True

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as plain JSON data."""
        return {
            "kind": self.kind,
            "path": self.path,
            "message": self.message,
            "repairable": self.mend is not None,
            "leftover": self.is_leftover,
        }


def readable(files: DurableFiles, path: Path, findings: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """Yield what is found at a path; where it cannot be read, that alone."""
    try:
        yield from findings()
    except StorageFailed as error:
        yield Finding("unreadable_file", files.name_of(path), error.message)


class WorkflowCheck:
    """Checks the workflows of one directory."""

    def __init__(self, files: DurableFiles, directory: Path) -> None:
        self._files = files
        self._directory = directory
        self._names = set[str]()

    def known_ids(self) -> set[str]:
        """Return the ids of the workflows there are, or were: what is deleted is kept aside."""
        return {name.split(".", 1)[0] for name in (*self._names, *self._files.names(self._directory / ".deleted"))}

    def findings(self) -> Iterator[Finding]:
        """Yield what is wrong with them."""
        self._names.update(self._files.names(self._directory))
        for name in sorted(self._names):
            path = self._directory / name
            yield from readable(self._files, path, partial(self._entry, path))

    def _entry(self, path: Path) -> Iterator[Finding]:
        name = path.name
        if ".corrupt-" in name:
            yield self._finding("set_aside", path, "It did not parse and was set aside. Mend it or remove it.")
        elif name.endswith(".json") and is_workflow_id(path.stem):
            yield from self._document(path)
        elif name.endswith(".versions") and f"{path.stem}.json" not in self._names:
            yield from self._versions_alone(path)

    def _versions_alone(self, path: Path) -> Iterator[Finding]:
        kept = self._directory / ".deleted"
        is_deleted = any(name.startswith(f"{path.stem}.json.deleted-") for name in self._files.names(kept))
        is_aside = any(name.startswith(f"{path.stem}.json.corrupt-") for name in self._names)
        mend = partial(self._files.set_aside, path, "deleted", into=kept)
        if is_deleted and not is_aside:
            message = "Its document was deleted; they are kept aside with it."
            yield self._finding("cut_off_deletion", path, message, mend)
        elif self._files.names(path) == ["000001.json"] and not is_aside:
            message = "There is the record of a first version, and no document: nobody was told that it is stored."
            yield self._finding("cut_off_creation", path, message, mend)
        else:
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
                message = f"Version {number} of {workflow.version} of {workflow.id!r} has no record."
                yield self._finding("workflow_version_gap", record, message)
                continue
            try:
                kept = WorkflowVersion.model_validate(plain_object(self._files, record))
            except ValueError as error:
                yield self._finding("unreadable_workflow", record, f"It is no version record: {error}")
                continue
            if (kept.workflow_id, kept.version) != (workflow.id, number):
                yield self._finding("wrong_place", record, f"It holds version {kept.version} of {kept.workflow_id!r}.")

    def _finding(self, kind: str, path: Path, message: str, mend: Mend | None = None) -> Finding:
        return Finding(kind, self._files.name_of(path), message, mend)
