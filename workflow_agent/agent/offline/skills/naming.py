"""Keeping the name that somebody gives a workflow beside its own."""

from workflow_agent.agent.offline.skills.focus import read_workflow
from workflow_agent.agent.offline.turn.outcome import Reply, Skill
from workflow_agent.agent.offline.turn.reading import Turn
from workflow_agent.domain.memory import GivenName


def nickname(turn: Turn, given: GivenName) -> Skill:
    """Say which workflow goes by a name from now on; the memory keeps it, the workflow stays as it is."""
    workflow = yield from read_workflow(turn, given.what)
    return Reply(
        f'Fine: when you say "{given.alias}", I take it to mean **{workflow.name}** (`{workflow.id}`). '
        "Its own name stays."
    )
