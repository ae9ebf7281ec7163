"""Every error is a problem (RFC 9457): the right status, bounded, with what helps."""

import re
from collections.abc import Iterator
from http import HTTPStatus

import httpx
import pytest

from workflow_agent.api.errors import STATUS_OF, document_of, problem_response
from workflow_agent.errors import (
    ConversationBusy,
    InvalidInput,
    InvalidWorkflow,
    ModelFailed,
    Problem,
    StorageFailed,
    Unauthorized,
    WorkflowAgentError,
)


def all_subclasses(kind: type[WorkflowAgentError]) -> Iterator[type[WorkflowAgentError]]:
    for child in kind.__subclasses__():
        yield child
        yield from all_subclasses(child)


def test_every_error_has_a_status() -> None:
    assert {kind.__name__ for kind in all_subclasses(WorkflowAgentError)} == {kind.__name__ for kind in STATUS_OF}


def test_codes_tell_errors_apart() -> None:
    codes = [kind.code for kind in STATUS_OF]

    assert len(set(codes)) == len(codes)


def test_a_problem_carries_the_facts_of_its_error() -> None:
    document = document_of(ConversationBusy("Busy.", run_id="run_a_1_b"))

    assert document == {
        "type": "urn:workflow-agent:problem:conversation-busy",
        "title": "Conflict",
        "status": 409,
        "detail": "Busy.",
        "code": "conversation_busy",
        "run_id": "run_a_1_b",
    }


def test_facts_do_not_replace_what_every_problem_has() -> None:
    document = document_of(ModelFailed("No.", status=200, code="fine", title="Fine"))

    assert (document["status"], document["code"], document["title"]) == (502, "model_failed", "Bad Gateway")


def test_problems_are_listed_with_their_places_and_not_all_of_them() -> None:
    document = document_of(InvalidWorkflow([Problem(f"/steps/{n}", "is wrong", ("a",)) for n in range(500)]))

    assert len(document["problems"]) == 50
    assert document["problems"][0] == {"pointer": "/steps/0", "message": "is wrong", "valid": ["a"]}


def test_large_facts_are_cut() -> None:
    document = document_of(InvalidInput("x" * 100_000, given="y" * 100_000))

    assert len(str(document)) < 5_000


@pytest.mark.parametrize(
    ("error", "header", "value"),
    [
        pytest.param(Unauthorized("Key?"), "www-authenticate", 'Bearer realm="workflow-agent"', id="401"),
        pytest.param(StorageFailed("Full."), "retry-after", "5", id="503"),
        pytest.param(ModelFailed("Wait.", retry_after=0.2), "retry-after", "1", id="a wait of its own"),
    ],
)
def test_headers_say_what_the_status_asks_for(error: WorkflowAgentError, header: str, value: str) -> None:
    assert problem_response(document_of(error), {"path": "/api/v1/chat"}).headers[header] == value


@pytest.mark.parametrize(
    "path", ["/nothing", "/api/v1/conversations/", "/api/v1/workflows/wf_a/nothing", "/health//", "/%00"]
)
async def test_unknown_addresses_are_problems(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(path)

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "not_found"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/health", "GET, HEAD"),
        ("TRACE", "/api/v1/conversations", "GET, HEAD, POST"),
        ("POST", "/api/v1/workflows/wf_a", "DELETE, GET, HEAD, PUT"),
        ("DELETE", "/api/v1/workflows/wf_a/edits", "POST"),
        ("PUT", "/api/v1/workflows/validate", "POST"),
        ("GET", "/api/v1/workflows/validate", "POST"),
        ("OPTIONS", "/openapi.json", "GET, HEAD"),
    ],
)
async def test_other_methods_are_problems_that_name_the_right_ones(
    client: httpx.AsyncClient, method: str, path: str, allowed: str
) -> None:
    answer = await client.request(method, path)

    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert answer.json()["code"] == "method_not_allowed"


async def test_a_problem_names_its_request(client: httpx.AsyncClient) -> None:
    answer = await client.get("/api/v1/runs/x%0Ay", headers={"X-Request-ID": "abc-1"})

    assert answer.headers["x-request-id"] == "abc-1"
    assert (answer.json()["request_id"], answer.json()["instance"]) == ("abc-1", "/api/v1/runs/x%0Ay")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("limit=0", "query:limit: must be at least 1, got '0'"),
        ("limit=1_0", "query:limit: must be a whole number"),
        ("limit=5&limit=5", "query:limit is given more than once"),
        ("limt=5", "query:limt is not a known parameter"),
        ("q=%00", "query:q holds a control character, U\\+0000"),
        ("q=%ff", "not percent-encoded UTF-8"),
        ("q=\u00e9", None),
        ("%00=1", "is not a known parameter"),
        ("cursor=%E2%82%AC", "query:cursor"),
    ],
)
async def test_query_strings_are_read_strictly(client: httpx.AsyncClient, query: str, words: str | None) -> None:
    answer = await client.get(f"/api/v1/conversations?{query}")

    if words is None:
        assert answer.status_code == 200
    else:
        assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
        assert re.search(words, answer.json()["detail"]), answer.json()["detail"]
