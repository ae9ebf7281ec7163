"""The call histories below a data directory, read without touching anything."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import orjson

from workflow_agent.domain.call_history import CallRecord, mended_history


def call_histories(root: Path) -> Iterator[Sequence[CallRecord]]:
    """Yield the call history of each conversation; files that hold none are passed over."""
    for path in sorted(root.glob("*/conversations/*.json")):
        try:
            plain: Any = orjson.loads(path.read_bytes())
        except (OSError, orjson.JSONDecodeError):
            continue
        if isinstance(plain, dict) and "calls" in plain:
            document = cast("dict[str, Any]", plain)
            records, _ = mended_history(document["calls"], str(document.get("updated_at", "")))
            yield tuple(CallRecord.model_validate(record) for record in records)
