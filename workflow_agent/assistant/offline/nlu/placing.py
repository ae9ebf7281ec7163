"""Where a new step goes, what it is called and who does it; steps that move or trade places."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workflow_agent.assistant.offline.clauses import phrase_at
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.people import is_somebody, may_be_somebody, people_in, written
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan, titled
from workflow_agent.assistant.offline.references import PRONOUNS, akin, content_of
from workflow_agent.assistant.offline.spans import cue_at, spans_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.workflows.model.steps import Step

_DONE = word_set("placing.done")
_APPROVALS = word_set("structure.approvals")


@dataclass(frozen=True, slots=True)
class Place:
    """Where something goes: the fields of an edit, or the step beside which it is done."""

    fields: JsonObject
    beside: Step | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """What a new step is: the words of its name, who does it and how long it may take."""

    name: Tokens
    who: str | None = None
    timeout: str | None = None


def at_end(plan: Plan) -> JsonObject:
    """Return the place behind the last step that does something and leads to a good end."""
    all_ends = [s for s in plan.workflow.steps if s.type == "end"]
    ends = [s for s in all_ends if s.outcome in (None, "ok")] or all_ends
    last = [s for s in plan.workflow.steps if s.type != "end" and not plan.workflow.outgoing(s.id)]
    if ends and plan.workflow.incoming(ends[0].id):
        return {"before": ends[0].id}
    if len(last) == 1:
        return {"after": last[0].id}
    raise Asked("There is more than one end. Where does it go?")


def anchor(plan: Plan, tokens: Sequence[Token], mark: str) -> Step | None:
    """Return the step that a place names, also as "once the review is done" or "before we sign"."""
    words = [t for t in tokens if not t.has("aux", "det") and not (t.is_("get") and t.has("verb"))]
    while len(words) > 1 and (words[0].has("pron") or words[0].is_("start", "begin", "continue", "proceed", "go")):
        words.pop(0)
    while len(words) > 1 and words[-1].kind == "word" and words[-1].lemma in _DONE:
        words.pop()
    named = [t for t in words if t.lower not in PRONOUNS and not t.has("pron")]
    if not any(t.is_content for t in named):
        return plan.maybe(words) if any(t.lower in PRONOUNS for t in words) else None
    fits = plan.fits(named) or _of_verb(plan, tokens)
    if len(fits) == 1 and fits[0].type == "end" and (mark == "after" or any(t.has("aux") for t in tokens)):
        fits = plan.steps.fits(named, with_ends=False) or fits
    if len(fits) > 1 and any(t.is_("it", "they", "them") for t in words):
        said = content_of(plan.text)
        scores = [sum(any(akin(w, o) for w in said) for o in content_of(s.name)) for s in fits]
        fits = [s for s, score in zip(fits, scores, strict=True) if score == max(scores)]
    return fits[0] if len(fits) == 1 else None


def _of_verb(plan: Plan, tokens: Sequence[Token]) -> list[Step]:
    """Return the step that is no more than a verb of the passive that a place tells: "before the money is paid out"."""
    at = next((i for i, t in enumerate(tokens) if i and t.is_("be", "get")), len(tokens))
    verb = [t for t in tokens[at + 1 :] if not t.has("aux", "adv")]
    if not verb or verb[0].entry.form != "ed":
        return []
    return plan.steps.fits(verb, with_ends=False) if plan.steps.is_named(verb) else []


def move_steps(plan: Plan, steps: Sequence[Step], place: Place) -> None:
    """Move steps somewhere, one behind the other.

    Raises:
        NotRead: One of them is where it is to go.
    """
    if place.beside is not None:
        plan.do({"op": "parallelize", "steps": [*(step.id for step in steps), place.beside.id]})
        return
    plan.notes = [note for note in plan.notes if "did not say where" not in note]
    fields = {key: value for key, value in place.fields.items() if key != "at"}
    for step in steps:
        if step.id in (fields.get("before"), fields.get("after"), *(fields.get("between") or ())):
            raise NotRead
        known = {(edge.from_, edge.to) for edge in plan.workflow.transitions}
        cases = [edge.when.text for edge in plan.workflow.transitions if edge.when]
        plan.do({"op": "move_step", "step": step.id, **fields})
        left = [edge.when.text for edge in plan.workflow.transitions if edge.when]
        if lost := [text for text in cases if cases.count(text) > left.count(text)]:
            plan.notes = [*plan.notes, f"the way “{lost[0]}” would go"]
        kinds = {one.id: one.type for one in plan.workflow.steps}
        for edge in plan.workflow.transitions:
            if (kinds[edge.from_], kinds[edge.to]) == ("fork", "join") and (edge.from_, edge.to) not in known:
                # The branch that the step was alone in.
                plan.do({"op": "disconnect", "from": edge.from_, "to": edge.to})
        fields = {"after": step.id}


def put(plan: Plan, drafts: Sequence[JsonObject], place: Place) -> None:
    """Put new steps somewhere, one behind the other."""
    fields = place.fields
    if place.beside is not None and len(drafts) > 1:
        raise NotRead
    for draft in drafts:
        said = content_of(draft["name"]) or [draft["name"].casefold()]
        named = ((step.name, content_of(step.name) or [step.name.casefold()]) for step in plan.workflow.steps)
        if same := next((name for name, words in named if words == said), None):
            plan.notes = [*plan.notes, f"there is “{same}” already, so that there would be two"]
        draft["id"] = plan.new_id(draft["name"])
        if place.beside is not None:
            _put_beside(plan, draft, place.beside)
        elif fields == {"before": plan.workflow.start, "at": "start"}:
            plan.do(
                {"op": "add_step", "step": draft},
                {"op": "connect", "from": draft["id"], "to": plan.workflow.start},
                {"op": "set_start", "step": draft["id"]},
            )
        else:
            plan.do({"op": "insert_step", "step": draft, **{k: v for k, v in fields.items() if k != "at"}})
        plan.steps.last = draft["id"]
        fields = {"after": draft["id"]}


def _put_beside(plan: Plan, draft: JsonObject, beside: Step) -> None:
    branch = branch_of(plan, beside.id)
    if branch is None:
        plan.do(
            {"op": "insert_step", "step": draft, "before": beside.id},
            {"op": "parallelize", "steps": [draft["id"], beside.id]},
        )
        return
    plan.do(
        {"op": "add_step", "step": draft},
        {"op": "connect", "from": branch[0], "to": draft["id"]},
        {"op": "connect", "from": draft["id"], "to": branch[1]},
    )


def branch_of(plan: Plan, step_id: str) -> tuple[str, str] | None:
    """Return the fork and the join between which a step stands alone, or None."""
    kinds = {step.id: step.type for step in plan.workflow.steps}
    forks = [edge.from_ for edge in plan.workflow.incoming(step_id) if kinds[edge.from_] == "fork"]
    joins = [edge.to for edge in plan.workflow.outgoing(step_id) if kinds[edge.to] == "join"]
    return (forks[0], joins[0]) if forks and joins else None


def is_approval(tokens: Sequence[Token]) -> bool:
    """Say whether words mean an approval and nothing more: "an approval", "sign-off"."""
    content = [t for t in tokens if t.is_content and t.lemma != "step"]
    return len(content) == 1 and (
        content[0].lemma in _APPROVALS or content[0].lower in _APPROVALS or content[0].is_("approve")
    )


def draft_of(plan: Plan, name: Tokens, work: Work) -> JsonObject:
    """Return the new step that some work is, with an id.

    Raises:
        NotRead: The words are no name for one.
    """
    spans = spans_of(name, frozenset())
    lengths = [span for span in spans if span.kind == "length"]
    waits = (
        name[0].is_("wait", "pause", "sleep")
        or (bool(lengths) and name[0].is_("hold"))
        or (bool(lengths) and any(t.is_("pause", "delay", "break", "wait", "waiting", "cooling") for t in name))
    )
    if bool(lengths) != waits or len(lengths) > 1 or (any(t.kind == "number" for t in name) and not waits):
        raise NotRead
    if any(t.has("aux") for t in name[1:]) or (
        name[0].kind != "quoted" and any(t.among("placing.no_name") for t in name)
    ):
        raise NotRead
    for joint, following in itertools.pairwise(name):
        if joint.is_("and", "then", "but") and phrase_at((following,), 0, "verbs.tsv")[1] and following.kind == "word":
            raise NotRead
    if work.who and plan.steps.is_named(doer := read_tokens(work.who)) and not is_somebody(plan.workflow, doer):
        # "The formal check should come back" tells of a step, not of somebody.
        raise NotRead
    draft = plan.draft(_imperative(plan, name), work.who)
    if waits:
        kept = {key: one for key, one in draft.items() if key not in ("assignee", "uses")}
        return kept | {"type": "wait", "duration": lengths[0].value}
    return draft | ({"timeout": work.timeout} if work.timeout else {})


def _imperative(plan: Plan, name: Tokens) -> Tokens:
    """Return a name with its verb in front and in its base form."""
    verb, others = name[0], name[1:]
    turned = bool(others) and verb.start > others[0].start
    inflected = verb.kind == "word" and verb.entry.form in ("s", "ed") and verb.entry.verb
    if not turned and not (inflected and ((verb.entry.form == "s" and not verb.has("noun")) or turned)):
        return name
    sides = ([t for t in others if t.start < verb.start], [t for t in others if t.start > verb.start])
    said = " ".join(plan.said(side) for side in sides if side)
    text = titled(f"{verb.entry.verb} {said}")
    return (Token(text, "quoted", verb.start, name[-1].end, verb.entry),)


_BEHIND = frozenset({"by", "owner", "bound", "timeout", "for"})


def work_of(plan: Plan, words: Tokens) -> Work:
    """Return the work that words tell, who does it, and within what time.

    Raises:
        NotRead: They tell no work.
    """
    words, timeout = _without_time(words)
    words, who = _without_doer(plan, words)
    name, actor = _by_actor(plan, words)
    if not any(t.is_content for t in name):
        raise NotRead
    return Work(name, who or actor or None, timeout)


def _without_time(words: Tokens) -> tuple[Tokens, str | None]:
    """Return words without "within 3 days" or ", 2 hours", and that length; a wait keeps its own."""
    spans = spans_of(words, _BEHIND)
    at = next((i for i, span in enumerate(spans) if span.kind == "length"), None)
    if at is None or (
        words[0].is_("wait", "pause", "hold", "sleep") or any(t.is_("delay", "pause", "wait") for t in words)
    ):
        return words, None
    if at and spans[at - 1].tokens[0].is_("for") and not any(span.kind in ("bound", "timeout") for span in spans):
        # "Let it cool for 2 hours" tells how long the work takes, and no limit.
        raise NotRead
    first = at
    while first and spans[first - 1].kind in ("bound", "timeout", "joint", "mark", "glue", "det", "for", "arrow"):
        first -= 1
    kept = [*spans[:first], *spans[at + 1 :]]
    if any(span.kind in _BEHIND - {"by", "owner", "for"} for span in kept):
        raise NotRead
    return tuple(t for span in kept for t in span.tokens), str(spans[at].value)


def _without_doer(plan: Plan, words: Tokens) -> tuple[Tokens, str | None]:
    """Return words without "by the nurse", "(nurse)", ", nurse does it" or "for the nurse: ", and who that is."""
    if words and words[0].is_("for") and (colon := next((i for i, t in enumerate(words) if t.text == ":"), 0)):
        return words[colon + 1 :], written(plan.workflow, words[1:colon])
    for at in range(1, len(words) - 1):
        end, kind = cue_at(words, at, _BEHIND) if words[at].kind != "quoted" else (at, "")
        mark = words[at].text in ("(", ",", "-", ":") and words[at].kind == "punct"
        if kind == "by" and end > at + 1 and words[at].entry.form == "ed" and any(t.has("aux") for t in words[:at]):
            # "Should be sent by the teller" tells what is done.
            continue
        if not mark and kind not in ("by", "owner", "for"):
            continue
        role = [t for t in words[max(end, at + 1) :] if t.text not in (")", ":", "(")]
        while role and (role[0].has("prep", "aux", "pron") or role[0].is_("owner", "do", "to", "and")):
            role = role[1:]
        while len(role) > 1 and (role[-1].is_("do", "it", "that", "this", "handle", "take", "care", "of", "to")):
            role = role[:-1]
        while len(role) > 1 and role[0].is_("let", "have", "make", "get", "assign", "done"):
            role = role[1:]
        sure = is_somebody(plan.workflow, role)
        if not sure and not (kind in ("by", "owner") and may_be_somebody(role)):
            continue
        head = list(words[:at])
        while len(head) > 1 and (
            head[-1].has("aux")
            or head[-1].kind == "punct"
            or (head[-1].entry.form == "ed" and head[-2].kind == "punct")
        ):
            head.pop()
        return tuple(head), written(plan.workflow, role)
    return words, None


def _by_actor(plan: Plan, name: Tokens) -> tuple[Tokens, str | None]:
    """Return the work of "the doctor has to check it", and who does it; any other name as it is."""
    if (
        len(name) > 1
        and name[0].is_("for")
        and (any(t.is_("to") for t in name) or not is_somebody(plan.workflow, name[1:]))
    ):
        name = name[1:]
    if len(name) > 3 and name[0].is_("somebody", "someone") and name[1].is_("from", "of", "in"):
        name = name[2:]
    at = next(
        (i for i, t in enumerate(name) if i and t.kind == "word" and (t.has("aux") or t.is_("need", "want"))), None
    )
    to = next(
        (i for i, t in enumerate(name[:-1]) if i and t.is_("to") and "base" in name[i + 1].entry.form.split()), None
    )
    if at is None and to is not None and (who := _somebody(plan, name[:to])) is not None:
        return name[to + 1 :], who or None
    if at is None:
        return _told_work(plan, name)
    end = at
    while end < len(name) and (
        name[end].has("aux")
        or name[end].is_("to", "need", "want")
        or _is_passive(name, end)
        or (name[end].has("adv", "part") and not name[end].has("verb"))
    ):
        end += 1
    if end >= len(name) or not name[end].entry.verb or any(t.is_("can", "may", "could", "might") for t in name[at:end]):
        # "Orders can be cancelled" allows it, and orders nothing.
        raise NotRead
    subject = tuple(t for t in name[:at] if not t.is_("to"))
    passive = any(t.is_("be", "get") for t in name[at:end]) and "ed" in name[end].entry.form.split()
    if passive and _somebody(plan, subject) != "":
        # "The cake has to be photographed": the work is to photograph the cake.
        return (name[end], *subject, *name[end + 1 :]), None
    who = _somebody(plan, subject)
    if who is None and not may_be_somebody(subject):
        raise NotRead
    return _sent(plan, subject, name[end:]), who if who is not None else written(plan.workflow, subject)


def _is_passive(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a token is the auxiliary of "gets applied"."""
    return tokens[at].is_("get") and any("ed" in t.entry.form.split() for t in tokens[at + 1 : at + 2])


