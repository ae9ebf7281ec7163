"""Orders that put a step somewhere: a new one, or one that is there, read from the place they name.

A place is a mark ("before", "between", "at the end") and the longest run of words behind it that names a
step. Of the other words, some say only that something is put there; the rest name steps that are there,
which then move, or new ones. What follows behind a comma may set values of them. A sentence whose words do
not all find their place is left to others.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from workflow_agent.assistant.offline.approvals import read_approval
from workflow_agent.assistant.offline.clauses import Clause, counts, phrase_at, stripped
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan, at_end, listed
from workflow_agent.assistant.offline.references import PRONOUNS, StepUnclear
from workflow_agent.assistant.offline.slots import read_settings, with_names
from workflow_agent.assistant.offline.structure import is_approval
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.workflows.model.steps import Step

_LEAD = word_set("placing.lead")
_MOVING = word_set("placing.moving")
_DONE = word_set("placing.done")
_WHOLE = frozenset({"workflow", "process", "flow", "procedure", "pipeline"})
_MARKS = ("before", "after", "between", "start", "end", "beside")
_MOST_ANCHOR_WORDS = 9


@dataclass(frozen=True, slots=True)
class Place:
    """Where something goes: the fields of an edit, or the step beside which it is done."""

    fields: JsonObject
    beside: Step | None
    first: int
    """The index of its first token."""
    end: int
    """The index behind its last token."""


def read_placing(plan: Plan, tokens: Sequence[Token], mask: frozenset[int]) -> bool:
    """Put a step where a sentence says, if it is wholly read; say whether."""
    mood, rest = stripped(with_names(plan, tuple(tokens), mask))
    if mood in ("weighed", "negated", "unneeded") or not rest:
        return False
    commas = [at for at, t in enumerate(rest) if t.text == "," and t.start not in mask]
    for cut in (*commas, len(rest)):
        head, tail = rest[:cut], rest[cut + 1 :]
        if not any(counts(t) for t in head):
            continue
        before = (plan.workflow, plan.steps, len(plan.edits), len(plan.notes))
        try:
            if _put(plan, head, mood) and (not tail or read_settings(plan, tail, mask, about_last=True)):
                return True
        except (NotRead, StepUnclear):
            pass
        except Asked:
            if cut == len(rest):
                raise
        plan.workflow, plan.steps = before[0], before[1]
        del plan.edits[before[2] :], plan.notes[before[3] :]
    return False


def _put(plan: Plan, tokens: Tokens, mood: str) -> bool:
    places = _places(plan, tokens)
    if any(t.is_("above", "over", "below", "under", "exceed") for t in tokens) and any(
        t.kind == "number" for t in tokens
    ):
        spans = {at for place in places for at in range(place.first, place.end)}
        rest = tuple(t for at, t in enumerate(tokens) if at not in spans)
        return len(places) < 2 and read_approval(plan, rest, places[0].fields if places else None)
    if not places:
        return mood != "negated" and _add_somewhere(plan, tokens)
    if len(places) > 2:
        return False
    inside = {at for place in places for at in range(place.first, place.end)}
    words = [t for at, t in enumerate(tokens) if at not in inside and (t.kind != "punct" or t.text == ",")]
    while words and words[-1].kind == "punct":
        words.pop()
    while words and words[0].kind == "punct":
        words.pop(0)
    words = [t for t in words if t.kind not in ("bullet", "break")]
    if any(
        t.is_("if", "unless", "when", "until", "not", "no", "or", "every", "each", "instead", "swap") for t in words
    ):
        return False
    fields, beside = places[0].fields, places[0].beside
    if len(places) == 2 and places[0].fields != places[1].fields:
        both = {key: value for place in places for key, value in place.fields.items()}
        if set(both) != {"before", "after"}:
            return False
        fields = {"between": [both["after"], both["before"]]}
    if not any(counts(t) for t in words) and plan.edits and plan.edits[-1]["op"] == "insert_step":
        # "Where: before the handover", of the step that was just added.
        plan.notes[:] = [note for note in plan.notes if "did not say where" not in note]
        words = []
    moved = _moved(plan, words)
    if moved and not _says_new(words):
        return _move(plan, moved, fields, beside)
    return mood != "negated" and _insert(plan, words, fields, beside)


def _add_somewhere(plan: Plan, tokens: Tokens) -> bool:
    """Put a new step at the end, and say that nobody said where it goes."""
    words = [t for t in tokens if t.kind not in ("punct", "bullet", "break") or t.text == ","]
    bare = _bare(words)
    to = next((at for at in range(1, len(bare)) if bare[at].is_("to", "in", "into")), None)
    if to is not None and bare[-1].lemma in _WHOLE and not any(counts(t) for t in bare[to:-1]):
        bare = bare[:to]
    new = any(t.is_("add", "insert", "include", "introduce", "append", "need", "want") for t in words)
    if not new or any(t.has("prep") and t.is_("to", "if", "when", "after", "before") for t in bare[1:]):
        return False
    if any(t.is_("if", "unless", "when", "until", "not", "no", "or", "every") for t in words) or not bare:
        return False
    where = at_end(plan)
    anchor = plan.workflow.step(where.get("before") or where.get("after") or "")
    if not _insert(plan, bare, where, None):
        return False
    side = "before" if "before" in where else "after"
    plan.notes.append(
        f"you did not say where it goes: I would put it at the end, {side} “{anchor.name if anchor else ''}”"
    )
    return True


def _says_new(words: Sequence[Token]) -> bool:
    verbs = [t for t in words if t.lower in ("add", "insert", "include", "introduce", "create", "append")]
    return bool(verbs) or any(t.lower in ("another", "new", "additional", "extra") for t in words)


def _places(plan: Plan, tokens: Tokens) -> list[Place]:
    found: list[Place] = []
    at = 0
    while at < len(tokens):
        end, kinds = (at, []) if tokens[at].kind == "quoted" else phrase_at(tokens, at, "markers.tsv")
        mark = next((kind for kind in kinds if kind in _MARKS), None)
        comes = at > 0 and tokens[at - 1].is_("come", "go", "be", "happen", "place")
        if mark is None and comes and at + 1 == len(tokens) and tokens[at].is_("last", "first"):
            mark, end = ("end" if tokens[at].is_("last") else "start"), at + 1
        place = _place(plan, tokens, mark, at, end) if mark else None
        if place is not None:
            found.append(place)
        at = place.end if place else max(end, at + 1)
    return found


def _place(plan: Plan, tokens: Tokens, mark: str, at: int, end: int) -> Place | None:
    """Return the place that begins with a mark, or None where no step is named behind it."""
    while at and tokens[at - 1].lower in ("right", "directly", "immediately", "just", "straight", "shortly"):
        at -= 1
    if mark in ("start", "end"):
        if end + 1 < len(tokens) and tokens[end].is_("of") and (stop := _whole_end(tokens, end + 1)):
            end = stop
        elif end < len(tokens) and tokens[end].is_("of"):
            return None
        return Place({"before": plan.workflow.start} if mark == "start" else at_end(plan), None, at, end)
    if mark == "between":
        both = next((i for i in range(end + 1, len(tokens)) if tokens[i].is_("and")), None)
        one = _anchor(plan, tokens[end:both], mark) if both else None
        other, stop = _longest(plan, tokens, both + 1, mark) if both else (None, end)
        return Place({"between": [one.id, other.id]}, None, at, stop) if one and other else None
    anchor, stop = _longest(plan, tokens, end, mark)
    if anchor is None:
        return None
    if mark == "beside":
        return Place({}, anchor, at, stop)
    return Place({mark: anchor.id}, None, at, stop)


def _whole_end(tokens: Tokens, at: int) -> int | None:
    while at < len(tokens) and tokens[at].has("det"):
        at += 1
    return at + 1 if at < len(tokens) and tokens[at].lemma in _WHOLE else None


def _longest(plan: Plan, tokens: Tokens, at: int, mark: str) -> tuple[Step | None, int]:
    """Return the step that the longest run of words from a place names, and where the run ends."""
    best: tuple[Step | None, int] = (None, at)
    for end in range(at + 1, min(len(tokens), at + _MOST_ANCHOR_WORDS) + 1):
        last = tokens[end - 1]
        says = last.has("det") and any(t.has("aux") for t in tokens[end : end + 4])
        if last.kind == "punct" or (says and best[0] is not None):
            # "After taking the order the shop should ...": another clause begins.
            break
        said = last.is_content or last.lower in _DONE or (last.lower in PRONOUNS and end == at + 1)
        said = said or last.lower in ("over", "out", "up")
        if said and (step := _anchor(plan, tokens[at:end], mark)) is not None:
            best = step, end
        if (
            last.kind == "quoted"
            and best[0] is not None
            and end + 1 < len(tokens)
            and not tokens[end].is_("is", "step", "has", "was")
        ):
            break
    return best


def _anchor(plan: Plan, tokens: Tokens, mark: str) -> Step | None:
    """Return the step a place names, also as "once the review is done" or "before we sign"."""
    words = [t for t in tokens if not t.has("aux", "det")]
    while len(words) > 1 and words[-1].kind == "word" and words[-1].lemma in _DONE:
        words.pop()
    words = [t for t in words if t.lower not in PRONOUNS and not t.has("pron")] or words
    if not words:
        return None
    if mark == "after" or any(t.has("aux") for t in tokens):
        try:
            return plan.steps.find(words, with_ends=plan.steps.is_named(words))
        except StepUnclear:
            pass
    return plan.steps.maybe(words)


def _bare(words: Sequence[Token]) -> list[Token]:
    """Return words without those in front that only say that something is put somewhere."""
    kept = list(words)
    while kept and kept[0].kind == "word" and not kept[0].possessive:
        end, kinds = phrase_at(kept, 0, "verbs.tsv")
        if kinds and set(kinds) & {"add", "put"} and len(kept) > end:
            kept = kept[end:]
        elif kept[0].lower in _LEAD and len(kept) > 1:
            kept = kept[1:]
        else:
            break
    while (
        len(kept) > 1
        and kept[-1].kind == "word"
        and (kept[-1].lower in _LEAD or kept[-1].lower in ("too", "as", "well", "happen", "done"))
    ):
        kept.pop()
    return kept


def _moved(plan: Plan, words: Sequence[Token]) -> list[Step]:
    """Return the steps that are there and are named by words, beside those of putting; none for a new one."""
    kept = [t for t in words if counts(t) or t.lower in PRONOUNS]
    named = [t for t in kept if not (t.kind == "word" and (t.lemma in _MOVING or t.lower in _LEAD))]
    if not named:
        points = not words or any(t.is_("it", "that", "this") for t in kept)
        last = plan.workflow.step(plan.steps.last or "") if points and len(words) < 8 else None
        return [last] if last else []
    pieces = listed(tuple(t for t in words if t.is_("and") or t.text == "," or t in named))
    try:
        steps = [plan.steps.find(piece) for piece in pieces]
    except StepUnclear:
        return []
    return steps


def _move(plan: Plan, steps: Sequence[Step], fields: JsonObject, beside: Step | None) -> bool:
    if beside is not None:
        plan.do({"op": "parallelize", "steps": [*(step.id for step in steps), beside.id]})
        return True
    for step in steps:
        if step.id in (fields.get("before"), fields.get("after"), *(fields.get("between") or ())):
            raise NotRead
        known = {(edge.from_, edge.to) for edge in plan.workflow.transitions}
        plan.do({"op": "move_step", "step": step.id, **fields})
        kinds = {one.id: one.type for one in plan.workflow.steps}
        for edge in plan.workflow.transitions:
            if (kinds[edge.from_], kinds[edge.to]) == ("fork", "join") and (edge.from_, edge.to) not in known:
                # The branch that the step was alone in.
                plan.do({"op": "disconnect", "transition": edge.id})
        fields = {"after": step.id}
    return True


def _insert(plan: Plan, words: Sequence[Token], fields: JsonObject, beside: Step | None) -> bool:
    name, who = _with_role(plan, tuple(_bare(words)))
    name, who = _by_actor(plan, name, who)
    if not name or (any(t.kind == "number" for t in name) and not name[0].is_("wait", "pause")):
        return False
    approves = is_approval([t for t in name if not plan.is_role((t,))]) and name[0].kind != "quoted"
    if approves:
        roles = [t for t in name if plan.is_role((t,))]
        who = who or (plan.role(Clause(name, "order"), roles) if roles else None)
        return who is not None and beside is None and _approval(plan, name, who, fields)
    drafts = [_draft(plan, one, who) for one in _names(name)]
    if not drafts or (beside is not None and len(drafts) > 1):
        return False
    for draft in drafts:
        if draft["id"] in {step.id for step in plan.workflow.steps}:
            draft["id"] = plan.new_id(draft["name"])
        if beside is None:
            plan.do({"op": "insert_step", "step": draft, **fields})
        elif (branch := _branch_of(plan, beside.id)) is not None:
            plan.do(
                {"op": "add_step", "step": draft},
                {"op": "connect", "from": branch[0], "to": draft["id"]},
                {"op": "connect", "from": draft["id"], "to": branch[1]},
            )
        else:
            plan.do(
                {"op": "insert_step", "step": draft, "before": beside.id},
                {"op": "parallelize", "steps": [draft["id"], beside.id]},
            )
        plan.steps.last = draft["id"]
        fields = {"after": draft["id"]}
    return True


def _names(name: Tokens) -> list[Tokens]:
    """Return the names of new steps: those between quotes, or those of a list "steps a, b and c"."""
    quoted = [t for t in name if t.kind == "quoted"]
    if quoted:
        said = " ".join(t.text.casefold() for t in quoted)
        others = [t for t in name if counts(t) and t.kind != "quoted" and t.lower not in _LEAD]
        fits = all(t.lemma in said or t.lower in said or t.is_("and", "steps") for t in others)
        return [(t,) for t in quoted] if fits else []
    heads = [at for at, t in enumerate(name) if t.lower in ("steps", "tasks", "stages", "activities")]
    return listed(name[heads[0] + 1 :]) if heads else [name]


def _draft(plan: Plan, name: Tokens, who: str | None) -> JsonObject:
    """Return the new step that a name stands for.

    Raises:
        NotRead: The words are no name.
    """
    spans = durations_in(name)
    is_wait = name[0].is_("wait", "pause") and name[0].kind == "word"
    if any(t.kind == "punct" for t in name) or bool(spans) != is_wait or len(spans) > 1:
        raise NotRead
    if len(name) > 1 and name[0].start > name[1].start:
        said = f"{name[0].entry.verb} {plan.said(name[1:])}"
        return plan.draft_named(said[:1].upper() + said[1:], who)
    if not _is_run(plan, name):
        raise NotRead
    draft = plan.draft(Clause(name, "order"), name, who)
    if is_wait:
        kept = {key: one for key, one in draft.items() if key not in ("assignee", "uses")}
        return kept | {"type": "wait", "duration": spans[0][1].value}
    return draft


def _with_role(plan: Plan, name: Tokens) -> tuple[Tokens, str | None]:
    """Return a name without "by finance" and "for the doctor", and who that is."""
    for at in range(1, len(name) - 1):
        end, kinds = phrase_at(name, at, "markers.tsv")
        if {"responsible", "owner"} & set(kinds) and end < len(name):
            return name[:at], plan.role(Clause(name, "order"), name[end:])
        if name[at].is_("for") and plan.is_role(name[at + 1 :]) and len(name) - at < 5:
            return name[:at], plan.role(Clause(name, "order"), name[at + 1 :])
    return name, None


def _approval(plan: Plan, name: Tokens, who: str, fields: JsonObject) -> bool:
    """Put an approval somewhere: that of the same person, which is there already, else a new one."""
    mine = [
        step
        for step in plan.workflow.steps
        if (step.assignee or "").casefold() == who.casefold() and is_approval(read_tokens(step.name)[-1:])
    ]
    if len(mine) == 1 and mine[0].id not in (fields.get("before"), fields.get("after")):
        return _move(plan, mine, fields, None)
    of = [t for t in name if counts(t) and not plan.is_role((t,)) and not is_approval((t,))]
    said = f"Approve {' '.join(t.text for t in of)}" if of else f"{who[:1].upper()}{who[1:]} approval"
    draft = plan.draft_named(said, who) | {"type": "human", "assignee": who}
    plan.do({"op": "insert_step", "step": draft, **fields})
    plan.steps.last = draft["id"]
    return True


def _by_actor(plan: Plan, name: Tokens, who: str | None) -> tuple[Tokens, str | None]:
    """Return the work of "the doctor has to check it", and who does it; any other name as it is.

    Raises:
        NotRead: Something is said of somebody or something, but no work.
    """
    at = next((i for i, t in enumerate(name) if t.has("aux") and i), None)
    if at is None or name[at].kind != "word":
        return name, who
    end = at
    while end < len(name) and (
        name[end].has("aux") or name[end].is_("to") or (name[end].has("adv") and not name[end].has("verb"))
    ):
        end += 1
    if end == len(name) or name[end].is_("get", "receive", "have") or any(t.has("aux") for t in name[end:]):
        raise NotRead
    if name[end - 1].is_("be") and "ed" in name[end].entry.form and end + 1 == len(name):
        # "The cake has to be photographed": the work is to photograph the cake.
        return (name[end], *name[:at]), who
    if any(t.has("conj") for t in name):
        raise NotRead
    if not plan.is_role(name[:at]) and not name[0].is_("somebody", "someone"):
        raise NotRead
    if not name[end].entry.verb or "base" not in name[end].entry.form:
        raise NotRead
    actor = [t for t in name[:at] if not t.is_("somebody", "someone", "from")]
    return name[end:], plan.role(Clause(name, "order"), actor) if any(map(counts, actor)) else who


def _is_run(plan: Plan, name: Tokens) -> bool:
    """Say whether the words of a name stand side by side, so that none between them is passed over."""
    between = (plan.text[a.end : b.start] for a, b in itertools.pairwise(name))
    return all(not gap.strip() for gap in between)


def _branch_of(plan: Plan, anchor: str) -> tuple[str, str] | None:
    kinds = {step.id: step.type for step in plan.workflow.steps}
    forks = [edge.from_ for edge in plan.workflow.incoming(anchor) if kinds[edge.from_] == "fork"]
    joins = [edge.to for edge in plan.workflow.outgoing(anchor) if kinds[edge.to] == "join"]
    return (forks[0], joins[0]) if forks and joins else None
