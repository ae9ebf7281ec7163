"""Sealed files: what a save moves into them, what reading costs, and what a power cut can leave."""
# ruff: noqa: ASYNC240 - a test has the event loop to itself

import errno
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.support.failing_files import FailingFileSystem
from tests.support.long_talks import accepted, answered, compacted, talked
from tests.support.simulated_disk import SimulatedDisk
from tests.support.stored import a_conversation
from workflow_agent.conversations.archive import Position, SealedTurns
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.seals import SealRule
from workflow_agent.errors import CorruptDocument, NotFound, StorageFailed
from workflow_agent.storage.files.archives import ConversationArchive, parsed_part
from workflow_agent.storage.files.conversation_documents import ConversationText, parse_file
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles

pytestmark = pytest.mark.untraced

RULE = SealRule(above_bytes=50_000, fewest_turns=4, most_turns=8)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def document(data: Path) -> Path:
    return data / "acme" / "conversations" / "invoice-1.json"


@pytest.fixture
def store(data: Path) -> JsonConversationStore:
    return JsonConversationStore(DurableFiles(data), seal=RULE)


def one_turn_more(conversation: Conversation) -> Conversation:
    return compacted(talked(1, conversation), keep=6, step=2)


async def a_long_talk(store: JsonConversationStore, turns: int = 40) -> Conversation:
    await store.create(a_conversation())
    for _ in range(turns):
        talk = await store.update("acme", "invoice-1", one_turn_more)
    return talk


async def everything(store: JsonConversationStore, talk: Conversation) -> tuple[list[Any], list[Any]]:
    events, calls, turn = [], [], 1
    while turn <= talk.sealed_turns:
        part = await store.sealed("acme", "invoice-1", Position("turn", turn))
        events += part.events
        calls += part.calls
        turn = part.last_turn + 1
    return [*events, *talk.events], [*calls, *talk.calls]


async def test_a_long_conversation_keeps_a_short_file_and_loses_nothing(
    store: JsonConversationStore, document: Path
) -> None:
    talk = await a_long_talk(store, 60)

    plain = talked(60)
    assert document.stat().st_size < 2 * RULE.above_bytes
    assert await everything(store, talk) == (list(plain.events), list(plain.calls))
    assert talk.usage_totals == plain.usage_totals
    assert talk.turn_count == 60


async def test_what_was_sealed_is_the_same_for_another_process(store: JsonConversationStore, data: Path) -> None:
    talk = await a_long_talk(store)

    other = JsonConversationStore(DurableFiles(data), seal=RULE)
    assert await other.load("acme", "invoice-1") == talk
    assert await everything(other, talk) == await everything(store, talk)


async def test_sealed_files_are_named_by_their_turns_and_never_change(
    store: JsonConversationStore, document: Path
) -> None:
    talk = await a_long_talk(store, 25)
    archive = document.with_name("invoice-1.archive")
    before = {path.name: path.read_bytes() for path in archive.glob("turns-*.json")}

    for _ in range(25):
        talk = await store.update("acme", "invoice-1", one_turn_more)

    after = {path.name: path.read_bytes() for path in archive.glob("turns-*.json")}
    assert sorted(after) == [entry.file for entry in talk.archive]
    assert {name: after[name] for name in before} == before
    assert len(after) > len(before) > 0
    first = json.loads(after[talk.archive[0].file])
    assert (first["schema_version"], first["id"], first["first_turn"]) == (3, "invoice-1", 1)


async def test_reading_an_old_turn_opens_one_sealed_file(store: JsonConversationStore, data: Path) -> None:
    await a_long_talk(store, 60)
    opened: list[str] = []

    def note(_number: int, name: str, argument: Any) -> bool:
        if name == "open":
            opened.append(Path(argument).name)
        return False

    watched = JsonConversationStore(DurableFiles(data, file_system=FailingFileSystem(note, errno.EIO)))
    part = await watched.sealed("acme", "invoice-1", Position("turn", 17))

    assert part.first_turn <= 17 <= part.last_turn
    assert [name for name in opened if name.startswith("turns-")] == [
        f"turns-{part.first_turn:06}-{part.last_turn:06}.json"
    ]


