"""A conversation as rows: its head, one for each item of its lists, its sealed parts; and the statements for them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.seals import SealRule
from workflow_agent.errors import CorruptDocument, StorageFailed
from workflow_agent.storage.files.archives import MOST_FILES_A_SAVE, without_sealed
from workflow_agent.storage.files.conversation_documents import SPARSE, parse_text, unchanged_first
from workflow_agent.storage.postgres.database import of_tenant

# A known version comes without its rows. Of another one comes the text of those rows alone that no known transaction
# wrote: what one has written is all in the version that it made, and a row that another changed has that one's number.
READ = of_tenant("""
WITH head AS (SELECT life, version, head FROM conversation WHERE tenant = $1 AND id = $2),
     unknown AS (SELECT FROM head WHERE life IS DISTINCT FROM $3 OR version IS DISTINCT FROM $4),
     item AS (SELECT list, ord, body, xmin AS written_by, xmin = ANY ($5::xid[]) AS is_known FROM conversation_item
         WHERE tenant = $1 AND conversation_id = $2 AND EXISTS (SELECT FROM unknown))
SELECT -1::smallint AS list, CASE WHEN EXISTS (SELECT FROM unknown) THEN head END AS body, life,
    NULL::int[] AS known, NULL::int[] AS ords, NULL::bytea[] AS bodies, NULL::xid[] AS written_by
FROM head
UNION ALL
SELECT list, NULL, NULL, array_agg(ord ORDER BY ord) FILTER (WHERE is_known),
    array_agg(ord ORDER BY ord) FILTER (WHERE NOT is_known), array_agg(body ORDER BY ord) FILTER (WHERE NOT is_known),
    array_agg(written_by ORDER BY ord) FILTER (WHERE NOT is_known)
FROM item GROUP BY list
ORDER BY 1""")

_COLUMNS = """head = $6, title = $7, title_folded = $8, phase = $9, turns = $10, bound_workflow_id = $11,
created_at = $12, updated_at = $13, run_id = $14, fence = $15, owner = $16"""
_ITEMS = """
put AS (INSERT INTO conversation_item (tenant, conversation_id, list, ord, body)
    SELECT $1, $2, new.* FROM unnest($17::smallint[], $18::int[], $19::bytea[]) AS new
    WHERE EXISTS (SELECT FROM saved)
    ON CONFLICT (tenant, conversation_id, list, ord) DO UPDATE SET body = excluded.body),
