"""Every body and event has what OpenAI's published description requires, and nothing it does not know."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema_rs
import pytest
from fastapi.routing import APIRoute

from tests.support.scripted import Waits, scripted
from tests.support.server import serving
from workflow_agent.api.openai import completions, conversations, responses, turn_requests
from workflow_agent.settings import load_settings

PUBLISHED = json.loads((Path(__file__).parent / "published" / "replies.schema.json").read_text("utf-8"))
SHAPES = {
    name: jsonschema_rs.validator_for({**PUBLISHED, **shape})
    for name, shape in PUBLISHED["definitions"]["Replies"]["properties"].items()
}
COMPLETION = {"model": "workflow-agent", "messages": [{"role": "user", "content": "hello"}]}
RESPONSE = {"model": "workflow-agent", "input": "hello"}
ITEM = {"type": "message", "role": "user", "content": "just so you know"}
ROUTERS = (completions.router, conversations.router, conversations.messages, turn_requests.models, responses.router)
EVENTS = {name for name in SHAPES if name.startswith("response.")}
"""The events that a response may send, beside `error`."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Return a client of a server whose model fails at the fourth message and waits at the fifth."""
    model, _ = scripted("Good", ["morn", "ing."], "Hi.", RuntimeError("secret"), Waits())
    settings = load_settings(data_dir=tmp_path_factory.mktemp("shapes"))
    with serving(settings, model) as served, served.client() as asking:
        yield asking


def frames(text: str) -> list[Any]:
    data = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(one) for one in data if one != "[DONE]"]


def shape_of(event: dict[str, Any]) -> str:
    return "event error" if event["type"] == "error" else str(event["type"])


def test_every_route_and_event_has_its_published_shape(client: httpx.Client) -> None:
    bodies: list[tuple[str, str, Any]] = []
    events: list[dict[str, Any]] = []

    def ask(operation: str, shape: str, method: str, path: str, body: Any = None) -> Any:
        answer = client.request(method, f"/v1{path}", json=body)
        bodies.append((operation, shape, answer.json()))
        return bodies[-1][2]

    def follow(body: dict[str, Any], path: str = "/responses") -> list[dict[str, Any]]:
        told = frames(client.post(f"/v1{path}", json={**body, "stream": True}).text)
        events.extend(told)
        return told

    ask("list_models", "list of models", "GET", "/models")
    ask("get_model", "model", "GET", "/models/workflow-agent/analyst")
    ask("get_model", "error", "GET", "/models/gpt-99")
    completed = ask("create_completion", "chat.completion", "POST", "/chat/completions", COMPLETION)
    rating = {"metadata": {"rating": "up"}}
    ask("update_completion", "chat.completion", "POST", f"/chat/completions/{completed['id']}", rating)
    ask("create_completion", "error", "POST", "/chat/completions", COMPLETION | {"n": 2})
    counted = COMPLETION | {"stream": True, "stream_options": {"include_usage": True}}
    chunks = frames(client.post("/v1/chat/completions", json=counted).text)
    made = ask("create_response", "response", "POST", "/responses", RESPONSE)
    assert follow(RESPONSE | {"conversation": "failing"})[-1]["type"] == "response.failed"
    waiting = ask("create_response", "response", "POST", "/responses", RESPONSE | {"background": True})
    ask("cancel_response", "response", "POST", f"/responses/{waiting['id']}/cancel")
    events += frames(client.get(f"/v1/responses/{waiting['id']}", params={"stream": "true"}).text)
    events += frames(client.get(f"/v1/responses/{made['id']}", params={"stream": "true"}).text)
    failed = next(one["response"] for one in events if one["type"] == "response.failed")
    for response in (made, failed, waiting):
        ask("get_response", "response", "GET", f"/responses/{response['id']}")
    items = f"/responses/{made['id']}/input_items"
    listed = ask("get_input_items", "list of input items", "GET", items)
    ask("get_input_items", "list of input items", "GET", f"{items}?after={listed['last_id']}")
    begun = ask("create_conversation", "conversation", "POST", "/conversations", {"items": [ITEM]})
    here = f"/conversations/{begun['id']}"
    ask("get_conversation", "conversation", "GET", here)
    ask("change_conversation", "conversation", "POST", here, {"metadata": {"topic": "demo"}})
    added = ask("create_items", "list of items", "POST", f"{here}/items", {"items": [ITEM]})
    ask("list_items", "list of items", "GET", f"/conversations/{made['conversation']['id']}/items")
    ask("get_item", "item", "GET", f"{here}/items/{added['first_id']}")
    ask("delete_conversation", "conversation.deleted", "DELETE", here)
    ask("get_conversation", "error", "GET", here)

    told = [(shape, body) for _, shape, body in bodies]
    told += [(shape_of(event), event) for event in events]
    told += [("chat.completion.chunk", chunk) for chunk in chunks]
    wrong = {(shape, error.message) for shape, one in told for error in SHAPES[shape].iter_errors(one)}
    assert wrong == set()
    assert {shape_of(one) for one in events} == {*EVENTS, "event error"}
    assert {operation for operation, _, _ in bodies} == {
        route.name
        for router in (
            completions.router,
            conversations.router,
            conversations.messages,
            turn_requests.models,
            responses.router,
        )
        for route in router.routes
        if isinstance(route, APIRoute)
    }


def test_the_shapes_refuse_what_lacks_a_required_member(client: httpx.Client) -> None:
    whole = client.get("/v1/models/workflow-agent").json()

    assert SHAPES["model"].is_valid(whole)
    assert not any(SHAPES["model"].is_valid({k: v for k, v in whole.items() if k != name}) for name in whole)
    assert not SHAPES["model"].is_valid(whole | {"unknown": 1})
