"""New steps: where they go, what they are called, and what they do."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.naming import Deed, base_of, read_deed, step_name
from workflow_agent.assistant.offline.nlu.placing import Place, at_end, between, branch_of
from workflow_agent.assistant.offline.nlu.slots import Filled, bare, step_meant
from workflow_agent.assistant.offline.phrases import capitalized, text_of
from workflow_agent.assistant.offline.plan import JOINS, Asked, NotRead, Plan, listed, titled
from workflow_agent.assistant.offline.references import FRAME_WORDS, PRONOUNS, StepUnclear
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.workflows.model.steps import Step

MOST_NAME = 9
_MOST_WORK = 16
"""Words of the name of a new step: of more, somebody tells what happens in it."""
_WAITING = ("wait", "waiting", "pause", "leave", "hold", "delay", "gap", "break", "least", "let")
_CHANNELS = {"mail": "Email", "email": "Email", "e-mail": "Email", "sms": "Text", "text": "Text", "message": "Message"}
_TELLING = ("tell", "inform", "notify", "warn", "alert", "remind", "update", "email", "text", "message")
_PAUSES = ("wait", "waiting", "pause", "sleep", "delay", "break", "cooling")
"""What makes a wait of other work with a length of time: "a cooling time of two hours"."""


def place_of(order: Filled) -> Place:
    """Return where a step goes.

    Where it goes by two steps of which one is not understood, by the other, and the words for that one are unread.
    """
    plan = order.plan
    if (beside := _beside(order)) is not None:
        return Place({}, beside)
    if words := order.words("atend"):
        plan.notes += _unless_said(order, words, "new_steps.end", "new_steps.start")
        return Place(at_end(plan))
    if words := order.words("atstart"):
        plan.notes += _unless_said(order, words, "new_steps.start", "new_steps.end")
        return Place({"before": plan.workflow.start}, is_start=True)
    after, before = _either(order)
    if after is not None and before is not None:
        return between(plan, after, before)
    if after is not None:
        return Place({"before": after.id} if after.type == "end" else {"after": after.id})
    if before is not None:
        return Place({"before": before.id})
    raise NotRead


def _unless_said(order: Filled, words: Tokens, place: str, other: str) -> list[str]:
    """Return for what words were taken that have none of a place's list: "the thing of the week" is no start."""
    told = [t for t in words if t.among(place)]
    contrary = [t for t in words if t.among(other)]
    # "Before all else", and not "to finish it all".
    says = any(t not in contrary for t in told) or (bool(told) and all(t in told for t in contrary))
    return [] if says else [f"I took “{order.plan.said(words)}” for the {place.rpartition('.')[2]} of the workflow"]


def _beside(order: Filled) -> Step | None:
    """Return a step beside which something is done; of several that are done at the same time the first.

    Raises:
        Asked: Several steps are named that are not done at the same time.
        NotRead: No branch is.
    """
    plan, pieces = order.plan, order.all_words("beside")
    if not pieces:
        return None
    forks = [step for step in plan.workflow.steps if step.type == "fork"]
    if len(forks) == 1 and all(t.among("new_steps.others") for words in pieces for t in words if not t.has("det")):
        named = forks
    else:
        named = _named_beside(order, pieces)
    # "The leaving tasks" may be the fork at which they part.
    inside = [step for one in named for step in (_branches(plan, one) if one.type in ("fork", "join") else [one])]
    blocks = {branch_of(plan, step.id) for step in inside}
    if not inside or (len(inside) > 1 and (len(blocks) > 1 or None in blocks)):
        raise Asked(f"Does it go by {' or by '.join(f'**{step.name}**' for step in named)}?") if named else NotRead
    return inside[0]


def _named_beside(order: Filled, pieces: Sequence[Tokens]) -> list[Step]:
    """Return the steps that are named, or may be; of pieces those that name one by themselves."""
    if len(pieces) > 1:
        return [step for words in pieces if (step := _alone(order, words)) is not None]
    try:
        return order.steps("beside")
    except StepUnclear as unclear:
        steps = (order.plan.workflow.step(one.id) for one in unclear.candidates)
        if len(found := [step for step in steps if step is not None]) < 2:
            raise
        return found


def _branches(plan: Plan, fork: Step) -> list[Step]:
    """Return the steps that are branches behind a fork, or in front of a join, each by itself."""
    return [step for step in plan.workflow.steps if fork.id in (branch_of(plan, step.id) or ())]


