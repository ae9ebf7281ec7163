"""The skill for what is not understood: it says so, and what may have been meant."""

from workflow_agent.agent.offline.intents.languages import is_other_language
from workflow_agent.agent.offline.intents.off_topic import is_off_topic
from workflow_agent.agent.offline.intents.text import cleaned, core_of
from workflow_agent.agent.offline.skills.talk import spoken
from workflow_agent.agent.offline.turn.drafting import Drafting
from workflow_agent.agent.offline.turn.outcome import Reply, Skill, Suggestion
from workflow_agent.agent.offline.turn.reading import Turn

_MOST_WORDS = 12
"""Whoever says more has said what it is about, and means none that is merely usual."""


def puzzled(turn: Turn, drafting: Drafting, *, has_focus: bool) -> Skill:
    """Offer the usual form of a process that is named without more, or say what can be understood."""
    yield from ()
    if is_other_language(turn.text):
        return Reply(spoken()["other_language"])
    if core_of(cleaned(turn.text)).meaning == "question" and is_off_topic(turn.text):
        return Reply(spoken()["off_topic"])
    name = None if has_focus or len(turn.text.split()) > _MOST_WORDS else drafting.usual_process(turn.text)
    if name is None:
        return Reply(spoken()["unknown"])
    return Reply(
        f"I'm not sure what you want done. I know a usual **{name.lower()}** as a starting point, which "
        "can be changed in words. Shall I build it? Or tell me who does what at yours, and I build that.",
        Suggestion(f"Create a workflow for {name.lower()}"),
    )
