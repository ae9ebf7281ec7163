"""The participants that answer: each with a description, a mode and a limit; and the five modes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, cast, get_args

from pydantic import Field, ValidationError

from workflow_agent.errors import InvalidInput, Problem
from workflow_agent.values.stored import Value
from workflow_agent.workflows.model.terms import Id

Mode = Literal["general", "creation", "search", "modification", "analysis"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)
WRITING: Final[frozenset[Mode]] = frozenset({"creation", "modification"})
"""The modes whose tools change something."""


class Evidence(NamedTuple):
    """What was found in a message or around it, and how much it speaks for a mode."""

    mode: Mode
    weight: float
    reason: str
    """Readable, as in "phrase 'put that in before'"."""
    is_phrase: bool = False
    """Whether it is something that people say, and no circumstance."""


DEFAULT_AGENT = "assistant"
_RESERVED = ("user", "system")


class AgentProfile(Value):
    """A named participant."""

    name: Id
    description: str
    mode: Mode | None = None
    """The module it always works in; None chooses one for each message."""
    model: str | None = None
    """None for the service's default."""
    tools: tuple[str, ...] | None = None
    """The tools it has; None for those of the mode. A mode that only reads has none that writes."""
    max_iterations: int = Field(default=10, ge=1, le=100)
    """Model requests for one message."""


Roster = Mapping[str, AgentProfile]
"""The agents there are, by name; the first is the default."""

ROSTER: Roster = {
    profile.name: profile
    for profile in (
        AgentProfile(name=DEFAULT_AGENT, description="Answers whatever is asked, in the mode that fits."),
        AgentProfile(name="designer", description="Designs new workflows from descriptions.", mode="creation"),
        AgentProfile(name="finder", description="Finds workflows; changes nothing.", mode="search"),
        AgentProfile(name="editor", description="Changes existing workflows.", mode="modification"),
        AgentProfile(name="analyst", description="Explains and checks workflows.", mode="analysis"),
    )
}


def agent_named(roster: Roster, name: str | None, *, pointer: str = "/agent") -> AgentProfile:
    """Return the agent of this name, or the default one.

    Raises:
        InvalidInput: Nobody on the roster has this name; names who is.
    """
    wanted = name or DEFAULT_AGENT
    if wanted not in roster:
        message = f"there is no agent {wanted[:64]!r}"
        raise InvalidInput(
            f"There is no agent {wanted[:64]!r}; the roster is {', '.join(roster)}.",
            [Problem(pointer, message, tuple(roster))],
        )
    return roster[wanted]


def only_reads(roster: Roster, name: str) -> bool:
    """Say whether an agent always works in a mode that changes nothing; False for one who is not there."""
    profile = roster.get(name)
    return profile is not None and profile.mode is not None and profile.mode not in WRITING


@dataclass(frozen=True, slots=True)
class KnownTools:
    """The tools an agent may be given."""

    names: Collection[str]
    writing: Collection[str]
    """Those of them that change something."""


def parse_roster(data: Any, *, max_iterations: int, tools: KnownTools) -> Roster:
    """Return the agents that a document lists under `agents`, the default one first.

    `data` is `{"agents": [{"name": ..., "description": ..., "mode": ...}]}`, each as an `AgentProfile`;
    `max_iterations` is that of an agent that does not say.

    Raises:
        InvalidInput: Names every problem.
    """
    listed: Any = cast("Mapping[str, Any]", data).get("agents") if isinstance(data, Mapping) else None
    if not isinstance(listed, list) or not listed:
        raise InvalidInput("it has no list 'agents'.", [Problem("/agents", "is no list of agents")])
    problems: list[Problem] = []
    roster: dict[str, AgentProfile] = {}
    for number, item in enumerate(cast("Sequence[Any]", listed)):
        found = _profile(item, f"/agents/{number}", max_iterations, problems)
        problems += _wrong_tools(found, f"/agents/{number}", tools) if found else ()
        if found is not None and found.name in roster:
            problems.append(Problem(f"/agents/{number}/name", f"{found.name!r} is there twice"))
        if found is not None:
            roster[found.name] = found
    if DEFAULT_AGENT not in roster:
        problems.append(Problem("/agents", f"{DEFAULT_AGENT!r} is missing: it answers whoever names nobody"))
    if problems:
        raise InvalidInput(f"{len(problems)} problems.", problems)
    return {DEFAULT_AGENT: roster[DEFAULT_AGENT], **roster}


def _profile(item: Any, at: str, max_iterations: int, problems: list[Problem]) -> AgentProfile | None:
    """Return one agent, or None with what is wrong added to the problems."""
    plain: object = item
    if isinstance(item, Mapping):
        plain = {"max_iterations": max_iterations, **cast("Mapping[str, Any]", item)}
    try:
        profile = AgentProfile.model_validate(plain)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)
        problems += [Problem("/".join((at, *map(str, one["loc"]))), str(one["msg"])) for one in found]
        return None
    if profile.name in _RESERVED:
        problems.append(Problem(f"{at}/name", f"{profile.name!r} is reserved"))
    return profile


def _wrong_tools(profile: AgentProfile, at: str, known: KnownTools) -> Iterator[Problem]:
    for number, name in enumerate(profile.tools or ()):
        pointer = f"{at}/tools/{number}"
        if name not in known.names:
            yield Problem(pointer, f"there is no tool {name[:64]!r}", tuple(sorted(known.names)))
        elif name in known.writing and profile.mode is not None and profile.mode not in WRITING:
            yield Problem(pointer, f"{name!r} changes workflows, and mode {profile.mode!r} only reads")
