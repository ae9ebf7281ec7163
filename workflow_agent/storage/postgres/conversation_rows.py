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
            listed, written, emptied = _rows_of(number, before.rows[number], old, new, by)
            rows.append(listed)
            put += written
            removed += emptied
        head = conversation.model_dump_json(by_alias=True, exclude=set(_IN_LISTS)).encode()
    except (PydanticSerializationError, UnicodeEncodeError) as error:
        raise StorageFailed(
            f"Conversation {conversation.id!r} holds a value that cannot be written as JSON: {error}."
        ) from error
    kept = KeptConversation(conversation, before.life, tuple(rows), len(head))
    return Saving(kept, head, put, removed, by)


def _rows_of(
    number: int, before: Sequence[Row], old: Sequence[object], new: Sequence[object], by: Transaction
) -> tuple[tuple[Row, ...], list[Put], list[tuple[int, int]]]:
    """Return the rows of a list, those of them to write, and the places to empty.

    An item that was there stays in its row as long as it comes behind what was before it and there are places
    between them for what is new.
    """
    start = _alike(old, new)
    if start == len(new) == len(old):
        return tuple(before), [], []
    row_of = {id(item): row for item, row in zip(old[start:], before[start:], strict=True)}
    rows, put = list(before[:start]), list[Put]()
    places = _places([row_of.get(id(item)) for item in new[start:]], rows[-1].ord + 1 if rows else 0)
    for item, place in zip(new[start:], places, strict=True):
        if isinstance(place, int):
            put.append(Put(number, place, _text(number, item)))
            rows.append(Row(place, len(put[-1].body), by))
        else:
            rows.append(place)
    taken = {row.ord for row in rows[start:]}
    return tuple(rows), put, [(number, row.ord) for row in before[start:] if row.ord not in taken]


def _alike(one: Sequence[object], other: Sequence[object]) -> int:
    """Return how many of the first items are the same objects."""
    both = enumerate(zip(one, other, strict=False))
    return next((at for at, (item, its) in both if item is not its), min(len(one), len(other)))


def _places(rows: Sequence[Row | None], first: int) -> list[Row | int]:
    """Return for each item the row that it stays in, or a new place; the first free place is given."""
    placed: list[Row | int] = []
    waiting = 0
    for row in rows:
        if row is None or row.ord - first < waiting:
            waiting += 1
            continue
        placed += (*range(first, first + waiting), row)
        first, waiting = row.ord + 1, 0
    return [*placed, *range(first, first + waiting)]


def _text(number: int, item: Any) -> bytes:
    return to_json(item, by_alias=True, inf_nan_mode="null", exclude_none=_LISTS[number] in _SPARSE)


class StoredList(NamedTuple):
    """A list as it was read: where its known rows are, and the others, in order."""

    known: Sequence[int] = ()
    ords: Sequence[int] = ()
    bodies: Sequence[bytes] = ()
    written_by: Sequence[int] = ()


def kept_conversation(
    tenant: str, conversation_id: str, life: int, head: bytes, stored: Mapping[int, StoredList]
) -> KeptConversation:
    """Return the conversation that rows make: its head, and its items by list and place, in order.

    Raises:
        CorruptDocument: They do not parse.
        StorageFailed: They were written by a newer release.
    """
    try:
        conversation = parsed_conversation(_whole(head, stored), tenant, conversation_id)
    except ValueError as error:
        raise CorruptDocument(
            f"Conversation {conversation_id!r} does not parse. Restore it from a backup.",
            conversation_id=conversation_id,
        ) from error
    return KeptConversation(conversation, life, tuple(_new_rows(stored)), len(head))


def kept_anew(
    before: KeptConversation, life: int, head: bytes, stored: Mapping[int, StoredList]
) -> KeptConversation | None:
    """Return a later version of a conversation, of which only some rows came; None where they have to come whole.

    Items that are not read again are the same objects, and so are lists without a new one: what was made of them
    holds.
    """
    try:
        # Of an older release it may need more than what is new to become one of this.
        fresh = Conversation.model_validate_json(_whole(head, stored))
    except ValidationError:
        return None
    rows, lists = list[tuple[Row, ...]](), dict[str, tuple[Any, ...]]()
    for number, new_rows in enumerate(_new_rows(stored)):
        name = _LISTS[number]
        old_rows, items, new = before.rows[number], getattr(before.conversation, name), getattr(fresh, name)
        known = stored.get(number, StoredList()).known
        if len(known) < len(old_rows):
            there = set(known)
            items = tuple(item for row, item in zip(old_rows, items, strict=True) if row.ord in there)
            old_rows = tuple(row for row in old_rows if row.ord in there)
        if new_rows and old_rows and new_rows[0].ord < old_rows[-1].ord:
            placed = sorted(zip((*old_rows, *new_rows), (*items, *new), strict=True), key=lambda one: one[0].ord)
            old_rows, items = (tuple(each) for each in zip(*placed, strict=True))
        elif new_rows:
            old_rows, items = (*old_rows, *new_rows), (*items, *new)
        rows.append(old_rows)
        lists[name] = items
    return KeptConversation(fresh.model_copy(update=lists), life, tuple(rows), len(head))


def _new_rows(stored: Mapping[int, StoredList]) -> Iterable[tuple[Row, ...]]:
    """Yield the rows of each list that were not known."""
    by: dict[int, Transaction] = {}
    for number in range(len(_LISTS)):
        one = stored.get(number, StoredList())
        yield tuple(
            Row(place, len(body), by.setdefault(written_by, Transaction(written_by)))
            for place, body, written_by in zip(one.ords, one.bodies, one.written_by, strict=True)
        )


def _whole(head: bytes, stored: Mapping[int, StoredList]) -> bytes:
    lists = (b'"%b":[%b]' % (_LISTS[number].encode(), b",".join(one.bodies)) for number, one in stored.items())
    return head.rstrip()[:-1] + b"".join(b"," + listed for listed in lists) + b"}"
