"""Digests of plain data, equal for equal data whatever the order of keys."""

import hashlib
import json
import re
from typing import Any

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)
_REFERENCE = re.compile(r"sha256:([0-9a-f]{64})")


def canonical_json(data: Any) -> bytes:
    """Return JSON data as the one text that equal data has."""
    return _CANONICAL.encode(data).encode("utf-8", "surrogatepass")


def parse_canonical(text: bytes) -> Any:
    """Return the data of a canonical text.

    Raises:
        ValueError: The text is not JSON.
    """
    return json.loads(text.decode("utf-8", "surrogatepass"))


def digest_of(data: Any) -> str:
    """Return the SHA-256 of JSON data in canonical form, as hex."""
    return hashlib.sha256(canonical_json(data)).hexdigest()


def content_ref_of(data: Any) -> str:
    """Return the reference that stands for JSON data wherever that is kept apart."""
    return f"sha256:{digest_of(data)}"


def digest_in(content_ref: str) -> str | None:
    """Return the digest in a reference; None when the text is no reference."""
    match = _REFERENCE.fullmatch(content_ref)
    return match[1] if match else None
