"""Programs that a model wrote: their source as it is run, and what they come to."""

import ast
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program came to."""

    result: Any
    """Plain JSON data, or the `repr` of what is none."""
    printed: str


class ProgramFailed(Exception):
    """A program did not come to its end; the message says why, in words for whom wrote it."""

    def __init__(self, error_type: str, message: str, *, hit_a_limit: bool) -> None:
        super().__init__(message)
        self.error_type = error_type
        self.message = message
        self.hit_a_limit = hit_a_limit
        """Whether it took more than it may, rather than being wrong."""


AS_TEXT = """\
import json as RESULT_json
try:
    RESULT_text = 'json:' + RESULT_json.dumps(RESULT)
except:
    RESULT_text = f'repr:{RESULT!r}'
f'{RESULT_text}'
"""
"""Gives the result as text. Only syntax is used that a program cannot have given another meaning."""


def wrapper(name: str, secret_name: str) -> str:
    """Return the function a program calls: it hands text to the host, whatever it is given.

    Its last line calls a name that only the host knows; a call of any other name is never looked into.
    """
    return f"def {name}(wanted):\n    return {secret_name}(f'{{wanted}}')\n"


def with_named_result(code: str, name: str) -> str:
    """Return a program that keeps the value of its last expression, every line where it was.

    Raises:
        ProgramFailed: It is not Python.
    """
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ProgramFailed("SyntaxError", f"This is not Python: {error}.", hit_a_limit=False) from error
    last = body[-1] if body else None
    if not isinstance(last, ast.Expr):
        return f"{name} = None\n{code}"
    lines = code.encode().splitlines(keepends=True)
    before = b"".join(lines[: last.lineno - 1]) + lines[last.lineno - 1][: last.col_offset]
    source = ast.get_source_segment(code, last) or "None"
    return f"{before.decode()}{name} = (\n{source}\n)"
