"""A text without the documents in it: code in fences, JSON and XML that was pasted as it is."""

import json
import re
from typing import Final

_FENCED: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARKUP: Final = re.compile(r"^[ \t]*<[?!/]?[A-Za-z][\w:.-]*(?:[\s/>?][^\n]*)?$", re.MULTILINE)
_CLOSING: Final = re.compile(r"</[A-Za-z]|/>")
_OBJECT: Final = re.compile(r"[{\[]\s*[{\[\"]")
_JSON: Final = json.JSONDecoder()
_LEAST_CHARS: Final = 80
"""JSON that is shorter is an aside, not a document."""
_MOST_TRIED: Final = 8
"""Beginnings of JSON that come to nothing, before the rest is taken for prose."""


def without_documents(text: str) -> str:
    """Return what somebody says in a text, each document in it replaced by a line's end.

    What a document holds is no fact of the talk: read in, it is in the workflow; sent out, it was made from
    one. Its keys and coordinates would crowd out what was agreed.
    """
    plain = _FENCED.sub("\n", text)
    return _without_json(_MARKUP.sub("", plain) if _CLOSING.search(plain) else plain)


def _without_json(text: str) -> str:
    kept: list[str] = []
    at = tried = 0
    while tried < _MOST_TRIED and (begins := _OBJECT.search(text, at)) is not None:
        try:
            _, end = _JSON.raw_decode(text, begins.start())
        except (ValueError, RecursionError):
            tried += 1
            end = begins.end()
            kept.append(text[at:end])
        else:
            is_document = end - begins.start() >= _LEAST_CHARS
            kept += (text[at : begins.start()], "\n") if is_document else (text[at:end],)
        at = end
    return "".join([*kept, text[at:]])
