"""Skills that answer from the material that came with a message: documents, and results of earlier calls."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.references import content_of as content_words
from workflow_agent.assistant.offline.turn.outcome import JsonObject, Skill, saying
from workflow_agent.assistant.offline.turn.reading import Turn
from workflow_agent.conversations.transcript import Material
from workflow_agent.workflows.search.passages import passages_of

_ASKS_WHAT_IS_SAID = re.compile(
    r"\b(?:what|where|how|which|when|who|does|do|did|is|are|according|quote|cite|summari[sz]e|tell me)\b", re.IGNORECASE
)
_MEANS_MATERIAL = re.compile(
    r"\b(?:say|says|said|mention\w*|state[sd]?|require\w*|according to|attach\w*|document|file|upload\w*|"
    r"in the (?:policy|contract|report|document|file|text|attachment)|quote|cite)\b",
    re.IGNORECASE,
)
_MEANS_A_RESULT = re.compile(
    r"\b(?:search|result|results|found|find|analysis|answer|listed|list)\b.*\b(?:earlier|before|"
    r"previous\w*|ago|first|then)\b"
    r"|\bwhat did (?:the|your|that|my) \w+(?: \w+){0,4} (?:say|find|return|show|give)\b"
    r"|\b(?:earlier|previous) (?:search|result|results|analysis|answer)\b",
    re.IGNORECASE,
)
_SOURCE = re.compile(
    r",? (?:as (?=[^,;:.!?]{1,60} (?:says?|said|states?|requires?|demands?|prescribes?|wants|asks)\b)"
    r"|according to |following |based on |in line with |per )(?P<what>[^,;:.!?\d]{1,80})[.!]?$",
    re.IGNORECASE,
)
"""Which document an order follows, said at its end: "..., as the policy I attached says"."""
_PLACE = re.compile(r"^\[characters (\d+) to (\d+) of \d+\]\n", re.MULTILINE)
_NAMES_NOTHING = word_set("documents.names_nothing")
_JOINT = re.compile(r",? and (?=(?:does|do|is|are|what|how|which|who|when|where)\b)", re.IGNORECASE)
_RAW = re.compile(r'"\s*:\s*["\[{\d]|[\[{]\s*"')
"""What only the notation of a result has."""
_FROM = "From"
"""What a quote begins with."""
_MOST_QUOTES = 3
_MOST_CHARS = 600


@dataclass(frozen=True)
class Quote:
    """A stretch of a document that answers a question."""

    source: str
    text: str
    score: float


def is_about_material(turn: Turn) -> bool:
    """Say whether a message asks for what documents or earlier results say."""
    if not turn.material or not _ASKS_WHAT_IS_SAID.search(turn.text):
        return False
    documents = [one for one in turn.material if one.artifact_type == "document"]
    if documents and (_MEANS_MATERIAL.search(turn.text) or _names_one(turn.text, documents)):
        return True
    return len(documents) < len(turn.material) and _MEANS_A_RESULT.search(turn.text) is not None


def without_source(turn: Turn, text: str) -> str:
    """Return an order without the remark which document it follows: that changes nothing of it."""
    documents = [one for one in turn.material if one.artifact_type == "document"]
    found = _SOURCE.search(text) if documents else None
    if found is None or not (_MEANS_MATERIAL.search(found["what"]) or _names_one(found["what"], documents)):
        return text
    return text[: found.start()]


def _names_one(text: str, documents: Iterable[Material]) -> bool:
    asked = set(content_words(text))
    return any(asked & set(content_words(one.source.partition(":")[2])) for one in documents)


def asked_beside(text: str) -> tuple[str, str] | None:
    """Return a question about something else and the one about documents after it, or None."""
    first, joint, second = _JOINT.sub("\0", text, count=1).partition("\0")
    return (first.strip(), second.strip()) if joint and not _MEANS_MATERIAL.search(first) else None


def quotes_after(reply: str, answer: str) -> bool:
    """Say whether a reply is an answer and, after it, what documents say."""
    words = answer.split()
    return reply.split()[: len(words) + 1] == [*words, _FROM]


def quote_material(turn: Turn) -> Skill:
    """Quote the passages that answer best, each with where it is from.

    A question about documents is answered from them alone: what a tool gave back is none.
    """
    documents = _documents_meant(turn)
    material = documents or turn.material
    quotes = best_quotes(turn.text, material) or _whole(documents)
    if not quotes:
        named = ", ".join(f"“{_called(one.source)}”" for one in material)
        return saying(f"I looked through {named} and found nothing about that.")
    said = "\n\n".join(f"{_FROM} “{_called(one.source)}”:\n\n> " + one.text.replace("\n", "\n> ") for one in quotes)
    return saying(said)


def _documents_meant(turn: Turn) -> list[Material]:
    """Return the documents a message asks about: those it names, else all; none where it asks for results."""
    documents = [one for one in turn.material if one.artifact_type == "document"]
    if named := [one for one in documents if _names_one(turn.text, [one])]:
        return named
    return documents if _MEANS_MATERIAL.search(turn.text) else []


def _whole(documents: Sequence[Material]) -> list[Quote]:
    """Return a document as it is, where it is the only one and short: "does it fit the policy?"."""
    texts = [(one.source, _PLACE.sub("", one.text)) for one in documents]
    return [Quote(source, text, 0) for source, text in texts if len(texts) == 1 and len(text) <= _MOST_CHARS]


def best_quotes(question: str, material: Sequence[Material]) -> list[Quote]:
    """Return the passages that share most of the question's words, those of one score in their order."""
    quotes = [quote for one in material for quote in _quotes(question, one)]
    best = max((one.score for one in quotes), default=0)
    return [one for one in sorted(quotes, key=lambda one: -one.score) if one.score >= best / 2][:_MOST_QUOTES]