async def test_a_very_long_conversation_folds_its_index(data: Path, document: Path) -> None:
    rule = SealRule(above_bytes=1, fewest_turns=1, most_turns=1)
    store = JsonConversationStore(DurableFiles(data), seal=rule)
    await store.create(compacted(talked(140), keep=10))
    for _ in range(40):
        talk = await store.update("acme", "invoice-1", lambda one: one.model_copy(update={"title": one.title + "."}))

    assert talk.sealed_turns == 130
    assert {entry.kind for entry in talk.archive} == {"turns", "index"}
    assert (await everything(store, talk))[0] == list(talked(140).events)


async def test_a_long_conversation_compacted_all_at_once_is_sealed_over_some_saves(
    store: JsonConversationStore,
) -> None:
    await store.create(compacted(talked(60), keep=6))

    sealed = [(await store.load("acme", "invoice-1")).sealed_turns]
    for _ in range(3):
        talk = await store.update("acme", "invoice-1", lambda one: one.model_copy(update={"title": one.title + "."}))
        sealed.append(talk.sealed_turns)

    assert sealed[0] == 32
    assert sealed == sorted(sealed)
    assert (await everything(store, talk))[0] == list(talked(60).events)


@pytest.mark.parametrize(
    "position", [Position("turn", 0), Position("turn", -3), Position("turn", 39), Position("call", 10_000)]
)
async def test_what_is_not_sealed_is_not_found(store: JsonConversationStore, position: Position) -> None:
    await a_long_talk(store)

    with pytest.raises(NotFound):
        await store.sealed("acme", "invoice-1", position)


@pytest.mark.parametrize("damage", ["missing", "changed", "cut"])
async def test_a_damaged_sealed_file_is_reported_and_left_where_it_is(
    store: JsonConversationStore, document: Path, damage: str
) -> None:
    talk = await a_long_talk(store)
    path = document.with_name("invoice-1.archive") / talk.archive[0].file
    whole = path.read_bytes()
    damaged = {"missing": None, "changed": whole.replace(b"Answer", b"answer"), "cut": whole[:100]}[damage]
    path.unlink() if damaged is None else path.write_bytes(damaged)

    with pytest.raises(CorruptDocument, match=r"turns-000001-0+\d+.json' with turns 1 to"):
        await store.sealed("acme", "invoice-1", Position("turn", 1))

    assert (path.read_bytes() if path.exists() else None) == damaged
    assert (await store.update("acme", "invoice-1", one_turn_more)).turn_count == 41


async def test_a_sealed_file_of_a_newer_release_is_refused(store: JsonConversationStore, document: Path) -> None:
    talk = await a_long_talk(store)
    path = document.with_name("invoice-1.archive") / talk.archive[0].file
    newer = path.read_bytes().replace(b'"schema_version":3', b'"schema_version":4')
    path.write_bytes(newer)
    relabelled = _with_digest(talk, 0, newer)
    await store.update("acme", "invoice-1", lambda _: relabelled)

    with pytest.raises(StorageFailed, match=r"newer release \(schema 4"):
        await store.sealed("acme", "invoice-1", Position("turn", 1))

    assert path.read_bytes() == newer


def _with_digest(talk: Conversation, number: int, content: bytes) -> Conversation:
    entry = talk.archive[number].model_copy(update={"sha256": hashlib.sha256(content).hexdigest()})
    return talk.model_copy(update={"archive": (*talk.archive[:number], entry, *talk.archive[number + 1 :])})


async def test_lists_count_sealed_turns_and_searches_find_them(store: JsonConversationStore) -> None:
    await a_long_talk(store)

    page = await store.page("acme", query="message 3")
    none = await store.page("acme", query="message 300")

    assert [(one.id, one.turns) for one in page.items] == [("invoice-1", 40)]
    assert none.items == ()


