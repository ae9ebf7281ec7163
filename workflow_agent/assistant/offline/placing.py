"""The frame of places: a new step, or one that is there, goes before, after, between, beside, first or last.

A place is a mark and the longest run of words behind it that names a step. The other words name steps that are
there, which then move, or the work of a new step and who does it.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from workflow_agent.assistant.offline import conditions
from workflow_agent.assistant.offline.clauses import counts, phrase_at
from workflow_agent.assistant.offline.lexicon import entry_of, word_set
from workflow_agent.assistant.offline.people import is_somebody, may_be_somebody, people_in, written
from workflow_agent.assistant.offline.plan import WHOLE, Asked, Clause, NotRead, Plan, listed, titled
from workflow_agent.assistant.offline.references import PRONOUNS, StepUnclear, akin, content_of
from workflow_agent.assistant.offline.spans import cue_at, spans_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import duration_at
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

_MARKS = frozenset({"before", "after", "between", "start", "end", "beside"})
_LEAD = word_set("placing.lead")
_MOVING = word_set("placing.moving")
_DONE = word_set("placing.done")
_APPROVALS = word_set("structure.approvals")
_ADD = frozenset({"add"})
_NEW = ("another", "new", "additional", "extra", "second", "further")
_MOST_ANCHOR_WORDS = 9


@dataclass(frozen=True, slots=True)
class Place:
    """Where something goes: the fields of an edit, or the step beside which it is done."""

    fields: JsonObject
    beside: Step | None
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Work:
    """What a new step is: the words of its name, who does it and how long it may take."""

    name: Tokens
    who: str | None = None
    timeout: str | None = None


def read_placing(plan: Plan, clause: Clause) -> Tokens:
    """Put a step where a clause says; return the words that are not used.

    Raises:
        NotRead: It puts nothing anywhere.
        StepUnclear: The step to move may be several.
    """
    tokens = _turned(clause.tokens)
    if (first := _begins_at(plan, tokens)) is not None:
        plan.do({"op": "set_start", "step": first.id})
        return ()
    places = _places(plan, tokens)
    if any(t.has("neg") or t.is_("overdue") for t in tokens):
        raise NotRead
    inside = {at for place in places for at in range(place.first, place.end)}
    over = {place.end for place in places if _runs_on(tokens, place)}
    plan.unread = [*plan.unread, *(tokens[at].text for at in over)]
    inside |= over
    words = _edged([t for at, t in enumerate(tokens) if at not in inside and t.kind not in ("bullet", "break")])
    adds, bare = _bare(words)
    adds = adds or clause.wanted
    place = _one_of(plan, places) if places else None
    if places and (place is None or _is_parted(tokens, places)):
        raise NotRead
    if place is None:
        _without_place(plan, clause, bare, adds=adds)
    elif not any(counts(t) for t in bare) and (adds or not bare) and _is_insert(plan):
        move_steps(plan, plan.spoken_of(is_pointed=True), place)
    elif conditions.has_amount(words):
        return conditions.read_approval(plan, replace(clause, tokens=tuple(words)), place.fields)
    elif moved := _moved(
        plan, words, adds=adds and not any(t.lower in PRONOUNS for t in bare) and not _is_there(clause, words)
    ):
        move_steps(plan, moved, place)
    else:
        _insert(plan, bare, place)
    return ()


def _begins_at(plan: Plan, tokens: Tokens) -> Step | None:
    """Return the step of "the whole thing should begin with counting": where the workflow starts from now on."""
    verb = next((at for at, t in enumerate(tokens) if t.is_("begin", "start")), None)
    if verb is None or not tokens[verb + 1 : verb + 2] or not tokens[verb + 1].is_("with", "at", "from"):
        return None
    if any(counts(t) and t.lemma not in WHOLE and not t.is_("run", "make", "let") for t in tokens[:verb]):
        return None
    about = [t for t in tokens[verb + 2 :] if not t.is_("please", "now", "instead", "directly")]
    step = plan.maybe(about) if about and not any(t.kind == "punct" for t in about) else None
    return step if step is not None and step.type != "end" and not _is_insert(plan) else None


def _turned(tokens: Tokens) -> Tokens:
    """Return "a is followed by b" as "b after a"; other words as they are."""
    at = next((at for at, t in enumerate(tokens[:-2]) if at and t.is_("followed", "preceded")), 0)
    if not at or not tokens[at + 1].is_("by") or not any(t.has("aux") for t in tokens[:at]):
        return tokens
    mark = "after" if tokens[at].is_("followed") else "before"
    first, last = tokens[at], tokens[at + 1]
    place = Token(mark, "word", first.start, last.end, entry_of(mark))
    return (*tokens[at + 2 :], place, *(t for t in tokens[:at] if not t.has("aux")))


def _runs_on(tokens: Tokens, place: Place) -> bool:
    """Say whether a noun behind a place is part of it: "x before the legal | check", of a step "Legal approval"."""
    noun, last = tokens[place.end : place.end + 1], tokens[place.end - 1]
    named = place.end > place.first + 1 and last.is_content and last.kind == "word" and not last.has("verb")
    told = any(counts(t) for t in tokens[: place.first])
    return named and told and any(t.kind == "word" and t.has("noun") and not t.has("adv") for t in noun)


def _is_there(clause: Clause, words: Sequence[Token]) -> bool:
    """Say whether words want "the invoice to go out", which is there already."""
    to = next((at for at, t in enumerate(words) if at and t.is_("to")), 0)
    verb = words[to + 1 : to + 2]
    return clause.wanted and to > 0 and words[0].is_("the", "our") and any(t.lemma in _MOVING for t in verb)


def _is_insert(plan: Plan) -> bool:
    return bool(plan.edits) and plan.edits[-1]["op"] == "insert_step"


def _edged(words: Sequence[Token]) -> list[Token]:
    kept = list(words)
    while kept and kept[-1].kind == "punct" and kept[-1].text != ")":
        kept.pop()
    while kept and kept[0].kind == "punct":
        kept.pop(0)
    return kept


def _is_parted(tokens: Tokens, places: Sequence[Place]) -> bool:
    """Say whether each of two places has a step of its own: "x after a and y after b"."""
    ends = [0, *(place.end for place in places)]
    told = [any(counts(t) for t in tokens[end : place.first]) for end, place in zip(ends, places, strict=False)]
    return len(places) > 1 and all(told)


def _one_of(plan: Plan, places: Sequence[Place]) -> Place | None:
    """Return what the places of a clause are together; None where they are at odds."""
    if len(places) == 1 or len({str(one.fields) for one in places}) == 1:
        return places[0]
    plain = [one for one in places if "at" not in one.fields]
    if len(places) == 2 and len(plain) == 1:
        return plain[0]
    both = {key: value for place in places for key, value in place.fields.items()}
    if len(places) > 2 or places[0].beside or places[1].beside or set(both) != {"before", "after"}:
        return None
    near = [e for e in plan.workflow.outgoing(both["after"]) if e.to == both["before"]]
    return Place({"between": [both["after"], both["before"]]}, None, 0, 0) if near else None


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


def _places(plan: Plan, tokens: Tokens) -> list[Place]:
    found: list[Place] = []
    at = 0
    while at < len(tokens):
        end, kinds = (at, []) if tokens[at].kind == "quoted" else phrase_at(tokens, at, "markers.tsv")
        mark = next((kind for kind in kinds if kind in _MARKS), None)
        if kinds == ["if"] and tokens[at].is_("when") and any(t.has("aux") for t in tokens[end : end + 5]):
            mark = "after"
        if mark is None and tokens[at].is_("last", "first") and _is_position(tokens, at):
            mark, end = ("end" if tokens[at].is_("last") else "start"), at + 1
            end += sum(1 for t in tokens[end : end + 1] if t.is_("step", "thing", "one"))
            while end < len(tokens) and tokens[end].has("aux"):
                end += 1
        if mark == "start" and end < len(tokens) and tokens[end - 1].is_("front", "top") and tokens[end].has("noun"):
            # "To the front desk".
            mark = None
        place = _place(plan, tokens, mark, at, end) if mark else None
        if place is not None:
            found.append(place)
        at = place.end if place else max(end, at + 1)
    return found


def _is_position(tokens: Tokens, at: int) -> bool:
    """Say whether "first" or "last" tells where something comes: "comes last", "first step: x"."""
    before = tokens[at - 1] if at else None
    if before is not None and before.is_("come", "go", "be", "happen", "very", "run"):
        return at + 1 == len(tokens) or not tokens[at + 1].is_content
    behind = tokens[at + 1 :]
    if before is not None and before.has("det") and len(behind) == 1 and behind[0].is_("step", "thing", "task"):
        # "The invoice should be the last step".
        return at > 2 and tokens[at - 2].is_("be", "as")
    if at == len(tokens) - 1 and at and before is not None and before.is_content and not tokens[0].has("verb"):
        # "Blood analysis first".
        return True
    if at + 2 < len(tokens) and tokens[at + 1].is_("step", "task"):
        # "The first step should be to check the receipts", and not "should be shorter".
        said = [t for t in tokens[at + 2 :] if t.is_content]
        is_work = len(said) > 1 or any(t.kind == "quoted" for t in said)
        return tokens[at + 2].text == ":" or (tokens[at + 2].has("aux") and is_work)
    starts = at == 0 and any(t.text == ":" for t in tokens[1:3])
    # "Check the address first".
    acts = tokens[0].entry.form.split()[:1] == ["base"] and tokens[0].has("verb") and tokens[at].is_("first")
    return starts or (at == len(tokens) - 1 and at > 1 and (acts or tokens[0].is_("put", "move", "do", "make")))


def _place(plan: Plan, tokens: Tokens, mark: str, at: int, end: int) -> Place | None:
    """Return the place that begins with a mark, or None where no step is named behind it."""
    while at and tokens[at - 1].among("placing.how"):
        at -= 1
    said = at
    while said > 1 and (tokens[said - 1].has("aux", "adv") or (said == at and tokens[said - 1].lemma in _MOVING)):
        said -= 1
    if said < at - 1 and any(t.has("aux") for t in tokens[said : at - 1]):
        # "A step called x | should come before y".
        at = said
    if mark in ("start", "end"):
        if end < len(tokens) and tokens[end].is_("of"):
            end = next((i + 1 for i in range(end + 1, min(end + 6, len(tokens))) if tokens[i].lemma in WHOLE), end)
            if tokens[end - 1].lemma not in WHOLE:
                return None
        return Place({"before": plan.workflow.start, "at": "start"} if mark == "start" else at_end(plan), None, at, end)
    if mark == "between":
        for both in (i for i in range(end + 1, len(tokens)) if tokens[i].is_("and")):
            one = anchor(plan, tokens[end:both], mark)
            other, stop = _longest(plan, tokens, both + 1, mark)
            if one and other:
                return Place({"between": [one.id, other.id]}, None, at, stop)
        return None
    if end == len(tokens) and mark in ("before", "after"):
        return _other_side(plan, mark, at, end)
    step, stop = _longest(plan, tokens, end, mark)
    begins = step is not None and any(t.is_("begin", "start") and t.has("verb") for t in tokens[end : stop + 1])
    if begins and mark == "after" and not tokens[at].is_("after"):
        # "As soon as the trial begins".
        mark, stop = "before", stop + sum(t.is_("begin", "start") for t in tokens[stop : stop + 1])
    # "Before the editor does".
    stop += step is not None and any(t.is_("do") for t in tokens[stop : stop + 1])
    if step and step.type == "end" and mark == "after":
        # "Tell the team when the leave is approved": nothing comes after an end.
        return Place({"before": step.id}, None, at, stop)
    return (
        Place({} if mark == "beside" else {mark: step.id}, step if mark == "beside" else None, at, stop)
        if step
        else None
    )


def _other_side(plan: Plan, mark: str, at: int, end: int) -> Place | None:
    """Return the place that "no, make that after" means, of the step spoken of last."""
    last = plan.steps.last or ""
    ways = (
        [e.to for e in plan.workflow.outgoing(last)]
        if mark == "after"
        else [e.from_ for e in plan.workflow.incoming(last)]
    )
    return Place({mark: ways[0]}, None, at, end) if len(ways) == 1 else None


def _longest(plan: Plan, tokens: Tokens, at: int, mark: str) -> tuple[Step | None, int]:
    """Return the step that the longest run of words from a place names, and where the run ends."""
    best: tuple[Step | None, int] = (None, at)
    if duration_at(tokens, at) is not None:
        # "After two days" is no place.
        return best
    for end in range(at + 1, min(len(tokens), at + _MOST_ANCHOR_WORDS) + 1):
        last = tokens[end - 1]
        if last.is_("if", "unless") and last.kind == "word":
            break
        if (last.kind == "punct" and last.text not in "'-/") or (
            best[0] is not None
            and (
                last.is_("by", "should", "must", "shall") or _MARKS & set(phrase_at(tokens, end - 1, "markers.tsv")[1])
            )
        ):
            break
        ends = last.is_content or last.lower in _DONE or last.lower in PRONOUNS or last.lower in ("over", "out", "up")
        step = anchor(plan, tokens[at:end], mark) if ends else None
        if step is None:
            continue
        if best[0] is step and last.is_content and not _names(step, last):
            # "After inspecting | the baker takes a picture": who does the step does the next one.
            break
        best = step, end
        if last.kind == "quoted" and not any(t.lower in _DONE or t.has("aux") for t in tokens[end : end + 1]):
            break
    return best


def _names(step: Step, token: Token) -> bool:
    if token.kind == "quoted" or token.lemma in _DONE or any(akin(token.lower, one) for one in content_of(step.name)):
        return True
    # "The key handover" of "Hand over keys".
    words = [t.lower for t in read_tokens(step.name) if t.kind == "word"]
    return any(token.lower == one + other for one, other in itertools.pairwise(words))


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
    fits = plan.fits(named, valued=False) or _of_verb(plan, tokens)
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


def _bare(words: Sequence[Token]) -> tuple[bool, list[Token]]:
    """Return whether words say that something is new, and the words without those that only say so."""
    kept, adds = list(words), False
    while kept and kept[0].kind in ("word", "punct") and not kept[0].possessive:
        end, kind = cue_at(kept, 0, _ADD) if kept[0].kind == "word" else (0, "")
        if kind and len(kept) > end and not (kept[0].has("noun") and kept[0].text[:1].isupper() and kept is words):
            adds, kept = adds or not kept[0].is_("put", "place", "want", "have", "need"), kept[end:]
        elif len(kept) > 1 and (
            kept[0].lower in _LEAD
            or kept[0].text in (":", ",", "->")
            or (kept[0].has("filler") and not kept[0].is_("thank"))
        ):
            adds, kept = adds or kept[0].lower in _NEW, kept[1:]
        else:
            break
    while len(kept) > 1 and (
        (kept[-1].kind == "punct" and kept[-1].text != ")")
        or (kept[-1].kind == "word" and (kept[-1].lower in _LEAD or kept[-1].among("placing.trail")))
    ):
        adds = kept.pop().among("placing.lacking") or adds
    return adds, kept


def _moved(plan: Plan, words: Sequence[Token], *, adds: bool) -> list[Step]:
    """Return the steps that are there and are named by words, beside those of moving; none for a new one.

    Raises:
        StepUnclear: A verb of moving says that one is there, but not which.
    """
    if adds:
        return []
    if any(t.is_("thank") for t in words):
        return []
    named = [
        t for t in words if t.kind == "quoted" or (t.is_content and t.lemma not in _MOVING and t.lower not in _LEAD)
    ]
    points = any(t.lower in PRONOUNS for t in words)
    if not named:
        return plan.spoken_of(is_pointed=points) if points or len(words) < 3 else []
    try:
        return plan.steps_in([t for t in words if t.is_("and") or t.text == "," or t in named])
    except StepUnclear:
        if words[0].is_("move", "shift", "relocate", "reorder", "postpone", "defer"):
            raise
        return []


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


def _without_place(plan: Plan, clause: Clause, bare: Sequence[Token], *, adds: bool) -> None:
    """Put a new step behind the one just put, beside the only fork's branches, or at the end, which is then told."""
    if _delayed(plan, clause.tokens) or _approved(plan, clause.tokens):
        return
    last = plan.edits[-1] if plan.edits else {}
    if clause.is_next and last.get("op") == "insert_step" and bare and not adds:
        if not (bare[0].kind == "quoted" or "base" in bare[0].entry.form) or bare[0].lower in PRONOUNS:
            raise NotRead
        _insert(plan, bare, Place({"after": last["step"]["id"]}, None, 0, 0))
        return
    named = len(bare) > 1 and (bare[1].has("prep") or bare[1].is_("called", "named"))
    asks = any(t.is_("field") for t in bare) and any(t.kind == "quoted" or t.is_("form") for t in bare)
    if asks or (named and bare[0].among("placing.no_step")):
        # "A form to Take order", "a link from a to b".
        raise NotRead
    if not adds or not bare or any(t.lower in PRONOUNS for t in bare[:2]):
        raise NotRead
    words = list(bare)
    cut = next(
        (i for i, t in enumerate(words) if i and t.is_("in", "to") and any(o.is_("parallel") for o in words[i:])), None
    )
    if cut is not None:
        forks = [s for s in plan.workflow.steps if s.type == "fork"]
        if len(forks) != 1:
            raise NotRead
        branch = plan.workflow.step(plan.workflow.outgoing(forks[0].id)[0].to)
        rest = [t for t in (*words[:cut], *words[cut:]) if t.kind == "quoted"] or words[:cut]
        _insert(plan, rest, Place({}, branch, 0, 0))
        return
    to = next((i for i, t in enumerate(words) if i and t.is_("to", "in", "into")), None)
    if to is not None and words[-1].lemma in WHOLE:
        words = words[:to]
    where = at_end(plan)
    place = plan.workflow.step(where.get("before") or where.get("after") or "")
    _insert(plan, words, Place(where, None, 0, 0))
    side = "before" if "before" in where else "after"
    told = f"you did not say where it goes: I would put it at the end, {side} “{place.name if place else ''}”"
    plan.notes = [*plan.notes, told]


