"""Taking texts out of all files of a conversation: its document, its sealed turns, its contents."""

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast

from pydantic_core import to_json

from workflow_agent.conversations.archive import SealedTurns
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.redaction import Redaction
from workflow_agent.conversations.seals import unsealed
from workflow_agent.storage.files.archives import ConversationArchive, entries_in, parsed_part
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.values.stored import content_json, content_ref_of, parse_canonical

_SEALED = re.compile(r"(?:turns|index)-[0-9]{6,12}-[0-9]{6,12}\.json")


def redacted(
    files: DurableFiles, archive: ConversationArchive, directory: Path, conversation: Conversation, gone: Redaction
) -> tuple[Conversation, tuple[Path, ...]] | None:
    """Return a conversation without some texts, and the files that are needed no more once it is saved.

    None where nothing of what is to be gone was there. What refers to the new files is for the caller to save.

    Sealed turns that held any come back into the document, with all after them, and are sealed again by the
    saves to come: so whenever the power goes, the document names files that are what it says.

    Raises:
        CorruptDocument: A sealed file is missing or is not what was sealed.
        StorageFailed: A content could not be written.
    """
    body_of = partial(archive.checked, directory)
    opened = opened_for(gone, conversation, body_of)
    replaced, contents = _contents(files, directory / "blobs", gone)
    changed = without_texts(gone, opened, replaced)
    named = {one.file for one in (*entries_in(opened.archive, body_of), *opened.archive)}
    # Opened now, or before a power cut.
    unnamed = [directory / name for name in files.names(directory) if _SEALED.fullmatch(name) and name not in named]
    obsolete = (*unnamed, *contents)
    return (changed or opened, obsolete) if changed or obsolete else None


def _contents(files: DurableFiles, directory: Path, gone: Redaction) -> tuple[Mapping[str, str], tuple[Path, ...]]:
    """Save contents without what is to be gone; return the new reference of each, and the old files."""
    replaced: dict[str, str] = {}
    for name in files.names(directory):
        stored = files.read(directory / name) if "." not in name else None
        changed = content_without(gone, stored.data) if stored else None
        if changed is not None:
            reference = replaced[f"sha256:{name}"] = content_ref_of(changed)
            files.save(directory / reference.removeprefix("sha256:"), content_json(changed))
    return replaced, tuple(directory / one.removeprefix("sha256:") for one in replaced)


def opened_for(gone: Redaction, conversation: Conversation, body_of: Callable[[SealedTurns], bytes]) -> Conversation:
    """Return a conversation with the sealed turns in it that may hold what goes, and all later ones."""
    entries = entries_in(conversation.archive, body_of)
    bodies = list(map(body_of, entries))
    first = next((at for at, body in enumerate(bodies) if gone.may_change(body)), None)
    if first is None:
        return conversation
    return unsealed(conversation.model_copy(update={"archive": entries}), list(map(parsed_part, bodies[first:])))


def without_texts(gone: Redaction, conversation: Conversation, replaced: Mapping[str, str]) -> Conversation | None:
    """Return a conversation without what goes, naming contents by their new references; None if it stays as it is."""
    plain = json.loads(to_json(conversation, by_alias=True, inf_nan_mode="null"))
    changed = _with_references(gone.in_data(plain), replaced)
    return Conversation.model_validate_json(json.dumps(changed)) if changed != plain else None


def content_without(gone: Redaction, body: bytes) -> Any:
    """Return the content in a text without what goes; None where nothing of it is there."""
    if not gone.may_change(body):
        return None
    content = parse_canonical(body)
    # A content is free text wherever it is one.
    changed = gone.in_data(content, "content")
    return changed if changed != content else None


def _with_references(value: Any, replaced: Mapping[str, str]) -> Any:
    """Return JSON data with some references to contents replaced by others."""
    if isinstance(value, str):
        return replaced.get(value, value)
    if isinstance(value, list):
        return [_with_references(one, replaced) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _with_references(one, replaced) for key, one in cast("dict[str, Any]", value).items()}
    return value
