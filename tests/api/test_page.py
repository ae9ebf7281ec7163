"""The page's files: what anybody gets, how it is kept fresh, and what it may not do."""

import gzip
from pathlib import Path

import httpx
import pytest

from tests.support.server import application_for, client_of
from workflow_agent.api.page import is_page, page_files
from workflow_agent.settings import load_settings


async def test_the_page_and_its_files_say_what_they_are(client: httpx.AsyncClient) -> None:
    types = {
        path: (await client.get(path)).headers["content-type"]
        for path in ("/", "/web/main.js", "/web/page.css", "/web/icon.svg")
    }

    assert types == {
        "/": "text/html; charset=utf-8",
        "/web/main.js": "text/javascript; charset=utf-8",
        "/web/page.css": "text/css; charset=utf-8",
        "/web/icon.svg": "image/svg+xml",
    }


@pytest.mark.parametrize("path", ["/", "/web/main.js"])
async def test_the_page_runs_nothing_but_its_own_files(client: httpx.AsyncClient, path: str) -> None:
    headers = (await client.get(path)).headers

    assert headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    assert headers["x-content-type-options"] == "nosniff"


async def test_what_has_not_changed_is_not_sent_again(client: httpx.AsyncClient) -> None:
    first = await client.get("/web/page.css")

    again = await client.get("/web/page.css", headers={"If-None-Match": f'W/"old", {first.headers["etag"]}'})
    other = await client.get("/web/page.css", headers={"If-None-Match": '"old"'})

    assert (again.status_code, again.content, other.status_code) == (304, b"", 200)


async def test_files_are_compressed_for_who_can_read_that(client: httpx.AsyncClient) -> None:
    packed = await client.get("/web/main.js", headers={"Accept-Encoding": "gzip"})
    plain = await client.get("/web/main.js", headers={"Accept-Encoding": "identity"})

    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content == page_files()["main.js"].content


@pytest.mark.parametrize(
    "path",
    ["/web/", "/web/nothing.js", "/web/index.htm", "/web/../api/app.py", "/web/%2e%2e/context.py", "/web/a/b.js"],
)
async def test_there_is_no_other_file(client: httpx.AsyncClient, path: str) -> None:
    assert (await client.get(path)).status_code == 404


def test_all_that_the_page_needs_is_under_its_budget() -> None:
    sent = sum(len(file.compressed) for file in page_files().values())

    assert sent < 110_000
    assert all(gzip.decompress(file.compressed) == file.content for file in page_files().values())


@pytest.mark.parametrize("name", sorted(page_files()))
def test_every_file_of_the_page_is_reached_without_a_key(name: str) -> None:
    assert is_page("/") if name == "index.html" else is_page(f"/web/{name}")


@pytest.mark.parametrize(
    "path", ["/api/v1/modes", "/web", "/web/../api/v1/modes", "/web/a.js/../../api", "/web/a.js\n", "//", "/web/a.json"]
)
def test_nothing_else_is_open(path: str) -> None:
    assert not is_page(path)


async def test_the_page_comes_without_a_key_and_what_it_shows_does_not(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, api_keys=("a-good-key",), allowed_hosts=("*",))
    application = application_for(settings)
    async with client_of(application) as client:
        statuses = [
            (await client.request(method, path)).status_code
            for method, path in (
                ("GET", "/"),
                ("HEAD", "/web/main.js"),
                ("GET", "/web/%2e%2e/api/v1/modes"),
                ("POST", "/"),
                ("GET", "/api/v1/conversations"),
            )
        ]

    assert statuses == [200, 200, 401, 401, 401]