def _delayed(plan: Plan, tokens: Tokens) -> bool:
    """Put a wait before a step that shall come later: "the survey a week later", "only after 3 days"."""
    spans = spans_of(tokens, frozenset())
    at = next((i for i, span in enumerate(spans) if span.kind == "length"), None)
    if at is None:
        return False
    before = spans[at - 1].tokens[0] if at else None
    later = at + 1 < len(spans) and spans[at + 1].tokens[0].is_("later")
    if not later and not (before is not None and before.is_("after")):
        return False
    rest = [t for i, s in enumerate(spans) if i != at for t in s.tokens if not t.is_("later", "after")]
    named = [t for t in rest if not t.has("aux") and not t.among("placing.delay")]
    step = plan.maybe(named) if any(map(counts, named)) else None
    if step is None or step.type == "end" or step.id == plan.workflow.start:
        return False
    name = f"Wait {plan.said(spans[at].tokens)}"
    draft = {"id": plan.new_id(name), "name": name, "type": "wait", "duration": spans[at].value}
    plan.do({"op": "insert_step", "step": draft, "before": step.id})
    return True


def _approved(plan: Plan, tokens: Tokens) -> bool:
    """Put an approval behind what needs one: "the diagnosis needs approval by the support lead"."""
    need = next((at for at, t in enumerate(tokens) if at and t.is_("need", "require")), None)
    step = plan.maybe([t for t in tokens[:need] if not t.has("aux")]) if need else None
    said = [t for t in tokens[need + 1 :] if counts(t) or t.is_("of", "in")] if need else []
    who = [t for t in said if not is_approval((t,)) and not t.is_("to", "be")]
    while who and who[0].is_("of", "in", "by", "from"):
        who = who[1:]
    if step is None or len(said) == len(who) or not is_somebody(plan.workflow, who):
        return False
    _approval(plan, Work((), written(plan.workflow, who)), {"after": step.id})
    return True