async def test_a_delete_takes_the_sealed_files_along(store: JsonConversationStore, document: Path) -> None:
    await a_long_talk(store)

    await store.delete("acme", "invoice-1")

    assert list(document.parent.iterdir()) == []


async def test_a_failed_seal_leaves_the_turns_in_the_file(data: Path, document: Path) -> None:
    def fails(_number: int, name: str, argument: Any) -> bool:
        return name == "replace" and "turns-" in str(argument)

    failing = FailingFileSystem(fails, errno.ENOSPC)
    store = JsonConversationStore(DurableFiles(data, file_system=failing), seal=RULE)
    await store.create(talked(20))
    before = document.read_bytes()

    with pytest.raises(StorageFailed, match="disk is full"):
        await store.update("acme", "invoice-1", lambda one: compacted(one, keep=6))

    assert document.read_bytes() == before
    assert (await store.load("acme", "invoice-1")).turn_count == 20


ROOT = Path("/disk/data")
DOCUMENT = ROOT / "acme" / "conversations" / "invoice-1.json"
ARCHIVE = DOCUMENT.with_name("invoice-1.archive")


def _turns_in(disk: SimulatedDisk, content: bytes) -> set[int]:
    """Return every turn that can be read, whatever of the sealed files the power cut left."""
    conversation = parse_file(content, DOCUMENT).conversation
    turns = {event.turn for event in conversation.events if event.type == "user_message"}
    for entry in conversation.archive:
        turns |= _turns_of(disk, entry)
    return turns


def _turns_of(disk: SimulatedDisk, entry: SealedTurns) -> set[int]:
    left = disk.after_crash(ARCHIVE / entry.file)
    assert len(left) == 1, "a file that the conversation names is durable"
    [content] = left
    assert content is not None
    if entry.kind == "index":
        inside = [SealedTurns.model_validate(one) for one in orjson.loads(content)["entries"]]
        return set().union(*(_turns_of(disk, one) for one in inside))
    part = parsed_part(content)
    return {event.turn for event in part.events if event.type == "user_message"}


@pytest.mark.parametrize("above_bytes", [50_000, 1], ids=["one file", "many files and a folded index"])
def test_a_cut_after_any_call_leaves_every_turn_exactly_where_the_conversation_says(above_bytes: int) -> None:
    disk = SimulatedDisk(ROOT)
    files = DurableFiles(ROOT, file_system=disk)
    rule = SealRule(above_bytes=above_bytes, fewest_turns=1, most_turns=8 if above_bytes > 1 else 1)
    archive = ConversationArchive(files, rule)
    start = compacted(talked(20 if above_bytes > 1 else 70), keep=6)
    text = ConversationText(start)
    if above_bytes == 1:
        for _ in range(15):
            data, text = archive.sealed(ARCHIVE, text.conversation, text)
            files.save(DOCUMENT, data)
    else:
        files.save(DOCUMENT, ConversationArchive(files, SealRule()).sealed(ARCHIVE, start, text)[0])
    before = set(range(1, text.conversation.turn_count + 1))
    following = accepted(text.conversation)
    looks: list[bool] = []

    def look(_: str) -> None:
        for content in disk.after_crash(DOCUMENT):
            assert content is not None
            assert _turns_in(disk, content) in (before, before | {max(before) + 1})
        looks.append(True)

    disk.watch = look
    data, text = archive.sealed(ARCHIVE, following.conversation, text)
    files.save(DOCUMENT, data)
    stored = replace(following, conversation=text.conversation)
    data, text = archive.sealed(ARCHIVE, compacted(answered(stored), keep=6, step=1), text)
    files.save(DOCUMENT, data)

    assert len(looks) > 20
    assert text.conversation.archive
    [content] = disk.after_crash(DOCUMENT)
    assert content is not None
    assert _turns_in(disk, content) == before | {max(before) + 1}
