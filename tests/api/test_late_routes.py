"""Routes that are not there when the server begins answer their first request like any later one."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from starlette.routing import Route

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
        import_by = client.get("/api/v1/workflows/import")
        unknown = client.get("/api/v1/nothing")

    assert (early.status_code, early.headers["Allow"]) == (405, "POST")
    assert (late.status_code, late.headers["Allow"]) == (405, "GET, HEAD, POST")
    assert (import_by.status_code, import_by.headers["Allow"]) == (405, "POST")
    assert unknown.status_code == 404


def test_a_body_that_comes_before_the_route_is_read_whole(tmp_path: Path) -> None:
    text = "x" * 200_000
    with serving(load_settings(data_dir=tmp_path)) as served, served.client() as client:
        made = client.post("/api/v1/conversations", json={"metadata": {"text": text}})

    assert (made.status_code, made.json()["metadata"]) == (201, {"text": text})


def test_all_routes_are_imported_once_whoever_asks(tmp_path: Path) -> None:
    application = application_for(load_settings(data_dir=tmp_path))

    with ThreadPoolExecutor(4) as pool:
        made = {id(done.result()) for done in [pool.submit(application.app.whole) for _ in range(4)]}

    application.close()
    assert len(made) == 1
    names = [route.path for route in application.app.routes if isinstance(route, Route)]
    assert names.count("/api/v1/workflows") == 2  # GET and POST
