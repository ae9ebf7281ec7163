"""The page for people: one document and its files, which need no key and run nothing but themselves."""

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Request
from starlette.responses import Response

from workflow_agent.errors import NotFound

router = APIRouter(include_in_schema=False)
_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_OPEN = re.compile(r"/|/web/[a-z0-9_]+\.(?:css|js|svg)")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    # Asked for every time and sent only when it changed: a page is never older than its server.
    "Cache-Control": "no-cache",
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept-Encoding",
}


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the page, as it goes over the wire."""

    content: bytes
    compressed: bytes
    media_type: str
    etag: str


def is_page(path: str) -> bool:
    """Return whether an address is the page's own: what anybody may see before giving a key."""
    return _OPEN.fullmatch(path) is not None


@cache
def page_files() -> Mapping[str, PageFile]:
    """Return the files of the page by name, read and compressed once."""
    found: dict[str, PageFile] = {}
    for entry in files("workflow_agent").joinpath("web").iterdir():
        if entry.is_file() and (media_type := _TYPES.get(entry.name.rpartition(".")[2])):
            content = entry.read_bytes()
            tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
            found[entry.name] = PageFile(content, gzip.compress(content, mtime=0), media_type, tag)
    return found


@router.get("/")
async def page(request: Request) -> Response:
    """Return the page."""
    return _reply(request, "index.html")


@router.get("/web/{name}")
async def page_file(request: Request, name: str) -> Response:
    """Return one of the page's files."""
    return _reply(request, name)


def _reply(request: Request, name: str) -> Response:
    file = page_files().get(name)
    if file is None:
        raise NotFound(f"The page has no file {name[:80]!r}.")
    headers = _HEADERS | {"ETag": file.etag}
    if file.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers |= {"Content-Encoding": "gzip"}
        return Response(file.compressed, headers=headers, media_type=file.media_type)
    return Response(file.content, headers=headers, media_type=file.media_type)
