"""The word lists of descriptions, and phrases found at a place in tokens."""

from collections.abc import Sequence
from functools import cache

from workflow_agent.assistant.offline.lexicon import data_rows
from workflow_agent.assistant.offline.tokens import Token


@cache
def _phrases(group: str) -> dict[str, tuple[str | None, dict[str, list[tuple[tuple[str, ...], str]]]]]:
    """Return the phrases of all lists of a group by their first and second words, the longest first."""
    found: dict[str, tuple[str | None, dict[str, list[tuple[tuple[str, ...], str]]]]] = {}
    for name, row in data_rows("phrases.tsv"):
        if name.partition(".")[0] != group:
            continue
        for phrase in row.split("|"):
            first, *rest = phrase.split()
            alone, longer = found.setdefault(first, (None, {}))
            if rest:
                longer.setdefault(rest[0], []).append((tuple(rest), name.partition(".")[2] or name))
            else:
                found[first] = (alone or name.partition(".")[2] or name, longer)
    for _, longer in found.values():
        for phrases in longer.values():
            phrases.sort(key=lambda one: -len(one[0]))
    return found


def phrase_at(group: str, tokens: Sequence[Token], at: int) -> tuple[str, int] | None:
    """Return which list of a group has a phrase that stands at a position, and where the phrase ends."""
    known = _phrases(group).get(tokens[at].lower) if at < len(tokens) else None
    if known is None:
        return None
    alone, longer = known
    if at + 1 < len(tokens):
        for rest, name in longer.get(tokens[at + 1].lower, ()):
            end = at + 1 + len(rest)
            if end <= len(tokens) and all(tokens[at + 1 + n].lower == word for n, word in enumerate(rest)):
                return name, end
    return None if alone is None else (alone, at + 1)
