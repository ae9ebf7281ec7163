"""How often, and how, generated code used the call history: what a data directory shows of it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workflow_agent.conversations.call_history import PATTERNS, CallRecord
from workflow_agent.conversations.calls import PROGRAM_TOOL
from workflow_agent.values.stored import JsonObject

_PROGRAM_DEPTH = 2


@dataclass(frozen=True, slots=True)
class HistoryEvidence:
    """What the records of many conversations say."""

    conversations: int
    records: int
    programs: int
    programs_that_failed: int
    programs_that_read_the_history: int
    patterns: dict[str, int]
    """Programs by what they do with the history."""
    calls_by_programs: dict[str, int]

    def as_dict(self) -> JsonObject:
        """Return the evidence as plain data."""
        return {name: getattr(self, name) for name in self.__slots__}


def history_evidence(histories: Iterable[Sequence[CallRecord]]) -> HistoryEvidence:
    """Return what the call histories show, one of them a conversation."""
    conversations = records = 0
    programs: list[CallRecord] = []
    inner: Counter[str] = Counter()
    for history in histories:
        conversations += 1
        records += len(history)
        programs += [record for record in history if record.method_name == PROGRAM_TOOL]
        inner.update(record.method_name for record in history if record.depth == _PROGRAM_DEPTH)
    used = Counter(pattern for record in programs for pattern in record.history_query_patterns or ())
    return HistoryEvidence(
        conversations=conversations,
        records=records,
        programs=len(programs),
        programs_that_failed=sum(not record.outcome_summary.ok for record in programs),
        programs_that_read_the_history=sum(bool(record.history_access_detected) for record in programs),
        patterns={pattern: used[pattern] for pattern in PATTERNS},
        calls_by_programs=dict(inner.most_common()),
    )
