"""Conversations on disk: what the files look like, and what happens when they are not as they should be."""
# ruff: noqa: ASYNC220, ASYNC240 - a test has the event loop to itself

import asyncio
import errno
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import orjson
import pytest
from filelock import FileLock, Timeout, lock_descriptor
from pydantic import model_serializer

from tests.support.failing_files import FailingFileSystem, never
from tests.support.stored import AT, a_conversation, saying
from workflow_agent.conversations.document import Conversation, SystemEvent, UserMessage, conversation_document
from workflow_agent.errors import AlreadyExists, ContentNotFound, ConversationNotFound, CorruptDocument, StorageFailed
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileSystem

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def document(data: Path) -> Path:
    return data / "acme" / "conversations" / "invoice-1.json"


@pytest.fixture
def store(data: Path) -> JsonConversationStore:
    return JsonConversationStore(DurableFiles(data))


@pytest.fixture
def counted() -> FailingFileSystem:
    return FailingFileSystem(never, errno.EIO)


def hello(conversation: Conversation) -> Conversation:
    return saying(conversation, "Hello")


def renamed(conversation: Conversation) -> Conversation:
    return conversation.model_copy(update={"title": "Renamed"})


def ended(conversation: Conversation) -> Conversation:
    """Return the conversation with no run under way."""
    runs = tuple(run.model_copy(update={"status": "completed"}) for run in conversation.runs)
    return conversation.model_copy(update={"runs": runs})


async def test_the_file_is_the_document_pretty_and_complete(store: JsonConversationStore, document: Path) -> None:
    huge = {"number": 2**70, "nested": {"list": [1]}}
    await store.create(saying(a_conversation(title='A "title"\nof two lines', metadata=huge), "Hällo\tworld"))
    for number in range(3):
        await store.update("acme", "invoice-1", lambda one, n=number: saying(one, f"Turn {n}"))
    stored = await store.update("acme", "invoice-1", ended)

    lines = document.read_text("utf-8").splitlines()
    assert Conversation.model_validate_json(document.read_bytes()) == stored
    assert '  "title": "A \\"title\\"\\nof two lines",' in lines
    assert lines[lines.index('  "metadata": {') + 1] == f'    "number": {2**70},'
    for name, records in (("events", stored.events), ("runs", stored.runs)):
        first = lines.index(f'  "{name}": [') + 1
        shown = [json.loads(line.rstrip(",")) for line in lines[first:][: len(records)]]
        assert [type(one).model_validate(each) for one, each in zip(records, shown, strict=True)] == [*records]


async def test_what_json_has_no_word_for_is_written_as_null(store: JsonConversationStore, document: Path) -> None:
    odd = SystemEvent(id="e", index=0, at=AT, content="", kind="k", data={"x": float("inf")})
    await store.create(a_conversation(metadata={"nan": float("nan")}, events=(odd,)))

    written = orjson.loads(document.read_bytes())
    assert (written["metadata"], written["events"][0]["data"]) == ({"nan": None}, {"x": None})


async def test_what_cannot_be_written_as_json_is_refused_and_nothing_is_there(
    store: JsonConversationStore, document: Path
) -> None:
    with pytest.raises(StorageFailed, match="cannot be written as JSON"):
        await store.create(a_conversation(metadata={"half": "\ud800"}))

    assert not document.exists()


class CountedMessage(UserMessage):
    """A message that counts how often it is written."""

    times: ClassVar[list[str]] = []

    @model_serializer(mode="wrap")
    def count(self, write: Callable[["CountedMessage"], Any]) -> Any:
        self.times.append(self.content)
        return write(self)


async def test_a_save_writes_again_only_what_is_new(store: JsonConversationStore) -> None:
    CountedMessage.times.clear()
    first = saying(a_conversation(), "Hello")
    counted = CountedMessage(**dict(first.events[0]))
    await store.create(first.model_copy(update={"events": (counted,)}))

    for _ in range(3):
        await store.update("acme", "invoice-1", hello)

    assert CountedMessage.times == ["Hello"]


async def test_another_process_finds_what_was_saved(store: JsonConversationStore, data: Path) -> None:
    await store.create(a_conversation())
    stored = await store.update("acme", "invoice-1", hello)

    assert await JsonConversationStore(DurableFiles(data)).load("acme", "invoice-1") == stored


