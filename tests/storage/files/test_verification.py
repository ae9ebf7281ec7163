"""Looking over a data directory: each kind of damage is found, and only what needs no guessing is mended."""

import asyncio
import hashlib
import shutil
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from tests.support.failing_files import plant_odd
from tests.support.long_talks import compacted, talked
from tests.support.stored import AT, Clock, a_conversation, a_workflow, saying
from workflow_agent.cli import cli
from workflow_agent.conversations.document import AgentReply, Conversation, WorkflowReference
from workflow_agent.conversations.iterations import Message, ToolResult
from workflow_agent.conversations.seals import SealRule
from workflow_agent.main import wiring
from workflow_agent.storage.files.conversation_documents import ConversationText, written
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.owners import ProcessOwners
from workflow_agent.storage.files.verification.directory import (
    LEFT_ALONE_SECONDS,
    Sweeper,
    repair_directory,
    verify_directory,
)
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.values.caches import TtlCache
from workflow_agent.workflows.store import Author, Change

RULE = SealRule(above_bytes=32 * 1024, fewest_turns=4, most_turns=8)


@dataclass(frozen=True)
class World:
    """A data directory with a long conversation, a short one and a workflow of three versions."""

    root: Path

    @property
    def talks(self) -> Path:
        return self.root / "acme" / "conversations"

    @property
    def long(self) -> Path:
        return self.talks / "long.json"

    @property
    def short(self) -> Path:
        return self.talks / "short.json"

    @property
    def sealed(self) -> Path:
        return min((self.talks / "long.archive").glob("turns-*.json"))

    @property
    def blob(self) -> Path:
        (only,) = (self.talks / "short.archive" / "blobs").iterdir()
        return only

    @property
    def workflow(self) -> Path:
        return self.root / "acme" / "workflows" / "wf_expenses.json"

    def files(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in self.root.rglob("*") if path.is_file()}

    def change(self, path: Path, change: Callable[[dict[str, Any]], object]) -> None:
        plain = orjson.loads(path.read_bytes())
        change(plain)
        path.write_bytes(orjson.dumps(plain, option=orjson.OPT_INDENT_2))

    def kinds(self) -> list[str]:
        return [one.kind for one in verify_directory(self.root)]


def with_blob(conversation: Conversation, content_ref: str) -> Conversation:
    """Return the conversation with the result of its first tool call kept apart."""
    reply = conversation.events[1]
    assert isinstance(reply, AgentReply)
    first = reply.iterations[0]
    apart = Message(role="tool", results=(ToolResult(id="call_1", name="get_workflow", content_ref=content_ref),))
    changed = first.model_copy(update={"messages": (first.messages[0], apart)})
    event = reply.model_copy(update={"iterations": (changed, *reply.iterations[1:])})
    return conversation.model_copy(update={"events": (conversation.events[0], event, *conversation.events[2:])})


async def built(root: Path) -> None:
    files = DurableFiles(root)
    store = JsonConversationStore(files, seal=RULE)
    await store.create(a_conversation("long"))
    for _ in range(40):
        await store.update("acme", "long", lambda old: compacted(talked(1, old)))
    await store.create(talked(3, a_conversation("short")))
    reference = await store.put_blob("acme", "short", {"rows": ["x" * 50] * 100})
    ref = WorkflowReference(
        workflow_id="wf_expenses", name="Expenses", relation="viewed", turn=1, conversation_id="short", at=AT
    )
    await store.update(
        "acme",
        "short",
        lambda old: with_blob(old, reference).model_copy(
            update={"bound_workflow_id": "wf_expenses", "workflow_refs": (ref,)}
        ),
    )
    workflows = JsonWorkflowCatalog(files, TtlCache(max_entries=0, ttl_seconds=1), now=Clock())
    change = Change(Author(), "edited")
    await workflows.create("acme", a_workflow(), change)
    for number in range(2):
        await workflows.update(
            "acme", "wf_expenses", lambda old, n=number: (old.model_copy(update={"description": f"Take {n}"}), change)
        )
    await store.page("acme", query="message")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sound") / "data"
    asyncio.run(built(root))
    return root


@pytest.fixture
def world(original: Path, tmp_path: Path) -> World:
    return World(shutil.copytree(original, tmp_path / "data"))


def reply_of(plain: dict[str, Any]) -> dict[str, Any]:
    return next(event for event in plain["events"] if event["type"] == "agent_reply")