def insert_on(plan: Plan, words: Sequence[Token], place: Transition | Step) -> None:
    """Put a new step on a transition, or beside a step.

    Raises:
        NotRead: The words are no name of one.
    """
    if isinstance(place, Step):
        _insert(plan, words, Place({}, place, 0, 0))
        return
    _, words = _bare(words)
    if plan.maybe(words) is not None:
        raise NotRead
    _insert(plan, words, Place({"between": [place.from_, place.to]}, None, 0, 0))


def _insert(plan: Plan, words: Sequence[Token], place: Place) -> None:
    words = _with_name(words)
    quoted = [t for t in words if t.kind == "quoted"]
    if quoted and any(t.text in ("-", "\N{EN DASH}") and t.kind == "punct" for t in words):
        raise NotRead
    work = work_of(plan, tuple(t for t in words if not t.is_("parallel", "simultaneously", "meanwhile")))
    if is_approval([t for t in work.name if not is_somebody(plan.workflow, (t,))]) and work.name[0].kind != "quoted":
        if work.who is None or place.beside is not None:
            raise NotRead
        _approval(plan, work, place.fields)
        return
    put(plan, [draft_of(plan, name, work) for name in _names_in(work.name)], place)


def _with_name(words: Sequence[Token]) -> Sequence[Token]:
    """Return "state Partially received" with its name as one word."""
    if len(words) < 2 or not words[0].among("placing.kinds") or not words[1].text[:1].isupper():
        return words
    end = next((at for at, t in enumerate(words) if at > 1 and t.kind != "word"), len(words))
    if words[1].kind == "quoted" or any(t.has("prep", "aux") for t in words[1:end]):
        return words
    said = " ".join(t.text for t in words[1:end])
    return [Token(said, "quoted", words[1].start, words[end - 1].end, words[1].entry), *words[end:]]