async def test_the_lock_is_held_from_reading_to_saving(data: Path) -> None:
    """Whether another process comes in between is then not left to chance."""
    held: list[tuple[str, bool]] = []

    def look(at: str) -> None:
        with (data / "acme" / "conversations" / "invoice-1.lock").open("rb") as lock:
            held.append((at, not lock_descriptor(lock.fileno(), blocking=False)))

    class Watched(FileSystem):
        def read(self, fd: int, size: int) -> bytes:
            if counted:
                look("read")
            return os.read(fd, size)

        def replace(self, source: Path, target: Path) -> None:
            look("replace")
            super().replace(source, target)

    counted: list[bool] = []
    store = JsonConversationStore(DurableFiles(data, file_system=Watched()), cache_bytes=0)
    await store.create(a_conversation())
    counted.append(True)

    def change(conversation: Conversation) -> Conversation:
        look("change")
        return hello(conversation)

    await store.update("acme", "invoice-1", change)

    assert {at for at, _ in held} == {"read", "change", "replace"}
    assert all(is_held for _, is_held in held)


@pytest.mark.untraced
async def test_two_processes_lose_no_message_and_a_third_sees_them_all(
    store: JsonConversationStore, data: Path
) -> None:
    await store.create(a_conversation())
    command = [sys.executable, "-m", "tests.support.append_messages", str(data)]

    writers = [subprocess.Popen([*command, name, "20"], cwd=REPOSITORY) for name in ("left", "right")]
    await asyncio.gather(*(store.update("acme", "invoice-1", hello) for _ in range(10)))
    codes = [writer.wait(timeout=60) for writer in writers]

    stored = await store.load("acme", "invoice-1")
    assert codes == [0, 0]
    assert stored.version == 51
    assert [event.index for event in stored.events] == list(range(50))
    said = [event.content for event in stored.events]
    assert [text for text in said if text.startswith("left")] == [f"left {n}" for n in range(20)]
    assert [text for text in said if text.startswith("right")] == [f"right {n}" for n in range(20)]


async def test_a_cached_conversation_is_not_read_again_until_somebody_writes_it(
    data: Path, counted: FailingFileSystem
) -> None:
    store = JsonConversationStore(DurableFiles(data, file_system=counted))
    other = JsonConversationStore(DurableFiles(data))
    await store.create(a_conversation())
    counted.made.clear()

    await store.load("acme", "invoice-1")
    # At the document and its journal.
    assert counted.made == ["lstat", "lstat"]
    changed = await other.update("acme", "invoice-1", hello)

    assert await store.load("acme", "invoice-1") == changed
    assert "read" in counted.made


async def test_a_second_list_reads_no_file_but_the_changed_one(data: Path, counted: FailingFileSystem) -> None:
    store = JsonConversationStore(DurableFiles(data, file_system=counted))
    for number in range(5):
        await store.create(saying(a_conversation(f"c{number}"), "Hello"))
    await store.page("acme", query="hello")
    await JsonConversationStore(DurableFiles(data)).update("acme", "c3", lambda one: saying(one, "Bye", minutes=9))
    counted.made.clear()

    page = await store.page("acme", query="bye")

    assert [(one.id, one.turns) for one in page.items] == [("c3", 2)]
    # Document and journal, once for its summary and once for its words, each read twice to see its end.
    assert counted.made.count("read") == 8


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b'{"schema_version": 1, "id": "invo', id="cut off"),
        pytest.param(b"\x00" * 100, id="zeros"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"schema_version": 2}', id="fields missing"),
        pytest.param(b"\xff\xfe", id="not UTF-8"),
    ],
)
@pytest.mark.parametrize("operation", ["load", "update"])
async def test_a_damaged_file_is_set_aside_reported_and_kept(
    store: JsonConversationStore, document: Path, content: bytes, operation: str, caplog: pytest.LogCaptureFixture
) -> None:
    await store.create(a_conversation())
    document.write_bytes(content)

    with pytest.raises(CorruptDocument, match=r"'acme/conversations/invoice-1.json' does not parse"):
        await (store.load("acme", "invoice-1") if operation == "load" else store.update("acme", "invoice-1", hello))

    [aside] = document.parent.glob("invoice-1.json.corrupt-*")
    assert aside.read_bytes() == content
    assert not document.exists()
    assert [(record.levelno, record.message) for record in caplog.records] == [(logging.ERROR, "document set aside")]