def seal_again(world: World, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a sealed file together with the digest of it, as no accident does."""
    world.change(world.sealed, change)
    digest = hashlib.sha256(world.sealed.read_bytes()).hexdigest()
    world.change(world.long, lambda plain: plain["archive"][0].update(sha256=digest))


def leave_sealed_file(world: World, text: str) -> None:
    """Leave the sealed file of a save that was cut off; its events are still in the conversation's file."""
    plain = orjson.loads(world.short.read_bytes())
    part = {
        "schema_version": 2,
        "id": "short",
        "tenant": "acme",
        "first_turn": 1,
        "last_turn": 1,
        "first_call": 0,
        "events": plain["events"][:2],
        "runs": [],
        "calls": [],
    }
    part["events"][0]["content"] = text
    (world.talks / "short.archive" / "turns-000001-000001.json").write_bytes(orjson.dumps(part))


DAMAGE: list[Any] = [
    pytest.param(lambda w: w.short.write_bytes(w.short.read_bytes()[:700]), "unreadable_conversation", id="cut"),
    pytest.param(lambda w: w.change(w.short, lambda p: p.pop("tenant")), "unreadable_conversation", id="no tenant"),
    pytest.param(lambda w: w.change(w.short, lambda p: p.update(schema_version=9)), "unknown_schema_version", id="9"),
    pytest.param(lambda w: w.change(w.short, lambda p: p.update(schema_version=0)), "unknown_schema_version", id="0"),
    pytest.param(lambda w: w.change(w.short, lambda p: p.update(id="other")), "wrong_place", id="another's file"),
    pytest.param(lambda w: w.sealed.write_bytes(w.sealed.read_bytes() + b" "), "sealed_file_altered", id="sealed"),
    pytest.param(lambda w: w.sealed.unlink(), "sealed_file_missing", id="sealed file gone"),
    pytest.param(lambda w: w.change(w.long, lambda p: p["archive"][1].update(first_turn=99)), "archive_gap", id="gap"),
    pytest.param(lambda w: leave_sealed_file(w, "Something else"), "sealed_file_orphan", id="unnamed, of its own"),
    pytest.param(lambda w: w.blob.unlink(), "blob_missing", id="blob gone"),
    pytest.param(lambda w: w.blob.write_bytes(b"{}"), "blob_altered", id="blob altered"),
    pytest.param(lambda w: w.short.unlink(), "conversation_missing", id="archive without its conversation"),
    pytest.param(
        lambda w: w.change(w.short, lambda p: p["events"][2].update(id=p["events"][0]["id"])),
        "duplicate_event_id",
        id="two events of one id",
    ),
    pytest.param(lambda w: w.change(w.short, lambda p: p["events"][5].update(index=7)), "event_index_gap", id="7"),
    pytest.param(
        lambda w: w.change(w.short, lambda p: p["runs"][0].update(user_event_id="evt_gone")),
        "run_without_message",
        id="run without its message",
    ),
    pytest.param(
        lambda w: w.change(w.short, lambda p: p["runs"][0].update(reply_event_id="evt_gone")),
        "run_without_reply",
        id="run without its reply",
    ),
    pytest.param(lambda w: w.change(w.short, lambda p: p["runs"].pop(0)), "reply_without_run", id="no run"),
    pytest.param(
        lambda w: seal_again(w, lambda p: p["events"][1].update(run_id="run_gone")),
        "reply_without_run",
        id="no run, sealed",
    ),
    pytest.param(
        lambda w: w.change(w.short, lambda p: p["workflow_refs"][0].update(workflow_id="wf_gone")),
        "dangling_workflow",
        id="reference to nothing",
    ),
    pytest.param(lambda w: w.workflow.write_bytes(b"[]"), "unreadable_workflow", id="no workflow"),
    pytest.param(
        lambda w: (w.workflow.with_suffix(".versions") / "000002.json").unlink(),
        "workflow_version_gap",
        id="version gone",
    ),
    pytest.param(
        lambda w: w.workflow.rename(w.workflow.with_name("wf_other.json")), "wrong_place", id="workflow misplaced"
    ),
    pytest.param(
        lambda w: w.short.with_name("short.json.corrupt-20260101T000000000Z").write_bytes(b"{"),
        "set_aside",
        id="set aside earlier",
    ),
]

MENDABLE: list[Any] = [
    pytest.param(
        lambda w: (w.talks / f".long.json.{'a' * 16}.tmp").write_bytes(b"half"),
        "stale_temporary_file",
        id="temporary file",
    ),
    pytest.param(
        lambda w: (w.talks / "short.archive" / "blobs" / hashlib.sha256(b"{}").hexdigest()).write_bytes(b"{}"),
        "blob_orphan",
        id="blob nothing refers to",
    ),
    pytest.param(lambda w: leave_sealed_file(w, "Message 1"), "sealed_file_orphan", id="sealed by a cut-off save"),
    pytest.param(lambda w: (w.talks / "gone.lock").touch(), "lock_orphan", id="lock of nothing"),
    pytest.param(
        lambda w: (w.talks / "short.run-1.jsonl").write_bytes(b"{}\n"), "journal_orphan", id="journal of the past"
    ),
    pytest.param(
        lambda w: w.change(w.short, lambda p: reply_of(p)["iterations"][-1].update(completed_at=None)),
        "open_iteration",
        id="open iteration",
    ),
    pytest.param(
        lambda w: w.change(
            w.short, lambda p: reply_of(p)["iterations"][0].update(tool_calls=[{"id": "c", "name": "get_turn"}])
        ),
        "open_iteration",
        id="open tool call",
    ),
    pytest.param(lambda w: w.change(w.short, lambda p: p["usage_totals"].update(turns=7)), "wrong_totals", id="turns"),
    pytest.param(
        lambda w: w.change(w.long, lambda p: p["usage_totals"].update(input_tokens=1)), "wrong_totals", id="tokens"
    ),
    pytest.param(
        lambda w: w.change(w.short, lambda p: p.update(bound_workflow_id="wf_gone")),
        "dangling_workflow",
        id="open workflow that is not there",
    ),
]


def test_a_sound_directory_is_clean_and_stays_as_it_is(world: World) -> None:
    before = world.files()

    assert [(one.kind, one.path, one.message) for one in verify_directory(world.root)] == []
    assert repair_directory(world.root) == ([], [])
    assert world.files() == before


@pytest.mark.parametrize(("plant", "kind"), DAMAGE + MENDABLE)
def test_damage_is_found_and_looking_touches_nothing(world: World, plant: Callable[[World], object], kind: str) -> None:
    plant(world)
    before = world.files()

    assert kind in world.kinds()
    assert world.files() == before


@pytest.mark.parametrize(("plant", "kind"), DAMAGE)
def test_what_would_be_a_guess_is_left_as_it_is(world: World, plant: Callable[[World], object], kind: str) -> None:
    plant(world)
    before = world.files()

    mended, left = repair_directory(world.root)

    assert kind in [one.kind for one in left]
    assert kind not in [one.kind for one in mended]
    touched = {path for path in before if world.files().get(path) != before[path]}
    assert touched <= {world.root / one.path for one in mended}


@pytest.mark.parametrize(("plant", "kind"), MENDABLE)
def test_what_needs_no_guess_is_mended_and_no_other_file_is_touched(
    world: World, plant: Callable[[World], object], kind: str
) -> None:
    plant(world)
    before = world.files()

    mended, left = repair_directory(world.root)

    after = world.files()
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert ([one.kind for one in mended], list(left)) == ([kind], [])
    assert changed == {world.root / mended[0].path}


def test_a_mended_conversation_changes_in_nothing_else(world: World) -> None:
    sound = orjson.loads(world.short.read_bytes())
    world.change(world.short, lambda plain: plain["usage_totals"].update(turns=7))

    repair_directory(world.root)

    assert orjson.loads(world.short.read_bytes()) == sound | {"version": sound["version"] + 1}


def test_tokens_of_a_failed_run_are_not_taken_for_a_wrong_total(world: World) -> None:
    world.change(world.short, lambda plain: plain["runs"][0].update(attempt=2))
    world.change(world.short, lambda plain: plain["usage_totals"].update(input_tokens=5_000))

    assert world.kinds() == []


def test_a_run_under_way_is_no_damage(world: World) -> None:
    talk = saying(a_conversation("busy"), "hello")
    data, _ = written(talk, ConversationText(talk).parts)
    (world.talks / "busy.json").write_bytes(data)

    assert world.kinds() == []


def test_one_odd_entry_costs_only_itself(world: World) -> None:
    odd = plant_odd(world.talks, "cv_%s.json") + plant_odd(world.root / "acme" / "workflows", "wf_%s.json")
    odd += plant_odd(world.root / "acme" / "memory", "%s.json")
    sealed = world.sealed
    sealed.unlink()

    found = {(one.kind, one.path) for one in verify_directory(world.root)}

    names = {("unreadable_file", str(path.relative_to(world.root))) for path in odd}
    assert found == names | {("sealed_file_missing", str(sealed.relative_to(world.root)))}


async def test_what_a_kill_leaves_is_no_damage_and_is_swept_while_running(world: World) -> None:
    files = DurableFiles(world.root)
    store = JsonConversationStore(files, seal=RULE)
    orphan = await store.put_blob("acme", "short", "never referred to")
    await store.put_blob("acme", "unborn", "an attachment of a message that was not accepted")
    (world.talks / "short.archive").joinpath("turns-000001-000009.json").write_bytes(b'{"entries": []}')
    shutil.copytree(world.talks / "long.archive", world.talks / "deleted.archive")
    shutil.copy(world.long, world.talks / "deleted.deleting")
    shutil.copytree(world.workflow.with_suffix(".versions"), world.workflow.with_name("wf_cut.versions"))
    for number in (2, 3):
        world.workflow.with_name("wf_cut.versions").joinpath(f"00000{number}.json").unlink()
    found = verify_directory(world.root)
    later = time.time() + LEFT_ALONE_SECONDS + 60
    sweeper = Sweeper(files, "acme")
    sweeper.add(["short", "gone"])
    at_once = sweeper.sweep()
    kept = [one.kind for one in verify_directory(world.root)]
    sweeper.now = lambda: later

    removed = sweeper.sweep()

    assert all(one.is_leftover for one in found)
    assert sorted(one.kind for one in found) == [
        "blob_orphan",
        "cut_off_creation",
        "cut_off_creation",
        "cut_off_deletion",
        "sealed_file_orphan",
    ]
    assert (at_once, "blob_orphan" in kept, "cut_off_deletion" in kept) == (1, True, False)
    assert removed == 2
    assert sorted(world.kinds()) == ["cut_off_creation", "cut_off_creation"]
    assert not (world.talks / "short.archive" / "blobs" / orphan.removeprefix("sha256:")).exists()
    assert await store.put_blob("acme", "short", "never referred to") == orphan
    assert await store.blob("acme", "short", orphan) == "never referred to"


async def test_contents_of_a_run_under_way_are_not_swept(world: World) -> None:
    store = JsonConversationStore(DurableFiles(world.root), seal=RULE)
    await store.update("acme", "short", lambda talk: saying(talk, "One more"))
    reference = await store.put_blob("acme", "short", "the reply will refer to it")
    sweeper = Sweeper(DurableFiles(world.root), "acme", now=lambda: 0.0)
    sweeper.add(["short"])
    sweeper.now = lambda: time.time() + 2 * LEFT_ALONE_SECONDS

    assert sweeper.sweep() == 0
    assert await store.blob("acme", "short", reference) == "the reply will refer to it"


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, ["verify", *arguments], obj=wiring())
    return result.exit_code, result.output


