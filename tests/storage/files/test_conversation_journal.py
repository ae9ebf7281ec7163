"""What is durable of a turn before its document is: a line of the conversation's journal."""
# ruff: noqa: ASYNC240 - a test has the event loop to itself

import errno
import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from tests.support.failing_files import FailingFileSystem, never
from tests.support.simulated_disk import SimulatedDisk
from tests.support.stored import a_conversation, saying
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.redaction import Redaction
from workflow_agent.conversations.store import MessageQuery
from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.verification.directory import repair_directory, verify_directory

pytestmark = pytest.mark.untraced

Change = Callable[[Conversation], Conversation]
MISFIT = r"journal 'acme/conversations/invoice-1.journal.jsonl' does not fit"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def document(data: Path) -> Path:
    return data / "acme" / "conversations" / "invoice-1.json"


@pytest.fixture
def journal(document: Path) -> Path:
    return document.with_name("invoice-1.journal.jsonl")


@pytest.fixture
def store(data: Path) -> JsonConversationStore:
    return another(data)


def another(data: Path) -> JsonConversationStore:
    """Return a store as another process has one."""
    return JsonConversationStore(DurableFiles(data))


def accepted(text: str) -> Change:
    return lambda one: saying(one, text)


def ended(conversation: Conversation) -> Conversation:
    runs = tuple(run.model_copy(update={"status": "completed"}) for run in conversation.runs)
    return conversation.model_copy(update={"runs": runs})


async def test_an_accepted_message_is_a_line_and_the_reply_a_document(
    store: JsonConversationStore, document: Path, journal: Path
) -> None:
    await store.create(a_conversation())
    before = document.read_bytes()

    accepting = await store.update("acme", "invoice-1", accepted("Hello"))
    between = document.read_bytes()
    line = json.loads(journal.read_text("utf-8"))
    replied = await store.update("acme", "invoice-1", ended)

    assert between == before
    assert (line["version"], accepting.version) == (2, 2)
    assert [one["content"] for one in line["lists"]["events"]["records"]] == ["Hello"]
    assert Conversation.model_validate_json(document.read_bytes()) == replied


async def test_a_turn_makes_no_new_name_in_the_directory(data: Path) -> None:
    counted = FailingFileSystem(never, errno.EIO)
    store = JsonConversationStore(DurableFiles(data, file_system=counted))
    await store.create(a_conversation())
    await store.update("acme", "invoice-1", accepted("First"))
    await store.update("acme", "invoice-1", ended)
    counted.made.clear()

    await store.update("acme", "invoice-1", accepted("Second"))
    of_accepting = list(counted.made)
    await store.update("acme", "invoice-1", ended)

    assert of_accepting.count("fsync") == 1
    assert "replace" not in of_accepting
    assert counted.made.count("replace") == 1


async def test_every_reader_sees_what_only_the_journal_has(
    store: JsonConversationStore, data: Path, document: Path
) -> None:
    await store.create(a_conversation())
    other = another(data)
    assert (await other.page("acme")).items[0].turns == 0

    stored = await store.update("acme", "invoice-1", accepted("Where are the mauve forms?"))

    for reader in (other, another(data)):
        assert await reader.load("acme", "invoice-1") == stored
        assert [(one.turns, one.version) for one in (await reader.page("acme")).items] == [(1, 2)]
        [hit] = await reader.find("acme", MessageQuery("mauve"))
        assert hit.turn == 1
    assert verify_directory(data) == []
    assert Conversation.model_validate_json(document.read_bytes()).version == 1


async def test_another_process_goes_on_from_the_line(store: JsonConversationStore, data: Path) -> None:
    await store.create(a_conversation())
    await store.update("acme", "invoice-1", accepted("First"))

    await another(data).update("acme", "invoice-1", accepted("Second"))
    await store.update("acme", "invoice-1", accepted("Third"))
    replied = await another(data).update("acme", "invoice-1", ended)

    assert [one.content for one in replied.events] == ["First", "Second", "Third"]
    assert replied.version == 5
    assert await store.load("acme", "invoice-1") == replied


async def test_a_record_that_changed_takes_the_place_of_the_old_one(store: JsonConversationStore, data: Path) -> None:
    await store.create(ended(saying(saying(a_conversation(metadata={"big": 2**80}), "One"), "Two")))

    def again(one: Conversation) -> Conversation:
        first = one.runs[0].model_copy(update={"status": "running", "attempt": 2})
        return one.model_copy(update={"runs": (first, *one.runs[1:]), "title": "Again"})

    stored = await store.update("acme", "invoice-1", again)

    assert await another(data).load("acme", "invoice-1") == stored
    assert [run.attempt for run in stored.runs] == [2, 1]


async def test_many_lines_are_written_into_the_document(
    store: JsonConversationStore, document: Path, journal: Path
) -> None:
    await store.create(a_conversation())
    for _ in range(4):
        stored = await store.update("acme", "invoice-1", accepted("x" * 100_000))

    assert journal.stat().st_size < 400_000
    assert Conversation.model_validate_json(document.read_bytes()) == stored


