"""Deciding what a message asks for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from workflow_agent.agent.offline.intents.changes import Order, parted_orders, read_orders
from workflow_agent.agent.offline.intents.grammar import MOST_PHRASE_CHARS, matches, phrase_table
from workflow_agent.agent.offline.intents.importing import read_import
from workflow_agent.agent.offline.intents.mentions import split_mention
from workflow_agent.agent.offline.intents.text import (
    MOST_CHARS,
    Core,
    Meaning,
    begins_with_order,
    cleaned,
    core_of,
    without_leading,
    without_trailing,
)
from workflow_agent.agent.offline.turn.drafting import Drafting

_ANSWER_CHARS = 200
_CREATING = frozenset({"create", "create_loose"})
_DESCRIBES_WORK = re.compile(
    r"->|=>|\b1[.)] .{2,200}\b2[.)] |(?:^|\n)\s*(?:\d+[.)]|[-*])\s+\S|\bthen\b|\bafterwards\b|"
    r"\botherwise\b|\bif (?:it is |it's )?(?:approved|rejected|not)\b|"
    r"^(?:when|whenever|once|first|every|each)\b.+,",
    re.IGNORECASE,
)
_ARROW = re.compile(r"->|=>")
_SENTENCES = re.compile(r"[a-z)][.!;](?:\s|$)")
_NEGATED = re.compile(
    r"(?:please )?(?:don't|do not|never|dont|no need to|you needn't|stop)\s+"
    r"(?!forget|hesitate|(?:you|we|i|they|people)\b)(\w+)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Request:
    """What a message asks for."""

    kind: str
    slots: Mapping[str, str] = field(default_factory=dict[str, str])
    text: str = ""
    """The message's core: no greetings, courtesies or end marks."""
    meaning: Meaning = "order"
    orders: tuple[Order, ...] = ()
    questions: tuple[tuple[str, dict[str, str]], ...] = ()
    """Of a question about the inside: each kind it can be, with its slots."""


def read_answer(text: str) -> str | None:
    """Return "yes" or "no" when a message is one and nothing else."""
    plain = re.sub(r"[,.!:;]+", " ", cleaned(text[:_ANSWER_CHARS])).strip()
    if len(text) > _ANSWER_CHARS:
        return None
    return next((kind for kind, _ in matches(re.sub(r" +", " ", plain), phrase_table("answers"))), None)


def read_request(text: str, drafting: Drafting, *, mode: str, has_focus: bool) -> Request:
    """Return what a message asks for; kind "unknown" when nothing fits.

    Args:
        text: The message as typed.
        drafting: Reads steps, durations and triggers.
        mode: The mode the turn began in, which tips the scales where words do not.
        has_focus: Whether there is a workflow that an order without a name can be about.
    """
    if pasted := read_import(text):
        return Request("import", pasted, text)
    plain = cleaned(text)
    core = core_of(plain)
    if negated := _negated(core):
        return negated
    orders = _orders(plain, core, drafting, has_focus=has_focus)
    changed = Request("change", {}, core.text, core.meaning, orders) if orders else None
    return (
        _from_table("talk", plain, core)
        or _from_table("intents", plain, core)
        or _creation(text, core, orders, drafting, mode=mode, has_focus=has_focus)
        or changed
        or _from_table("portfolio", plain, core)
        or (_stated(plain, core, drafting) if has_focus else None)
        or (_told(text, core, drafting) if not has_focus and _is_long(text) else None)
        or (_inside(plain, core) if has_focus else None)
        or (_parted(plain, core, drafting) if has_focus else None)
        or _from_table("lookup", plain, core)
        or _inside(plain, core)
        or _description(text, core)
        or _told(text, core, drafting)
        or _by_mode(core, mode, has_focus=has_focus)
    )


def _negated(core: Core) -> Request | None:
    match = _NEGATED.match(core.text)
    if match and not any(matches(core.text, phrase_table("changes"))):
        return Request("negated", text=core.text)
    return None


def _inside(plain: str, core: Core) -> Request | None:
    """Return a question about the inside of a workflow, with every way to read it."""
    for phrase in _phrasings(plain, core)[:2]:
        readings = tuple(matches(phrase, phrase_table("inside")))
        if readings:
            workflow = next((slots["workflow"] for _, slots in readings if "workflow" in slots), None)
            named = {"workflow": workflow} if workflow else {}
            return Request("inside", named, phrase, core.meaning, questions=readings)
    return None


def _by_mode(core: Core, mode: str, *, has_focus: bool) -> Request:
    """Return what mode and situation make of words that say nothing by themselves."""
    asks = core.meaning == "question" and mode != "general"
    if core.text and (mode == "search" or (asks and not has_focus)):
        return Request("find", {"query": core.text}, core.text, core.meaning)
    if asks:
        return Request("inside", {}, core.text, core.meaning, questions=(("about", {"thing": core.text}),))
    return Request("unknown", text=core.text, meaning=core.meaning)


