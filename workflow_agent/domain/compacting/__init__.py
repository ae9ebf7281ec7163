"""Compacting the window: when, which turns, what is carried over, and what is on record about it.

Nothing here changes what is kept: a compaction only says what the window shows in place of which turns.
"""

from workflow_agent.domain.compacting.coverage import (
    hidden_events,
    in_force,
    last_summary,
    newest,
    open_turns,
    turns_compacted,
)
from workflow_agent.domain.compacting.judging import why_unusable
from workflow_agent.domain.compacting.making import (
    Summarised,
    compaction_named,
    compaction_of,
    excess_tokens,
    facts_of_cut,
    new_ledger,
    restored,
    still_holds,
    with_compaction,
)
from workflow_agent.domain.compacting.policy import (
    CompactionRule,
    Cut,
    cut_of,
    due_cut,
    may_ask,
    sent_and_budget_tokens,
)
from workflow_agent.domain.compacting.telling import (
    EarlierTurns,
    earlier_turns,
    ledger_text,
    summary_text,
    within,
)

__all__ = [
    "CompactionRule",
    "Cut",
    "EarlierTurns",
    "Summarised",
    "compaction_named",
    "compaction_of",
    "cut_of",
    "due_cut",
    "earlier_turns",
    "excess_tokens",
    "facts_of_cut",
    "hidden_events",
    "in_force",
    "last_summary",
    "ledger_text",
    "may_ask",
    "new_ledger",
    "newest",
    "open_turns",
    "restored",
    "sent_and_budget_tokens",
    "still_holds",
    "summary_text",
    "turns_compacted",
    "why_unusable",
    "with_compaction",
    "within",
]
