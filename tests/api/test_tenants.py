"""Several tenants on one server: whose key it is decides what is seen, and how much may be used."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.postgres import a_database_of_ones_own
from tests.support.provider import Holds, Says, provider_stub
from tests.support.redis import emptied, redis_url
from tests.support.server import Served, serving
from tests.support.server_process import server_process
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.errors import Misconfigured
from workflow_agent.settings import load_settings

TENANTS = {
    "acme": {"api_keys": ["key-of-acme"], "api_key_users": {"anna": "key-of-anna"}},
    "globex": {"api_keys": ["key-of-globex"]},
}
CHAT = "/api/v1/chat"
WORKFLOW = {"id": "wf_a", "name": "Expenses", "steps": [{"id": "one", "name": "One"}]}


def as_(served: Served, key: str) -> httpx.Client:
    return served.client(headers={"Authorization": f"Bearer {key}"})


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(load_settings(data_dir=tmp_path, tenants=json.dumps(TENANTS)), OfflineModel()) as running:
        yield running


def test_a_key_sees_its_own_tenant_and_nothing_of_another(served: Served) -> None:
    with as_(served, "key-of-acme") as acme, as_(served, "key-of-globex") as globex:
        said = acme.post(CHAT, json={"message": "hello", "conversation_id": None}).json()
        acme.post("/api/v1/workflows", json=WORKFLOW).raise_for_status()
        edits = {"workflow_id": "wf_a", "edits": [{"op": "rename_workflow", "name": "Spending"}]}
        waiting = acme.post("/api/v1/previews", json=edits).json()
        talk, run = said["conversation_id"], said["run_id"]
        addresses = [
            f"/api/v1/conversations/{talk}",
            f"/api/v1/conversations/{talk}/history",
            f"/api/v1/runs/{run}",
            f"/api/v1/runs/{run}/stream",
            "/api/v1/workflows/wf_a",
            f"/api/v1/previews/{waiting['preview']['id']}",
        ]
        own = [acme.get(address).status_code for address in addresses]
        foreign = [globex.get(address).status_code for address in addresses]
        cancelled = globex.post(f"/api/v1/runs/{run}/cancel").status_code
        lists = [
            globex.get(address).json()["items"]
            for address in (
                "/api/v1/conversations",
                "/api/v1/workflows",
                "/api/v1/previews",
                "/api/v1/telemetry/tokens",
                "/api/v1/memory",
            )
        ]
        recent = acme.get("/api/v1/telemetry/tokens").json()["items"]

    assert own == [200] * 6
    assert (foreign, cancelled) == ([404] * 6, 404)
    assert lists == [[]] * 5
    assert [one["conversation_id"] for one in recent] == [talk]


def test_two_tenants_have_the_same_ids_apart(served: Served) -> None:
    with as_(served, "key-of-acme") as acme, as_(served, "key-of-globex") as globex:
        for client, name in ((acme, "Expenses"), (globex, "Travel")):
            client.post("/api/v1/workflows", json={**WORKFLOW, "name": name}).raise_for_status()
            client.post("/api/v1/conversations", json={"id": "talk"}).raise_for_status()
        order = {"conversation_id": "talk", "workflow_id": "wf_a", "message": "Rename it to Petty cash."}
        acme.post(CHAT, json=order).raise_for_status()
        names = [client.get("/api/v1/workflows/wf_a").json()["name"] for client in (acme, globex)]
        events = [len(client.get("/api/v1/conversations/talk").json()["events"]) for client in (acme, globex)]

    assert names == ["Petty cash", "Travel"]
    assert events == [2, 0]


def test_a_key_of_a_user_is_that_users_in_its_tenant(served: Served) -> None:
    fact = "the finance team signs off above 5000 euros"
    with as_(served, "key-of-anna") as anna, as_(served, "key-of-acme") as acme:
        anna.post(CHAT, json={"message": f"Remember that {fact}"}).raise_for_status()
        mine = anna.get("/api/v1/memory").json()
        others = acme.get("/api/v1/memory").json()

    assert (mine["user"], [one["text"] for one in mine["items"]]) == ("anna", [fact])
    assert others["items"] == []


@pytest.mark.parametrize("key", [None, "key-of-nobody"])
def test_with_tenants_a_key_is_asked_for(served: Served, key: str | None) -> None:
    with served.client(headers={"Authorization": f"Bearer {key}"} if key else {}) as client:
        assert client.get("/api/v1/workflows").status_code == 401


@pytest.mark.parametrize(
    ("tenants", "said"),
    [
        ('{"a": {"api_keys": ["k"]}, "b": {"api_keys": ["k"]}}', "'a' and 'b' have the same key"),
        ('{"../a": {}}', "TENANTS"),
        ('{"a": {"api_keys": ["two words"]}}', "visible ASCII"),
        ('{"a": {"turns_per_minute": 0}}', "TENANTS.a.turns_per_minute"),
        ('{"a": {"turns": 1}}', "TENANTS.a.turns"),
        ("[", "not JSON"),
    ],
)
def test_tenants_that_cannot_be_are_refused_at_the_start(tenants: str, said: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        load_settings(tenants=tenants)

    assert said in refused.value.message


# Limits


def say(client: httpx.Client, message: str = "hello", **headers: str) -> httpx.Response:
    return client.post(CHAT, json={"message": message, "conversation_id": None}, headers=headers)


def limited(data: Path, **limits: Any) -> Any:
    tenants = {"acme": {"api_keys": ["key-of-acme"], **limits}, "globex": {"api_keys": ["key-of-globex"]}}
    return load_settings(data_dir=data, tenants=json.dumps(tenants))


def test_a_turn_too_many_in_a_minute_is_a_429_that_says_when(tmp_path: Path) -> None:
    with (
        serving(limited(tmp_path, turns_per_minute=2)) as served,
        as_(served, "key-of-acme") as acme,
        as_(served, "key-of-globex") as globex,
    ):
        fine = [say(acme, **{"Idempotency-Key": f"k{at}"}).status_code for at in range(2)]
        refused = say(acme, **{"Idempotency-Key": "k2"})
        # A retry of what was accepted is no new turn.
        replayed = say(acme, **{"Idempotency-Key": "k1"})
        listed = acme.get("/api/v1/conversations").json()["items"]
        other = say(globex)

    told = refused.json()
    assert (fine, refused.status_code, other.status_code) == ([200, 200], 429, 200)
    assert (told["code"], told["limit"], told["most"], told["used"]) == ("limit_reached", "turns_per_minute", 2, 2)
    assert 1 <= told["retry_after"] <= 60
    assert refused.headers["Retry-After"] == str(told["retry_after"])
    assert told["free_at"] in told["detail"]
    assert (replayed.status_code, replayed.headers["Idempotency-Replayed"]) == (200, "true")
    assert len(listed) == 2


def test_tokens_of_a_day_are_used_up_and_the_next_turn_waits_for_midnight(tmp_path: Path) -> None:
    with serving(limited(tmp_path, tokens_per_day=10)) as served, as_(served, "key-of-acme") as acme:
        fine, refused = say(acme), say(acme)

    used = fine.json()["usage"]
    told = refused.json()
    assert (fine.status_code, refused.status_code) == (200, 429)
    assert (told["limit"], told["used"]) == ("tokens_per_day", used["input_tokens"] + used["output_tokens"])
    assert told["free_at"].endswith("T00:00:00Z") or told["retry_after"] <= 86_400


def test_openais_client_gets_a_rate_limit_error_and_no_conversation(tmp_path: Path) -> None:
    with serving(limited(tmp_path, tokens_per_day=1)) as served, as_(served, "key-of-acme") as acme:
        say(acme).raise_for_status()
        before = len(acme.get("/api/v1/conversations").json()["items"])
        answer = acme.post(
            "/v1/chat/completions", json={"model": "workflow-agent", "messages": [{"role": "user", "content": "hi"}]}
        )
        after = len(acme.get("/api/v1/conversations").json()["items"])

    assert (answer.status_code, answer.json()["error"]["type"]) == (429, "rate_limit_error")
    assert answer.headers["x-should-retry"] == "false"
    assert before == after


@pytest.mark.slow
async def test_runs_at_once_are_counted_over_all_hosts(tmp_path: Path) -> None:
    url = await asyncio.to_thread(a_database_of_ones_own)
    tenants = json.dumps({"acme": {"api_keys": ["key-of-acme"], "runs_at_once": 1}})
    held = Holds(Says(["Hello."]))
    async with provider_stub(held, Says(["And again."])) as provider, asyncio.timeout(120):
        model = {"MODEL": "openai:stub-1", "MODEL_BASE_URL": provider.base_url, "MODEL_API_KEY": "k"}
        own = {"DATABASE_URL": url, "TENANTS": tenants, **model}
        environment = {f"WORKFLOW_AGENT_{name}": value for name, value in own.items()}
        one, two = (server_process(tmp_path / name, environment) for name in ("one", "two"))
        async with one.client() as here, two.client() as there:
            for client in (here, there):
                client.headers["Authorization"] = "Bearer key-of-acme"
            asked = asyncio.create_task(here.post(CHAT, json={"message": "hello"}))
            await held.begun.wait()
            refused = await there.post(CHAT, json={"message": "hello"})
            held.let.set()
            answered = await asked
            following = await there.post(CHAT, json={"message": "hello"})
        for server in (one, two):
            server.kill()

    told = refused.json()
    assert (answered.status_code, refused.status_code, following.status_code) == (200, 429, 200)
    assert (told["limit"], told["most"], told["used"], told["retry_after"]) == ("runs_at_once", 1, 1, 1)


def test_limits_hold_across_hosts_where_there_is_a_redis(tmp_path: Path) -> None:
    emptied()
    with ExitStack() as stack:
        hosts = [
            stack.enter_context(serving(settings))
            for settings in (
                limited(tmp_path / name, turns_per_minute=3).model_copy(
                    update={"redis_url": load_settings(redis_url=redis_url()).redis_url}
                )
                for name in ("one", "two")
            )
        ]
        clients = [stack.enter_context(as_(host, "key-of-acme")) for host in hosts]
        answers = [say(clients[at % 2]).status_code for at in range(4)]

    assert answers == [200, 200, 200, 429]
