"""What is said when no workflow is at stake, and where it cannot be told which one is."""

import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from workflow_agent.assistant.offline.request import Request
from workflow_agent.assistant.offline.turn.outcome import Candidate, Choice, Reply, Skill, Suggestion
from workflow_agent.assistant.offline.turn.reading import Turn, WorkflowRef
from workflow_agent.assistant.offline.wording import numbered

_SECTION = re.compile(r"^## (\w+)\n+(.*?)(?=\n## |\Z)", re.MULTILINE | re.DOTALL)


@cache
def spoken() -> dict[str, str]:
    """Return the texts, by their names."""
    text = (resources.files("workflow_agent.assistant.offline") / "data" / "spoken.md").read_text("utf-8")
    return {match[1]: match[2].strip() for match in _SECTION.finditer(text)}


def speak(_: Turn, request: Request) -> Skill:
    """Say the text for a request."""
    yield from ()
    return Reply(spoken()[request.kind])


def ask_which(turn: Turn, phrase: str, question: str, refs: Sequence[WorkflowRef]) -> Reply:
    """Return the question which of several workflows a phrase means; an empty phrase is the one at hand."""
    candidates = tuple(Candidate(ref.id, ref.name) for ref in refs)
    if len(refs) == 1:
        question = f"Do you mean **{refs[0].name}** (`{refs[0].id}`)?"
        return Reply(question, Choice(turn.text, phrase, candidates, turn.chosen))
    return Reply(f"{question}\n\n{numbered(candidates)}", Choice(turn.text, phrase, candidates, turn.chosen))


def not_found(wanted: str, suggestions: Sequence[Any]) -> Reply:
    """Return the reply for a name that nothing has, with the closest ones."""
    close = [Candidate(item["id"], item["name"]) for item in suggestions][:3]
    if not close:
        return Reply(
            f"I can't find a workflow by {wanted[:120]!r}. Say “list workflows” to see what there is, "
            "or tell me who does what, and I build one."
        )
    offer = Suggestion(f"show {close[0].name}") if len(close) == 1 else None
    return Reply(f"I can't find a workflow by {wanted[:120]!r}. The closest are:\n\n{numbered(close)}", offer)
