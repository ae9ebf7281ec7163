"""From what was attached to its text: which kind of document it is, and who reads that kind."""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import PurePosixPath

from workflow_agent.errors import BodyTooLarge, UnreadableAttachment, UnsupportedDocument

_UNSEEN = frozenset({"script", "style", "template", "noscript", "svg", "math", "iframe", "object", "head"})
_BLOCKS = frozenset({
    "p", "div", "section", "article", "header", "footer", "main", "aside", "nav", "h1", "h2", "h3", "h4",
    "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "br", "hr", "pre", "blockquote",
    "form", "fieldset", "figure", "title",
})  # fmt: skip
_SPACES = re.compile(r"[ \t\r\f\v\u00a0]+")
_GAPS = re.compile(r"\n\s*\n\s*")


class _Shown(HTMLParser):
    """Collects what is shown; what is left open at the end does not hide the rest."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag in _UNSEEN:
            self._hidden.append(tag)
        elif tag == "body":
            self._hidden.clear()
        if tag in _BLOCKS:
            self.pieces.append("\n\n" if tag not in ("br", "li", "tr") else "\n")
        elif tag in ("td", "th"):
            self.pieces.append(" | ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _UNSEEN:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._hidden:
            while self._hidden.pop() != tag:
                pass
        elif tag in _BLOCKS:
            self.pieces.append("\n\n" if tag not in ("li", "tr") else "\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(data)


def html_as_text(page: str) -> str:
    """Return what a page shows, paragraph by paragraph."""
    shown = _Shown()
    shown.feed(page)
    shown.close()
    lines = (_SPACES.sub(" ", line).strip() for line in "".join(shown.pieces).split("\n"))
    return _GAPS.sub("\n\n", "\n".join(lines)).strip()


PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
HTML = "text/html"
PLAIN = "text/plain"
_BY_EXTENSION: Mapping[str, str] = {
    "txt": PLAIN, "text": PLAIN, "log": PLAIN, "md": "text/markdown", "markdown": "text/markdown",
    "json": "application/json", "yaml": "application/yaml", "yml": "application/yaml", "csv": "text/csv",
    "html": HTML, "htm": HTML, "pdf": PDF, "docx": DOCX,
}  # fmt: skip
_BY_NAME = {
    "application/x-yaml": "application/yaml",
    "text/yaml": "application/yaml",
    "text/x-markdown": "text/markdown",
    "application/xhtml+xml": HTML,
    "text/json": "application/json",
    "application/csv": "text/csv",
}
READABLE = tuple(dict.fromkeys(_BY_EXTENSION.values()))
"""The media types that are read."""


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """How large a document may be."""

    bytes: int = 5_000_000
    """As it was sent."""
    chars: int = 1_000_000
    """As text."""


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as text."""

    text: str
    media_type: str


def read_document(
    content: str, *, is_base64: bool, name: str, media_type: str | None, limits: DocumentLimits
) -> ReadDocument:
    """Return what a document says; its name's extension tells its kind where `media_type` does not.

    Raises:
        UnsupportedDocument: It is of a kind that is not read here.
        UnreadableAttachment: It is not what it claims to be, is protected, or says nothing.
        BodyTooLarge: It is over a limit.
    """
    data = _decoded(content, name) if is_base64 else content.encode("utf-8", "surrogatepass")
    if len(data) > limits.bytes:
        raise BodyTooLarge(f"{name!r} has {len(data)} bytes; the most is {limits.bytes}.", limit=limits.bytes)
    kind = _kind(data, name, media_type, is_text=not is_base64)
    text = _text_of(data, kind, name, limits.chars).strip()
    if not text:
        raise UnreadableAttachment(f"{name!r} holds no text. A scan has to go through text recognition first.")
    if len(text) > limits.chars:
        raise BodyTooLarge(
            f"{name!r} has {len(text)} characters of text; the most is {limits.chars}.", limit=limits.chars
        )
    return ReadDocument(text, kind)


def _decoded(content: str, name: str) -> bytes:
    try:
        return base64.b64decode("".join(content.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise UnreadableAttachment(
            f"The content of {name!r} is not base64: {error}. Encode the file's bytes, or send text with "
            "encoding 'text'."
        ) from error


def _kind(data: bytes, name: str, media_type: str | None, *, is_text: bool) -> str:
    """Return the kind of a document: as it is declared, by its name, or by how it begins."""
    declared = (media_type or "").partition(";")[0].strip().lower()
    declared = _BY_NAME.get(declared, declared)
    if declared in READABLE:
        return declared
    if declared and not (declared.startswith("text/") or declared == "application/octet-stream"):
        raise UnsupportedDocument(
            f"{name!r} is of type {declared[:80]!r}, which is not read. Readable: {', '.join(READABLE)}.",
            valid=list(READABLE),
        )
    by_name = _BY_EXTENSION.get(PurePosixPath(name).suffix.lstrip(".").lower())
    if by_name and not (is_text and by_name in (PDF, DOCX)):
        return by_name
    return _by_beginning(data, name)


def _by_beginning(data: bytes, name: str) -> str:
    if data.startswith(b"%PDF-"):
        return PDF
    if data.startswith(b"PK\x03\x04"):
        return DOCX
    if data[:200].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return HTML
    if b"\0" in data[:4_096]:
        raise UnsupportedDocument(
            f"{name!r} is not text and not a document that is read here. Readable: {', '.join(READABLE)}.",
            valid=list(READABLE),
        )
    return PLAIN


def _text_of(data: bytes, kind: str, name: str, most_chars: int) -> str:
    if kind in (PDF, DOCX):
        return _office(kind, data, name, most_chars)
    try:
        text = data.decode("utf-8-sig").replace("\0", "")
    except UnicodeDecodeError as error:
        raise UnreadableAttachment(f"{name!r} is not UTF-8 text: {error.reason}. Convert it first.") from error
    return html_as_text(text) if kind == HTML else text


def _office(kind: str, data: bytes, name: str, most_chars: int) -> str:
    try:
        # An extra, and only who attaches such a document should wait for it.
        from workflow_agent.assistant.office_documents import docx_as_text, pdf_as_text  # noqa: PLC0415 - see above
    except ImportError as error:
        raise UnsupportedDocument(
            f"{name!r} is a PDF or a DOCX, which needs an extra on the server: pip install 'workflow-agent[documents]'."
        ) from error
    return (pdf_as_text if kind == PDF else docx_as_text)(data, name, most_chars)
