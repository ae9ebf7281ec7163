"""What a person wants remembered or forgotten, and names somebody gives a workflow."""

import re

from workflow_agent.assistant.offline.request import Request
from workflow_agent.assistant.offline.skills.targets import is_pronoun, which_workflow
from workflow_agent.assistant.offline.turn.outcome import Call, JsonObject, Reply, Skill, ToolFailure
from workflow_agent.assistant.offline.turn.reading import Turn
from workflow_agent.assistant.offline.wording.lists import clipped
from workflow_agent.conversations.memory.aliases import GivenName

_TOOL = "personal_memory"
_LEAD = r"(?:please |can you |could you |also |and |now |then )*"
_FORGET = re.compile(_LEAD + r"(?:forget|stop remembering)\b[:,]? ?(.{0,400})", re.IGNORECASE)
_REMEMBER = re.compile(
    _LEAD + r"(?:remember|note|keep in mind|memori[sz]e|make a note|(?:do not|don't) forget)"
    r"(?: (?:also )?that\b|:|,|(?= (?:i|my|we|our)\b)) ?(.{1,500}[^?])",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"(?:so )?(?:what (?:do|did) you (?:remember|know|note)(?: (?:about|of|for) me| so far| from last time)*"
    r"|what (?:did|have) (?:i|you) (?:ask|asked|told|noted|note|remembered)(?: you)?(?: to remember| so far)*"
    r"|(?:show|list)(?: me)? what you (?:remember|know of me|know about me))[?.! ]*",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:that|about|what i (?:told|said to) you about|what i said about|what you know about) ", re.IGNORECASE
)
_SHOWN = frozenset({"", "it", "that", "this", "that again", "it again"})
_TELLS = re.compile(r"(?:i|my|me|mem_|everything|all|we|our)\b", re.IGNORECASE)


def personal(turn: Turn) -> Skill | None:
    """Return the skill for a message about what is to be remembered of the person; None for any other."""
    text = turn.text.strip()
    if (told := _REMEMBER.fullmatch(text)) is not None:
        return remember(turn, Request("remember", {"x": told[1]}, text))
    if _LIST.fullmatch(text):
        return remembered(turn, Request("remembered"))
    forgotten = to_forget(turn)
    return None if forgotten is None else forget(turn, forgotten)


def remember(_: Turn, request: Request) -> Skill:
    """Have something remembered of the person, in all conversations."""
    said = clipped(request.slots.get("x", request.text).removeprefix("that ").strip(" ."), 300)
    try:
        result = yield Call(_TOOL, {"action": "remember", "text": said})
    except ToolFailure as failure:
        return Reply(f"I did not keep that. {failure.message}" if failure.offered else "I cannot keep notes here.")
    told: JsonObject = result["remembered"]
    return Reply(
        f"Noted: “{told['text']}”. I remember it in all your conversations; “forget that” takes it back, and "
        "“what do you remember?” lists everything."
    )


def remembered(turn: Turn, _: Request) -> Skill:
    """List what is remembered of the person, each with the turn it was told in."""
    result = yield Call(_TOOL, {"action": "list"})
    names = [
        f"- **{ref.name}** is also called {', '.join(f'“{a}”' for a in ref.aliases[:2])}"
        for ref in turn.facts.references
        if ref.aliases
    ][:8]
    lines = [f"- “{clipped(one['text'], 300)}” ({one['kind']}{_source(one)})" for one in result["remembered"]]
    if not lines and not names:
        return Reply("You have not asked me to remember anything. Everything said in a conversation is kept, though.")
    return Reply("What I remember of you:\n\n" + "\n".join(dict.fromkeys([*lines, *names])))


def _source(one: JsonObject) -> str:
    source = one["source"]
    return f", told in turn {source['turn']} of `{source['conversation_id']}`" if source else ""


def to_forget(turn: Turn) -> str | None:
    """Return the words that say what is to be forgotten, "" for what was told last; None where nothing is."""
    match = _FORGET.fullmatch(turn.text.strip().rstrip(".!"))
    if match is None:
        return None
    said = match[1].strip()
    if said.casefold() in _SHOWN:
        used = {one.tool for one in turn.past[-1].exchanges} if turn.past else set[str]()
        return "" if _TOOL in used else None
    about = _ABOUT.match(said)
    rest = said[about.end() :] if about else said
    return rest if about or _TELLS.match(said) else None


def forget(_: Turn, said: str) -> Skill:
    """Have something forgotten everywhere; the reply does not repeat it."""
    result = yield Call(_TOOL, {"action": "forget", "text": said})
    if result["forgotten"] == "everything":
        return Reply("I have forgotten everything you asked me to remember, in your conversations too.")
    if result["forgotten"]:
        return Reply("Forgotten, also in the conversations where it was said.")
    known = [f"- “{clipped(one['text'], 200)}” (say “forget {one['id']}”)" for one in result["candidates"]]
    listed = "\n\n" + "\n".join(known) if known else " I remember nothing of you."
    return Reply(f"I am not sure which of these you mean.{listed}" if known else f"There is nothing to forget.{listed}")


def nickname(turn: Turn, given: GivenName) -> Skill:
    """Keep a name that somebody gives a workflow beside its own; opening it is what makes it known."""
    ref = yield from which_workflow(turn, None if is_pronoun(given.what) else given.what)
    result = yield Call("get_workflow", {"workflow": ref.id})
    workflow = result["workflow"]
    return Reply(
        f"Fine, I know **{workflow['name']}** (`{workflow['id']}`) as {given.alias!r} from now on. Its own name stays."
    )
