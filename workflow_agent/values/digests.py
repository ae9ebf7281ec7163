"""Digests of plain data."""

import hashlib
import json
import re
from typing import Any

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)
_AS_IT_IS = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
_REFERENCE = re.compile(r"sha256:([0-9a-f]{64})")


def canonical_json(data: Any) -> bytes:
    """Return JSON data as the one text that equal data has."""
    return _CANONICAL.encode(data).encode("utf-8", "surrogatepass")


def content_json(data: Any) -> bytes:
    """Return JSON data as text with its keys in their order, in which a content is kept.

    What is read back is then sent to a model just as it was sent before: providers cache by the text.
    """
    return _AS_IT_IS.encode(data).encode("utf-8", "surrogatepass")


def parse_canonical(text: bytes) -> Any:
    """Return the data of a text of `canonical_json` or `content_json`.

    Raises:
        ValueError: The text is not JSON.
    """
    return json.loads(text.decode("utf-8", "surrogatepass"))


def digest_of(data: Any) -> str:
    """Return the SHA-256 of JSON data, whatever the order of its keys, as hex."""
    return hashlib.sha256(canonical_json(data)).hexdigest()


def content_ref_of(data: Any) -> str:
    """Return the reference that stands for JSON data, its keys in this order, wherever that is kept apart."""
    return f"sha256:{hashlib.sha256(content_json(data)).hexdigest()}"


def digest_in(content_ref: str) -> str | None:
    """Return the digest in a reference; None when the text is no reference."""
    match = _REFERENCE.fullmatch(content_ref)
    return match[1] if match else None
