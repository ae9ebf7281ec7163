"""A conversation as rows: its head, a row for each item of its lists, and its sealed parts."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from pydantic_core import PydanticSerializationError, to_json

from workflow_agent.conversations import archive as archives
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.seals import SealRule, next_sealing
from workflow_agent.errors import CorruptDocument, StorageFailed
from workflow_agent.storage.files.archives import MOST_FILES_A_SAVE, written_entries, written_part
from workflow_agent.storage.files.conversation_documents import parsed_conversation

_LISTS = ("events", "phase_transitions", "runs", "calls", "workflow_refs", "compactions", "attachments", "archive")
"""The fields that grow with the conversation. Their places here are in the database: add at the end only."""
_IN_LISTS = frozenset(_LISTS)
_SPARSE = frozenset({"runs", "calls", "compactions"})
"""Lists of records with many optional fields, most of them null: those are left out."""


class Row(NamedTuple):
    """Where an item of a list is, and how long its text is."""

    ord: int
    size_bytes: int


class Put(NamedTuple):
    """An item to write."""

    list: int
    ord: int
    body: bytes


@dataclass(frozen=True, slots=True)
class KeptConversation:
    """A conversation as it is stored, and the row of each item: the next save writes only new ones."""

    conversation: Conversation
    life: int
    rows: tuple[tuple[Row, ...], ...] = tuple(() for _ in _LISTS)
    head_bytes: int = 0

    @property
    def size_bytes(self) -> int:
        """Return how long all its texts are together."""
        return self.head_bytes + sum(row.size_bytes for rows in self.rows for row in rows)


@dataclass(frozen=True, slots=True)
class Saving:
    """What a save writes and removes, and what is stored then."""

    kept: KeptConversation
    head: bytes
    put: Sequence[Put]
    removed: Sequence[tuple[int, int]]
    """By list and place."""
    parts: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """What is sealed with it, by name."""


def sealed_saving(before: KeptConversation, conversation: Conversation, rule: SealRule) -> Saving:
    """Return how a conversation becomes another, without what is to be sealed; raises as `saving` does."""
    made, parts = saving(before, conversation), dict[str, bytes]()
    for _ in range(MOST_FILES_A_SAVE):
        sealing = next_sealing(made.kept.conversation, made.kept.size_bytes, rule)
        if sealing is None:
            break
        body = parts[sealing.name] = written_part(sealing.part)
        rest = _folded(sealing.sealed(*_told(body)), parts)
        made = saving(before, rest)
    return replace(made, parts=parts)


def _folded(conversation: Conversation, parts: dict[str, bytes]) -> Conversation:
    """Return a conversation with few entries in its archive; parts of entries are added to the others."""
    while entries := archives.entries_to_fold(conversation.archive):
        body = parts[archives.index_name(entries)] = written_entries(conversation, entries)
        left = archives.folded(conversation.archive, entries, *_told(body))
        conversation = conversation.model_copy(update={"archive": left})
    return conversation


def _told(body: bytes) -> tuple[str, int]:
    return hashlib.sha256(body).hexdigest(), len(body)


def saving(before: KeptConversation, conversation: Conversation) -> Saving:
    """Return how a conversation becomes another.

    Raises:
        StorageFailed: It holds a value that JSON cannot carry.
    """
    put: list[Put] = []
    removed: list[tuple[int, int]] = []
    rows: list[tuple[Row, ...]] = []
    try:
        for number, name in enumerate(_LISTS):
            old, new = getattr(before.conversation, name), getattr(conversation, name)
            rows.append(_rows(number, before.rows[number], old, new, put, removed))
        head = conversation.model_dump_json(by_alias=True, exclude=set(_IN_LISTS)).encode()
    except (PydanticSerializationError, UnicodeEncodeError) as error:
        raise StorageFailed(
            f"Conversation {conversation.id!r} holds a value that cannot be written as JSON: {error}."
        ) from error
    kept = KeptConversation(conversation, before.life, tuple(rows), len(head))
    return Saving(kept, head, put, removed)


def _rows(
    number: int,
    rows: Sequence[Row],
    old: Sequence[object],
    new: Sequence[object],
    put: list[Put],
    removed: list[tuple[int, int]],
) -> tuple[Row, ...]:
    """Return the rows of a list: those before and after what changed stay."""
    start = _alike(zip(old, new, strict=False))
    most = min(len(old), len(new)) - start
    after = min(_alike(zip(reversed(old), reversed(new), strict=False)), most)
    if len(new) > len(old) and after:
        # There is no place between two that stay: what comes behind moves on.
        after = 0
    changed_until = len(new) - after
    free = [row.ord for row in rows[start : len(rows) - after]]
    beyond = rows[-1].ord + 1 if rows else 0
    free += range(beyond, beyond + max(changed_until - start - len(free), 0))
    written = [
        Put(number, place, _text(number, item)) for place, item in zip(free, new[start:changed_until], strict=False)
    ]
    put += written
    removed += ((number, place) for place in free[len(written) :])
    middle = (Row(one.ord, len(one.body)) for one in written)
    return (*rows[:start], *middle, *rows[len(rows) - after :])


def _alike(pairs: Iterable[tuple[object, object]]) -> int:
    count = 0
    for one, other in pairs:
        if one is not other:
            break
        count += 1
    return count


def _text(number: int, item: Any) -> bytes:
    return to_json(item, by_alias=True, inf_nan_mode="null", exclude_none=_LISTS[number] in _SPARSE)


def kept_conversation(
    tenant: str, conversation_id: str, life: int, head: bytes, items: Iterable[tuple[int, int, bytes]]
) -> KeptConversation:
    """Return the conversation that rows make: its head, and its items by list and place, in order.

    Raises:
        CorruptDocument: They do not parse.
        StorageFailed: They were written by a newer release.
    """
    bodies: list[list[bytes]] = [[] for _ in _LISTS]
    rows: list[list[Row]] = [[] for _ in _LISTS]
    for number, place, body in items:
        bodies[number].append(body)
        rows[number].append(Row(place, len(body)))
    lists = (b'"%b":[%b]' % (name.encode(), b",".join(listed)) for name, listed in zip(_LISTS, bodies, strict=True))
    text = head.rstrip()[:-1] + b"," + b",".join(lists) + b"}"
    try:
        conversation = parsed_conversation(text, tenant, conversation_id)
    except ValueError as error:
        raise CorruptDocument(
            f"Conversation {conversation_id!r} does not parse. Restore it from a backup.",
            conversation_id=conversation_id,
        ) from error
    return KeptConversation(conversation, life, tuple(map(tuple, rows)), len(head))
