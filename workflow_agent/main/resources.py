"""Files that belong to the package: prompts and samples."""

import json
from collections.abc import Iterable
from pathlib import Path

from workflow_agent.values.stored import JsonObject

_PACKAGE = Path(__file__).parents[1]


def resources(name: str) -> Path:
    """Return where files are that belong to the package: in it once installed, beside it in a checkout."""
    installed = _PACKAGE / "_resources" / name
    in_checkout = {"prompts": _PACKAGE.parent / "prompts", "samples": _PACKAGE.parent / "data" / "samples"}
    return installed if installed.is_dir() else in_checkout[name]


def samples() -> Iterable[JsonObject]:
    """Return the sample workflows."""
    return [json.loads(path.read_bytes()) for path in sorted(resources("samples").glob("*.json"))]
