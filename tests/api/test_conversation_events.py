"""Messages that ask for no reply, phases and handoffs over HTTP."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.asking import Asking
from tests.support.scripted import Calls

TALK = "/api/v1/conversations/talk"
BODIES: dict[str, dict[str, Any]] = {
    "events": {"content": "Invoice 17 was paid.", "author": "billing"},
    "phase": {"to": "plan", "reason": "agreed"},
    "handoff": {"to": "editor", "summary": "Fix 1 and 2."},
}


async def created(client: httpx.AsyncClient) -> None:
    assert (await client.post("/api/v1/conversations", json={"id": "talk"})).status_code == 201


@pytest.mark.parametrize("route", BODIES)
async def test_what_is_sent_twice_under_a_key_is_on_record_once(client: httpx.AsyncClient, route: str) -> None:
    await created(client)
    headers = {"Idempotency-Key": "k"}

    first = await client.post(f"{TALK}/{route}", json=BODIES[route], headers=headers)
    again = await client.post(f"{TALK}/{route}", json=BODIES[route], headers=headers)
    other = await client.post(f"{TALK}/{route}", json=BODIES[route] | {"to": "chat"}, headers=headers)

    assert (first.status_code, first.headers["etag"][:3]) == (201, '"2-')
    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["idempotency-replayed"] == "true"
    assert other.status_code == 422
    assert len((await client.get(TALK)).json()["events"]) == 1


@pytest.mark.parametrize("route", BODIES)
async def test_another_version_than_the_one_read_is_refused(client: httpx.AsyncClient, route: str) -> None:
    await created(client)

    stale = await client.post(f"{TALK}/{route}", json=BODIES[route], headers={"If-Match": '"9"'})
    right = await client.post(f"{TALK}/{route}", json=BODIES[route], headers={"If-Match": '"1"'})

    assert (stale.status_code, right.status_code) == (412, 201)


@pytest.mark.parametrize("route", BODIES)
async def test_a_conversation_that_is_not_there_is_a_404(client: httpx.AsyncClient, route: str) -> None:
    assert (await client.post(f"{TALK}/{route}", json=BODIES[route])).status_code == 404


async def test_a_phase_that_is_not_allowed_lists_those_that_are(client: httpx.AsyncClient) -> None:
    await created(client)

    refused = await client.post(f"{TALK}/phase", json={"to": "reflection"})

    assert (refused.status_code, refused.json()["code"]) == (409, "phase_not_allowed")
    assert refused.json()["allowed"] == ["brainstorm", "plan", "execute"]


async def test_a_change_of_phase_and_a_handoff_are_on_record(client: httpx.AsyncClient) -> None:
    await created(client)

    changed = (await client.post(f"{TALK}/phase", json={"to": "plan", "reason": "agreed"})).json()
    handed = (await client.post(f"{TALK}/handoff", json={"to": "editor", "summary": "S"})).json()

    stored = (await client.get(TALK)).json()
    assert (changed["phase"], changed["allowed_phases"]) == ("plan", ["execute", "chat"])
    assert handed["agent"] == "editor"
    assert [
        {name: value for name, value in one.items() if name != "timestamp"} for one in stored["phase_transitions"]
    ] == [
        {"from": "chat", "to": "plan", "agent": "user", "reason": "agreed", "message": "", "summary": ""},
        {
            "from": "plan",
            "to": "plan",
            "agent": "editor",
            "reason": "",
            "message": "user handed the conversation over to editor.",
            "summary": "S",
        },
    ]
    assert all(one["timestamp"] for one in stored["phase_transitions"])


async def test_an_agent_cannot_be_handed_what_it_has_and_not_for_ever(client: httpx.AsyncClient) -> None:
    await created(client)
    names = ["editor", "analyst"]

    answers = [await client.post(f"{TALK}/handoff", json={"to": names[n % 2]}) for n in range(4)]
    one_more = await client.post(f"{TALK}/handoff", json={"to": "editor"})
    itself = await client.post(f"{TALK}/handoff", json={"to": "analyst"})
    unknown = await client.post(f"{TALK}/handoff", json={"to": "nobody"})

    assert [answer.status_code for answer in answers] == [201] * 4
    assert (one_more.status_code, one_more.json()["code"]) == (409, "handoff_not_allowed")
    assert (itself.status_code, itself.json()["valid"]) == (409, ["assistant", "designer", "finder", "editor"])
    assert (unknown.status_code, unknown.json()["problems"][0]["pointer"]) == (422, "/to")


@pytest.mark.parametrize("author", ["user", "system", "analyst"])
async def test_nobody_outside_takes_the_name_of_somebody_inside(client: httpx.AsyncClient, author: str) -> None:
    await created(client)

    refused = await client.post(f"{TALK}/events", json={"content": "x", "author": author})

    assert (refused.status_code, refused.json()["problems"][0]["pointer"]) == (422, "/author")


async def test_the_next_answer_knows_what_was_posted_and_the_phase(tmp_path: Path) -> None:
    asking = Asking(tmp_path, "Noted.")
    async with asking as client:
        await created(client)
        await client.post(f"{TALK}/events", json=BODIES["events"])
        await client.post(f"{TALK}/phase", json={"to": "plan"})
        reply = (await client.post("/api/v1/chat", json={"message": "hi", "conversation_id": "talk"})).json()

    sent = [str(getattr(part, "content", "")) for m in asking.script.requests[0][0] for part in m.parts]
    assert "Invoice 17 was paid." in sent[0]
    assert "never an instruction" in sent[0]
    assert "# Phase: plan" in asking.script.instructions()
    assert reply["context"]["breakdown"]["phase"] > 0


async def test_an_agent_changes_the_phase_by_tool_and_it_is_stored_with_the_reply(tmp_path: Path) -> None:
    wrong = Calls([("change_phase", {"to": "chores", "reason": "r"})])
    right = Calls([("change_phase", {"to": "plan", "reason": "agreed", "summary": "S"})])
    asking = Asking(tmp_path, wrong, right, "Let us plan.")
    async with asking as client:
        await created(client)
        await client.post("/api/v1/chat", json={"message": "let's plan", "conversation_id": "talk"})
        stored = (await client.get(TALK)).json()

    assert "# Phase: plan" in asking.script.instructions()
    assert stored["phase"] == "plan"
    assert [event["type"] for event in stored["events"]] == ["user_message", "agent_reply", "system_event"]
    assert [(one["from"], one["to"], one["agent"]) for one in stored["phase_transitions"]] == [
        ("chat", "plan", "assistant")
    ]
    assert [call["outcome_summary"]["status"] for call in stored["calls"]] == ["success", "retried", "success"]
