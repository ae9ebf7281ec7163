"""Routes that are not there when the server begins answer their first request like any later one."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fastapi.routing import iter_route_contexts

from tests.support.server import application_for, serving
from workflow_agent.settings import load_settings


def test_the_first_request_to_a_late_route_is_answered(tmp_path: Path) -> None:
    with serving(load_settings(data_dir=tmp_path)) as served, served.client() as client:
        first = client.get("/api/v1/workflows")
        again = client.get("/api/v1/workflows")

    assert (first.status_code, first.json()) == (again.status_code, again.json()) == (200, first.json())


def test_a_late_route_says_what_it_takes_from_the_first_request_on(tmp_path: Path) -> None:
    with serving(load_settings(data_dir=tmp_path)) as served, served.client() as client:
        early = client.get("/api/v1/chat")
        late = client.delete("/api/v1/workflows")
        unknown = client.get("/api/v1/nothing")

    assert (early.status_code, early.headers["Allow"]) == (405, "POST")
    assert (late.status_code, late.headers["Allow"]) == (405, "GET, HEAD, POST")
    assert unknown.status_code == 404


def test_a_body_that_comes_before_the_route_is_read_whole(tmp_path: Path) -> None:
    text = "x" * 200_000
    with serving(load_settings(data_dir=tmp_path)) as served, served.client() as client:
        made = client.post("/api/v1/conversations", json={"metadata": {"text": text}})

    assert (made.status_code, made.json()["metadata"]) == (201, {"text": text})


def test_routes_are_taken_in_once_whoever_asks(tmp_path: Path) -> None:
    application = application_for(load_settings(data_dir=tmp_path))
    late = application.app.state.late_routes

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(late.take_in) for _ in range(4)]:
            done.result()

    application.close()
    names = [route.path for route in iter_route_contexts(application.app.routes)]
    assert names.count("/api/v1/workflows") == 2  # GET and POST
