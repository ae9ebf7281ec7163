"""Skills that only say something."""

from functools import cache
from importlib.resources import files

from workflow_agent.agent.offline.intents.reading import Request
from workflow_agent.agent.offline.turn.outcome import Reply, Skill
from workflow_agent.agent.offline.turn.reading import Turn

_SPOKEN = files("workflow_agent.agent.offline") / "phrases" / "spoken.md"


@cache
def spoken() -> dict[str, str]:
    """Return what is said to each kind of talk."""
    sections = _SPOKEN.read_text(encoding="utf-8").split("\n## ")[1:]
    return {kind: text.strip() for kind, _, text in (section.partition("\n") for section in sections)}


def speak(_: Turn, request: Request) -> Skill:
    """Say the text for what was said."""
    yield from ()
    return Reply(spoken()[request.kind])
