"""What OpenAI's bodies have no place for: the conversation, the run, and what was ignored."""

import re
from collections.abc import Sequence

from workflow_agent.chat import StartedTurn

_SHOWN = 40
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def headers_of(started: StartedTurn, ignored: Sequence[str]) -> dict[str, str]:
    """Return the headers of a reply."""
    return {
        "x-conversation-id": started.conversation_id,
        "x-run-id": started.run_id,
        "x-turn": str(started.turn),
    } | warning_of(ignored)


def warning_of(ignored: Sequence[str]) -> dict[str, str]:
    """Return the header that names the parameters that had no effect; none where all had."""
    names = [name for name in ignored if _NAME.fullmatch(name)][:_SHOWN]
    if not names:
        return {}
    # RFC 9111 keeps 299 for warnings of any kind that persist.
    return {"Warning": f'299 workflow-agent "ignored parameters: {", ".join(names)}"'}
