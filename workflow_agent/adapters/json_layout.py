"""JSON as people read it: what fits on a line stands on one, the rest is indented."""

import json
from typing import Any, cast

_WIDTH = 160


def laid_out(value: Any, indent: int = 0) -> str:
    """Return JSON data as text; its first line is put where the caller stands, `indent` spaces in.

    Records of a few short fields, most of a conversation, take one line in place of ten: half the bytes,
    and a turn fits on a screen. What is nested goes in by one space, because it is nested deeply.
    """
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= _WIDTH or not isinstance(value, dict | list):
        return flat
    inner, outer = "\n" + " " * (indent + 1), "\n" + " " * indent
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        names = (json.dumps(name, ensure_ascii=False) for name in fields)
        lines = [
            f"{name}: {laid_out(one, indent + 1)}" for name, one in zip(names, fields.values(), strict=True)
        ]
        return "{" + inner + ("," + inner).join(lines) + outer + "}"
    items = cast("list[Any]", value)
    return "[" + inner + ("," + inner).join(laid_out(one, indent + 1) for one in items) + outer + "]"