@pytest.mark.parametrize("earlier_turns", [0, 1, 2])
async def test_a_power_cut_after_any_call_leaves_what_was_acknowledged(
    tmp_path: Path, data: Path, earlier_turns: int
) -> None:
    disk = SimulatedDisk(data)
    # Locks are real ones.
    (data / "acme" / "conversations").mkdir(parents=True)
    store = JsonConversationStore(DurableFiles(data, file_system=disk))
    await store.create(a_conversation())
    for number in range(earlier_turns):
        await store.update("acme", "invoice-1", accepted(f"Turn {number}"))
        await store.update("acme", "invoice-1", ended)
    left: list[set[tuple[bytes | None, bytes | None]]] = []
    document = data / "acme" / "conversations" / "invoice-1.json"
    journal = document.with_name("invoice-1.journal.jsonl")

    def look(_: str = "") -> None:
        left.append(set(product(disk.after_crash(document), disk.after_crash(journal))))

    last = 1 + 2 * earlier_turns
    seen: list[tuple[int, ...]] = []
    for change in (accepted("Pay it"), accepted("At once"), ended, accepted("And now?"), ended):
        disk.watch = look
        await store.update("acme", "invoice-1", change)
        disk.watch = lambda _: None
        during = {await version_of(tmp_path / "cut", *files) for files in set().union(*left)}
        left.clear()
        look()
        [after] = {await version_of(tmp_path / "cut", *files) for files in left.pop()}
        seen.append((*sorted(during - {after}), after))

    assert seen == [(last + at, last + at + 1) for at in range(5)]


async def version_of(directory: Path, document: bytes | None, journal: bytes | None) -> int:
    """Return the version of the conversation that a start finds in what was left."""
    folder = directory / "acme" / "conversations"
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (("invoice-1.json", document), ("invoice-1.journal.jsonl", journal)):
        (folder / name).unlink(missing_ok=True)
        if content is not None:
            (folder / name).write_bytes(content)
    return (await another(directory).load("acme", "invoice-1")).version


async def test_a_line_that_could_not_be_synced_is_not_read(data: Path, journal: Path) -> None:
    failing = FailingFileSystem(never, errno.EIO)
    store = JsonConversationStore(DurableFiles(data, file_system=failing))
    created = await store.create(a_conversation())
    failing._fails = lambda _number, name, _argument: name == "fsync"

    with pytest.raises(StorageFailed, match="input/output"):
        await store.update("acme", "invoice-1", accepted("Lost"))

    assert not journal.exists()
    assert await another(data).load("acme", "invoice-1") == created


async def test_a_file_that_lost_records_by_hand_is_not_guessed_at(
    store: JsonConversationStore, data: Path, document: Path, journal: Path
) -> None:
    await store.create(ended(saying(a_conversation(), "First")))
    await store.update("acme", "invoice-1", accepted("Second"))
    whole = document.read_bytes()
    document.write_text(json.dumps(json.loads(whole) | {"events": []}))

    with pytest.raises(StorageFailed, match=MISFIT):
        await another(data).load("acme", "invoice-1")
    [finding] = verify_directory(data)
    assert "does not fit" in finding.message

    document.write_bytes(whole)
    assert (await another(data).load("acme", "invoice-1")).turn_count == 2
    journal.unlink()
    assert (await another(data).load("acme", "invoice-1")).turn_count == 1


async def test_what_is_forgotten_is_in_no_journal(store: JsonConversationStore, data: Path) -> None:
    await store.create(a_conversation())
    await store.update("acme", "invoice-1", accepted("I prefer mauve names. Bye."))
    gone = Redaction(("I prefer mauve names",))

    while_it_runs = await store.redact("acme", "invoice-1", gone)
    await store.update("acme", "invoice-1", accepted("I prefer mauve names. Again."))
    await store.update("acme", "invoice-1", ended)
    afterwards = await store.redact("acme", "invoice-1", gone)

    assert (while_it_runs, afterwards) == (True, True)
    assert not any(b"mauve" in one.read_bytes() for one in data.rglob("*") if one.is_file())


async def test_a_journal_goes_with_its_conversation(
    store: JsonConversationStore, data: Path, document: Path, journal: Path
) -> None:
    await store.create(a_conversation())
    await store.update("acme", "invoice-1", accepted("Hello"))
    await store.delete("acme", "invoice-1")
    assert [one.name for one in document.parent.iterdir()] == []

    await store.create(a_conversation())
    await store.update("acme", "invoice-1", accepted("Hello"))
    document.unlink()
    journal_left = [one.kind for one in verify_directory(data)]
    created = await another(data).create(a_conversation(title="Anew"))

    assert "journal_orphan" in journal_left
    assert not journal.exists()
    assert await another(data).load("acme", "invoice-1") == created


async def test_repairing_removes_a_journal_without_a_conversation(
    store: JsonConversationStore, data: Path, document: Path, journal: Path
) -> None:
    await store.create(a_conversation())
    await store.update("acme", "invoice-1", accepted("Hello"))
    document.unlink()

    mended, left = repair_directory(data)

    assert {one.kind for one in mended} == {"journal_orphan", "lock_orphan"}
    assert left == []
    assert not journal.exists()