async def test_a_conversation_that_waits_to_be_mended_is_not_taken_for_none(
    store: JsonConversationStore, document: Path
) -> None:
    created = await store.create(a_conversation())
    whole = document.read_bytes()
    document.write_bytes(b"{")
    with pytest.raises(CorruptDocument):
        await store.load("acme", "invoice-1")
    [aside] = document.parent.glob("invoice-1.json.corrupt-*")

    for request in (
        lambda: store.load("acme", "invoice-1"),
        lambda: store.update("acme", "invoice-1", hello),
        lambda: store.delete("acme", "invoice-1"),
    ):
        with pytest.raises(ConversationNotFound, match=rf"set aside as 'acme/conversations/{aside.name}'"):
            await request()
    with pytest.raises(AlreadyExists, match=r"waits as .* to be mended"):
        await store.create(a_conversation())

    aside.write_bytes(whole)
    aside.rename(document)
    assert await store.load("acme", "invoice-1") == created


async def test_a_damaged_file_is_set_aside_under_the_lock_of_its_writers(data: Path, document: Path) -> None:
    held: list[bool] = []

    def look_at_the_lock(_number: int, name: str, _argument: Any) -> bool:
        if name == "replace":
            lock = FileLock(document.with_suffix(".lock"), blocking=False)
            try:
                lock.acquire()
            except Timeout:
                held.append(True)
        return False

    await JsonConversationStore(DurableFiles(data)).create(a_conversation())
    document.write_bytes(b"{")
    watched = FailingFileSystem(look_at_the_lock, errno.EIO)

    with pytest.raises(CorruptDocument):
        await JsonConversationStore(DurableFiles(data, file_system=watched)).load("acme", "invoice-1")

    assert held == [True]


async def test_a_damaged_file_does_not_hide_the_others_from_a_list(
    store: JsonConversationStore, document: Path
) -> None:
    await store.create(a_conversation())
    await store.create(a_conversation("whole"))
    document.write_bytes(b"{")

    page = await store.page("acme")

    assert [one.id for one in page.items] == ["whole"]
    assert [path.name.startswith("invoice-1.json.corrupt-") for path in document.parent.glob("invoice-1.json*")]


@pytest.mark.parametrize("opening", [1, 2], ids=["before its summary", "before its text"])
async def test_a_conversation_deleted_during_a_search_is_left_out(data: Path, document: Path, opening: int) -> None:
    openings: list[str] = []

    def delete_before_opening(_number: int, name: str, argument: Any) -> bool:
        if name == "open" and Path(argument) == document:
            openings.append(name)
            if len(openings) == opening:
                document.unlink()
        return False

    for conversation_id in ("invoice-1", "invoice-2"):
        await JsonConversationStore(DurableFiles(data)).create(saying(a_conversation(conversation_id), "Hello"))
    disturbed = FailingFileSystem(delete_before_opening, errno.EIO)

    page = await JsonConversationStore(DurableFiles(data, file_system=disturbed)).page("acme", query="hello")

    assert [one.id for one in page.items] == ["invoice-2"]


async def test_a_file_mended_before_it_could_be_set_aside_is_read(data: Path, document: Path) -> None:
    store = JsonConversationStore(DurableFiles(data))
    stored = await store.create(a_conversation())
    whole = document.read_bytes()
    document.write_bytes(b"{")

    def mend(_number: int, name: str, _argument: Any) -> bool:
        if name == "close":
            document.write_bytes(whole)
        return False

    mended = JsonConversationStore(DurableFiles(data, file_system=FailingFileSystem(mend, errno.EIO)))

    assert await mended.load("acme", "invoice-1") == stored
    assert list(document.parent.glob("*.corrupt-*")) == []


async def test_a_file_of_a_newer_release_is_left_alone(store: JsonConversationStore, document: Path) -> None:
    created = await store.create(a_conversation())
    newer = orjson.dumps(conversation_document(created) | {"schema_version": 3, "mood": "good"})
    document.write_bytes(newer)

    with pytest.raises(StorageFailed, match=r"newer release \(schema 3") as failure:
        await store.load("acme", "invoice-1")

    assert not isinstance(failure.value, CorruptDocument)
    assert document.read_bytes() == newer


def is_kept(old: Any, new: Any) -> bool:
    """Say whether everything of an old document is in the new one, which may have more."""
    if isinstance(old, dict):
        return all(name in new and is_kept(value, new[name]) for name, value in old.items())
    if isinstance(old, list):
        return len(old) <= len(new) and all(map(is_kept, old, new))
    return old == new