def _somebody(plan: Plan, words: Sequence[Token]) -> str | None:
    """Return who words name, "" for somebody or us, None for no person."""
    named = [t for t in words if t.is_content and not t.is_("somebody", "someone")]
    if not named and all(t.has("pron", "det", "prep") for t in words):
        return ""
    return written(plan.workflow, words) if is_somebody(plan.workflow, words) else None


def _told_work(plan: Plan, name: Tokens) -> tuple[Tokens, str | None]:
    """Return the work of "the deputy confirms the visit" and who does it; a name without a doer as it is."""
    if not name:
        raise NotRead
    for cut in range(1, min(5, len(name))):
        verb, subject = name[cut], name[:cut]
        forms = verb.entry.form.split()
        behind = name[cut + 1] if cut + 1 < len(name) else None
        does = "s" in forms or ("base" in forms and name[cut - 1].lower.endswith("s"))
        if (
            not does
            or verb.kind != "word"
            or (behind is not None and not behind.has("det", "pron", "noun", "prep", "adj"))
        ):
            continue
        who = _somebody(plan, subject)
        told = (
            who is None
            and "s" in forms
            and subject[-1].has("noun")
            and all(t.has("det", "noun", "adj") for t in subject)
        )
        if verb.is_("get", "receive") and len(name) > cut + 1 and name[cut + 1].entry.form != "ed":
            # "The project lead gets a confirmation": somebody else sends it.
            return _sent(plan, subject, name[cut:]), None
        if who is not None or (told and not verb.has("noun")):
            return _sent(plan, subject, name[cut:]), who if who is not None else written(plan.workflow, subject)
    passive = next((at for at in range(1, len(name) - 1) if _is_passive(name, at)), 0)
    if passive and all(t.has("det", "noun", "adj") for t in name[:passive]):
        # "The animal gets weighed": the work is to weigh the animal.
        return (name[passive + 1], *name[:passive], *name[passive + 2 :]), None
    people = people_in(plan.workflow, name)
    first = next((at for at, t in enumerate(name) if not t.has("det")), 0)
    end = people.get(first, 0)
    if end and end + 1 < len(name) and _is_passive(name, end):
        # "The customer gets told": the work is to tell the customer.
        return (name[end + 1], *name[:end], *name[end + 2 :]), None
    acts = end and end < len(name) and name[end].kind == "word" and {"base", "s"} & set(name[end].entry.form.split())
    if acts and (len(name) > end + 1 or not name[end].has("noun")):
        return _sent(plan, name[:end], name[end:]), written(plan.workflow, name[:end])
    last = name[-1]
    if len(name) > 1 and last.entry.form == "ed" and not last.has("noun", "adj") and last.kind == "word":
        # "Have the cake wrapped".
        return (last, *name[:-1]), None
    if is_approval(name[-1:]) and len(name) > 1 and is_somebody(plan.workflow, name[:-1]):
        return name, written(plan.workflow, name[:-1])
    if (
        len(name) > 3
        and is_approval(name[:1])
        and name[1].is_("of", "by", "from")
        and is_somebody(plan.workflow, name[2:])
    ):
        return name[:1], written(plan.workflow, name[2:])
    return name, None