def _names_in(name: Tokens) -> list[Tokens]:
    """Return the names of one step or several: behind "steps", in quotes, or each with a capital."""
    quoted = [t for t in name if t.kind == "quoted"]
    if quoted and all(t.kind == "quoted" or t.among("placing.kinds") for t in name):
        # 'A state "On hold"'.
        return [(t,) for t in quoted]
    if len(quoted) > 1:
        return [(t,) for t in quoted]
    head = next((at for at, t in enumerate(name) if t.lower in ("steps", "tasks", "stages", "activities")), None)
    if head is not None:
        return listed([t for t in name[head + 1 :] if t.text != ":"])
    parts = listed(name)
    if len(parts) > 1 and all(p[0].text[:1].isupper() and len(p) > 1 and "base" in p[0].entry.form for p in parts[1:]):
        return parts
    return [name]


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


def _approval(plan: Plan, work: Work, fields: JsonObject) -> None:
    """Put an approval somewhere: that of the same person, which is there already, else a new one."""
    who = work.who or ""
    mine = [
        step
        for step in plan.workflow.steps
        if (step.assignee or "").casefold() == who.casefold() and is_approval(read_tokens(step.name)[-1:])
    ]
    if len(mine) == 1 and mine[0].id not in (fields.get("before"), fields.get("after")):
        move_steps(plan, mine, Place(fields, None, 0, 0))
        return
    put(plan, [plan.approval_by(who)], Place(fields, None, 0, 0))


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
