"""A new step: where it goes, what it is called, and what it does."""

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.nlu.placing import Place, Work, at_end, draft_of, work_of
from workflow_agent.assistant.offline.nlu.slots import Filled, bare
from workflow_agent.assistant.offline.plan import NotRead, titled
from workflow_agent.assistant.offline.references import PRONOUNS, StepUnclear
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.workflows.model.steps import Step

_OTHER_ORDERS = ("move", "rename", "remove", "delete", "swap", "replace", "connect", "assign", "split")
MOST_NAME = 9
_WAITING = ("wait", "waiting", "pause", "leave", "hold", "delay", "gap", "break", "least", "let")


def place_of(order: Filled) -> Place:
    """Return where a step goes.

    Where it goes by two steps of which one is not understood, by the other, and the words for that one are unread.
    """
    plan = order.plan
    if (beside := order.maybe("beside")) is not None:
        return Place({}, beside)
    if order.words("atend"):
        return Place(at_end(plan))
    if order.words("atstart"):
        return Place({"before": plan.workflow.start, "at": "start"})
    after, before = _either(order)
    if after is not None and before is not None:
        if not any(edge.to == before.id for edge in plan.workflow.outgoing(after.id)):
            raise NotRead
        return Place({"between": [after.id, before.id]})
    if after is not None:
        return Place({"before": after.id} if after.type == "end" else {"after": after.id})
    if before is not None:
        return Place({"before": before.id})
    raise NotRead


def _either(order: Filled) -> tuple[Step | None, Step | None]:
    found: list[Step | None] = []
    unclear: list[StepUnclear] = []
    for role in ("after", "before"):
        try:
            found.append(order.maybe(role))
        except StepUnclear as one:
            unclear.append(one)
            found.append(None)
    if unclear and not any(found):
        raise unclear[0]
    order.plan.unread += [one.phrase for one in unclear]
    return found[0], found[1]


def new_step(order: Filled) -> JsonObject:
    """Return the new step of an order.

    Raises:
        NotRead: Its words are no name for one.
    """
    said = bare(order.words("new"))
    if said and said[0].start == order.tokens[0].start and said[0].is_(*_OTHER_ORDERS) and said[0].kind == "word":
        # "Move foo before scoring" moves something.
        raise NotRead
    if len(said) > 1 and said[-1].is_("step", "task") and said[-1].kind == "word":
        said = said[:-1]
    if not said or any(t.lower in PRONOUNS and t.kind == "word" for t in said):
        raise NotRead
    if (wait := _wait(order, said)) is not None:
        return wait
    if receiver := _receiver(order, said):
        said, who = (*said, *receiver), None
    else:
        who = order.who()
    # "The agreement is inspected" is turned round; in other words nobody is to be found, as who does it is a slot.
    passive = any(t.is_("be", "get") and t.kind == "word" for t in said[1:])
    name = _imperative(order, work_of(order.plan, said).name if passive else said)
    return draft_of(order.plan, name, Work(name, who, order.time()))


def _receiver(order: Filled, said: Tokens) -> Tokens:
    """Return "to the customer" behind "a receipt is mailed": somebody who gets it, and does nothing; else nothing."""
    who = order.words("who")
    at = next((n for n, token in enumerate(order.tokens) if who and token.start == who[0].start), 0)
    to = order.tokens[at - 1 : at]
    sends = any(token.entry.verb in word_set("new_steps.sending") for token in said)
    behind = bool(to) and to[0].lower == "to" and said[-1].end <= to[0].start
    return (*to, *who) if behind and sends and at - 1 == order.tokens.index(said[-1]) + 1 else ()


def _wait(order: Filled, said: Tokens) -> JsonObject | None:
    """Return the wait that "two weeks" or "a pause of an hour" is; None for other work."""
    lengths = durations_in(said)
    if not lengths and order.words("time") and all(t.is_(*_WAITING) for t in said if t.is_content):
        # "Wait two days between applying and scoring."
        said = order.words("time")
        lengths = durations_in(said)
    if len(lengths) != 1:
        return None
    first, length = lengths[0]
    others = [t for t in (*said[:first], *said[length.end :]) if t.is_content]
    if not all(t.is_(*_WAITING) for t in others):
        return None
    draft = order.plan.draft_named(f"Wait {order.plan.said(said[first : length.end])}")
    kept = {key: one for key, one in draft.items() if key not in ("assignee", "uses")}
    return kept | {"type": "wait", "duration": length.value}


def _imperative(order: Filled, words: Tokens) -> Tokens:
    """Return work with its verb in front in its base form: "uploads the photos", "must be checked", "to check them"."""
    kept = list(words)
    while len(kept) > 1 and kept[0].kind == "word" and (kept[0].has("aux", "neg") or kept[0].is_("to", "also")):
        kept.pop(0)
    verb, forms = kept[0], kept[0].entry.form.split()
    behind = kept[1].has("det", "pron", "noun", "adj", "prep") if len(kept) > 1 else bool(order.words("who"))
    if behind and verb.kind == "word" and verb.entry.verb not in (None, verb.lower) and {"s", "ing"} & set(forms):
        name = titled(f"{verb.entry.verb} {order.plan.said(kept[1:])}")
        return (Token(name, "quoted", verb.start, kept[-1].end, verb.entry),)
    return tuple(kept)


def name_given(order: Filled, role: str) -> str:
    """Return the name that a slot gives something.

    Raises:
        NotRead: Its words are no name.
    """
    words = bare(order.words(role))
    if order.is_cut(role):
        raise NotRead
    if not words or len(words) > MOST_NAME or words[0].is_("step", "workflow") or any(t.text in ",;" for t in words):
        raise NotRead
    quoted = [t for t in words if t.kind == "quoted"]
    return quoted[0].text if len(quoted) == 1 and len(words) == 1 else titled(order.text(role))
