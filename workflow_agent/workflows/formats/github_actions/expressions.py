"""Expressions of GitHub Actions: what is wrong with one, and which values it names."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_EXPRESSION = re.compile(r"\$\{\{((?:[^'}]|'[^']*'|\}(?!\}))*)\}\}")
_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>[+-]?(?:0x[0-9a-fA-F]+|0o[0-7]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?))"
    r"|(?P<name>[A-Za-z_][\w-]*)|(?P<sign>&&|\|\||[=!<>]=|[<>!()\[\].,*]))"
)
_PLACEHOLDER = re.compile(r"\{(\d{1,3})\}")
_WORDS = frozenset({"true", "false", "null", "nan", "infinity"})
CONTEXTS = frozenset(
    {"github", "env", "vars", "job", "jobs", "steps", "runner", "secrets", "strategy", "matrix", "needs", "inputs"}
)
_FUNCTIONS: Mapping[str, tuple[int, int]] = {
    "contains": (2, 2), "startswith": (2, 2), "endswith": (2, 2), "format": (1, 99), "join": (1, 2),
    "tojson": (1, 1), "fromjson": (1, 1), "hashfiles": (1, 99), "success": (0, 99), "failure": (0, 99),
    "always": (0, 0), "cancelled": (0, 0), "case": (3, 99),
}  # fmt: skip
"""The fewest and the most arguments of each, its name in lower case."""
_COMPARED = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})


@dataclass(slots=True)
class Expression:
    """What one expression says."""

    text: str
    problem: str | None = None
    """Why it cannot be read, if so."""
    values: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    """The values it names, such as `("steps", "build", "outcome")`; `*` stands for what is not told."""
    functions: set[str] = field(default_factory=set[str])

    def asks(self) -> bool:
        """Say whether what comes out depends on anything."""
        return bool(self.values or self.functions or self.problem)


def expressions_in(text: str, *, is_condition: bool = False) -> Iterator[Expression]:
    """Yield the expressions of a text; a condition without `${{ }}` is one as a whole."""
    found = _EXPRESSION.findall(text)
    if not found and "${{" in text:
        yield Expression(text, "has `${{` without `}}`")
    for one in found or ([text] if is_condition and "${{" not in text else []):
        yield read_expression(one)


def read_expression(text: str) -> Expression:
    """Return what an expression says, the text between `${{` and `}}`."""
    made = Expression(text.strip())
    try:
        _Reader(text, made).whole()
    except ValueError as error:
        made.problem = str(error)
    return made


class _Reader:
    """Reads the tokens of one expression from left to right."""

    def __init__(self, text: str, into: Expression) -> None:
        self._tokens = [*_tokens(text), ("", "")]
        self._at = 0
        self._into = into

    def whole(self) -> None:
        if not self._next():
            raise ValueError("is an empty expression")
        self._any()
        if self._next():
            raise ValueError(f"has {self._next()!r} where its end was expected")

    def _next(self) -> str:
        return self._tokens[self._at][1]

    def _take(self, wanted: str = "") -> str:
        found = self._next()
        if not found or (wanted and found != wanted):
            raise ValueError(f"has {found!r} where {wanted!r} was expected" if found else "ends too early")
        self._at += 1
        return found

    def _any(self) -> None:
        self._one()
        while self._next() in _COMPARED:
            self._at += 1
            self._one()

    def _one(self) -> None:
        while self._next() == "!":
            self._at += 1
        if self._next() == "(":
            self._take()
            self._any()
            self._take(")")
            self._path([])
            return
        kind, found = self._tokens[self._at]
        self._take()
        if kind == "name":
            self._named(found)
        elif kind == "sign":
            raise ValueError(f"has {found!r} where a value was expected")

    def _named(self, name: str) -> None:
        folded = name.lower()
        if self._next() == "(":
            self._call(name)
            self._path([])
        elif folded not in _WORDS:
            if folded not in CONTEXTS:
                raise ValueError(f"names {name[:40]!r}, which is no context")
            self._path([folded])

    def _call(self, name: str) -> None:
        folded = name.lower()
        if folded not in _FUNCTIONS:
            raise ValueError(f"calls {name[:40]!r}, which is no function")
        self._take("(")
        count, first = 0, self._tokens[self._at]
        while self._next() != ")":
            count += 1
            self._any()
            if self._next() != ")":
                self._take(",")
        self._take(")")
        least, most = _FUNCTIONS[folded]
        if not least <= count <= most:
            raise ValueError(f"gives {name} {count} arguments")
        if first[0] == "text" and (problem := _text_problem(folded, _unquoted(first[1]), count - 1)):
            raise ValueError(problem)
        self._into.functions.add(folded)

    def _path(self, parts: list[str]) -> None:
        while self._next() in (".", "["):
            if self._take() == ".":
                parts.append(self._take().lower())
                continue
            kind, found = self._tokens[self._at]
            self._any() if found != "*" else self._take("*")
            is_last = self._next() == "]"
            self._take("]")
            parts.append(_unquoted(found).lower() if kind == "text" and is_last else "*")
        if parts and parts[0] in CONTEXTS:
            self._into.values.append(tuple(parts))


def _unquoted(text: str) -> str:
    return text[1:-1].replace("''", "'")


def _text_problem(function: str, text: str, others: int) -> str | None:
    """Return why a function cannot make anything of the text it is given, with so many arguments after it."""
    if function == "fromjson":
        try:
            json.loads(text)
        except ValueError:
            return f"gives fromJSON {text[:40]!r}, which is not JSON"
    elif function == "format":
        wanted = {int(number) for number in _PLACEHOLDER.findall(text.replace("{{", "").replace("}}", ""))}
        if wanted and max(wanted) >= others:
            return f"has {{{max(wanted)}}} in the text of format, and only {others} values for it"
        if missing := set(range(others)) - wanted:
            return f"gives format a value that its text does not use, {{{min(missing)}}}"
    return None


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            shown = text[at:].strip()[:20]
            hint = "; text stands between single quotes" if shown.startswith('"') else ""
            raise ValueError(f"cannot be read from {shown!r} on{hint}")
        at = match.end()
        yield str(match.lastgroup), match[0].strip()
