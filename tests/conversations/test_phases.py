from datetime import UTC, datetime
from itertools import product

import pytest

from workflow_agent.conversations.document import Conversation, Phase
from workflow_agent.conversations.transitions import PHASES, PhaseChange, change_phase
from workflow_agent.errors import PhaseNotAllowed

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ALLOWED = {
    "chat brainstorm", "chat plan", "chat execute", "brainstorm chat", "brainstorm plan",
    "brainstorm execute", "plan execute", "plan chat", "execute verification", "execute chat",
    "verification chores", "verification execute", "verification chat", "chores reflection",
    "reflection chat",
}  # fmt: skip


@pytest.mark.parametrize(("now", "to"), list(product(PHASES, PHASES)))
def test_only_the_allowed_changes_are_made(now: Phase, to: Phase) -> None:
    conversation = Conversation(id="c", tenant="t", created_at=NOON, updated_at=NOON, phase=now)
    change = PhaseChange(to=to, agent="user", reason="because")

    if f"{now} {to}" in ALLOWED:
        changed, event = change_phase(conversation, change, at=NOON, new_id=lambda prefix: prefix)
        assert (changed.phase, changed.events[-1]) == (to, event)
    else:
        with pytest.raises(PhaseNotAllowed, match=f"in phase '{now}' and cannot go to '{to}'"):
            change_phase(conversation, change, at=NOON, new_id=lambda prefix: prefix)
