"""Reading a document for a check: as it is, never set aside."""

from pathlib import Path
from typing import Any, cast

import orjson

from workflow_agent.adapters.durable_files import DurableFiles


def plain_object(files: DurableFiles, path: Path) -> dict[str, Any]:
    """Return the JSON object in a file.

    Raises:
        ValueError: There is none.
    """
    stored = files.read(path)
    plain: Any = orjson.loads(stored.data) if stored is not None else None
    if not isinstance(plain, dict):
        raise ValueError("it holds no JSON object")
    return cast("dict[str, Any]", plain)
