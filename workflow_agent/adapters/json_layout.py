"""JSON as people read it: what fits on a line stands on one, the rest is indented."""

import json
from json.encoder import encode_basestring
from typing import Any, cast

_WIDTH = 160
_WORDS = {None: "null", True: "true", False: "false"}


def laid_out(value: Any, indent: int = 0) -> str:
    """Return JSON data as text; its first line is put where the caller stands, `indent` spaces in.

    Records of a few short fields, most of a conversation, take one line in place of ten: half the bytes,
    and a turn fits on a screen. What is nested goes in by one space, because it is nested deeply.
    """
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value).items()
        parts = [f"{encode_basestring(name)}: {laid_out(one, indent + 1)}" for name, one in fields]
        return _joined(parts, "{}", indent)
    if isinstance(value, list):
        return _joined([laid_out(one, indent + 1) for one in cast("list[Any]", value)], "[]", indent)
    return _WORDS[value] if value is None or value is True or value is False else json.dumps(value)


def _joined(parts: list[str], brackets: str, indent: int) -> str:
    """Return the parts on one line where that is short enough, which no part can be that is not on one."""
    opening, closing = brackets
    length = sum(map(len, parts)) + 2 * len(parts) + indent
    if length <= _WIDTH or not parts:
        return f"{opening}{', '.join(parts)}{closing}"
    inner = "\n" + " " * (indent + 1)
    return f"{opening}{inner}{(',' + inner).join(parts)}{inner[:-1]}{closing}"
