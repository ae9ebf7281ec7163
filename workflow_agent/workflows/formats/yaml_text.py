"""YAML 1.2 to plain data and back, with limits on depth, size and what aliases expand to."""

import re
from dataclasses import dataclass, field
from typing import Any, Final, cast

import yaml

from workflow_agent.workflows.formats.base import MAX_DEPTH, MAX_NODES, unreadable, whole_number
from workflow_agent.workflows.formats.plain import object_in

_CLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_parse: Any = yaml.parse  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - untyped in its stubs
_CSafeDumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NULLS = ("~", "null", "Null", "NULL", "")
_CORE_SCHEMA = (
    ("null", re.compile(r"(?:~|null|Null|NULL|)\Z"), ("~", "n", "N", "")),
    ("bool", re.compile(rf"(?:{'|'.join(_BOOLS)})\Z"), tuple("tTfF")),
    ("int", re.compile(rf"(?:{_INT.pattern})\Z"), tuple("-+0123456789")),
    ("float", re.compile(rf"(?:{_FLOAT.pattern})\Z"), tuple("-+.0123456789")),
    ("merge", re.compile(r"<<\Z"), ("<",)),
)
_NUMERIC = frozenset("-+.0123456789")
_CORE_TAG = "tag:yaml.org,2002:"
_CORE_TAGS = frozenset(
    f"{_CORE_TAG}{kind}"
    for kind in ("map", "seq", "str", "int", "float", "bool", "null", "binary", "timestamp", "set", "omap", "pairs")
)
_RESOLVED_TAGS = tuple(_CORE_TAG + kind for kind in ("int", "float", "bool", "null"))
_MERGE: Final = object()
"""Stands for the key `<<`, whose value is merged into the mapping."""


class _PlainDumper(_CSafeDumper):
    """Writes shared values in full, and quotes what YAML 1.1 or 1.2 would read as something else."""

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


for _kind, _pattern, _firsts in _CORE_SCHEMA:
    _PlainDumper.add_implicit_resolver(f"{_CORE_TAG}{_kind}", _pattern, list(_firsts))


def read_yaml(text: str, what: str) -> list[Any]:
    """Return the plain data of each document in a text, without those that are empty.

    Raises:
        UnreadableDocument: The text is no YAML, too deep, or its aliases expand to too much; says where.
    """
    documents: list[Any] = []
    builder = _Builder(what)
    try:
        for event in _parse(text, Loader=_CLoader):
            if isinstance(event, yaml.DocumentStartEvent):
                builder = _Builder(what)
            elif isinstance(event, yaml.DocumentEndEvent):
                builder.check_keys()
                documents.append(builder.whole)
            else:
                builder.take(event)
    except yaml.YAMLError as error:
        raise unreadable(what, _yaml_message(error)) from error
    return [document for document in documents if document is not None]


def _yaml_message(error: yaml.YAMLError) -> str:
    mark: Any = getattr(error, "problem_mark", None)
    place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    problem = getattr(error, "problem", None) or "it cannot be read"
    return f"is neither JSON nor YAML: {problem}{place}"


@dataclass(slots=True)
class _Open:
    """A collection that is being read."""

    began: Any
    value: dict[Any, Any] | list[Any]
    size: int = 1
    key: Any = None
    has_key: bool = False
    merged: list[dict[Any, Any]] = field(default_factory=list[dict[Any, Any]])