def _by(order: Filled, role: str) -> Step | None:
    """Return the step that a place names, in one piece or several: "when the reader comes, so after handing out".

    Raises:
        Asked: The pieces name several steps.
    """
    # "Right after": the word alone names no place.
    pieces = [words for words in order.all_words(role) if not all(t.has("prep") for t in words)]
    if len(pieces) > 1:
        likened = order.plan.likened
        named = {step.id: f"**{step.name}**" for words in pieces if (step := _alone(order, words)) is not None}
        order.plan.likened = likened
        if len(named) > 1:
            raise Asked(f"Does it go by {' or by '.join(named.values())}?")
    return order.step(role) if pieces else None


def _alone(order: Filled, words: Tokens) -> Step | None:
    """Return the one step that words alone mean; None where they mean none, or may mean several."""
    try:
        return step_meant(order.plan, words, "step")
    except StepUnclear:
        return None


def _either(order: Filled) -> tuple[Step | None, Step | None]:
    found: dict[str, Step | None] = {}
    unclear: list[StepUnclear] = []
    for role in ("after", "before"):
        try:
            found[role] = _by(order, role)
        except StepUnclear as one:
            unclear.append(one)
    if unclear and not any(found.values()):
        raise unclear[0]
    order.plan.unread += [one.phrase for one in unclear]
    return found.get("after"), found.get("before")


def new_steps(order: Filled) -> list[JsonObject]:
    """Return the new steps of an order, mostly one, as `new_step` does."""
    several = _listed(order)
    return [_drafted(order, words) for words in several] if len(several) > 1 else [new_step(order)]


def _listed(order: Filled) -> list[Tokens]:
    """Return the names of several steps: those between quotes, or as many as "two steps: a and b" says."""
    slots = order.all_words("new")
    if len(slots) > 1:
        gaps = itertools.pairwise(slots)
        return list(map(bare, slots)) if all(_joins(order.between(*gap)) for gap in gaps) else []
    pieces = listed(bare(slots[0])) if slots else []
    quoted = all(len(piece) == 1 and piece[0].kind == "quoted" for piece in pieces)
    counted = any(t.value == len(pieces) for t in order.around())
    # "Check income, Check debts", and not "check income, debts and age".
    titles = all(piece[0].has("verb") and piece[0].text[:1].isupper() for piece in pieces)
    return [bare(piece) for piece in pieces] if quoted or counted or titles else []


def _joins(tokens: Tokens) -> bool:
    return all(t.is_(*JOINS, "then") or t.text in JOINS for t in tokens) and any(t.kind == "word" for t in tokens)


def new_step(order: Filled) -> JsonObject:
    """Return the one new step of an order.

    Raises:
        NotRead: Its words are no name for one.
    """
    # "Leave two days between the mail and the visit" names no work.
    said = () if order.words("time") and not order.all_words("new") else _told(order)
    if (wait := _wait(order, said)) is not None:
        return wait
    if not said:
        raise NotRead
    return _drafted(order, said)


def _told(order: Filled) -> Tokens:
    """Return the words for a new step: also "hops have to be added", where only the hops and "added" are in slots.

    Raises:
        NotRead: There are none, or they do not belong together.
    """
    slots = order.all_words("new")
    if len(slots) > 1 and all(any(t.lower in PRONOUNS for t in words) for words in slots[1:]):
        # "They pay a fee now, counter staff bill it before ...": told twice, the second time of who does it.
        order.plan.guesses += [f"I took “{order.plan.said(words)}” for the same new step" for words in slots[1:]]
        slots = slots[:1]
    for one, other in itertools.pairwise(slots):
        around = order.around()
        gap = order.between(one, other)
        passive = any(t.is_("be", "get") for t in gap) and "ed" in other[0].entry.form.split()
        if not passive or any(t not in around for t in gap):
            raise NotRead
    words = [t for t in order.tokens if slots and slots[0][0].start <= t.start < slots[-1][-1].end]
    front = [t for t in order.tokens if words and t.end <= words[0].start]
    if len(words) > 1 and words[0].lemma in word_set("placing.done") and front and front[-1].is_("be"):
        # "As soon as the invoice is | finished the stock is counted."
        words.pop(0)
    while len(words) > 1 and words[0].is_("to"):
        words.pop(0)
    if len(words) > 1 and words[-1].is_("step", "task") and words[-1].kind == "word":
        words.pop()
    said = (*bare(words[:-1]), words[-1]) if len(words) > 1 and words[-1].text == "%" else bare(words)
    if not said or all(_says_nothing(t) for t in said):
        raise NotRead
    return said