parts AS (INSERT INTO conversation_part (tenant, conversation_id, name, body)
    SELECT $1, $2, new.* FROM unnest($20::text[], $21::bytea[]) AS new
    WHERE EXISTS (SELECT FROM saved)
    ON CONFLICT (tenant, conversation_id, name) DO UPDATE SET body = excluded.body)"""
CREATE = of_tenant(f"""
WITH saved AS (INSERT INTO conversation (tenant, id, version, saves, head, title, title_folded, phase, turns,
        bound_workflow_id, created_at, updated_at, run_id, fence, owner)
    VALUES ($1, $2, $3 + 1, ARRAY[$5], $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
    ON CONFLICT (tenant, id) DO NOTHING RETURNING life),
{_ITEMS}
SELECT life, pg_current_xact_id()::xid AS written_by FROM saved WHERE $4::bigint IS NULL
UNION ALL SELECT life, NULL FROM conversation WHERE tenant = $1 AND id = $2 AND $5 = ANY (saves)""")
UPDATE = of_tenant(f"""
WITH saved AS (UPDATE conversation SET version = $3 + 1, saves = ARRAY[$5] || saves[1:7], {_COLUMNS}
    WHERE tenant = $1 AND id = $2 AND version = $3 AND life = $4 RETURNING life),
{_ITEMS},
gone AS (DELETE FROM conversation_item USING unnest($22::smallint[], $23::int[]) AS old (list, ord)
    WHERE tenant = $1 AND conversation_id = $2 AND conversation_item.list = old.list
    AND conversation_item.ord = old.ord AND EXISTS (SELECT FROM saved)),
unsealed AS (DELETE FROM conversation_part
    WHERE tenant = $1 AND conversation_id = $2 AND name = ANY ($24::text[]) AND EXISTS (SELECT FROM saved)),
steps AS (DELETE FROM run_step
    WHERE tenant = $1 AND conversation_id = $2 AND run_id = $25 AND EXISTS (SELECT FROM saved))
SELECT life, pg_current_xact_id()::xid AS written_by FROM saved
UNION ALL SELECT life, NULL FROM conversation WHERE tenant = $1 AND id = $2 AND $5 = ANY (saves)""")
DELETE = of_tenant("""
WITH gone AS (DELETE FROM conversation WHERE tenant = $1 AND id = $2 RETURNING tenant, id),
items AS (DELETE FROM conversation_item AS i USING gone WHERE i.tenant = $1 AND i.conversation_id = $2),
parts AS (DELETE FROM conversation_part AS p USING gone WHERE p.tenant = $1 AND p.conversation_id = $2),
blobs AS (DELETE FROM conversation_blob AS b USING gone WHERE b.tenant = $1 AND b.conversation_id = $2),
steps AS (DELETE FROM run_step AS s USING gone WHERE s.tenant = $1 AND s.conversation_id = $2),
said AS (DELETE FROM message AS m USING gone WHERE m.tenant = $1 AND m.conversation_id = $2)
SELECT 1 FROM gone""")
PUT_BLOB = of_tenant("""
WITH fenced AS (SELECT FROM conversation
    WHERE tenant = $1 AND id = $2 AND run_id = $5 AND fence = $6 FOR SHARE),
put AS (INSERT INTO conversation_blob (tenant, conversation_id, digest, body)
    SELECT $1, $2, $3, $4 WHERE $5::text IS NULL OR EXISTS (SELECT FROM fenced) ON CONFLICT DO NOTHING)
SELECT $5::text IS NULL OR EXISTS (SELECT FROM fenced) AS is_let_through""")
BLOB = of_tenant("SELECT body FROM conversation_blob WHERE tenant = $1 AND conversation_id = $2 AND digest = $3")
PART = of_tenant("SELECT body FROM conversation_part WHERE tenant = $1 AND conversation_id = $2 AND name = $3")
BLOBS = of_tenant("SELECT digest, body FROM conversation_blob WHERE tenant = $1 AND conversation_id = $2")
PARTS = of_tenant("SELECT name, body FROM conversation_part WHERE tenant = $1 AND conversation_id = $2")
_LISTS = ("events", "phase_transitions", "runs", "calls", "workflow_refs", "compactions", "attachments", "archive")
"""The fields that grow with the conversation. Their places here are in the database: add at the end only."""


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
        return list(filter(None, {row.written_by.number for rows in self.rows for row in rows}))


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
        rest = without_sealed(made.kept.conversation, made.kept.size_bytes, rule, parts.__setitem__)
        if rest is None:
            break
        made = saving(before, rest)
    return replace(made, parts=parts)


def saving(before: KeptConversation, conversation: Conversation) -> Saving:
    """Return how a conversation becomes another; raises StorageFailed for a value that JSON cannot carry."""
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
        head = conversation.model_dump_json(by_alias=True, exclude=set(_LISTS)).encode()
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
    start = unchanged_first(old, new)
    if start == len(new) == len(old):
        return tuple(before), [], []
    row_of = {id(item): row for item, row in zip(old[start:], before[start:], strict=True)}
    rows, put = list(before[:start]), list[Put]()
    places = _places([row_of.get(id(item)) for item in new[start:]], rows[-1].ord + 1 if rows else 0)
    for item, place in zip(new[start:], places, strict=True):
        if isinstance(place, int):
            body = to_json(item, by_alias=True, inf_nan_mode="null", exclude_none=_LISTS[number] in SPARSE)
            put.append(Put(number, place, body))
            rows.append(Row(place, len(body), by))
        else:
            rows.append(place)
    taken = {row.ord for row in rows[start:]}
    return tuple(rows), put, [(number, row.ord) for row in before[start:] if row.ord not in taken]


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
        conversation = parse_text(_whole(head, stored), tenant, conversation_id).conversation
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