def _phrasings(plain: str, core: Core) -> list[str]:
    """Return a message more and less stripped of what surrounds its core, most stripped first."""
    whole = without_trailing(plain.rstrip(" ?!.")).rstrip(" ?")
    return list(dict.fromkeys((core.text, core.whole, whole, without_leading(whole), plain.rstrip(" ?!."))))


def _from_table(name: str, plain: str, core: Core) -> Request | None:
    for phrase in _phrasings(plain, core):
        for kind, slots in matches(phrase, phrase_table(name)):
            if kind not in _CREATING:
                return Request(kind, slots, phrase, core.meaning)
    return None


def _creation(
    text: str, core: Core, orders: tuple[Order, ...], drafting: Drafting, *, mode: str, has_focus: bool
) -> Request | None:
    """Return a request for a new workflow, which a message asks for or, where one is expected, describes."""
    if core.meaning == "question":
        return None
    beginning = re.split(r"[.:;\n]", core.text, maxsplit=1)[0][:MOST_PHRASE_CHARS]
    found = (
        match for phrase in (core.text, beginning) for match in matches(phrase, phrase_table("portfolio"))
    )
    asked = next((match for match in found if match[0] in _CREATING), None)
    bare = core.meaning != "order" and " " not in core.text
    if (
        asked
        and not bare
        and not _adds_to_one(core.text, orders)
        and (asked[0] == "create" or not _is_placed(orders))
    ):
        return Request("create", asked[1], core.text, core.meaning)
    if (has_focus and mode != "creation") or (orders and begins_with_order(core.text)):
        return None
    if has_focus and orders and len(_ARROW.findall(core.text)) == 1:
        # One thing that becomes another; a process has more arrows.
        return None
    described = _description(text, core)
    if described is None and not has_focus and drafting.tells_work(text) == "surely":
        return Request("create", {}, core.text, "order")
    return described


def _is_long(text: str) -> bool:
    """Say whether a message is several sentences, which no question for a workflow is."""
    return len(_SENTENCES.findall(text[:MOST_CHARS])) > 1


def _told(text: str, core: Core, drafting: Drafting) -> Request | None:
    """Return the offer to make a workflow of work that a message tells without asking for anything."""
    return Request("offer_creation", {}, core.text) if drafting.tells_work(text) else None


def _adds_to_one(text: str, orders: tuple[Order, ...]) -> bool:
    """Say whether something other than a step is added to a workflow: "add an alias to the x workflow"."""
    first = orders[0].readings[0] if orders and orders[0].readings else None
    return first is not None and first.kind != "insert" and text.lower().startswith("add ")


def _is_placed(orders: tuple[Order, ...]) -> bool:
    """Say whether the first clause changes something that exists: anything but "add x" without a place."""
    first = orders[0].readings[0] if orders and orders[0].readings else None
    return first is not None and not (first.kind == "insert" and not first.place)


def _description(text: str, core: Core) -> Request | None:
    """Return a request for a new workflow when a statement tells how work goes."""
    if core.meaning != "order" or not _DESCRIBES_WORK.search(text[:MOST_CHARS]):
        return None
    return Request("create", {}, core.text, core.meaning)


def _orders(plain: str, core: Core, drafting: Drafting, *, has_focus: bool) -> tuple[Order, ...]:
    if core.meaning == "question":
        return ()
    said = core.text if core.meaning == "tentative" else without_trailing(plain)
    orders = read_orders(said, drafting)
    if has_focus and orders and not all(order.readings for order in orders):
        stated = read_orders(said, drafting, stated=True)
        orders = stated if all(order.readings for order in stated) else orders
    return orders or split_mention(core.text, (), drafting)[0]


def _parted(plain: str, core: Core, drafting: Drafting) -> Request | None:
    """Return the change that a message orders beside something else: a reason, or what else is said of it."""
    if core.meaning != "order":
        return None
    said = without_trailing(plain)
    parts = (part for parting in parted_orders(said, drafting) for part in parting)
    if not any(part.readings for part in parts):
        return None
    return Request("change", {}, core.text, core.meaning, read_orders(said, drafting) or (Order(said, ()),))


def _stated(plain: str, core: Core, drafting: Drafting) -> Request | None:
    """Return the change that a statement about the open workflow orders, where each clause is one."""
    if core.meaning != "order":
        return None
    orders = read_orders(without_trailing(plain), drafting, stated=True)
    is_order = bool(orders) and all(order.readings for order in orders)
    return Request("change", {}, core.text, core.meaning, orders) if is_order else None