def test_the_command_says_what_is_wrong_and_what_was_mended(world: World) -> None:
    assert run("--data-dir", str(world.root)) == (0, "Nothing wrong.\n")
    (world.talks / "gone.lock").touch()
    code, output = run("--data-dir", str(world.root))
    assert (code, "left over lock_orphan" in output, "--repair sets it right" in output) == (0, True, True)
    assert output.endswith("Nothing wrong, 1 left over.\n")

    world.sealed.unlink()
    code, output = run("--data-dir", str(world.root))
    assert (code, "damaged   sealed_file_missing" in output) == (1, True)

    code, output = run("--data-dir", str(world.root), "--repair", "--json")
    told = orjson.loads(output)
    assert code == 1
    assert [one["kind"] for one in told["repaired"]] == ["lock_orphan"]
    assert [one["kind"] for one in told["findings"]] == ["sealed_file_missing"]


def test_nothing_is_repaired_while_a_server_runs(world: World) -> None:
    (world.talks / "gone.lock").touch()
    with closing(ProcessOwners(world.root, "1-abc")):
        code, output = run("--data-dir", str(world.root), "--repair")
        assert (code, "1-abc" in output) == (3, True)
        assert run("--data-dir", str(world.root))[0] == 0

    assert (world.talks / "gone.lock").exists()
    assert run("--data-dir", str(world.root), "--repair")[0] == 0


def test_a_directory_that_is_not_there_is_said(tmp_path: Path) -> None:
    code, output = run("--data-dir", str(tmp_path / "missing"))

    assert (code, "missing" in output) == (3, True)