class _Builder:
    """Builds a document while it is parsed, so that what is too deep or too large is never built."""

    def __init__(self, what: str) -> None:
        self.whole: Any = None
        self._what = what
        self._open: list[_Open] = []
        self._twice: yaml.YAMLError | None = None
        self._anchored: dict[str, tuple[Any, int]] = {}
        """What each anchor stands for, and its size. One that is defined again stands for the latest."""

    def check_keys(self) -> None:
        """Refuse a key that GitHub Actions finds twice; for other tools the last one counts."""
        if self._twice is not None and {"on", "jobs"} <= object_in(self.whole).keys():
            raise self._twice

    def take(self, event: Any) -> None:
        """Add what an event of the parser says."""
        if isinstance(event, yaml.ScalarEvent):
            value = _scalar(event)
            # It merges as a key alone.
            self._add(event, "<<" if value is _MERGE and not self._is_at_key else value, 1)
        elif isinstance(event, yaml.CollectionStartEvent):
            _check_tag(event)
            if len(self._open) >= MAX_DEPTH:
                raise unreadable(self._what, f"is nested deeper than {MAX_DEPTH}")
            self._open.append(_Open(event, {} if isinstance(event, yaml.MappingStartEvent) else []))
        elif isinstance(event, yaml.CollectionEndEvent):
            done = self._open.pop()
            self._add(done.began, _merged(done), done.size)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchored:
                raise _refusal(event, f"found undefined alias {event.anchor!r}")
            self._add(event, *self._anchored[event.anchor])

    @property
    def _is_at_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].value, dict) and not self._open[-1].has_key

    def _add(self, event: Any, value: Any, size: int) -> None:
        if event.anchor is not None:
            self._anchored[event.anchor] = (value, size)
        if not self._open:
            self.whole = value
            return
        within = self._open[-1]
        within.size += size
        if within.size > MAX_NODES:
            raise unreadable(self._what, f"stands for more than {MAX_NODES} values once its aliases are expanded")
        if isinstance(within.value, list):
            within.value.append(value)
        elif not within.has_key:
            if isinstance(value, dict | list):
                raise _refusal(event, "a key is a mapping or a list")
            within.key, within.has_key = value, True
        else:
            within.has_key = False
            if within.key in within.value and within.key is not _MERGE:
                self._twice = self._twice or _refusal(event, f"the key {str(within.key)[:80]!r} is there twice")
            _put(within, within.value, event, value)


def _put(within: _Open, into: dict[Any, Any], event: Any, value: Any) -> None:
    if within.key is _MERGE:
        within.merged += _mappings(event, value)
    else:
        into[within.key] = value


def _mappings(event: Any, value: Any) -> list[dict[Any, Any]]:
    wanted = cast("list[Any]", value) if isinstance(value, list) else [value]
    if not all(isinstance(one, dict) for one in wanted):
        raise _refusal(event, "`<<` merges what is no mapping")
    return wanted


def _merged(done: _Open) -> Any:
    """Return a collection with what `<<` merges into it; its own keys and the first merged ones win."""
    if isinstance(done.value, list) or not done.merged:
        return done.value
    found: dict[Any, Any] = {}
    for one in reversed(done.merged):
        found.update(one)
    return found | done.value


def _check_tag(event: Any) -> None:
    tag = event.tag
    if tag and tag != "!" and tag not in _CORE_TAGS:
        raise _refusal(event, f"the tag {tag[:80]!r} is not known")


def _scalar(event: Any) -> Any:
    """Return the value of a scalar: by its tag, else what a plain one is read as by YAML 1.2."""
    _check_tag(event)
    is_plain = event.implicit[0] if event.tag in (None, "!") else event.tag in _RESOLVED_TAGS
    return _resolved(event.value) if is_plain else event.value


def _resolved(text: str) -> Any:
    if text[:1] in _NUMERIC:
        return _number(text)
    if text in _NULLS:
        return None
    return _MERGE if text == "<<" else _BOOLS.get(text, text)


def _number(text: str) -> Any:
    if _INT.fullmatch(text):
        return whole_number(text, 0 if text.startswith(("0o", "0x")) else 10)
    if not _FLOAT.fullmatch(text):
        return text
    return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))


def _refusal(event: Any, problem: str) -> yaml.YAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)


def write_yaml(document: Any) -> str:
    """Return YAML that reads back to equal data under YAML 1.1 and 1.2 alike."""
    return yaml.dump(
        document, Dumper=_PlainDumper, sort_keys=False, allow_unicode=True, width=100, default_flow_style=False
    )
