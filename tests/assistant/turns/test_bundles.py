"""A conversation taken elsewhere and back is the same; a bundle that is not sound is refused."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.in_memory import InMemoryConversationStore
from tests.support.long_talks import accepted, compacted, talked
from tests.support.stored import AT, a_conversation
from workflow_agent.assistant.turns.bundles import exported, imported, opened, whole_of
from workflow_agent.conversations.document import AttachedDocument, Conversation
from workflow_agent.conversations.seals import SealRule
from workflow_agent.errors import AlreadyExists, InvalidInput
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.verification.directory import verify_directory

RULE = SealRule(above_bytes=32 * 1024, fewest_turns=4, most_turns=8)
DOCUMENT = "A long document with \x1b[31mcolour\x1b[0m and half a character \ud800. " * 20


@pytest.fixture
def store(tmp_path: Path) -> JsonConversationStore:
    return JsonConversationStore(DurableFiles(tmp_path / "data"), seal=RULE)


async def grown(store: JsonConversationStore, turns: int) -> Conversation:
    reference = await store.put_blob("acme", "invoice-1", DOCUMENT)
    attached = AttachedDocument(
        attachment_id="att_1",
        title="Rules",
        media_type="text/plain",
        size_chars=9,
        content_ref=reference,
        turn=1,
        at=AT,
    )
    talk = await store.create(
        a_conversation(title="Tools \x1b[1mand\x7f").model_copy(update={"attachments": (attached,)})
    )
    for _ in range(turns):
        talk = await store.update("acme", "invoice-1", lambda old: compacted(talked(1, old)))
    return talk


async def test_a_round_trip_changes_nothing(store: JsonConversationStore, tmp_path: Path) -> None:
    talk = await grown(store, 40)
    assert talk.sealed_turns > 8
    bundle = json.loads(json.dumps(await exported(store, "acme", "invoice-1", AT)))
    elsewhere = JsonConversationStore(DurableFiles(tmp_path / "elsewhere"), seal=RULE)

    opened_bundle = opened(bundle["payload"], bundle["sha256"])
    made = await imported(elsewhere, opened_bundle, tenant="acme", conversation_id="invoice-1", at=AT)

    before, after = await whole_of(store, "acme", "invoice-1"), await whole_of(elsewhere, "acme", "invoice-1")
    assert after.model_copy(update={"version": talk.version}) == before
    assert made.archive != ()
    assert await elsewhere.blob("acme", "invoice-1", talk.attachments[0].content_ref) == DOCUMENT
    assert (await exported(elsewhere, "acme", "invoice-1", AT))["turns"] == bundle["turns"] == 40
    assert [(one.kind, one.message) for one in verify_directory(tmp_path / "elsewhere")] == []


async def test_an_id_that_is_taken_stays_whose_it_is(store: JsonConversationStore) -> None:
    await grown(store, 2)
    bundle = await exported(store, "acme", "invoice-1", AT)

    with pytest.raises(AlreadyExists):
        await imported(
            store, opened(bundle["payload"], bundle["sha256"]), tenant="acme", conversation_id="invoice-1", at=AT
        )


async def test_a_run_that_was_under_way_is_interrupted(store: JsonConversationStore) -> None:
    memory = InMemoryConversationStore()
    await memory.create(accepted(talked(1)).conversation)
    bundle = await exported(memory, "acme", "invoice-1", AT)

    made = await imported(
        store, opened(bundle["payload"], bundle["sha256"]), tenant="acme", conversation_id="other", at=AT
    )

    assert (made.id, made.runs[-1].status) == ("other", "interrupted")


def altered(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], tuple[str, str]]:
    """Return a forger who makes the digest of the payload right again."""

    def forge(bundle: dict[str, Any]) -> tuple[str, str]:
        plain = json.loads(bundle["payload"])
        change(plain)
        payload = json.dumps(plain)
        return payload, hashlib.sha256(payload.encode()).hexdigest()

    return forge


def literally(payload: str) -> Callable[[dict[str, Any]], tuple[str, str]]:
    return lambda _: (payload, hashlib.sha256(payload.encode()).hexdigest())


SEALED = {
    "first_turn": 1,
    "last_turn": 1,
    "first_index": 0,
    "last_index": 1,
    "first_call": 0,
    "calls": 0,
    "replies": 1,
    "file": "turns-000001-000001.json",
    "sha256": "0" * 64,
    "bytes": 1,
    "last_fence": 1,
}


@pytest.mark.parametrize(
    ("forge", "words"),
    [
        pytest.param(lambda b: (b["payload"] + " ", b["sha256"]), "its digest differs", id="altered"),
        pytest.param(literally("{"), "not JSON", id="no JSON"),
        pytest.param(literally("[]"), "no JSON object", id="a list"),
        pytest.param(literally("{}"), "no conversation", id="empty"),
        pytest.param(literally('{"a": NaN}'), "NaN", id="no number"),
        pytest.param(literally("[" * 100_000), "not JSON", id="bomb of brackets"),
        pytest.param(literally('{"a":' * 200 + "1" + "}" * 200), "deeper than 128", id="deep"),
        pytest.param(literally('{"a": ' + "9" * 5_000 + "}"), "not JSON", id="a number without end"),
        pytest.param(altered(lambda p: p["conversation"].update(id="../../etc/passwd")), "/id", id="a path for an id"),
        pytest.param(
            altered(lambda p: p["contents"].update({f"sha256:{'0' * 64}": "x"})),
            "Nothing refers",
            id="a content nobody asked for",
        ),
        pytest.param(
            altered(lambda p: p["contents"].update({"../../x": "x"})), "Nothing refers", id="a path for a content"
        ),
        pytest.param(
            altered(lambda p: p["contents"].update(dict.fromkeys(p["contents"], "x"))),
            "its digest differs",
            id="another content",
        ),
        pytest.param(
            altered(lambda p: p["conversation"]["events"].pop(1)), "contradicts itself", id="an event left out"
        ),
        pytest.param(altered(lambda p: p["conversation"].update(schema_version=9)), "schema version is 9", id="9"),
        pytest.param(altered(lambda p: p["conversation"].update(mood="good")), "mood", id="an unknown field"),
        pytest.param(
            altered(lambda p: p["conversation"].update(archive=[SEALED])), "sealed files", id="sealed files it has not"
        ),
    ],
)
async def test_a_bundle_that_is_not_sound_is_refused(
    store: JsonConversationStore, forge: Callable[[dict[str, Any]], tuple[str, str]], words: str
) -> None:
    await grown(store, 2)
    payload, sha256 = forge(await exported(store, "acme", "invoice-1", AT))

    with pytest.raises(InvalidInput) as refusal:
        opened(payload, sha256)

    said = refusal.value.message + " ".join(one.pointer for one in refusal.value.problems)
    assert words in said
