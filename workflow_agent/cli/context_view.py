"""The context record of a turn as Rich shows it: what the model saw, and who decided about it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table

from workflow_agent.cli.output import clean, facts_table, figures, folded, narrow, wide_table
from workflow_agent.conversations.context_records import Breakdown
from workflow_agent.values.described import field_texts

_BAR = 12
_COUNTED = {
    "provider": "as the provider counted",
    "tokenizer": "by the model's tokenizer",
    "calibrated": "estimated from what the provider counted before",
    "chars_div_4": "estimated at four characters a token",
}
_DONE = {
    "include_full": "taken in full",
    "summarize": "summarised",
    "rag_extract": "in passages",
    "exclude": "left out",
}
"""What became of an artifact, by its strategy."""


def of_context(record: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Yield the sections of a request, how it came about, and its artifacts; nothing of an empty record."""
    breakdown = _part(record, "breakdown")
    if not breakdown:
        return
    yield _sections(breakdown)
    yield Padding(facts_table(_told(record)), (1, 0))
    if artifacts := _parts(record, "artifacts_processed"):
        yield _artifacts(artifacts)


def _sections(breakdown: Mapping[str, Any]) -> Table:
    columns = narrow("section"), figures("tokens"), narrow("share"), folded("is", 1, "dim")
    table = wide_table("What the model saw", *columns)
    tokens = {name: size for name, size in breakdown.items() if isinstance(size, int) and size > 0}
    total = sum(tokens.values()) or 1
    meaning = field_texts(Breakdown)
    for name, size in tokens.items():
        share = f"{size / total:>4.0%} {'#' * round(_BAR * size / total):<{_BAR}}"
        table.add_row(clean(name), f"{size:,}", share, meaning.get(name, "").rstrip("."))
    return table


def _told(record: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    yield "counted", _COUNTED.get(str(record.get("counting")))
    yield "turns", _turns(_part(record, "turns"))
    yield "compaction", _compaction(_part(record, "compaction"))
    yield "message", _message(_part(record, "message"))
    yield from (("planning", line) for line in _planning(_part(record, "planning")))


def _turns(turns: Mapping[str, Any]) -> str | None:
    if not turns:
        return None
    words = {"included": "in view", "compacted": "as a summary", "excluded": "left out"}
    return ", ".join(f"{turns.get(name, 0)} {said}" for name, said in words.items())


def _compaction(compaction: Mapping[str, Any]) -> str | None:
    if not compaction:
        return None
    failed = compaction.get("fallback")
    without = f", without a summary: {failed}" if failed else ""
    return f"{compaction.get('id')} stands for turns 1 to {compaction.get('to_turn')}{without}"


def _message(message: Mapping[str, Any]) -> str | None:
    whole, sent = message.get("original_chars"), message.get("included_chars")
    return None if whole == sent else f"{_figure(sent)} of {_figure(whole)} characters were sent"


def _planning(planning: Mapping[str, Any]) -> Iterator[str]:
    """Yield who decided about the artifacts and why, and what else was noted of it."""
    model, failure = planning.get("model"), planning.get("failure")
    by = {
        "nobody": "nobody had to plan",
        "rule": "by rule",
        "model": f"by the model {model}",
        "cache": f"by the model {model}, for the same question before",
        "fallback": f"by rule, as the model {model} failed ({failure})",
    }.get(str(planning.get("planned_by")))
    if by is None:
        return
    yield f"{by}: {planning.get('reason', '')}"
    yield from (str(one) for name in ("corrections", "notes") for one in _list(planning, name))


def _artifacts(artifacts: Sequence[Mapping[str, Any]]) -> Table:
    columns = folded("from", 2), narrow("was"), figures("chars"), folded("because", 2)
    table = wide_table("Documents and earlier results", *columns)
    for one in artifacts:
        whole, taken = one.get("original_size_chars"), one.get("processed_size_chars")
        strategy = str(one.get("strategy"))
        table.add_row(
            clean(str(one.get("source"))),
            clean(_DONE.get(strategy, strategy)),
            _figure(whole) if taken in (None, whole) else f"{_figure(taken)} of {_figure(whole)}",
            clean(str(one.get("rationale"))),
        )
    return table


def _part(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a part of a record that may be of an older form: empty where it is no object."""
    found = record.get(name)
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}


def _parts(record: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    return [one for one in _list(record, name) if isinstance(one, dict)]


def _list(record: Mapping[str, Any], name: str) -> list[Any]:
    found = record.get(name)
    return cast("list[Any]", found) if isinstance(found, list) else []


def _figure(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else "?"
