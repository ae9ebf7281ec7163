"""The text of a DOCX, paragraphs and tables in their order, and of a PDF; needs the `documents` extra."""

import io
import logging
import zipfile
import zlib
from collections.abc import Iterator

import docx
from docx.document import Document
from docx.opc.exceptions import OpcError
from docx.table import Table
from pypdf import PdfReader
from pypdf.errors import PyPdfError

from workflow_agent.errors import BodyTooLarge, UnreadableAttachment, UnsupportedDocument

MOST_UNPACKED_BYTES = 100_000_000
MOST_XML_BYTES = 20_000_000
MOST_FILES = 2_000
_MAIN = "word/document.xml"


def docx_as_text(data: bytes, name: str, most_chars: int) -> str:
    """Return the text of a DOCX.

    Raises:
        UnsupportedDocument: It is another kind of archive.
        UnreadableAttachment: It is no sound DOCX, or it is protected.
        BodyTooLarge: Unpacked, it is over a limit.
    """
    _check_archive(data, name)
    try:
        text = "\n\n".join(filter(None, _blocks(docx.Document(io.BytesIO(data)))))
    except (OpcError, SyntaxError, KeyError, ValueError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
        raise _unreadable(name, "DOCX", error) from error
    if len(text) > most_chars:
        raise BodyTooLarge(f"{name!r} has more than {most_chars} characters of text.", limit=most_chars)
    return text


def _check_archive(data: bytes, name: str) -> None:
    """Refuse what would not fit into memory, before anything is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise _unreadable(name, "DOCX", error) from error
    if not any(one.filename == _MAIN for one in files):
        raise UnsupportedDocument(f"{name!r} is an archive, but no DOCX. Send the documents in it one by one.")
    xml = [one.file_size for one in files if one.filename.endswith((".xml", ".rels"))]
    if (
        len(files) > MOST_FILES
        or sum(one.file_size for one in files) > MOST_UNPACKED_BYTES
        or sum(xml) > MOST_XML_BYTES
    ):
        raise BodyTooLarge(f"{name!r} is too large once it is unpacked; the most is {MOST_XML_BYTES} bytes of text.")


def _blocks(document: Document) -> Iterator[str]:
    for block in document.iter_inner_content():
        if isinstance(block, Table):
            yield "\n".join(" | ".join(cell.text.strip() for cell in row.cells) for row in block.rows)
        else:
            yield block.text.strip()


def _unreadable(name: str, kind: str, why: Exception) -> UnreadableAttachment:
    """Return what the sender is told: a damaged file breaks the readers in many places, which all mean the same."""
    return UnreadableAttachment(
        f"{name!r} cannot be read as a {kind} ({type(why).__name__}). Save it again, or send its text."
    )


MOST_PAGES = 2_000


def pdf_as_text(data: bytes, name: str, most_chars: int) -> str:
    """Return the text of a PDF.

    Raises:
        UnreadableAttachment: It is protected by a password, or no sound PDF.
        BodyTooLarge: It has too many pages, or too much text.
    """
    logging.getLogger("pypdf").setLevel(logging.ERROR)
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableAttachment(f"{name!r} is protected by a password. Send it without one.")
        if len(reader.pages) > MOST_PAGES:
            raise BodyTooLarge(f"{name!r} has {len(reader.pages)} pages; the most is {MOST_PAGES}.")
        pages: list[str] = []
        for page in reader.pages:
            pages.append(page.extract_text())
            if sum(map(len, pages)) > most_chars:
                raise BodyTooLarge(f"{name!r} has more than {most_chars} characters of text.", limit=most_chars)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError) as error:
        raise _unreadable(name, "PDF", error) from error
    return "\n\n".join(page.strip() for page in pages)
