"""What the conversation keeps: notes somebody asks to be remembered, and names somebody gives a workflow."""

from workflow_agent.assistant.offline.request import Request
from workflow_agent.assistant.offline.skills.targets import is_pronoun, which_workflow
from workflow_agent.assistant.offline.turn.outcome import Call, JsonObject, Reply, Skill
from workflow_agent.assistant.offline.turn.reading import Turn
from workflow_agent.assistant.offline.wording.lists import clipped
from workflow_agent.conversations.memory.aliases import GivenName


def remember(_: Turn, request: Request) -> Skill:
    """Say that a note is kept: it is part of the conversation, and found again."""
    yield from ()
    said = clipped(request.slots.get("x", request.text).removeprefix("that ").strip(), 300)
    return Reply(
        f"Noted: “{said}”. It stays in this conversation; ask “what do you remember?” for all such notes."
    )


def remembered(turn: Turn, _: Request) -> Skill:
    """List what the conversation was asked to remember."""
    result = yield Call("search_history", {"query": "remember", "limit": 20})
    hits: list[JsonObject] = result["hits"]
    notes = [hit for hit in hits if hit["speaker"] == "user" and "?" not in hit["excerpt"]]
    names = [
        f"- you call **{ref.name}** {', '.join(f'“{a}”' for a in ref.aliases[:2])}"
        for ref in turn.facts.references
        if ref.aliases
    ][:8]
    lines = [f"- turn {hit['turn']}: “{clipped(hit['excerpt'], 300)}”" for hit in notes]
    if not lines and not names:
        return Reply(
            "You have not asked me to remember anything in this conversation. Everything said in it "
            "is kept, though."
        )
    return Reply("What I was asked to remember:\n\n" + "\n".join(dict.fromkeys([*lines, *names])))


def nickname(turn: Turn, given: GivenName) -> Skill:
    """Keep a name that somebody gives a workflow beside its own; opening it is what makes it known."""
    ref = yield from which_workflow(turn, None if is_pronoun(given.what) else given.what)
    result = yield Call("get_workflow", {"workflow": ref.id})
    workflow = result["workflow"]
    return Reply(
        f"Fine, I know **{workflow['name']}** (`{workflow['id']}`) as {given.alias!r} from now on. "
        "Its own name stays."
    )
