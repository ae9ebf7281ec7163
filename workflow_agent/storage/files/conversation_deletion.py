"""The deletion of a conversation in steps, each of which may be the last of its process."""

from pathlib import Path

from workflow_agent.storage.files.conversation_journal import JOURNAL
from workflow_agent.storage.files.durable import DurableFiles

DELETING = ".deleting"
"""In place of `.json`: the document of a conversation that is being deleted. It is in no list any more."""


def begin_deletion(files: DurableFiles, document: Path) -> None:
    """Take a conversation out of every list; its lock must be held. From here on it is deleted."""
    files.move(document, document.with_suffix(DELETING))


def finish_deletion(files: DurableFiles, document: Path) -> None:
    """Remove all that belongs to a conversation whose deletion was begun; fine where none was."""
    begun = document.with_suffix(DELETING)
    if files.state(begun) is None:
        return
    files.remove_directory(document.with_suffix(".archive"))
    beside = (f"{document.name}.corrupt-", *(f"{document.stem}{end}" for end in (".run-", ".compacting", JOURNAL)))
    for name in files.names(document.parent):
        if name.startswith(beside):
            files.remove(document.parent / name)
    files.remove(begun)
    files.remove(document.with_suffix(".lock"))


def make_room(files: DurableFiles, document: Path) -> None:
    """Remove what a deletion that was cut off left where a new conversation will be, but for its contents.

    Those are told by their digest, and the new conversation's own may be among them already.
    """
    begun, archive = document.with_suffix(DELETING), document.with_suffix(".archive")
    if files.state(begun) is None:
        return
    for name in files.names(archive):
        if name.endswith(".json"):
            files.remove(archive / name)
    files.remove(begun)
