"""Sentences that stay in the window word for word, and the record of those that leave it."""

import heapq
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Final

from workflow_agent.assistant.compaction import facts
from workflow_agent.assistant.compaction.statements import (
    Statement,
    Statements,
    gist_of,
    is_unit,
    kinds_of,
    says_little,
    statement_of,
)
from workflow_agent.conversations.compactions import Compaction, Extract, LostSentence
from workflow_agent.conversations.document import AgentReply, Event, SystemEvent

MOST_CHARS: Final = 64_000
"""Of all extracts together: the conversation's file is written with each turn."""
_LINE_TOKENS: Final = 3
"""What a line of the window takes beside the sentence."""
_VALUE_WEIGHT: Final = 2.0
_BINDING_WEIGHT: Final = 2.0
_LITTLE: Final = 0.1
"""What a word that people say of anything counts for."""
_COMMON_SHARE: Final = 0.05
_COMMON_FROM: Final = 4
_KEPT: Final = 0.7
"""Of a sentence's telling words in one line: then that line says it."""
_LONGEST: Final = facts.MOST_SENTENCE_CHARS


def sentences_of(events: Iterable[Event]) -> list[Extract]:
    """Return the sentences of events once each, with turn and speaker; of a very long one the beginning."""
    found: dict[str, Extract] = {}
    for event in events:
        if isinstance(event, SystemEvent):
            continue
        is_reply = isinstance(event, AgentReply)
        text = facts.stating(event.content) if is_reply else facts.without_documents(event.content)
        speaker = event.author if is_reply or event.is_external else "user"
        for one in facts.sentences(text):
            found.setdefault(one, Extract(turn=event.turn, speaker=speaker, text=one[:_LONGEST]))
    return list(found.values())


def chosen(
    candidates: Sequence[Extract], shown: Iterable[str], budget_tokens: int, count: Callable[[str], int]
) -> tuple[Extract, ...]:
    """Return what tells most that the window does not show yet, within a budget, in order.

    Of a sentence that binds nobody, the pieces that tell something are taken first; it is taken whole where
    room is left. The next one is always that which adds most for its size. What a sentence adds only shrinks
    as others are taken, so a sentence whose worth has not changed since it was weighed is the best there is.
    """
    stated = [statement_of(one.text) for one in candidates]
    common = _common(stated)
    known = {word for one in shown for word in statement_of(one).words}
    binding = [bool(kinds_of(one.text, is_users=one.speaker == "user")) for one in candidates]
    pieces = [one.text if binds else gist_of(one.text, common) for one, binds in zip(candidates, binding, strict=True)]
    sizes = [count(one) + _LINE_TOKENS for one in pieces]

    def worth(at: int) -> float:
        factor = _BINDING_WEIGHT if binding[at] else 1.0
        return factor * _news(stated[at], known, common) / sizes[at] if pieces[at] else 0.0

    waiting = [(-worth(at), at) for at in range(len(candidates))]
    heapq.heapify(waiting)
    taken: list[int] = []
    room_chars = MOST_CHARS
    while waiting and budget_tokens > _LINE_TOKENS:
        weighed, at = heapq.heappop(waiting)
        now = worth(at)
        if now <= 0 or sizes[at] > budget_tokens or len(candidates[at].text) > room_chars:
            continue
        if -weighed > now:
            heapq.heappush(waiting, (-now, at))
            continue
        taken.append(at)
        known.update(stated[at].words)
        budget_tokens -= sizes[at]
        room_chars -= len(candidates[at].text)
    texts = {at: pieces[at] for at in taken}
    for at in taken:
        more = count(candidates[at].text) + _LINE_TOKENS - sizes[at]
        if more <= budget_tokens:
            texts[at] = candidates[at].text
            budget_tokens -= more
    return tuple(candidates[at].model_copy(update={"text": texts[at]}) for at in sorted(taken))


def _common(stated: Sequence[Statement]) -> frozenset[str]:
    """Return the words of so many sentences that one more of them tells nothing."""
    held = Counter(word for one in stated for word in set(one.words) - one.values)
    most = max(_COMMON_SHARE * len(stated), _COMMON_FROM)
    return frozenset(word for word, count in held.items() if count > most)


def _news(statement: Statement, known: set[str], common: Container[str]) -> float:
    new = set(statement.words) - known
    values = len(new & statement.values)
    plain = sum(_LITTLE if says_little(one) or one in common else 1.0 for one in new - statement.values)
    return plain + _VALUE_WEIGHT * values


def extracts_text(extracts: Sequence[Extract]) -> str:
    """Return extracts as the model reads them: a line for what somebody said in a turn."""
    lines: dict[tuple[int, str], list[str]] = {}
    for one in extracts:
        lines.setdefault((one.turn, one.speaker), []).append(one.text)
    return "\n".join(f"[{turn} {speaker}] {' '.join(said)}" for (turn, speaker), said in lines.items())


def extracts_of(held: Sequence[Compaction]) -> tuple[Extract, ...]:
    """Return the extracts that stand for all turns that compactions in force cover, in order."""
    # The newest has those of all; a fork may hold the others without the newest.
    found = dict.fromkeys(extract for one in held for extract in one.extracts)
    return tuple(sorted(found, key=lambda one: one.turn))


def lost(candidates: Iterable[Extract], kept: Iterable[str], extracts: Sequence[Extract]) -> tuple[LostSentence, ...]:
    """Return the sentences of the kinds that count that are in none of the lines that are kept.

    Args:
        candidates: All sentences of the turns that leave the window.
        kept: The sentences of ledger and summary, as the window shows them.
        extracts: What stays word for word.
    """
    candidates = list(candidates)
    stated = [statement_of(one.text) for one in candidates]
    common = _common(stated)
    names = frozenset(
        value
        for one in stated
        for value in one.values
        if value.isalpha() and not is_unit(value) and value not in common and not says_little(value)
    )
    verbatim = {one.text for one in extracts}
    shown = Statements(map(statement_of, [*kept, *verbatim]))
    gone: dict[str, LostSentence] = {}
    for one, statement in zip(candidates, stated, strict=True):
        kinds = kinds_of(one.text, is_users=one.speaker == "user")
        if not kinds and not names.isdisjoint(statement.words):
            kinds = ("name",)
        if kinds and one.text not in verbatim and one.text not in gone and not _is_said(one.text, shown):
            gone[one.text] = LostSentence(turn=one.turn, kinds=kinds, text=one.text)
    return tuple(gone.values())


def _is_said(text: str, shown: Statements) -> bool:
    """Say whether one statement has all values of a sentence, most of its words, and denies as it does."""
    wanted = statement_of(text)
    words = set(wanted.words)
    if not words:
        return True
    return any(
        count >= _KEPT * len(words) and wanted.values <= set(told.words) and told.is_negated == wanted.is_negated
        for told, count in shown.overlaps(words)
    )
