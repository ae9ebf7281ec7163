"""Text to plain data and back: JSON and YAML 1.2, with limits on depth, size and what aliases expand to."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any, cast

from workflow_agent.formats.limits import MAX_CHARS, MAX_DEPTH, unreadable

_XML_BEGINS = re.compile(r"\ufeff?\s*<[?!A-Za-z_]")


def read_text(text: str, *, what: str = "workflow") -> Any:
    """Return the plain data of a JSON or YAML text: what JSON can hold, with text keys throughout.

    A text that begins as XML does is returned as it is, for the format that reads XML.

    Raises:
        UnreadableDocument: The text is neither, or too long, too deep or too large, or holds several
            documents; says where.
    """
    documents = read_texts(text, what=what)
    if len(documents) != 1:
        raise unreadable(what, f"has {len(documents)} documents; one is read at a time")
    return documents[0]


def read_texts(text: str, *, what: str = "workflow") -> list[Any]:
    """Return the plain data of each document in a text: YAML may hold several, between lines of `---`.

    Raises:
        UnreadableDocument: As for `read_text`, but for the number of documents.
    """
    if len(text) > MAX_CHARS:
        raise unreadable(what, f"has {len(text)} characters, more than the {MAX_CHARS} that are read")
    if _XML_BEGINS.match(text):
        return [text]
    if text.lstrip()[:1] in ("{", "["):
        try:
            return [_plain(json.loads(text, parse_constant=_refuse_constant), what)]
        except RecursionError as error:
            raise unreadable(what, f"is nested deeper than {MAX_DEPTH}") from error
        except ValueError:
            # Not JSON after all: YAML has a flow style that looks like it, and its message is as good.
            pass
    return [_plain(document, what) for document in _read_yaml(text, what)]


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _read_yaml(text: str, what: str) -> list[Any]:
    # Here, because most documents are JSON, and the parser of YAML is a library of its own.
    from workflow_agent.formats.yaml_text import read_yaml  # noqa: PLC0415 - see above

    return read_yaml(text, what)


def _plain(value: Any, what: str, depth: int = 0) -> Any:
    """Return a value with text keys throughout; what JSON cannot hold is refused or becomes text."""
    if depth > MAX_DEPTH:
        raise unreadable(what, f"is nested deeper than {MAX_DEPTH}")
    if isinstance(value, dict):
        named = cast("Mapping[object, object]", value)
        return {_key(key): _plain(item, what, depth + 1) for key, item in named.items()}
    if isinstance(value, list):
        return [_plain(item, what, depth + 1) for item in cast("list[object]", value)]
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return str(value)


def _key(key: Any) -> str:
    """Return a key as JSON would write it: YAML's `on: true` style keys may be of any type."""
    if isinstance(key, bool):
        return "true" if key else "false"
    return "null" if key is None else str(key)


def write_json(document: Any) -> str:
    """Return readable JSON with a final newline."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