def _says_nothing(token: Token) -> bool:
    return token.kind != "quoted" and (token.lower in PRONOUNS or token.lemma in FRAME_WORDS or not token.is_content)


def _drafted(order: Filled, said: Tokens) -> JsonObject:
    if receiver := _receiver(order, said):
        said, who = (*said, *receiver), None
    elif _is_done_to(order, said):
        said, who = tuple(t for t in order.tokens if order.words("who")[0].start <= t.start <= said[-1].start), None
    else:
        front = [t for t in order.around() if t.end <= said[0].start and not t.has("adv", "aux", "filler", "part")]
        who = order.who() or (order.pointed_at(front[-1]) if front else None)
    draft = order.plan.draft_named(_name(order, said), who)
    lengths = durations_in(said)
    if len(lengths) == 1 and said[0].kind != "quoted" and any(t.is_(*_PAUSES) for t in said):
        return _waiting(order, draft, lengths[0][1].value)
    limit = order.time()
    return draft | ({"timeout": limit} if limit else {})


def _is_done_to(order: Filled, said: Tokens) -> bool:
    """Say whether who stands in front of some work does not do it: "the beekeeper must be | warned"."""
    gap = [t for t in _gap(order, said) if not t.has("adv")]
    return bool(gap) and gap[-1].is_("be", "get") and said[0].entry.form == "ed" and _follows_doer(order, said)


def _name(order: Filled, said: Tokens) -> str:
    """Return the name of some work, its verb in front in its base form: "uploads the photos", "must be checked".

    Raises:
        Asked: It is no name, but a story.
    """
    first, others = said[0], said[1:]
    if not others and (first.kind == "quoted" or not _follows_doer(order, said)):
        return first.text if first.kind == "quoted" else capitalized(text_of(said))
    if len(said) > _MOST_WORK or any(t.text in (".", "!", "?", ";") for t in said):
        raise Asked("What is the new step called, in a few words?")
    # "It is the sample room that photographs the inside": no plural has an article behind it.
    told = bool(others) and first.entry.form == "s" and others[0].has("det", "pron")
    follows = told or _follows_doer(order, said)
    deed = _with_both_verbs(read_deed(_lowered(order, said), is_told_who=follows))
    article = any(t.has("det") for t in order.tokens if t.end + 1 == first.start)
    # "An automated estimate", "written consent", "first aid" and "pre-work meeting" are things, and no work on them.
    thing = article or first.value is not None or (not follows and first.entry.verb is None)
    if deed.voice == "noun" or (not deed.subject and (thing or deed.voice == "passive") and not first.has("aux")):
        return capitalized(text_of(said))
    return capitalized(text_of(said)) if _is_tangled(deed, said) else step_name(deed, "")


def _is_tangled(deed: Deed, said: Tokens) -> bool:
    """Say whether a passive is more than one clause, or not surely one.

    "The file is numbered and bound", "a receipt for every paper handed in", "whether other cards were hit".
    """
    if deed.voice != "passive":
        return False
    pairs = itertools.pairwise(deed.rest)
    again = any(one.is_("and", "or") and "ed" in other.entry.form.split() for one, other in pairs)
    inner = any(t.has("conj", "wh") and not t.is_("and", "or") for t in deed.subject)
    told = any(t.has("aux") or t.is_("get") for t in said)
    unsure = not told and any(t.has("prep") for t in deed.subject)
    return inner or again or unsure or any(t.has("aux") for t in deed.rest)


def _with_both_verbs(deed: Deed) -> Deed:
    """Return a deed whose passive has two verbs side by side as one: "the cage is cleaned and disinfected"."""
    if deed.voice != "passive" or len(deed.rest) < 2:
        return deed
    joint, second = deed.rest[0], deed.rest[1]
    if not joint.is_("and", "or") or second.entry.form != "ed":
        return deed
    return replace(deed, verb=f"{deed.verb} {joint.lower} {base_of(second)}", rest=deed.rest[2:])


def _follows_doer(order: Filled, said: Tokens) -> bool:
    """Say whether who does some work stands in front of it: "the clerk should | check it"."""
    who = order.words("who")
    in_front = bool(who) and who[-1].end <= said[0].start
    return in_front and all(t.has("aux", "adv", "part") or t.is_("get") for t in _gap(order, said))


