"""Messages that answer a question: its words ranked, its time words as a filter where they are certain."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from workflow_agent.conversations.periods import Period, time_words
from workflow_agent.conversations.store import MessageHit, MessageQuery

Find = Callable[[str, MessageQuery], Awaitable[Sequence[MessageHit]]]
"""`ConversationStore.find`."""
_WORD: Final = re.compile(r"[\w'\u2019.-]*\w")
_OF_TALKING: Final = frozenset({
    "say", "said", "tell", "told", "talk", "talked", "speak", "spoke", "spoken", "discuss", "discussed", "discussion",
    "mention", "mentioned", "ask", "asked", "agree", "agreed", "decide", "decided", "decision", "change", "changed",
    "conversation", "turn", "turns", "message", "messages", "reply", "replied", "answer", "answered", "request",
    "requested", "wrote", "write", "settle", "settled", "conclude", "concluded", "promise", "promised",
})  # fmt: skip
"""Beside one of these a date says when something was said; alone it may well be what was said."""
_ONLY_OF_TALK: Final = re.compile(
    r"yesterday|last night|this (?:morning|afternoon|evening)|(?:last|this) (?:week|month)|\bago\b|the other day"
)
"""What nobody writes into a rule: "yesterday" was the day before the one on which it is asked."""
_SMALL: Final = frozenset({"we", "i", "you", "did", "do", "have", "has", "had", "was", "were", "what", "about", "of"})


def said_when(text: str, now: datetime) -> tuple[str, tuple[Period, ...]]:
    """Return a query without its time words, and the periods they certainly mean; none where that is not sure.

    "Who approves in March?" asks about March, "what did we decide in March?" about what was said then.

    Args:
        text: A question, or words.
        now: When it is asked; days begin where this one does.
    """
    words = _WORD.findall(text)
    phrase = " ".join(words).casefold()
    found = time_words(phrase, now)
    if found is None or not found.periods or all(one.start > now for one in found.periods):
        return text, ()
    others = found.rest.split()
    bare = not [word for word in others if word not in _SMALL]
    is_certain = bare or _ONLY_OF_TALK.search(phrase) is not None or not _OF_TALKING.isdisjoint(others)
    if not is_certain:
        return text, ()
    return " ".join(word for word in others if word not in _OF_TALKING and word not in _SMALL), found.periods


async def best_messages(find: Find, tenant: str, query: MessageQuery, now: datetime) -> Sequence[MessageHit]:
    """Return the messages that answer a query, best first; of a certain time where it names one.

    Where nothing of that time answers, the words are looked for at all times, the time words among them.

    Raises:
        ConversationNotFound: The conversation to look in is not there.
    """
    ranked = replace(query, is_ranked=True)
    text, periods = said_when(query.text, now)
    if periods:
        timed = replace(ranked, text=text, periods=periods)
        found = await find(tenant, timed)
        if found or (query.offset and await find(tenant, replace(timed, offset=0, limit=1))):
            return found
    return await find(tenant, ranked)
