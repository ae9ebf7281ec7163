"""Attachments as requests carry them, native and OpenAI's."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from workflow_agent.api.body import Body
from workflow_agent.api.parameters import CLEAN_PATTERN
from workflow_agent.assistant.attachments import NewAttachment

MAX_ATTACHMENTS = 10
MAX_CONTENT_CHARS = 10_000_000
_TEXT: dict[str, str] = {"type": "string"}
_NONE: dict[str, str] = {"type": "null"}
_ONE_OF = [
    {"required": ["attachment_id"], "properties": {"attachment_id": _TEXT, "content": _NONE}},
    {"required": ["content"], "properties": {"content": _TEXT, "attachment_id": _NONE}},
]


class RequestAttachment(Body):
    """A document that comes with a message: its content, or the id of one that was attached before."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"title": "Travel policy", "content": "Claims are due within 30 days of the trip."}],
            "oneOf": _ONE_OF,
        }  # pyright: ignore[reportArgumentType] - JSON, whose lists are invariant
    )

    attachment_id: Annotated[str, StringConstraints(pattern=r"^att_[0-9a-f]{32}$")] | None = None
    """Of a document of this conversation, as its artifacts list it."""
    content: (
        Annotated[
            str,
            StringConstraints(min_length=1, max_length=MAX_CONTENT_CHARS),
            Field(json_schema_extra={"pattern": r"[^\s\x00]"}),
        ]
        | None
    ) = None
    """Its text; or, with `encoding` base64, its bytes (a PDF or a DOCX)."""
    title: Annotated[str, StringConstraints(max_length=200, pattern=CLEAN_PATTERN)] | None = None
    """What to call it; a file name tells its kind."""
    source: Annotated[str, StringConstraints(max_length=2_000, pattern=CLEAN_PATTERN)] | None = None
    """Where it is from: for people to read. It is never fetched."""
    attachment_type: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")] = "document"
    """What it is to you: document, data, ..."""
    media_type: Annotated[str, StringConstraints(max_length=200, pattern=CLEAN_PATTERN)] | None = None
    """Such as text/markdown or application/pdf; told by the title and the content where it is not given."""
    encoding: Literal["text", "base64"] = "text"
    """How `content` is to be read."""

    @model_validator(mode="after")
    def _has_one(self) -> "RequestAttachment":
        if (self.attachment_id is None) == (self.content is None):
            raise ValueError("needs exactly one of attachment_id and content")
        return self


Attachments = Annotated[list[RequestAttachment], Field(max_length=MAX_ATTACHMENTS)]


def new_attachments(given: Sequence[RequestAttachment] | None) -> tuple[NewAttachment, ...]:
    """Return attachments as a turn takes them."""
    plain: list[dict[str, Any]] = [one.model_dump() for one in given or ()]
    return tuple(NewAttachment(**one) for one in plain)
