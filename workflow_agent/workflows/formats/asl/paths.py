"""The syntax of JSONPath as Amazon States Language uses it, and of its intrinsic functions."""

import re
from collections.abc import Callable, Mapping

_ROOT = re.compile(r"\$(?:\$|[A-Za-z_]\w*)?")
_NAME = re.compile(r"[^\s.\[\]()'\"*,?@{}|&=<>!]+(?:\(\))?")
_REFERENCE_BRACKET = re.compile(r"\s*(?:-?\d+|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")\s*")
_BRACKET_OR_TEXT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[\[\]()'\"]", re.DOTALL)
"""A quote by itself is one that is not closed."""
_LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null")
_CALL = re.compile(r"States\.(\w+)\s*\(")
_BLANK = re.compile(r"\s*")
_SUBSTITUTION = re.compile(r"\$\{[\w.:-]{1,255}\}")
"""What CloudFormation puts in before the definition is deployed."""
_ANY = 1_000

_FUNCTIONS: Mapping[str, tuple[int, int]] = {
    "Format": (1, _ANY),
    **dict.fromkeys(
        ("StringToJson", "JsonToString", "ArrayLength", "ArrayUnique", "Base64Encode", "Base64Decode"), (1, 1)
    ),
    "Array": (0, _ANY),
    **dict.fromkeys(("ArrayPartition", "ArrayContains", "ArrayGetItem", "Hash", "MathAdd", "StringSplit"), (2, 2)),
    **dict.fromkeys(("ArrayRange", "JsonMerge"), (3, 3)),
    "MathRandom": (2, 3),
    "UUID": (0, 0),
}
"""How many arguments each intrinsic function takes, at least and at most."""
_OF_NUMBERS = frozenset({"MathAdd", "MathRandom", "ArrayRange"})


class _Malformed(ValueError):
    """Says what is wrong, and where in the text."""


def path_problem(text: str) -> str | None:
    """Return why a text is no path, which may select several values."""
    return _problem(text, lambda deployed: _path(deployed, 0, is_reference=False))


def reference_problem(text: str) -> str | None:
    """Return why a text is no reference path: one that selects a single value."""
    return _problem(text, lambda deployed: _path(deployed, 0, is_reference=True))


def result_path_problem(text: str) -> str | None:
    """Return why a text is no reference path into the state's own data, where a result can be put."""
    if text != "$" and not _SUBSTITUTION.match(text) and not text.startswith(("$.", "$[")):
        return f"must start with `$.` and name no variable or context, got {text[:60]!r}"
    return reference_problem(text)


def value_problem(text: str) -> str | None:
    """Return why a text is neither a path nor a call of an intrinsic function."""
    if text.startswith("States."):
        return _problem(text, lambda deployed: _call(deployed, 0))
    return path_problem(text)


def _problem(text: str, scan: Callable[[str], int]) -> str | None:
    # A name stands for what will be put in; where the whole is put in, nothing is known of it yet.
    deployed = _SUBSTITUTION.sub("x", text)
    if _SUBSTITUTION.match(text):
        return None
    try:
        end = scan(deployed)
    except _Malformed as error:
        return f"{text[:60]!r} is not a valid path: {error}"
    except RecursionError:
        return "is nested too deep"
    if end != len(deployed):
        return f"{text[:60]!r} is not a valid path: unexpected {deployed[end : end + 10]!r}"
    return None


def _path(text: str, at: int, *, is_reference: bool) -> int:
    """Return where the path that begins at a position ends."""
    root = _ROOT.match(text, at)
    if root is None:
        raise _Malformed("a path starts with `$`")
    at = root.end()
    while at < len(text) and text[at] in ".[":
        at = _segment(text, at, is_reference=is_reference)
    return at


def _segment(text: str, at: int, *, is_reference: bool) -> int:
    if text[at] == ".":
        dots = 2 if text.startswith("..", at) else 1
        if dots == 2 and is_reference:
            raise _Malformed("`..` selects several values")
        at += dots
        if text[at : at + 1] == "*" and not is_reference:
            return at + 1
        if text[at : at + 1] != "[":
            name = _NAME.match(text, at)
            if name is None:
                raise _Malformed("a name is missing after `.`")
            return name.end()
    end = _closing(text, at)
    content = text[at + 1 : end]
    if is_reference and not _REFERENCE_BRACKET.fullmatch(content):
        raise _Malformed(f"`[{content[:30]}]` does not select a single value")
    if not content.strip():
        raise _Malformed("`[]` is empty")
    return end + 1


def _closing(text: str, at: int) -> int:
    """Return where the bracket opened at a position is closed."""
    pairs = {"[": "]", "(": ")"}
    wanted: list[str] = []
    for mark in _BRACKET_OR_TEXT.finditer(text, at):
        if mark[0] in pairs:
            wanted.append(pairs[mark[0]])
        elif mark[0] in pairs.values() and wanted.pop() != mark[0]:
            raise _Malformed(f"`{mark[0]}` closes nothing")
        elif mark[0] in ("'", '"'):
            break
        if not wanted:
            return mark.start()
    raise _Malformed("a bracket is not closed")


def _call(text: str, at: int) -> int:
    """Return where the call of an intrinsic function that begins at a position ends."""
    call = _CALL.match(text, at)
    if call is None or call[1] not in _FUNCTIONS:
        raise _Malformed(f"there is no such intrinsic function; there are {', '.join(_FUNCTIONS)}")
    at = _skip(text, call.end())
    given = 0
    while text[at : at + 1] != ")":
        if given:
            if text[at : at + 1] != ",":
                raise _Malformed("`,` or `)` is missing")
            at = _skip(text, at + 1)
        at = _skip(text, _argument(text, at, call[1]))
        given += 1
    least, most = _FUNCTIONS[call[1]]
    if not least <= given <= most:
        raise _Malformed(f"States.{call[1]} takes {least} to {most} arguments, got {given}")
    return at + 1


def _argument(text: str, at: int, function: str) -> int:
    if text.startswith("States.", at):
        return _call(text, at)
    if text[at : at + 1] == "$":
        return _path(text, at, is_reference=False)
    literal = _LITERAL.match(text, at)
    if literal is None:
        raise _Malformed("an argument is a path, a literal in single quotes, a number or another function")
    if function in _OF_NUMBERS and not literal[0].lstrip("-")[:1].isdigit():
        raise _Malformed(f"States.{function} takes numbers, got {literal[0]}")
    return literal.end()


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at
