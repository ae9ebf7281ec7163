"""The syntax of JSONata expressions: a parser that builds nothing and says where it had to stop."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

_TOKEN = re.compile(
    r"\s+|/\*[\s\S]*?\*/"
    r"|(?P<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
    r"|(?P<string>\"(?:[^\"\\]|\\[\s\S])*\"|'(?:[^'\\]|\\[\s\S])*')"
    r"|(?P<name>`[^`]*`|\$[\w$]*|[^\W\d][\w]*)"
    r"|(?P<operator>\*\*|\.\.|:=|!=|<=|>=|~>|\?:|\?\?|[.\[\]{}(),@#;:?+\-*/%|=<>^&!~])"
)
_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[im]*")
_OPERATORS = ". [ { ( @ # ? ?: ?? + - * / % = < > ^ .. := != <= >= ~> and or in &"
_INFIX = frozenset(_OPERATORS.split())
"""What may follow an operand. How strongly each binds is of no matter where nothing is built."""
_SELECTS_ALL = ("*", "**", "%")
_MAX_DEPTH = 200


class _Unexpected(ValueError):
    """Says what stands where something else had to."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def jsonata_problem(source: str) -> str | None:
    """Return why a text is no JSONata expression, or None."""
    try:
        parser = _Parser(source)
        parser.expression()
        if parser.token.kind != "end":
            raise _Unexpected(parser.found())
    except _Unexpected as error:
        return f"is not valid JSONata: {error}"
    return None


class _Parser:
    """Pratt's way: what an operator means depends on whether something stands before it."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._depth = 0
        self._prefixes: Mapping[str, Callable[[], None]] = {
            "-": self.expression,
            "(": partial(self._series, ")", ";"),
            "[": partial(self._series, "]", ",", may_trail=False),
            "{": partial(self._series, "}", ",", self._pair),
            "|": self._transform,
            "/": self._regex,
        }
        self._infixes: Mapping[str, Callable[[], None]] = {
            "(": partial(self._series, ")", ",", self._argument),
            "[": partial(self._series, "]"),
            "{": partial(self._series, "}", ",", self._pair),
            "?": self._conditional,
            "^": self._order,
            "@": self._variable,
            "#": self._variable,
        }
        self.token = _Token("", "", 0, 0)
        self._advance(0)

    def found(self) -> str:
        """Return what stands here, in words."""
        if self.token.kind == "end":
            return "it ends too early"
        return f"unexpected {self.token.text[:20]!r} at character {self.token.start + 1}"

    def _advance(self, at: int | None = None) -> _Token:
        """Go on to the next token; return the one before."""
        passed = self.token
        at = passed.end if at is None else at
        while at < len(self._source):
            match = _TOKEN.match(self._source, at)
            if match is None:
                raise _Unexpected(f"unexpected {self._source[at]!r} at character {at + 1}")
            at = match.end()
            if match.lastgroup is not None:
                self.token = _Token(match.lastgroup, match[0], match.start(), match.end())
                return passed
        self.token = _Token("end", "", at, at)
        return passed

    def _take(self, text: str) -> None:
        if self.token.text != text or self.token.kind not in ("operator", "name"):
            raise _Unexpected(f"{self.found()}, where `{text}` is needed")
        self._advance()

    def _is(self, *operators: str) -> bool:
        return self.token.kind == "operator" and self.token.text in operators

    def expression(self) -> None:
        """Pass an expression: operands, and what stands between and after them."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _Unexpected("it is nested too deep")
        self._prefix()
        while self.token.kind in ("operator", "name") and self.token.text in _INFIX:
            self._infixes.get(self._advance().text, self._prefix)()
        self._depth -= 1

    def _prefix(self) -> None:
        token = self.token
        if token.kind in ("name", "number", "string"):
            self._advance()
            if token.text in ("function", "λ") and self._is("("):
                self._function()
        elif self._is(*_SELECTS_ALL):
            self._advance()
        elif token.kind == "operator" and token.text in self._prefixes:
            if token.text != "/":
                self._advance()
            self._prefixes[token.text]()
        else:
            raise _Unexpected(self.found())

    def _series(
        self, closing: str, separator: str = "", item: Callable[[], None] | None = None, *, may_trail: bool = True
    ) -> None:
        """Pass expressions, or other items, up to a closing bracket."""
        while not self._is(closing):
            item() if item is not None else self.expression()
            if not self._is(separator):
                break
            self._advance()
            if not may_trail and self._is(closing):
                raise _Unexpected(self.found())
        self._take(closing)

    def _pair(self) -> None:
        self.expression()
        self._take(":")
        self.expression()

    def _transform(self) -> None:
        self.expression()
        self._take("|")
        self.expression()
        if self._is(","):
            self._advance()
            self.expression()
        self._take("|")

    def _regex(self) -> None:
        match = _REGEX.match(self._source, self.token.start)
        if match is None:
            raise _Unexpected(f"the regular expression at character {self.token.start + 1} has no end")
        self._advance(match.end())

    def _argument(self) -> None:
        if self._is("?"):
            self._advance()
        else:
            self.expression()

    def _function(self) -> None:
        self._take("(")
        self._series(")", ",", self._variable)
        if self._is("<"):
            self._signature()
        self._take("{")
        self._series("}")

    def _signature(self) -> None:
        end = self._source.find(">", self.token.start)
        opened = self._source.find("{", self.token.start)
        if end == -1 or opened == -1:
            raise _Unexpected("a function's signature has no end")
        self._advance(self._source.rfind(">", self.token.start, opened) + 1)

    def _conditional(self) -> None:
        self.expression()
        if self._is(":"):
            self._advance()
            self.expression()

    def _order(self) -> None:
        self._take("(")
        while True:
            if self._is("<", ">"):
                self._advance()
            self.expression()
            if not self._is(","):
                break
            self._advance()
        self._take(")")

    def _variable(self) -> None:
        if self.token.kind != "name" or not self.token.text.startswith("$"):
            raise _Unexpected(f"{self.found()}, where a variable is needed")
        self._advance()
