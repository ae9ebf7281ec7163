"""Files among the parts of a message, as OpenAI's two APIs write them."""

import re
from collections.abc import Iterator
from typing import Any, cast

from pydantic import ValidationError

from workflow_agent.api.attachments import RequestAttachment, new_attachments
from workflow_agent.chat import NewAttachment
from workflow_agent.domain.errors import InvalidInput, Problem
from workflow_agent.domain.values import JsonObject

_DATA_URL = re.compile(r"data:(?P<media>[\w.+-]+/[\w.+-]+)?(?:;[\w.+-]+=[\w.+-]+)*;base64,")
KINDS = ("file", "input_file")


def file_in(part: JsonObject, pointer: str) -> NewAttachment:
    """Return a file part as the attachment it is.

    Args:
        part: `{"type": "file", "file": {"filename": …, "file_data": …}}`, or the same members in an
            `input_file`. The data are base64, plain or in a data URL.
        pointer: Where it stands in the request.

    Raises:
        InvalidInput: It names a file that is kept elsewhere, or its members are not of their types.
    """
    inner = part.get("file") if part.get("type") == "file" else part
    given = cast("dict[str, Any]", inner) if isinstance(inner, dict) else {}
    data = given.get("file_data")
    if not isinstance(data, str):
        raise _refused(
            pointer, "must carry its content in `file_data`; files kept elsewhere are not read here"
        )
    url = _DATA_URL.match(data)
    media_type = (url["media"] if url else None) or None
    try:
        attachment = RequestAttachment(
            content=data[url.end() :] if url else data, title=given.get("filename"), media_type=media_type,
            encoding="base64",
        )  # fmt: skip
    except ValidationError as error:
        raise _refused(pointer, f"is not a file: {error.errors()[0]['msg']}") from error
    return new_attachments([attachment])[0]


def files_in(parts: Iterator[tuple[JsonObject, str]]) -> tuple[NewAttachment, ...]:
    """Return the files among parts of a message, each given with where it stands."""
    return tuple(file_in(part, pointer) for part, pointer in parts if part.get("type") in KINDS)


def _refused(pointer: str, message: str) -> InvalidInput:
    return InvalidInput(f"{pointer[1:]} {message}.", [Problem(pointer, message)])
