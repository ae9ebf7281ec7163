"""A conversation as rows: its head, a row for each item of its lists, and its sealed parts."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from pydantic import ValidationError
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


@dataclass(eq=False, slots=True)
class Transaction:
    """What wrote some rows."""

    number: int | None = None
    """The `xmin` that PostgreSQL gives of them; None until it is done, and where only the answer is missing."""


class Row(NamedTuple):
    """Where an item of a list is, how long its text is, and what wrote it."""

    ord: int
    size_bytes: int
    written_by: Transaction


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

    def known_transactions(self) -> list[int]:
        """Return the numbers of what wrote its rows."""
        numbers = {row.written_by.number for rows in self.rows for row in rows}
        return [number for number in numbers if number is not None]

    def places(self) -> dict[tuple[int, int], tuple[Row, Any]]:
        """Return each row and its item, by list and place."""
        lists = (getattr(self.conversation, name) for name in _LISTS)
        return {
            (number, row.ord): (row, item)
            for number, (rows, items) in enumerate(zip(self.rows, lists, strict=True))
            for row, item in zip(rows, items, strict=True)
        }


@dataclass(frozen=True, slots=True)
class Saving:
    """What a save writes and removes, and what is stored then."""

    kept: KeptConversation
    head: bytes
    put: Sequence[Put]
    removed: Sequence[tuple[int, int]]
    """By list and place."""
    by: Transaction
    """What writes it."""
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
    by = Transaction()
    try:
        for number, name in enumerate(_LISTS):
            old, new = getattr(before.conversation, name), getattr(conversation, name)
            start, written, after = _changed(number, before.rows[number], old, new, removed)
            put += written
            middle = (Row(one.ord, len(one.body), by) for one in written)
            rows.append((*before.rows[number][:start], *middle, *before.rows[number][after:]))
        head = conversation.model_dump_json(by_alias=True, exclude=set(_IN_LISTS)).encode()
    except (PydanticSerializationError, UnicodeEncodeError) as error:
        raise StorageFailed(
            f"Conversation {conversation.id!r} holds a value that cannot be written as JSON: {error}."
        ) from error
    kept = KeptConversation(conversation, before.life, tuple(rows), len(head))
    return Saving(kept, head, put, removed, by)


def _changed(
    number: int, rows: Sequence[Row], old: Sequence[object], new: Sequence[object], removed: list[tuple[int, int]]
) -> tuple[int, list[Put], int]:
    """Return how many rows of a list stay at its beginning, what is written behind them, and from where rows stay."""
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
    removed += ((number, place) for place in free[len(written) :])
    return start, written, len(rows) - after


def _alike(pairs: Iterable[tuple[object, object]]) -> int:
    count = 0
    for one, other in pairs:
        if one is not other:
            break
        count += 1
    return count


def _text(number: int, item: Any) -> bytes:
    return to_json(item, by_alias=True, inf_nan_mode="null", exclude_none=_LISTS[number] in _SPARSE)


class Stored(NamedTuple):
    """A row as it was read."""

    list: int
    ord: int
    body: bytes | None
    """None of one that was known."""
    written_by: int


def kept_conversation(
    tenant: str, conversation_id: str, life: int, head: bytes, stored: Sequence[Stored]
) -> KeptConversation:
    """Return the conversation that rows make: its head, and its items by list and place, in order.

    Raises:
        CorruptDocument: They do not parse.
        StorageFailed: They were written by a newer release.
    """
    rows, bodies = _read(stored, {})
    try:
        conversation = parsed_conversation(_whole(head, bodies), tenant, conversation_id)
    except ValueError as error:
        raise CorruptDocument(
            f"Conversation {conversation_id!r} does not parse. Restore it from a backup.",
            conversation_id=conversation_id,
        ) from error
    return KeptConversation(conversation, life, rows, len(head))


def kept_anew(before: KeptConversation, life: int, head: bytes, stored: Sequence[Stored]) -> KeptConversation | None:
    """Return a later version of a conversation, of which only some rows came; None where they have to come whole.

    Items that are not read again are the same objects: what was made of them holds.
    """
    known = before.places()
    rows, bodies = _read(stored, known)
    try:
        # Of an older release it may need more than what is new to become one of this.
        fresh = Conversation.model_validate_json(_whole(head, bodies))
    except ValidationError:
        return None
    new = [iter(getattr(fresh, name)) for name in _LISTS]
    items: list[list[Any]] = [[] for _ in _LISTS]
    for one in stored:
        items[one.list].append(known[one.list, one.ord][1] if one.body is None else next(new[one.list]))
    lists: dict[str, tuple[Any, ...]] = {name: tuple(one) for name, one in zip(_LISTS, items, strict=True)}
    return KeptConversation(fresh.model_copy(update=lists), life, rows, len(head))


def _read(
    stored: Iterable[Stored], known: Mapping[tuple[int, int], tuple[Row, Any]]
) -> tuple[tuple[tuple[Row, ...], ...], list[list[bytes]]]:
    """Return the rows of each list, and the texts of those that were not known."""
    bodies: list[list[bytes]] = [[] for _ in _LISTS]
    rows: list[list[Row]] = [[] for _ in _LISTS]
    by: dict[int, Transaction] = {}
    for one in stored:
        if one.body is None:
            rows[one.list].append(known[one.list, one.ord][0])
            continue
        bodies[one.list].append(one.body)
        written_by = by.setdefault(one.written_by, Transaction(one.written_by))
        rows[one.list].append(Row(one.ord, len(one.body), written_by))
    return tuple(map(tuple, rows)), bodies


def _whole(head: bytes, bodies: Iterable[Iterable[bytes]]) -> bytes:
    lists = (b'"%b":[%b]' % (name.encode(), b",".join(listed)) for name, listed in zip(_LISTS, bodies, strict=True))
    return head.rstrip()[:-1] + b"," + b",".join(lists) + b"}"
