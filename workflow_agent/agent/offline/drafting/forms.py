"""Reading what a person fills in: `name, amount and start date` as typed form fields."""

from collections.abc import Mapping
from typing import Any, Final

from workflow_agent.agent.offline.drafting.nouns import DETERMINERS, singular
from workflow_agent.agent.offline.drafting.tokens import Token, Tokens
from workflow_agent.agent.offline.drafting.words import word_set
from workflow_agent.domain.workflow import FieldType
from workflow_agent.domain.workflow_parsing import slug

_TYPES: Final[Mapping[FieldType, str]] = {
    "number": "amount price cost total budget salary sum value rate weight height percentage distance "
    "temperature",
    "integer": "quantity count age headcount copies pages",
    "date": "date day deadline birthday dob birthdate",
    "datetime": "time datetime timestamp",
    "email": "email e-mail mail",
    "file": "receipt attachment file document photo picture scan cv resume image upload proof certificate "
    "screenshot",
    "text": "description reason comment comments note notes justification details message explanation "
    "summary feedback",
    "boolean": "consent agreement",
}
_TYPE_OF: Final[Mapping[str, FieldType]] = {
    word: kind for kind, words in _TYPES.items() for word in words.split()
}
_MAX_FIELDS: Final = 40
_MAX_FIELD_WORDS: Final = 5
FORM_VERBS: Final = word_set("fill enter complete provide give state specify")
"""Verbs whose objects are inputs: "fills in name and amount"."""


def fields_of(tokens: Tokens) -> list[dict[str, Any]]:
    """Return the form fields a list of nouns names, in order; empty when it is no such list."""
    found: dict[str, dict[str, Any]] = {}
    for item in _items(tokens):
        options = _options(item)
        words = [
            token
            for token in _before_bracket(item)
            if token.low not in DETERMINERS | {"optional", "optionally"}
        ]
        if not words or len(words) > _MAX_FIELD_WORDS:
            continue
        label = " ".join(token.text for token in words)
        field: dict[str, Any] = {"key": slug(label), "type": "choice" if options else _type_of(words)}
        field |= {"label": label[:1].upper() + label[1:], "required": not _is_optional(item)}
        if options:
            field["options"] = options
        found.setdefault(field["key"], field)
    return list(found.values())[:_MAX_FIELDS]


def _items(tokens: Tokens) -> list[list[Token]]:
    items: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.low == "(") - (token.low == ")")
        if depth <= 0 and (token.low in (",", "and", "plus", "&", ":", ";")):
            items.append([])
        else:
            items[-1].append(token)
    return items


def _before_bracket(item: list[Token]) -> list[Token]:
    lows = [token.low for token in item]
    kept = item[: lows.index("(")] if "(" in lows else item
    return [token for token in kept if token.kind == "word"]


def _options(item: list[Token]) -> list[str]:
    lows = [token.low for token in item]
    if "(" not in lows:
        return []
    inside = [token for token in item[lows.index("(") + 1 :] if token.low not in (")", ",", "or", "and", "/")]
    return [token.text for token in inside] if len(inside) > 1 else []


def _is_optional(item: list[Token]) -> bool:
    return any(token.low in ("optional", "optionally") for token in item)


def _type_of(words: list[Token]) -> FieldType:
    last = words[-1].low
    if words[0].low == "whether":
        return "boolean"
    if words[0].low == "number" and len(words) > 1:
        return "integer"
    return _TYPE_OF.get(last) or _TYPE_OF.get(singular(last)) or _TYPE_OF.get(words[0].low) or "string"
