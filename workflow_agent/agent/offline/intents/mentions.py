"""Separating the workflow that an order names from what it orders: "in the expense approval, add ..."."""

import re
from collections.abc import Sequence

from workflow_agent.agent.offline.intents.changes import Order, read_orders
from workflow_agent.agent.offline.intents.text import verb_of_change
from workflow_agent.agent.offline.turn.drafting import Drafting

_NOUN = r"(?:workflow|process|flow|pipeline|procedure|lifecycle)"
_LINK = r"(?:in|to|of|for|from|on|inside|within|into)"
_LINKS = re.compile(rf"(?:^| ){_LINK} ", re.IGNORECASE)
_IN_FRONT = re.compile(
    rf"^(?:in|for|on|inside|within|to) (?:the |our |my |this |that )?(.{{0,80}}?)(?: ?{_NOUN})?(?:,|:) ",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:open|go to|take|switch to|load|find|look at) (?:the |our |my )?(.{1,80}?)"
    r"(?: and(?: then)?|,(?: and)?(?: then)?) ",
    re.IGNORECASE,
)
_BARE_FRONT = re.compile(rf"^in (?:the |our |my )?([^,;:]{{1,60}}?) (?={verb_of_change()}\s)", re.IGNORECASE)
_WITH_NOUN = re.compile(
    rf" {_LINK} (?:the |our |my |this |that )?((?:[^,;:]{{1,60}}? )?){_NOUN}\b(?!')", re.IGNORECASE
)


def may_mention(text: str) -> bool:
    """Say whether a text may say of which workflow it speaks: "... of contract signing"."""
    return _LINKS.search(text) is not None


def split_mention(
    text: str, names: Sequence[str], drafting: Drafting
) -> tuple[tuple[Order, ...], str | None]:
    """Return the orders without the workflow they name, and that name; None when they name none.

    A phrase counts as a name when the word workflow (or process, ...) follows, or when it is in `names`.
    """
    for rest, phrase in mention_splits(text, names):
        orders = read_orders(rest, drafting)
        if orders and all(order.readings for order in orders):
            return orders, phrase or None
    return (), None


def mention_splits(text: str, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the ways to part a text into what it orders and the workflow it may name."""
    openings = (pattern.match(text) for pattern in (_IN_FRONT, _OPENING, _BARE_FRONT))
    found = [(text[match.end() :], match[1].strip()) for match in openings if match]
    for name in sorted(names, key=len, reverse=True):
        pattern = re.compile(
            rf" {_LINK} (?:the |our |my )?{re.escape(name)}(?: {_NOUN})?(?=$|[ ,.;])", re.IGNORECASE
        )
        if match := pattern.search(text):
            found.append((text[: match.start()] + text[match.end() :], name))
    if match := _WITH_NOUN.search(text):
        found.append((text[: match.start()] + text[match.end() :], match[1].strip()))
    return found
