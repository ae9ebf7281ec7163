"""What a look over a data directory finds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, where, and whether it can be set right."""

    kind: str
    """Such as `sealed_file_missing`; docs/operations.md lists them all."""
    path: str
    """The file, relative to the data directory."""
    message: str
    mend: Callable[[], None] | None = None
    """Sets it right without guessing; None where somebody has to decide."""

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as plain JSON data."""
        return {
            "kind": self.kind, "path": self.path, "message": self.message,
            "repairable": self.mend is not None,
        }  # fmt: skip