async def test_a_file_of_an_earlier_release_is_read_and_brought_up_to_date_by_the_next_save(data: Path) -> None:
    old = (Path(__file__).parent / "data" / "conversation-schema-1.json").read_bytes()
    document = data / "default" / "conversations" / "talk.json"
    document.parent.mkdir(parents=True)
    document.write_bytes(old)
    store = JsonConversationStore(DurableFiles(data))

    loaded = await store.load("default", "talk")
    assert document.read_bytes() == old
    assert [one.turns for one in (await store.page("default", query="bye")).items] == [2]
    saved = await store.update("default", "talk", hello)

    before, after = json.loads(old), json.loads(document.read_bytes())
    assert (before["schema_version"], after["schema_version"]) == (1, 2)
    assert loaded.events[0].content == "Which workflows are there?"
    changed = {"schema_version": 2, "version": before["version"] + 1, "updated_at": after["updated_at"]}
    assert is_kept(before | changed, conversation_document(saved))
    assert await JsonConversationStore(DurableFiles(data)).load("default", "talk") == saved


async def test_free_form_compactions_of_an_earlier_release_are_kept(
    store: JsonConversationStore, document: Path
) -> None:
    created = await store.create(a_conversation())
    plain = conversation_document(created) | {"schema_version": 1, "compactions": [{"note": 2**80}]}
    document.write_text(json.dumps(plain))

    loaded = await store.load("acme", "invoice-1")

    assert loaded.compactions == ()
    assert loaded.metadata == {"schema_1": {"compactions": [{"note": 2**80}]}}


async def test_a_file_in_the_wrong_place_is_left_alone(store: JsonConversationStore, document: Path) -> None:
    await store.create(a_conversation())
    document.rename(document.with_name("invoice-2.json"))

    with pytest.raises(StorageFailed, match=r"'invoice-2' of tenant 'acme' holds conversation 'invoice-1'"):
        await store.load("acme", "invoice-2")

    assert document.with_name("invoice-2.json").exists()


async def test_other_files_are_not_listed(store: JsonConversationStore, document: Path) -> None:
    await store.create(a_conversation())
    for name in ("Notes.json", "notes.txt", ".invoice-2.json.0123456789abcdef.tmp", "a b.json"):
        document.with_name(name).write_text("{}")

    assert [one.id for one in (await store.page("acme")).items] == ["invoice-1"]


async def test_a_link_is_not_read(store: JsonConversationStore, document: Path) -> None:
    await store.create(a_conversation())
    document.rename(document.with_name("elsewhere"))
    document.symlink_to(document.with_name("elsewhere"))

    for request in (store.load("acme", "invoice-1"), store.update("acme", "invoice-1", hello)):
        with pytest.raises(StorageFailed, match="symbolic link"):
            await request


async def test_a_delete_takes_all_that_belongs_to_the_conversation(
    store: JsonConversationStore, data: Path, document: Path
) -> None:
    for conversation_id in ("invoice-1", "invoice-10"):
        await store.create(a_conversation(conversation_id))
        archive = document.with_name(f"{conversation_id}.archive")
        archive.mkdir()
        (archive / "turns-000001-000064.json").write_text("{}")
        document.with_name(f"{conversation_id}.json.corrupt-20261121T120000000Z").write_text("{")

    await store.delete("acme", "invoice-1")

    assert sorted(path.name for path in document.parent.iterdir()) == [
        "invoice-10.archive",
        "invoice-10.json",
        "invoice-10.json.corrupt-20261121T120000000Z",
        "invoice-10.lock",
    ]


async def test_an_unknown_id_leaves_no_file_behind(store: JsonConversationStore, document: Path) -> None:
    await store.create(a_conversation())
    for request in (store.update("acme", "unknown", hello), store.delete("acme", "unknown")):
        with pytest.raises(ConversationNotFound):
            await request

    assert sorted(path.name for path in document.parent.iterdir()) == ["invoice-1.json", "invoice-1.lock"]


