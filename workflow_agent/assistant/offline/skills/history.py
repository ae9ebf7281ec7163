"""Skills about the conversation itself, and about what a person wants remembered or forgotten."""

import re
from collections.abc import Generator, Sequence
from typing import Any

from workflow_agent.assistant.offline.patterns import Request, number_of, read_answer
from workflow_agent.assistant.offline.references import akin, content_of
from workflow_agent.assistant.offline.skills.targets import is_pronoun, which_workflow
from workflow_agent.assistant.offline.turn.focus import ref_of
from workflow_agent.assistant.offline.turn.outcome import Call, JsonObject, Reply, Skill, ToolFailure
from workflow_agent.assistant.offline.turn.reading import PastTurn, Turn
from workflow_agent.assistant.offline.wording import bulleted, clipped, joined
from workflow_agent.conversations.memory.aliases import GivenName
from workflow_agent.conversations.memory.person import told_of_oneself

_WORDS = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_MOST_TURNS = 20
_WRITTEN = ("created", "modified")
_DID = {
    "create_workflow": "created",
    "edit_workflow": "changed",
    "undo_change": "restored",
    "analyze_workflow": "analysed",
    "validate_workflow": "validated",
    "get_workflow": "opened",
    "draw_diagram": "drew",
    "compare_versions": "compared versions of",
}


def first(turn: Turn, _: Request) -> Skill:
    """Quote how the conversation began."""
    told = yield from _look_up(1)
    if told is not None:
        return Reply(f"The first thing you asked was: “{clipped(told['message'], 500)}”{_outcome(told)}")
    if turn.past:
        return Reply(f"As far back as I can see, you began with: “{clipped(turn.past[0].text, 500)}”")
    return Reply("This is the first thing you have asked me.")


def _look_up(number: int) -> Generator[Call, Any, JsonObject | None]:
    """Return a turn, or None when the conversation has no such turn or the tool is not there."""
    try:
        return (yield Call("get_turn", {"turn": number}))
    except ToolFailure:
        return None


def _outcome(told: JsonObject) -> str:
    workflows: list[JsonObject] = told.get("workflows") or []
    changed = [f"{item['change']} **{item['name']}**" for item in workflows]
    return f"\n\nThat turn {joined(changed)}." if changed else ""


def last(turn: Turn, request: Request) -> Skill:
    """Quote the turn before this one."""
    if not turn.past:
        return Reply("Nothing came before this; it is your first message here.")
    yield from ()
    before, asked = turn.past[-1], f" {request.text.lower()} "
    if " you " in asked and " i " not in asked:
        return Reply(f"My last reply was:\n\n{before.reply}" if before.reply else "I have not replied to anything yet.")
    done = f"\n\nI {joined(deeds)}." if (deeds := _deeds(before)) else ""
    return Reply(f"Just before this you said: “{clipped(before.text, 500)}”{done}")


def _deeds(past: PastTurn) -> list[str]:
    """Return what the tools of a turn did, in words: "changed **Expense approval**"."""
    deeds = [
        f"{_DID[exchange.tool]} **{ref.name}**"
        for exchange in past.exchanges
        if exchange.failure is None and exchange.tool in _DID and (ref := ref_of(exchange.result)) is not None
    ]
    writes = [deed for deed in deeds if deed.startswith(("created", "changed", "restored"))]
    return list(dict.fromkeys(writes or deeds))


def changed_then(turn: Turn, request: Request) -> Skill:
    """Tell what was changed in a turn some way back, or in the latest that changed something."""
    asked = request.slots.get("n")
    back = number_of(asked) if asked else None
    if asked and not back:
        return Reply(f"I can't tell how far back {asked[:40]!r} is. Ask by a number of turns.")
    told = yield from (_look_up(-back) if back else _latest_change(turn))
    if told is None:
        return Reply("I have not changed anything in this conversation.")
    changed = [item for item in told["workflows"] if item["change"] in _WRITTEN]
    if not changed:
        return Reply(f"Nothing: in turn {told['turn']}, “{clipped(told['message'], 200)}”, I only looked.")
    said = yield from _done_in(changed)
    return Reply(f"In turn {told['turn']}, “{clipped(told['message'], 200)}”: {said}")


def why_changed(turn: Turn, request: Request) -> Skill:
    """Tell which order a change followed, and what it changed: the latest, or the latest of a thing."""
    thing = request.slots.get("thing", "")
    for back in range(1, min(len(turn.past), _MOST_TURNS) + 1):
        told = yield from _look_up(-back)
        if told is None or not any(item["change"] in (*_WRITTEN, "deleted") for item in told["workflows"]):
            continue
        said = yield from _done_in(told["workflows"])
        if thing and not _speaks_of(f"{told['message']} {said}", thing):
            continue
        ordered = yield from _orders_of(told)
        orders = joined([f"in turn {one['turn']} “{clipped(one['message'], 300)}”" for one in ordered])
        return Reply(f"Because you asked for it. You said {orders}. {said}\n\nI have no reason beyond that.")
    about = f" about {clipped(thing, 80)!r}" if thing else ""
    return Reply(f"I have not changed anything{about} in this conversation, so there is no reason to give.")


def _orders_of(told: JsonObject) -> Generator[Call, Any, list[JsonObject]]:
    """Return the turn that ordered a change; where that was a yes, after the turn it answered."""
    if read_answer(told["message"]) != "yes" or told["turn"] == 1:
        return [told]
    before = yield from _look_up(told["turn"] - 1)
    return [before, told] if before else [told]


def _done_in(items: Sequence[JsonObject]) -> Generator[Call, Any, str]:
    said: list[str] = []
    for item in items:
        if item["change"] in _WRITTEN:
            said.append((yield from _change_of(item)))
        elif item["change"] == "deleted":
            said.append(f"I deleted **{item['name']}**.")
    return " ".join(said)


