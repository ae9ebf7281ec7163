"""How much of the window a request may use: by header, by body, and the body wins."""

import httpx
import pytest


async def strategy(client: httpx.AsyncClient, body: dict[str, str], headers: dict[str, str]) -> str:
    answer = await client.post("/api/v1/chat", json={"message": "hello"} | body, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()["context"]["strategy"]


@pytest.mark.parametrize(
    ("body", "headers", "expected"),
    [
        pytest.param({}, {}, "full", id="neither"),
        pytest.param({}, {"X-Context-Utilization": "low"}, "low", id="by header"),
        pytest.param({"context_utilization": "medium"}, {}, "medium", id="by body"),
        pytest.param({"context_utilization": "medium"}, {"X-Context-Utilization": "low"}, "medium", id="the body wins"),
    ],
)
async def test_the_share_is_taken_from_body_or_header(
    client: httpx.AsyncClient, body: dict[str, str], headers: dict[str, str], expected: str
) -> None:
    assert await strategy(client, body, headers) == expected


@pytest.mark.parametrize("route", ["/api/v1/chat", "/api/v1/chat/stream"])
async def test_another_word_is_refused_with_those_that_are_valid(client: httpx.AsyncClient, route: str) -> None:
    answer = await client.post(route, json={"message": "hi"}, headers={"X-Context-Utilization": "huge"})

    assert answer.status_code == 422
    assert answer.json()["problems"][0]["pointer"] == "header:X-Context-Utilization"
    assert set(answer.json()["problems"][0]["valid"]) == {"low", "medium", "full"}
