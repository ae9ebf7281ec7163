"""Conversations of earlier schemas, brought to the present one step by step."""

from collections.abc import Callable, Mapping

from workflow_agent.values.stored import JsonObject


def upgraded(document: JsonObject, version: int) -> JsonObject:
    """Return a document of an earlier schema as the present one has it; its file stays as it is.

    The next save of the conversation writes what this returns.
    """
    plain = dict(document)
    for number in range(version, max(_STEPS) + 1):
        plain = {**_STEPS[number](plain), "schema_version": number + 1} if number in _STEPS else plain
    return plain


def _typed_compactions(document: JsonObject) -> JsonObject:
    """Schema 1 had no shape for compactions and archive, and nothing wrote them; what is there is kept."""
    free = {name: document[name] for name in ("compactions", "archive") if document.get(name)}
    if not free:
        return document
    return document | {"compactions": [], "archive": [], "metadata": {**document.get("metadata", {}), "schema_1": free}}


_STEPS: Mapping[int, Callable[[JsonObject], JsonObject]] = {1: _typed_compactions}
