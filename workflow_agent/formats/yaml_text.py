"""YAML 1.2 to plain data and back, through a parser and a writer of YAML 1.1."""

import math
import re
from collections.abc import Iterator
from typing import Any

import yaml

from workflow_agent.formats.limits import MAX_DEPTH, MAX_NODES, unreadable

_CSafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_parse: Any = yaml.parse  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - untyped in its stubs
_CSafeDumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)
_CORE_SCHEMA = (
    ("null", re.compile(r"~|null|Null|NULL|"), ("~", "n", "N", "")),
    ("bool", re.compile(r"true|True|TRUE|false|False|FALSE"), tuple("tTfF")),
    ("int", _INT, tuple("-+0123456789")),
    ("float", _FLOAT, tuple("-+.0123456789")),
    ("merge", re.compile(r"<<"), ("<",)),
)


class _Yaml12Loader(_CSafeLoader):
    """Resolves plain scalars as YAML 1.2 does: `on` and `yes` are strings, `010` is ten."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own name and shape


for _tag, _pattern, _firsts in _CORE_SCHEMA:
    _full = re.compile(rf"(?:{_pattern.pattern})\Z")
    for _first in _firsts:
        _Yaml12Loader.yaml_implicit_resolvers.setdefault(_first, []).append(
            (f"tag:yaml.org,2002:{_tag}", _full)
        )


def _construct_int(loader: Any, node: Any) -> int:
    text = str(loader.construct_scalar(node))
    return int(text, 0) if text.startswith(("0o", "0x")) else int(text)


def _construct_float(loader: Any, node: Any) -> float:
    text = str(loader.construct_scalar(node)).lower()
    special = {".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf, ".nan": math.nan}
    return special[text] if text in special else float(text)


_Yaml12Loader.add_constructor("tag:yaml.org,2002:int", _construct_int)
_Yaml12Loader.add_constructor("tag:yaml.org,2002:float", _construct_float)


class _PlainDumper(_CSafeDumper):
    """Writes shared values in full, and quotes what YAML 1.1 or 1.2 would read as something else."""

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


for _first, _resolvers in _Yaml12Loader.yaml_implicit_resolvers.items():
    for _resolved, _full in _resolvers:
        _PlainDumper.add_implicit_resolver(_resolved, _full, [_first])


def read_yaml(text: str, what: str) -> list[Any]:
    """Return the plain data of each document in a text, without those that are empty.

    Raises:
        UnreadableDocument: The text is no YAML, too deep, or its aliases expand to too much; says where.
    """
    try:
        _check_size(text, what)
        documents = list(yaml.load_all(text, Loader=_Yaml12Loader))
    except yaml.YAMLError as error:
        raise unreadable(what, _yaml_message(error)) from error
    return [document for document in documents if document is not None]


def _yaml_message(error: yaml.YAMLError) -> str:
    mark: Any = getattr(error, "problem_mark", None)
    place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    problem = getattr(error, "problem", None) or "it cannot be read"
    return f"is neither JSON nor YAML: {problem}{place}"


class _Sizes:
    """Measures a document while it is parsed: how deep it is, and what its aliases expand to."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._anchored: dict[str, int] = {}
        self._open: list[tuple[str | None, int]] = [(None, 0)]

    def begin(self, anchor: str | None) -> None:
        self._open.append((anchor, 1))
        if len(self._open) > MAX_DEPTH + 1:
            raise unreadable(self._what, f"is nested deeper than {MAX_DEPTH}")

    def end(self) -> None:
        self.add(*self._open.pop())

    def alias(self, anchor: str) -> None:
        self.add(None, self._anchored.get(anchor, 1))

    def add(self, anchor: str | None, size: int) -> None:
        if anchor is not None:
            self._anchored[anchor] = size
        outer, total = self._open.pop()
        self._open.append((outer, total + size))
        if total + size > MAX_NODES:
            message = f"stands for more than {MAX_NODES} values once its aliases are expanded"
            raise unreadable(self._what, message)


def _check_size(text: str, what: str) -> None:
    """Refuse what is too deep or expands to too much, before anything of it is built."""
    sizes = _Sizes(what)
    events: Iterator[Any] = _parse(text, Loader=_Yaml12Loader)
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            sizes.begin(event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            sizes.end()
        elif isinstance(event, yaml.AliasEvent):
            sizes.alias(event.anchor)
        elif isinstance(event, yaml.ScalarEvent):
            sizes.add(event.anchor, 1)


def write_yaml(document: Any) -> str:
    """Return YAML that reads back to equal data under YAML 1.1 and 1.2 alike."""
    return yaml.dump(
        document,
        Dumper=_PlainDumper,
        sort_keys=False,
        allow_unicode=True,
        width=100,
        default_flow_style=False,
    )
