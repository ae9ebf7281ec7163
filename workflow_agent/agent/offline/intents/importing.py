"""Telling that a message brings a workflow document to be imported."""

import re

from workflow_agent.agent.offline.intents.numbers import unquoted
from workflow_agent.formats.pasted import looks_pasted, pasted_document

_DOCUMENT = re.compile(r"[{<\[]|^[ \t]*[\w.$\"'-]+:(?:\s|$)|```|~~~", re.MULTILINE)
_ORDERED = re.compile(
    r"\b(?:import(?:ing)?|load|upload|read in|take in|bring in|ingest|parse|convert|turn|transform|add|"
    r"create|make|build|save|store|keep|register|migrate|use|here(?:'s| is| are)|this is)\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\b(?:called|named|name it|call it|under the name)\s+(\"[^\"\n]{1,100}\"|[^:\n{<\[`]{1,100})",
    re.IGNORECASE,
)
_ORDERED_PLAINLY = re.compile(r"(?:please |now |can you |could you )*import\b", re.IGNORECASE)
_MOST_INTRODUCING_CHARS = 400


def read_import(text: str) -> dict[str, str] | None:
    """Return the slots of a request to import the document in a message; None when it is no such request.

    A document by itself is to be imported; one with words around it when they ask for that. A document
    that no format knows counts only after the word import itself, so that its faults can be told.
    """
    if not _DOCUMENT.search(text):
        return None
    document = pasted_document(text)
    known = document is not None
    document = document or looks_pasted(text)
    if document is None:
        return None
    around = text.replace(document, " ", 1).replace("```", " ").strip()
    if len(around) > _MOST_INTRODUCING_CHARS or around.endswith("?"):
        return None
    wanted = not around.strip(" .,:;!\n") or _ORDERED.search(around)
    if not (wanted if known else _ORDERED_PLAINLY.match(around)):
        return None
    name = _NAME.search(around)
    return {"name": unquoted(name[1])} if name else {"document": "pasted"}
