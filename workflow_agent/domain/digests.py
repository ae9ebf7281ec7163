"""Digests of plain data, equal for equal data whatever the order of keys."""

import hashlib
import json
from typing import Any


def digest_of(data: Any) -> str:
    """Return the SHA-256 of JSON data in canonical form, as hex."""
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
