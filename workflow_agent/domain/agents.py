"""The participants that answer: each with a description, a prompt module and a limit."""

from collections.abc import Mapping

from pydantic import Field

from workflow_agent.domain.errors import InvalidInput, Problem
from workflow_agent.domain.modes import Mode
from workflow_agent.domain.values import Value
from workflow_agent.domain.workflow import Id

DEFAULT_AGENT = "assistant"


class AgentProfile(Value):
    """A named participant."""

    name: Id
    description: str
    mode: Mode | None = None
    """The module it always works in; None chooses one for each message."""
    model: str | None = None
    """None for the service's default."""
    max_iterations: int = Field(default=10, ge=1, le=100)
    """Model requests for one message."""


ROSTER: Mapping[str, AgentProfile] = {
    profile.name: profile
    for profile in (
        AgentProfile(name=DEFAULT_AGENT, description="Answers whatever is asked, in the mode that fits."),
        AgentProfile(
            name="designer", description="Designs new workflows from descriptions.", mode="creation"
        ),
        AgentProfile(name="finder", description="Finds workflows; changes nothing.", mode="search"),
        AgentProfile(name="editor", description="Changes existing workflows.", mode="modification"),
        AgentProfile(name="analyst", description="Explains and checks workflows.", mode="analysis"),
    )
}


def agent_named(roster: Mapping[str, AgentProfile], name: str | None) -> AgentProfile:
    """Return the agent of this name, or the default one.

    Raises:
        InvalidInput: Nobody on the roster has this name; names who is.
    """
    wanted = name or DEFAULT_AGENT
    if wanted not in roster:
        message = f"there is no agent {wanted[:64]!r}"
        raise InvalidInput(
            f"There is no agent {wanted[:64]!r}; the roster is {', '.join(roster)}.",
            [Problem("/agent", message, tuple(roster))],
        )
    return roster[wanted]
