"""The text of a PDF, page by page; needs the `documents` extra."""

import io
import logging

from workflow_agent.domain.errors import BodyTooLarge, UnreadableAttachment, UnsupportedDocument

MOST_PAGES = 2_000


def pdf_as_text(data: bytes, name: str, most_chars: int) -> str:
    """Return the text of a PDF.

    Raises:
        UnsupportedDocument: The library that reads it is not installed.
        UnreadableAttachment: It is protected by a password, or no sound PDF.
        BodyTooLarge: It has too many pages, or too much text.
    """
    try:
        # An extra, and only who attaches a PDF should wait for it.
        from pypdf import PdfReader  # noqa: PLC0415 - an optional extra
        from pypdf.errors import PyPdfError  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        raise UnsupportedDocument(
            f"{name!r} is a PDF, which needs an extra on the server: pip install 'workflow-agent[documents]'."
        ) from error
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
                raise BodyTooLarge(
                    f"{name!r} has more than {most_chars} characters of text.", limit=most_chars
                )
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError) as error:
        # A damaged file breaks the reader in many places, and all of them mean the same to the sender.
        raise UnreadableAttachment(
            f"{name!r} cannot be read as a PDF ({type(error).__name__}). Save it again, or send its text."
        ) from error
    return "\n\n".join(page.strip() for page in pages)