def _speaks_of(text: str, thing: str) -> bool:
    said = content_of(text)
    return all(any(akin(word, one) for one in said) for word in content_of(thing))


def _latest_change(turn: Turn) -> Generator[Call, Any, JsonObject | None]:
    for back in range(1, min(len(turn.past), _MOST_TURNS) + 1):
        told = yield from _look_up(-back)
        if told and any(item["change"] in _WRITTEN for item in told["workflows"]):
            return told
    return None


def _change_of(item: JsonObject) -> Generator[Call, Any, str]:
    """Return what made a version, from the comparison with the one before it."""
    if item["change"] == "created":
        return f"I created **{item['name']}**."
    versions = {"from_version": max(item["version"] - 1, 1), "to_version": item["version"]}
    try:
        compared = yield Call("compare_versions", {"workflow": item["id"], **versions})
    except ToolFailure:
        return f"I changed **{item['name']}** (version {item['version']})."
    lines = "".join(f"\n- {line}" for line in compared["changes"])
    return f"I changed **{item['name']}**, which became version {item['version']}:\n{lines}"


def nth(_: Turn, request: Request) -> Skill:
    """Quote a turn by its number."""
    word = (request.slots.get("n") or request.slots["ord"]).lower()
    number = number_of(word)
    if number is None:
        return Reply(
            f'I can\'t tell which turn {word[:40]!r} is. Ask for one by number, like "what happened in turn 3?"'
        )
    told = yield Call("get_turn", {"turn": number})
    return Reply(
        f"In turn {told['turn']} you said: “{clipped(told['message'], 500)}”\n\nI answered: "
        f"“{clipped(told['response'], 700)}”{_outcome(told)}"
    )


def so_far(turn: Turn, _: Request) -> Skill:
    """Sum up the conversation: each turn, and what was done to which workflow."""
    if not turn.past:
        return Reply("Nothing yet: this is your first message in this conversation.")
    earlier = yield from _before_the_window(turn)
    lines = bulleted(
        f"You: “{clipped(past.text, 140)}”" + (f" I {joined(deeds)}." if (deeds := _deeds(past)) else "")
        for past in turn.past[-_MOST_TURNS:]
    )
    known = [
        f"**{ref.name}** ({ref.change}, turn {ref.turn})" if ref.turn else f"**{ref.name}**" for ref in turn.facts.known
    ]
    about = f"\n\nWorkflows so far: {joined(known)}." if known else ""
    return Reply(f"So far:\n\n{earlier}{lines}{about}")


def _before_the_window(turn: Turn) -> Generator[Call, Any, str]:
    """Return how the conversation began, when that is further back than what I see."""
    told = yield from _look_up(1)
    if told is None or (told["message"].strip() == turn.past[0].text and len(turn.past) <= _MOST_TURNS):
        return ""
    return f"- It began with: “{clipped(told['message'], 140)}”\n- …\n"


def recall(turn: Turn, request: Request) -> Skill:
    """Find where the conversation touched a topic, also where that is no longer in sight."""
    topic = request.slots["topic"]
    if "recall" in turn.tools:
        turns = (yield Call("recall", {"query": topic[:200]}))["turns"]
        said = [(one["turn"], *_nearest(topic, one)) for one in sorted(turns, key=lambda one: one["turn"])]
    else:
        hits = (yield Call("search_history", {"query": topic, "limit": 5}))["hits"]
        said = [(hit["turn"], hit["speaker"], hit["excerpt"]) for hit in hits]
    about = repr(clipped(topic, 80))
    if not said:
        return Reply(f"I find nothing about {about} in this conversation.")
    lines = bulleted(f"Turn {turn}, {_speaker(who)}: “{clipped(line, 300)}”" for turn, who, line in said)
    return Reply(f"Here is what was said about {about}:\n\n{lines}")


def _nearest(topic: str, told: JsonObject) -> tuple[str, str]:
    """Return of a turn the sentence that has most of a topic's words, and in front who said it."""
    words = set(topic.lower().split())
    said = [(item["speaker"], line) for item in told["said"] for line in _SENTENCE_END.split(item["text"])]
    return max(said, key=lambda pair: len(words & set(_WORDS.findall(pair[1].lower()))))


def _speaker(speaker: str) -> str:
    return "you" if speaker == "user" else "I" if speaker in ("assistant", "agent", "model") else speaker


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
_LASTING = re.compile(
    r"(?:please |and |also )?(?:i (?:\w+ )?prefer|from now on|in (?:the )?future|going forward|always|never|call me"
    r"|my favou?rite)\b",
    re.IGNORECASE,
)
"""Told of all that is to come; "I'd rather have Legal first" may be an order."""
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
    if _LASTING.match(text) and told_of_oneself(text) == [plain := text.strip(" .!-*")]:
        return remember(turn, Request("remember", {"x": plain}, text))
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
    known = bulleted(f"“{clipped(one['text'], 200)}” (say “forget {one['id']}”)" for one in result["candidates"])
    if not known:
        return Reply("There is nothing to forget. I remember nothing of you.")
    return Reply(f"I am not sure which of these you mean.\n\n{known}")


def nickname(turn: Turn, given: GivenName) -> Skill:
    """Keep a name that somebody gives a workflow beside its own; opening it is what makes it known."""
    ref = yield from which_workflow(turn, None if is_pronoun(given.what) else given.what)
    result = yield Call("get_workflow", {"workflow": ref.id})
    workflow = result["workflow"]
    return Reply(
        f"Fine, I know **{workflow['name']}** (`{workflow['id']}`) as {given.alias!r} from now on. Its own name stays."
    )
