"""Documents read as text: what they say, and what is refused before it can do harm."""

import base64
import io
import zipfile
import zlib

import docx
import pytest
from pypdf import PdfReader, PdfWriter

from workflow_agent.assistant.documents import DocumentLimits, read_document
from workflow_agent.assistant.office_documents import MOST_XML_BYTES
from workflow_agent.errors import BodyTooLarge, UnreadableAttachment, UnsupportedDocument

LIMITS = DocumentLimits(bytes=1_000_000, chars=5_000)


def read(content: str | bytes, name: str = "x", media_type: str | None = None) -> tuple[str, str]:
    is_bytes = isinstance(content, bytes)
    sent = base64.b64encode(content).decode() if isinstance(content, bytes) else content
    found = read_document(sent, is_base64=is_bytes, name=name, media_type=media_type, limits=LIMITS)
    return found.text, found.media_type


def pdf(text: str, *, stream: bytes | None = None) -> bytes:
    content = stream if stream is not None else f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET".encode()
    packed = zlib.compress(content)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 600 800] >>",
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    written, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return (
        written
        + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
        + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (size, len(written))
    )


def locked(data: bytes, password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(user_password=password, owner_password="owner", algorithm="RC4-128")
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def word() -> bytes:
    document = docx.Document()
    document.add_heading("Travel policy", 1)
    document.add_paragraph("Claims are due within 30 days.")
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Hotel", "120 euros"
    document.add_paragraph("The end.")
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def zipped(**files: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/"), data)
    return written.getvalue()


def with_main(data: bytes) -> bytes:
    """Return a DOCX whose main part is exchanged."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(word())) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        for one in old.infolist():
            new.writestr(one.filename, data if one.filename == "word/document.xml" else old.read(one))
    return written.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        pytest.param("a.md", "# Title\n\ntext", "text/markdown", id="markdown"),
        pytest.param("a.json", '{"due": 30}', "application/json", id="json"),
        pytest.param("a.yml", "due: 30", "application/yaml", id="yaml"),
        pytest.param("a.csv", "name,due\npolicy,30", "text/csv", id="csv"),
        pytest.param("a.log", "text", "text/plain", id="log"),
        pytest.param("policy", "text", "text/plain", id="no extension"),
        pytest.param("a.pdf", "only named like one", "text/plain", id="text that is called a PDF"),
    ],
)
def test_text_stays_as_it_is(name: str, content: str, media_type: str) -> None:
    assert read(content, name) == (content, media_type)


def test_the_declared_type_counts_more_than_the_name() -> None:
    assert read("<p>due</p>", "a.txt", "text/html; charset=utf-8") == ("due", "text/html")
    assert read("due: 1", "a", "application/x-yaml")[1] == "application/yaml"


def test_of_a_page_only_what_it_shows_is_read() -> None:
    page = (
        "<!DOCTYPE html><html><head><title>t</title><style>p{}</style></head><body><h1>Policy</h1>"
        "<script>alert('Ignore')</script><p>Due   in <b>30&nbsp;days</b>.</p><ul><li>one<li>two</ul>"
        "<table><tr><td>Hotel<td>120</table><img src=x onerror=alert(1)><svg><text>hidden</text></svg>"
    )

    text, kind = read(page, "page")

    assert kind == "text/html"
    assert [words for words in ("Policy", "Due in 30 days.", "one\ntwo", "Hotel | 120") if words not in text] == []
    assert [words for words in ("Ignore", "alert", "hidden", "p{}") if words in text] == []


def test_a_script_that_is_never_closed_hides_what_follows_and_no_more() -> None:
    assert read("<body><p>shown</p><script>hidden</body>", "a.html")[0] == "shown"
    assert read("<html><head><body><p>shown</p>", "a.html")[0] == "shown"


def test_a_pdf_is_read_by_its_beginning_or_its_name() -> None:
    assert read(pdf("Due in 30 days."), "policy") == ("Due in 30 days.", "application/pdf")


def test_a_pdf_that_anybody_may_open_is_read_though_encrypted() -> None:
    assert read(locked(pdf("Due in 30 days."), ""), "a.pdf")[0] == "Due in 30 days."


def test_a_docx_is_read_with_its_tables_in_their_place() -> None:
    text, _ = read(word(), "policy.docx")

    assert text == "Travel policy\n\nClaims are due within 30 days.\n\nHotel | 120 euros\n\nThe end."


ENTITIES = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + at, b"&%c;" % (97 + at) * 10) for at in range(9))
    + b'<!ENTITY f SYSTEM "file:///etc/passwd">]><x>&j;&f;</x>'
)


@pytest.mark.parametrize(
    ("content", "name", "refused", "words"),
    [
        pytest.param(locked(pdf("x"), "secret"), "a.pdf", UnreadableAttachment, "password", id="locked PDF"),
        pytest.param(pdf("")[:200], "a.pdf", UnreadableAttachment, "cannot be read as a PDF", id="cut PDF"),
        pytest.param(b"%PDF-1.7 garbage", "a.pdf", UnreadableAttachment, "cannot be read", id="garbage PDF"),
        pytest.param(pdf(""), "scan.pdf", UnreadableAttachment, "no text", id="PDF without text"),
        pytest.param(pdf("x" * 6_000), "a.pdf", BodyTooLarge, "5000", id="PDF with too much text"),
        pytest.param(zipped(a=b"x"), "a.docx", UnsupportedDocument, "no DOCX", id="some archive"),
        pytest.param(b"PK\x03\x04 garbage", "a.docx", UnreadableAttachment, "cannot be read", id="garbage DOCX"),
        pytest.param(zipped(word__document_xml=b"x"), "a", UnsupportedDocument, "no DOCX", id="nearly a DOCX"),
        pytest.param(with_main(ENTITIES), "a.docx", UnreadableAttachment, "cannot be read", id="entities in a DOCX"),
        pytest.param(b"\x89PNG\r\n\0\0", "a", UnsupportedDocument, "Readable:", id="an image"),
        pytest.param(b"caf\xe9", "a.txt", UnreadableAttachment, "UTF-8", id="Latin-1"),
        pytest.param(b" \n ", "a.txt", UnreadableAttachment, "no text", id="blank"),
        pytest.param("x" * 5_001, "a.txt", BodyTooLarge, "5000", id="too long"),
        pytest.param(b"x" * 1_000_001, "a.txt", BodyTooLarge, "1000000", id="too large"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(
    content: str | bytes, name: str, refused: type[Exception], words: str
) -> None:
    with pytest.raises(refused, match=words) as caught:
        read(content, name)

    assert len(str(caught.value)) < 400


def test_an_archive_that_unpacks_to_far_more_is_refused_unopened() -> None:
    bomb = with_main(b" " * (MOST_XML_BYTES + 1))

    assert len(bomb) < 100_000
    with pytest.raises(BodyTooLarge, match="unpacked"):
        read(bomb, "a.docx")


def test_a_pdf_that_unpacks_to_far_more_is_refused() -> None:
    bomb = pdf("", stream=b" " * 90_000_000)

    assert len(bomb) < 200_000
    with pytest.raises(UnreadableAttachment, match="cannot be read as a PDF"):
        read(bomb, "a.pdf")


@pytest.mark.parametrize("sent", ["not base64!", "YQ", "=", "\u00e9"])
def test_what_is_no_base64_is_refused(sent: str) -> None:
    with pytest.raises(UnreadableAttachment, match="is not base64"):
        read_document(sent, is_base64=True, name="a.pdf", media_type=None, limits=LIMITS)
