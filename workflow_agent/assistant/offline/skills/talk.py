"""What is said when no workflow is at stake: the texts of a data file, by what was said."""

import re
from functools import cache
from importlib import resources

from workflow_agent.assistant.offline.request import Request
from workflow_agent.assistant.offline.turn.outcome import Reply, Skill
from workflow_agent.assistant.offline.turn.reading import Turn

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
