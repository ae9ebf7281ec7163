"""Skills about who answers and where the conversation stands: agents and phases."""

from workflow_agent.assistant.offline.request import Request
from workflow_agent.assistant.offline.turn.focus import focus
from workflow_agent.assistant.offline.turn.outcome import Call, Reply, Skill, ToolFailure
from workflow_agent.assistant.offline.turn.reading import Turn
from workflow_agent.assistant.offline.wording.lists import clipped, joined

_PHASES = {
    "planning": "plan", "brainstorming": "brainstorm", "executing": "execute", "execution": "execute",
    "verifying": "verification", "verify": "verification", "reflect": "reflection", "chatting": "chat",
}  # fmt: skip


def named_in(turn: Turn, request: Request) -> tuple[str, ...]:
    """Return the agents that a request names, in order."""
    words = _words(request.slots.get("agents", ""))
    return tuple(dict.fromkeys(word for word in words if word in turn.facts.agents))


def are_named(turn: Turn, said: str) -> bool:
    """Say whether words name agents and nothing else: people in a description are none."""
    return all(word in turn.facts.agents or word in ("and", "the") for word in _words(said))


def _words(said: str) -> list[str]:
    return said.lower().replace(",", " ").replace("@", " ").split()


def hand_over(turn: Turn, request: Request) -> Skill:
    """Let the agents that were named answer; the one that was named says that it is there."""
    names = named_in(turn, request)
    me = turn.facts.agent
    if me in names or not names:
        yield from ()
        there = joined([f"`@{name}`" for name in turn.facts.agents])
        return Reply(f"I am the {me} now. What shall I do?" if names else f"You can ask {there}.")
    about = focus(turn)
    summary = f"The user said: {clipped(turn.text, 400)}" + (f" It is about {about.name}." if about else "")
    for name in names:
        yield Call("hand_off", {"to": name, "reason": "The user asked for it", "summary": summary})
    return Reply(f"I hand this over to the {joined([f'**{name}**' for name in names])}.")


def who_is_there(turn: Turn, _: Request) -> Skill:
    """Name the agents."""
    yield from ()
    others = joined([f"`@{name}`" for name in turn.facts.agents if name != turn.facts.agent])
    return Reply(
        f"I am the {turn.facts.agent}. {turn.facts.about} Also here: {others}. Put a name with its `@` "
        "into a message and that one answers; name several and they answer in order."
    )


def enter_phase(_: Turn, request: Request) -> Skill:
    """Change the phase of the conversation."""
    word = request.slots["phase"].lower()
    phase = _PHASES.get(word, word)
    try:
        entered = yield Call("change_phase", {"to": phase, "reason": "The user asked for it"})
    except ToolFailure as refused:
        return Reply(f"I cannot go to that phase from here. {refused.message}".strip())
    following = joined([f"`{name}`" for name in entered["allowed_next"]])
    return Reply(f"We are in phase **{entered['phase']}** now; from here it goes to {following}.")


def is_phase(text: str) -> bool:
    """Say whether a word names a phase of the conversation."""
    word = text.strip().lower()
    return word in _PHASES or word in _PHASES.values() or word in ("chat", "chores")
