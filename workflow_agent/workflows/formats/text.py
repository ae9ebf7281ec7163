"""Text to plain data and back: JSON and YAML 1.2, with limits on depth, size and what aliases expand to."""

import json
import math
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, cast

from workflow_agent.errors import Problem
from workflow_agent.workflows.formats import base
from workflow_agent.workflows.formats.plain import object_in
from workflow_agent.workflows.formats.yaml_text import read_yaml, write_yaml
from workflow_agent.workflows.model.parser import json_pointer

MERMAID_HEAD = re.compile(
    r"(?:(?:flowchart(?:-elk)?|graph)(?:[ \t]+(?:TB|TD|BT|RL|LR))?|stateDiagram(?:-v2)?)[ \t]*(?=;|\Z)"
)
DOT_BEGINS = re.compile(
    r"""\ufeff?(?:\s|//[^\n]*+|/\*.*?\*/|\#[^\n]*+)*+(?:strict\s+)?digraph\s*"""
    r"""(?:"(?:[^"\\]|\\.)*+"|[\w.-]+)?\s*\{""",
    re.DOTALL | re.IGNORECASE,
)
"""A directed graph of Graphviz."""
_LOOKED_AT = 100
"""How many lines of title and comments may come before the kind of a diagram."""
_STRING_OR_COMMENT = re.compile(
    r"""("(?:[^"\\]|\\.)*(?:"|\Z)|'(?:[^'\\\n]|\\.)*(?:['\n]|\Z))"""
    r"""|(?<![^\s,{}\[\]"'])(?://[^\n]*|/\*.*?(?:\*/(?=[\s,:{}\[\]"']|\Z)|\Z))""",
    re.DOTALL,
)
"""A comment begins after white space or a sign of JSON: an address or a pattern of paths has none."""
_JSON5 = re.compile(
    r"""("(?:[^"\\]|\\.)*+(?:"|\Z))|('(?:[^'\\\n]|\\.)*+(?:['\n]|\Z))"""
    r"""|(?<![\w$])([A-Za-z_$][\w$]*+)(?=\s*:)|,(?=\s*[}\]])""",
    re.DOTALL,
)
"""A string of JSON; and what JSON5 writes otherwise: a string in single quotes, a bare key, a last comma."""
_QUOTE = re.compile(r"""\\(.)|["]""", re.DOTALL)
_COMMENT_BEGINS = re.compile(r"\ufeff?\s*/[/*]")
_XML_BEGINS = re.compile(r"\ufeff?\s*<[?!A-Za-z_]")


def read_text(text: str, *, what: str = "workflow") -> Any:
    """Return what `read_texts` does of a text with a single document.

    Raises:
        UnreadableDocument: As for `read_texts`, or it holds several documents.
    """
    documents = read_texts(text, what=what)
    if len(documents) != 1:
        raise base.unreadable(what, f"has {len(documents)} documents; one is read at a time")
    return documents[0]


def read_texts(text: str, *, what: str = "workflow") -> list[Any]:
    """Return the plain data of each document in a JSON or YAML text: what JSON can hold, with text keys throughout.

    A text that begins as XML, a diagram of Mermaid or a graph of DOT is returned as it is, for its format.

    Raises:
        UnreadableDocument: The text is neither, or too long, too deep or too large; says where.
    """
    if len(text) > base.MAX_CHARS:
        raise base.unreadable(what, f"has {len(text)} characters, more than the {base.MAX_CHARS} that are read")
    if _XML_BEGINS.match(text) or header_line(text) is not None or DOT_BEGINS.match(text):
        return [text]
    if text.lstrip()[:1] in ("{", "[") or _COMMENT_BEGINS.match(text):
        try:
            return [_plain(_read_json(text), what)]
        except RecursionError as error:
            raise base.unreadable(what, f"is nested deeper than {base.MAX_DEPTH}") from error
        except json.JSONDecodeError as error:
            if error.msg == "Extra data" and not error.doc[error.pos :].startswith(("---", "...", "#", ":")):
                where = f"at line {error.lineno}, column {error.colno}"
                raise base.unreadable(what, f"is JSON with more text after its end, {where}") from error
            text = without_comments(text)
    return [_plain(document, what) for document in read_yaml(text, what)]


def _read_json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_int=base.whole_number)
    except json.JSONDecodeError:
        plain = _JSON5.sub(_json_for, without_comments(text))
        if plain == text:
            raise
        return json.loads(plain, parse_constant=_refuse_constant, parse_int=base.whole_number)


def _json_for(match: re.Match[str]) -> str:
    """Return what JSON writes for a match of `_JSON5`."""
    string, quoted, key = match.groups()
    if quoted and len(quoted) > 1 and quoted.endswith("'"):
        return '"' + _QUOTE.sub(lambda one: "'" if one[1] == "'" else one[0] if one[1] else '\\"', quoted[1:-1]) + '"'
    return string or quoted or (f'"{key}"' if key else "")


def without_comments(text: str) -> str:
    """Return JSON without `// ...` and `/* ... */`, and everything else where it was."""
    return _STRING_OR_COMMENT.sub(lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), text)


def header_line(text: str) -> int | None:
    """Return the number of the line on which a text says that it is a diagram of Mermaid; None for others."""
    lines = text[:20_000].lstrip("\ufeff").split("\n", _LOOKED_AT)[:_LOOKED_AT]
    is_front = False
    for at, line in enumerate(lines):
        plain = line.strip()
        if plain == "---" and (is_front or not any(one.strip() for one in lines[:at])):
            is_front = not is_front
        elif not is_front and plain and not plain.startswith("%%"):
            return at if MERMAID_HEAD.match(plain) else None
    return None


def _refuse_constant(name: str) -> float:
    raise json.JSONDecodeError(f"{name} is not JSON", name, 0)


def _plain(value: Any, what: str, at: tuple[str | int, ...] = ()) -> Any:
    """Return a value with text keys throughout; what JSON cannot hold is refused or becomes text."""
    if len(at) > base.MAX_DEPTH:
        raise base.unreadable(what, f"is nested deeper than {base.MAX_DEPTH}")
    if isinstance(value, dict):
        named = cast("Mapping[object, object]", value)
        return {(name := _key(key)): _plain(item, what, (*at, name)) for key, item in named.items()}
    if isinstance(value, list):
        return [_plain(item, what, (*at, index)) for index, item in enumerate(cast("list[object]", value))]
    if isinstance(value, int) and not base.SMALLEST <= value <= base.LARGEST:
        raise base.UnreadableDocument(what, [Problem(json_pointer(at), base.TOO_LARGE)])
    is_json = value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
    return value if is_json else str(value)


def _key(key: Any) -> str:
    """Return a key as JSON would write it: YAML's `on: true` style keys may be of any type."""
    return json.dumps(key) if key is None or isinstance(key, bool) else str(key)


def vocabulary(package: str) -> Mapping[str, Any]:
    """Return what the file `vocabulary.yaml` of a package lists, in place of each text the set of its words."""

    def words(value: Any) -> Any:
        named = object_in(value)
        return {key: words(one) for key, one in named.items()} if named else frozenset(str(value).split())

    return words(read_text(files(package).joinpath("vocabulary.yaml").read_text("utf-8")))


def write_plain(document: Any, media_type: str) -> str:
    """Return readable JSON, or else YAML."""
    return write_json(document) if media_type == "application/json" else write_yaml(document)


def write_json(document: Any) -> str:
    """Return readable JSON with a final newline."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