def _sent(plan: Plan, subject: Sequence[Token], work: Tokens) -> Tokens:
    """Return what somebody does; of what somebody gets, that it is sent to them."""
    if not work[0].is_("get", "receive") or len(work) < 2:
        return _imperative_of(plan, work)
    text = f"Send {plan.said(work[1:])} to {plan.said(subject)}"
    return (Token(text, "quoted", work[0].start, work[-1].end, work[0].entry),)


def _imperative_of(plan: Plan, work: Tokens) -> Tokens:
    verb: Any = work[0].entry.verb
    if work[0].entry.form != "s" or not verb:
        return work
    text = titled(f"{verb} {plan.said(work[1:])}" if work[1:] else verb)
    return (Token(text, "quoted", work[0].start, work[-1].end, work[0].entry),)


def swap_steps(plan: Plan, one: Step, other: Step) -> None:
    """Make the edits that let two steps trade places, however far apart they are."""
    following = {edge.to for edge in plan.workflow.outgoing(one.id) if edge.type != "error"}
    preceding = {edge.to for edge in plan.workflow.outgoing(other.id) if edge.type != "error"}
    if other.id in following or one.id in preceding:
        first, second = (one, other) if other.id in following else (other, one)
        # Who comes to the second past the first would miss it.
        ways = {edge.from_ for edge in plan.workflow.incoming(second.id)}
        if ways - {first.id}:
            plan.notes = [*plan.notes, f"who comes to “{second.name}” past “{first.name}” would miss it"]
        plan.do({"op": "move_step", "step": second.id, "before": first.id})
    else:
        after_one = [edge.to for edge in plan.workflow.outgoing(one.id)]
        after_other = [edge.to for edge in plan.workflow.outgoing(other.id)]
        if len(after_one) != 1 or len(after_other) != 1:
            raise Asked(f"{one.name!r} and {other.name!r} stand apart, and their ways on differ")
        plan.do({"op": "move_step", "step": one.id, "before": after_other[0]})
        plan.do({"op": "move_step", "step": other.id, "before": after_one[0]})