def _quotes(question: str, material: Material) -> Iterable[Quote]:
    title = set(content_words(_called(material.source)))
    asked = set(content_words(question))
    wanted = (asked - title - _NAMES_NOTHING) or asked
    text = _PLACE.sub("", material.text) if material.artifact_type == "document" else in_lines(material.text)
    for passage in passages_of(text, _MOST_CHARS):
        held = set(content_words(passage.text))
        shared = sum(1 for word in wanted if word in held or _near(word, held))
        if shared:
            yield Quote(material.source, passage.text[:_MOST_CHARS], shared / len(wanted))


def in_lines(result: str) -> str:
    """Return a tool's result for people: what it lists, a line each, then its other facts; else nothing."""
    try:
        read: Any = json.loads(result)
    except ValueError:
        # Of a result in passages not even the beginning can be read as what it was.
        return "" if _RAW.search(result) else result
    if not isinstance(read, dict):
        return ""
    facts = cast("JsonObject", read)
    listed = [item for value in facts.values() if isinstance(value, list) for item in cast("list[Any]", value)]
    told = [_line(cast("JsonObject", item)) for item in listed if isinstance(item, dict)]
    about = facts.get("workflow")
    named = [_line(cast("JsonObject", about))] if isinstance(about, dict) else []
    plain = [f"- {name}: {value}" for name, value in facts.items() if isinstance(value, str | int | float)]
    return "\n".join((*filter(None, (*named, *told)), *plain))


def _line(item: JsonObject) -> str:
    if "name" not in item:
        return f"- {item['message']}" if "message" in item else ""
    about = f": {item['description']}" if item.get("description") else ""
    return f"- **{item['name']}**" + (f" (`{item['id']}`)" if "id" in item else "") + about


def _near(word: str, held: Iterable[str]) -> bool:
    stem = word[: max(len(word) - 2, 4)]
    return len(word) > 4 and any(one.startswith(stem) for one in held)


def _called(source: str) -> str:
    """Return what a source is called: an attachment by its title, a result by its tool."""
    kind, _, rest = source.partition(":")
    return f"the result of {rest.rpartition(':')[2]}" if kind == "history" else rest or source
