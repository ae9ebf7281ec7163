"""How generated code uses the call history: which way it goes about it, read from its source."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

QueryPattern = Literal["filter", "map", "slice", "count", "group", "sort"]
PATTERNS: tuple[QueryPattern, ...] = ("filter", "map", "slice", "count", "group", "sort")
HISTORY_KEY = "conversation_history"
_CALLED: dict[str, tuple[QueryPattern, ...]] = {
    "filter": ("filter",), "map": ("map",), "len": ("count",), "sum": ("count",), "count": ("count",),
    "Counter": ("count", "group"), "groupby": ("group",), "defaultdict": ("group",), "setdefault": ("group",),
    "sorted": ("sort",), "sort": ("sort",), "islice": ("slice",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class HistoryUse:
    """Whether a program reads the call history, and what it does with it."""

    is_detected: bool = False
    patterns: tuple[QueryPattern, ...] = ()
    """In the order of `PATTERNS`; empty where the history is not read."""


def scan_program(code: str) -> HistoryUse:
    """Return how a program uses the history; text that is no program uses nothing.

    A sign, not a proof: a program that reads the history and sorts something else counts as sorting it.
    """
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return HistoryUse()
    if not any(isinstance(node, ast.Constant) and node.value == HISTORY_KEY for node in nodes):
        return HistoryUse()
    found = set(_patterns(nodes))
    return HistoryUse(is_detected=True, patterns=tuple(pattern for pattern in PATTERNS if pattern in found))


def _patterns(nodes: Iterable[ast.AST]) -> Iterator[QueryPattern]:
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                yield from _CALLED.get(name, ())
            case ast.Subscript(slice=ast.Slice()):
                yield "slice"
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                yield from _of_comprehension(node)
            case ast.For():
                yield from _of_loop(node)
            case _:
                pass


def _of_comprehension(
    node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
) -> Iterator[QueryPattern]:
    if any(generator.ifs for generator in node.generators):
        yield "filter"
    if isinstance(node, ast.DictComp) or not isinstance(node.elt, ast.Name | ast.Constant):
        yield "map"


def _of_loop(node: ast.For) -> Iterator[QueryPattern]:
    if any(isinstance(inner, ast.If) for inner in node.body):
        yield "filter"
    for inner in ast.walk(node):
        if isinstance(inner, ast.AugAssign) and isinstance(inner.op, ast.Add):
            yield "group" if isinstance(inner.target, ast.Subscript) else "count"
