"""Telling that a question is about the world, not about how work is done."""

import re
from functools import cache

from workflow_agent.agent.offline.intents.grammar import phrase_table, word_lists
from workflow_agent.agent.offline.intents.stems import content_words, stem

_POINTS = re.compile(
    r"\b(?:it|its|this|that|these|those|here|there|we|us|our|they|them|their|he|she|i|me|my|you|your|one|ones)\b",
    re.IGNORECASE,
)
"""What points at something spoken of or at somebody's own work."""
_ASKING = frozenset(
    stem(word) for phrase in word_lists("words")["question_words"] for word in phrase.split(" ")
) | {"many"}
"""Words of the phrases about workflows that say nothing of any."""
_MOST_CHARS = 300


@cache
def _known() -> frozenset[str]:
    words = (word for phrase in phrase_table("inside") for word in phrase.words)
    return frozenset(stem(word) for word in words) - _ASKING


def is_off_topic(question: str) -> bool:
    """Say whether a question points at nothing and has no word that is asked of workflows."""
    text = question[:_MOST_CHARS]
    if _POINTS.search(text):
        return False
    return not any(stem(word) in _known() for word in content_words(text))