def _gap(order: Filled, said: Tokens) -> Tokens:
    """Return the words between who does some work and the work."""
    who = order.words("who")
    return order.between(who, said) if who else ()


def _lowered(order: Filled, said: Tokens) -> Tokens:
    """Return words without the capital that the beginning of a sentence gave the first of them."""
    first, before = said[0], [t for t in order.tokens if t.end <= said[0].start]
    begins = not before or before[-1].kind == "punct" or before[-1].has("det")
    plain = first.kind == "word" and first.text.istitle() and first.entry.known
    return (replace(first, text=first.text.lower()), *said[1:]) if begins and plain else said


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
    lengths, told = durations_in(said), ()
    if not lengths and order.words("time") and all(t.is_(*_WAITING) for t in said if t.is_content):
        # "Wait two days between applying and scoring."
        said = told = order.words("time")
        lengths = durations_in(said)
    if len(lengths) != 1:
        return None
    first, length = lengths[0]
    others = [t for t in (*said[:first], *said[length.end :]) if t.is_content]
    if not all(t.is_(*_WAITING) for t in others):
        return None
    draft = order.plan.draft_named(f"Wait {order.plan.said(said[first : length.end])}")
    return _waiting(order, draft, length.value, told)


def _waiting(order: Filled, draft: JsonObject, length: str, told: Sequence[Token] = ()) -> JsonObject:
    """Return the wait that a new step is; nobody does it, and it ends by itself."""
    others = (*order.all_words("who"), *order.all_words("time"))
    order.plan.unread += [order.plan.said(words) for words in others if words != tuple(told)]
    kept = {key: one for key, one in draft.items() if key not in ("assignee", "uses")}
    return kept | {"type": "wait", "duration": length}


def name_given(order: Filled, role: str) -> str:
    """Return the name that a slot gives something.

    Raises:
        NotRead: Its words are no name.
    """
    words = bare(order.words(role))
    if order.is_cut(role) or not 0 < len(words) <= MOST_NAME:
        raise NotRead
    if words[0].is_("step", "workflow") or any(t.text == ";" for t in words):
        raise NotRead
    return words[0].text if len(words) == 1 and words[0].kind == "quoted" else titled(order.text(role))


def is_message(order: Filled) -> bool:
    """Say whether an order tells somebody something: "inform the boss", "let the boss know"."""
    who = order.words("who")
    if not who or order.words("new"):
        return False
    before = [t for t in order.tokens if t.start < who[0].start and not t.has("det")]
    behind = [t for t in order.tokens if t.start > who[-1].start]
    return bool(before) and (before[-1].is_(*_TELLING) or any(t.is_("know") for t in behind[:1]))


def message_step(order: Filled) -> JsonObject:
    """Return the new step in which somebody is told something.

    Raises:
        Asked: It is not known who somebody is: "he gets a mail".
        NotRead: Nobody is told, nor is there a channel with a name of its own.
    """
    draft = order.plan.draft_named(_message_named(order, bare(order.words("who")))) | {"type": "action"}
    message = order.all_words("new")
    return draft | ({"description": "; ".join(map(order.plan.said, message))} if message else {})


def _message_named(order: Filled, who: Tokens) -> str:
    """Return the name of a step that tells somebody something: "Email the applicant", "Notify the owner via fax"."""
    everybody = len(who) == 1 and who[0].among("slots.everybody")
    if who and not everybody and all(t.among("set.pronouns") for t in who):
        raise order.asked("Which role or name is", who)
    channel = order.words("channel")
    channel = bare(channel[1:] if len(channel) > 1 and channel[0].has("prep") else channel)
    if not who:
        if not any(t.text[:1].isupper() or t.text == "#" for t in channel[:1]):
            # "They should get a fax."
            raise NotRead
        return f"Send message to {order.plan.said(channel)}"
    verb = next((_CHANNELS[t.lemma] for t in channel if t.lemma in _CHANNELS), None)
    said_so = next((t.lemma.capitalize() for t in order.around() if t.is_(*_TELLING)), "Notify")
    named = "Send message to" if verb == "Message" else verb or said_so
    said = order.plan.said(who)
    name = f"{named} {said}" if everybody or who[0].text[:1].isupper() else f"{named} the {said}"
    return f"{name} via {order.plan.said(channel)}" if channel and verb is None else name