@pytest.mark.parametrize("operation", ["update", "delete"])
async def test_a_conversation_deleted_while_one_waits_for_it_is_not_found(
    data: Path, document: Path, operation: str
) -> None:
    looks: list[str] = []

    def delete_at_second_look(_number: int, name: str, _argument: Any) -> bool:
        if name == "lstat":
            looks.append(name)
        if name == "lstat" and len(looks) == 2:
            document.unlink()
        return False

    await JsonConversationStore(DurableFiles(data)).create(a_conversation())
    late = FailingFileSystem(delete_at_second_look, errno.EIO)
    store = JsonConversationStore(DurableFiles(data, file_system=late))

    with pytest.raises(ConversationNotFound):
        await (store.update("acme", "invoice-1", hello) if operation == "update" else store.delete("acme", "invoice-1"))


@pytest.mark.parametrize(
    ("error_number", "words"),
    [
        pytest.param(errno.ENOSPC, "disk is full", id="full"),
        pytest.param(errno.EROFS, "read-only", id="read-only"),
        pytest.param(errno.EIO, "input/output", id="device"),
    ],
)
@pytest.mark.parametrize(
    ("call", "change"),
    [
        pytest.param("write", hello, id="write a line"),
        pytest.param("fsync", hello, id="sync a line"),
        pytest.param("write", renamed, id="write"),
        pytest.param("fsync", renamed, id="sync"),
        pytest.param("replace", renamed, id="replace"),
    ],
)
async def test_a_failed_save_is_reported_and_the_old_state_is_found(
    data: Path, call: str, change: Callable[[Conversation], Conversation], error_number: int, words: str
) -> None:
    failing = FailingFileSystem(never, error_number)
    store = JsonConversationStore(DurableFiles(data, file_system=failing))
    created = await store.create(a_conversation())
    failing._fails = lambda _number, name, _argument: name == call

    with pytest.raises(StorageFailed, match=words):
        await store.update("acme", "invoice-1", change)
    with pytest.raises(StorageFailed, match=words):
        await store.create(a_conversation("invoice-2"))

    failing._fails = never
    assert await store.load("acme", "invoice-1") == created
    assert [one.id for one in (await store.page("acme")).items] == ["invoice-1"]
    assert (await store.update("acme", "invoice-1", hello)).version == 2


async def test_a_directory_that_cannot_be_listed_is_reported(data: Path) -> None:
    failing = FailingFileSystem(lambda _number, name, _argument: name == "listdir", errno.EACCES)
    store = JsonConversationStore(DurableFiles(data, file_system=failing))
    await store.create(a_conversation())

    with pytest.raises(StorageFailed, match=r"Could not list 'acme/conversations': permission was denied"):
        await store.page("acme")


class CountingThreads(ThreadPoolExecutor):
    trips = 0

    def submit(self, *args: Any, **kwargs: Any) -> Any:
        self.trips += 1
        return super().submit(*args, **kwargs)


async def test_one_operation_makes_one_trip_to_a_thread_and_none_for_what_is_known(
    data: Path, store: JsonConversationStore
) -> None:
    threads = CountingThreads(2)
    asyncio.get_running_loop().set_default_executor(threads)

    await store.create(a_conversation())
    content_ref = await store.put_blob("acme", "invoice-1", "long text")
    await store.update("acme", "invoice-1", hello)
    await store.page("acme", query="hello")
    assert threads.trips == 4

    await store.load("acme", "invoice-1")
    assert await store.put_blob("acme", "invoice-1", "long text") == content_ref
    assert await store.blob("acme", "invoice-1", content_ref) == "long text"
    assert threads.trips == 4

    elsewhere = JsonConversationStore(DurableFiles(data))
    await elsewhere.load("acme", "invoice-1")
    assert await elsewhere.blob("acme", "invoice-1", content_ref) == "long text"
    await elsewhere.delete("acme", "invoice-1")
    assert threads.trips == 7


async def test_a_content_that_was_read_before_is_gone_with_its_file(store: JsonConversationStore) -> None:
    await store.create(a_conversation())
    content_ref = await store.put_blob("acme", "invoice-1", "long text")
    await store.delete("acme", "invoice-1")

    with pytest.raises(ContentNotFound):
        await store.blob("acme", "invoice-1", content_ref)


async def test_what_is_given_out_of_a_content_is_nobody_elses(store: JsonConversationStore) -> None:
    await store.create(a_conversation())
    content_ref = await store.put_blob("acme", "invoice-1", {"steps": ["one"]})
    first = await store.blob("acme", "invoice-1", content_ref)
    first["steps"].append("two")

    assert await store.blob("acme", "invoice-1", content_ref) == {"steps": ["one"]}
