"""Orders that put a step somewhere: a new one, or one that is there, read from the place they name.

A place is a mark ("before", "between", "at the end") and the longest run of words behind it that names a
step. Of the other words, some say only that something is put there; the rest name steps that are there,
which then move, or new ones and who does them.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workflow_agent.assistant.offline.clauses import counts, phrase_at
from workflow_agent.assistant.offline.conditions import is_approval, read_approval
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.plan import WHOLE, NotRead, Plan, at_end, listed, titled
from workflow_agent.assistant.offline.references import PRONOUNS, StepUnclear, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

_LEAD = word_set("placing.lead")
_MOVING = word_set("placing.moving")
_DONE = word_set("placing.done")
_MARKS = ("before", "after", "between", "start", "end", "beside")
_NEW = ("add", "insert", "include", "introduce", "create", "append", "another", "new", "additional", "extra", "a", "an")
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


def read_placing(plan: Plan, tokens: Tokens, *, adds: bool = False) -> bool:
    """Put a step where a clause says, if it is wholly read; say whether.

    Args:
        plan: The edits so far.
        tokens: The clause, with each full name of a step as one token.
        adds: Whether the words in front of it already say that something is wanted.

    Raises:
        StepUnclear: The step to move may be several.
    """
    places = _places(plan, tokens)
    inside = {at for place in places for at in range(place.first, place.end)}
    words = [t for at, t in enumerate(tokens) if at not in inside and t.kind not in ("bullet", "break")]
    while words and words[-1].kind == "punct" and words[-1].text != ")":
        words.pop()
    while words and words[0].kind == "punct":
        words.pop(0)
    if any(t.is_("above", "over", "below", "under", "exceed", "than", "from") for t in words) and any(
        t.kind == "number" for t in words
    ):
        return len(places) < 2 and read_approval(plan, tuple(words), places[0].fields if places else None)
    if any(t.kind != "quoted" and t.among("placing.no_name") for t in words):
        return False
    if _delayed(plan, tokens) or (not places and _approved(plan, tokens)):
        return True
    if not places:
        return _add_somewhere(plan, words, adds=adds)
    place = _one_of(plan, places)
    if place is None or (len(places) > 1 and _is_parted(tokens, places)):
        return False
    if not any(counts(t) for t in words) and plan.edits and plan.edits[-1]["op"] == "insert_step":
        # "Where: before the handover", of the step that was just added.
        plan.notes[:] = [note for note in plan.notes if "did not say where" not in note]
        words = []
    moved = _wanted_there(plan, words) if adds else _moved(plan, words)
    if moved:
        return _move(plan, moved, place.fields, place.beside)
    return bool(words) and _insert(plan, words, place.fields, place.beside)


def _is_parted(tokens: Tokens, places: Sequence[Place]) -> bool:
    """Say whether each of two places has a step of its own: "x after a and y after b"."""
    ends = [0, *(place.end for place in places)]
    return all(any(counts(t) for t in tokens[end : place.first]) for end, place in zip(ends, places, strict=False))


def _one_of(plan: Plan, places: Sequence[Place]) -> Place | None:
    """Return what the places of a clause are together; None where they are at odds."""
    if len(places) == 1 or len({str(one.fields) for one in places}) == 1:
        return places[0]
    plain = [one for one in places if "at" not in one.fields]
    if len(places) == 2 and len(plain) == 1:
        return plain[0]
    both = {key: value for place in places for key, value in place.fields.items()}
    if len(places) > 2 or places[0].beside or places[1].beside:
        return None
    if set(both) == {"before", "after"}:
        near = [e for e in plan.workflow.outgoing(both["after"]) if e.to == both["before"]]
        fields = {"between": [both["after"], both["before"]]} if near else {"after": both["after"]}
        ends = plan.workflow.step(both["before"])
        return Place(fields, None, 0, 0) if near or (ends and ends.type == "end") else None
    return None


def _add_somewhere(plan: Plan, words: list[Token], *, adds: bool) -> bool:
    """Put a new step at the end, and say that nobody said where it goes."""
    bare = _bare(words)
    if any(t.is_("it", "that", "this", "them") for t in words[:3]):
        return False
    others = [t for t in bare if not t.is_("in", "parallel", "second", "another", "third", "new")]
    if len(others) + 1 < len(bare) and any(t.is_("parallel") for t in bare[-2:]):
        step = plan.maybe(others)
        return step is not None and _put(plan, [plan.draft_named(titled(plan.said(bare[:-2])))], {}, step)
    to = next((at for at in range(1, len(bare)) if bare[at].is_("to", "in", "into")), None)
    if to is not None and bare[-1].lemma in WHOLE and not any(counts(t) for t in bare[to:-1]):
        bare = bare[:to]
    elif to is not None and bare[to].is_("to") and any(t.is_("parallel") for t in bare[to:]):
        forks = [s for s in plan.workflow.steps if s.type == "fork"]
        beside = [e.to for s in forks for e in plan.workflow.outgoing(s.id)]
        return len(forks) == 1 and _insert(plan, bare[:to], {}, plan.workflow.step(beside[0]))
    new = adds or any(t.is_("add", "insert", "include", "introduce", "append", "need", "new") for t in words[:3])
    if not new or not bare or any(t.has("prep") and t.is_("to", "when", "after", "before") for t in bare[1:]):
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


def _places(plan: Plan, tokens: Tokens) -> list[Place]:
    found: list[Place] = []
    at = 0
    while at < len(tokens):
        end, kinds = (at, []) if tokens[at].kind == "quoted" else phrase_at(tokens, at, "markers.tsv")
        mark = next((kind for kind in kinds if kind in _MARKS), None)
        if kinds == ["if"] and tokens[at].is_("when") and at + 1 < len(tokens):
            mark = "when"
        comes = at > 0 and tokens[at - 1].is_("come", "go", "be", "happen", "place", "new", "very")
        comes = comes or (at == 0 and any(t.text == ":" for t in tokens[1:3]))
        comes = comes or (at == len(tokens) - 1 and tokens[0].is_("put", "move", "do", "make") and at > 1)
        if (
            mark is None
            and comes
            and tokens[at].is_("last", "first")
            and all(t.lemma in ("step", "thing", "one") or t.text == ":" for t in tokens[at + 1 : at + 2])
        ):
            mark, end = ("end" if tokens[at].is_("last") else "start"), min(at + 2, len(tokens))
        place = _place(plan, tokens, mark, at, end) if mark else None
        if place is not None:
            found.append(place)
        at = place.end if place else max(end, at + 1)
    return found


def _place(plan: Plan, tokens: Tokens, mark: str, at: int, end: int) -> Place | None:
    """Return the place that begins with a mark, or None where no step is named behind it."""
    while at and tokens[at - 1].among("placing.how"):
        at -= 1
    if mark in ("start", "end"):
        if end < len(tokens) and tokens[end].is_("of"):
            stop = next((i + 1 for i in range(end + 1, min(end + 5, len(tokens))) if tokens[i].lemma in WHOLE), None)
            if stop is None:
                return None
            end = stop
        return Place({"before": plan.workflow.start, "at": "start"} if mark == "start" else at_end(plan), None, at, end)
    if mark == "between":
        both = next((i for i in range(end + 1, len(tokens)) if tokens[i].is_("and")), None)
        one = _anchor(plan, tokens[end:both], mark) if both else None
        other, stop = _longest(plan, tokens, both + 1, mark) if both else (None, end)
        return Place({"between": [one.id, other.id]}, None, at, stop) if one and other else None
    if end == len(tokens) and mark in ("before", "after") and (at == 0 or any(t.lower in PRONOUNS for t in tokens)):
        return _other_side(plan, mark, at, end)
    anchor, stop = _longest(plan, tokens, end, "after" if mark == "when" else mark)
    if anchor is None or (mark == "when" and not any(t.has("aux") for t in tokens[end:stop])):
        return None
    mark = "after" if mark == "when" else mark
    return Place({} if mark == "beside" else {mark: anchor.id}, anchor if mark == "beside" else None, at, stop)


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
    for end in range(at + 1, min(len(tokens), at + _MOST_ANCHOR_WORDS) + 1):
        last = tokens[end - 1]
        says = last.has("det") and any(t.has("aux") for t in tokens[end : end + 4])
        if (
            last.kind == "punct"
            or (last.is_("by") and last.kind == "word" and not any(t.is_("hand") for t in tokens[end : end + 1]))
            or (says and best[0] is not None)
        ):
            # "After taking the order the shop should ...": another clause begins.
            break
        said = last.is_content or last.lower in _DONE or (last.lower in PRONOUNS and end == at + 1)
        said = said or last.lower in ("over", "out", "up")
        if said and (step := _anchor(plan, tokens[at:end], mark)) is not None:
            if best[0] is step and last.is_content and not _names(step, last):
                # "After inspecting | the baker takes a picture": who does the step does the next one.
                break
            best = step, end
        if (
            last.kind == "quoted"
            and best[0] is not None
            and not any(t.lower in _DONE or t.has("aux") for t in tokens[end : end + 1])
        ):
            break
    return best


def _names(step: Step, token: Token) -> bool:
    words = content_of(step.name)
    words += [one + other for one, other in itertools.pairwise(t.lower for t in read_tokens(step.name))]
    return token.kind == "quoted" or token.lemma in _DONE or any(akin(token.lower, one) for one in words)


def _anchor(plan: Plan, tokens: Tokens, mark: str) -> Step | None:
    """Return the step a place names, also as "once the review is done" or "before we sign"."""
    words = [t for at, t in enumerate(tokens) if not t.has("aux", "det") and not _is_passive(tokens, at)]
    while len(words) > 1 and words[-1].kind == "word" and words[-1].lemma in _DONE:
        words.pop()
    named = [t for t in words if t.lower not in PRONOUNS and not t.has("pron")]
    if any(t.is_("it", "they") for t in words) and (meant := _spoken_of(plan, named)) is not None:
        return meant
    words = named or words
    if not words:
        return None
    try:
        return plan.step(words, with_ends=not (mark == "after" or any(t.has("aux") for t in tokens)))
    except StepUnclear:
        return plan.maybe(words)


def _spoken_of(plan: Plan, verb: Sequence[Token]) -> Step | None:
    """Return the step of "before they are sent": of those that send something, the one the message is about."""
    said = content_of(plan.text)
    some = [(sum(any(akin(w, o) for w in said) for o in content_of(s.name)), s) for s in plan.steps.all_fitting(verb)]
    most = max((count for count, _ in some), default=0)
    best = [step for count, step in some if count == most > 1]
    return best[0] if len(best) == 1 else None


def _is_passive(tokens: Tokens, at: int) -> bool:
    """Say whether a token is the auxiliary of "gets applied"."""
    return tokens[at].is_("get") and any("ed" in t.entry.form.split() for t in tokens[at + 1 : at + 2])


def _bare(words: Sequence[Token]) -> list[Token]:
    """Return words without those in front and behind that only say that something is put somewhere."""
    kept = list(words)
    while kept and kept[0].kind in ("word", "punct") and not kept[0].possessive:
        end, kinds = phrase_at(kept, 0, "verbs.tsv") if kept[0].kind == "word" else (0, [])
        if kinds and set(kinds) & {"add", "put"} and len(kept) > end:
            kept = kept[end:]
        elif len(kept) > 1 and (kept[0].lower in _LEAD or kept[0].text in (":", ",")):
            kept = kept[1:]
        else:
            break
    while (
        len(kept) > 1
        and kept[-1].text != ")"
        and (
            kept[-1].kind == "punct"
            or (kept[-1].kind == "word" and (kept[-1].lower in _LEAD or kept[-1].among("placing.trail")))
        )
    ):
        kept.pop()
    return kept


def _moved(plan: Plan, words: Sequence[Token]) -> list[Step]:
    """Return the steps that are there and are named by words, beside those of putting; none for a new one.

    Raises:
        StepUnclear: A verb of moving says that one is there, but not which.
    """
    if any(t.kind == "word" and t.lower in _NEW and (i < 2 or not t.has("det")) for i, t in enumerate(words)):
        return []
    kept = [t for t in words if t.is_content or t.lower in PRONOUNS]
    named = [
        t for t in kept if t.kind == "quoted" or not (t.lemma in _MOVING or t.lower in _LEAD or t.lower in PRONOUNS)
    ]
    if not named:
        points = not words or any(t.lower in PRONOUNS for t in kept)
        if plan.topic and any(t.is_("them", "both") for t in words):
            return [step for one in plan.topic if (step := plan.workflow.step(one))]
        last = plan.workflow.step(plan.steps.last or "") if points and len(words) < 8 else None
        return [last] if last else []
    if words[0].is_("thank"):
        return []
    try:
        return plan.steps_in([t for t in words if t.is_("and") or t.text == "," or t in named])
    except StepUnclear:
        moves = words[0].is_("move", "shift", "relocate", "reorder")
        if moves and words[0].kind == "word":
            raise
        return []


def _wanted_there(plan: Plan, words: Sequence[Token]) -> list[Step]:
    """Return the step of "I want the invoice to go out", which is there already and shall move."""
    to = next((at for at, t in enumerate(words) if t.is_("to")), 0)
    behind = words[to + 1 :]
    if not to or not words[0].is_("the", "our") or not behind or not behind[0].among("placing.moving"):
        return []
    step = plan.maybe(words[:to]) if all(t.has("part", "prep", "adv", "aux") for t in behind[1:]) else None
    return [step] if step else []


def _move(plan: Plan, steps: Sequence[Step], fields: JsonObject, beside: Step | None) -> bool:
    if beside is not None:
        plan.do({"op": "parallelize", "steps": [*(step.id for step in steps), beside.id]})
        return True
    plan.notes[:] = [
        note for note in plan.notes if "did not say where" not in note or plan.edits[-1]["op"] != "insert_step"
    ]
    for step in steps:
        if step.id in (fields.get("before"), fields.get("after"), *(fields.get("between") or ())):
            raise NotRead
        known = {(edge.from_, edge.to) for edge in plan.workflow.transitions}
        cases = [edge.when.text for edge in plan.workflow.transitions if edge.when]
        plan.do({"op": "move_step", "step": step.id, **{k: v for k, v in fields.items() if k != "at"}})
        left = [edge.when.text for edge in plan.workflow.transitions if edge.when]
        if lost := [text for text in cases if cases.count(text) > left.count(text)]:
            plan.notes.append(f"the way “{lost[0]}” would go")
        kinds = {one.id: one.type for one in plan.workflow.steps}
        for edge in plan.workflow.transitions:
            if (kinds[edge.from_], kinds[edge.to]) == ("fork", "join") and (edge.from_, edge.to) not in known:
                # The branch that the step was alone in.
                plan.do({"op": "disconnect", "from": edge.from_, "to": edge.to})
        fields = {"after": step.id}
    return True


def _insert(plan: Plan, words: Sequence[Token], fields: JsonObject, beside: Step | None) -> bool:
    for name, who in _named(
        plan, tuple(_bare([t for t in words if not t.is_("parallel", "simultaneously", "meanwhile")]))
    ):
        if any(t.kind == "quoted" and t not in name for t in words):
            continue
        try:
            drafts = _drafts(plan, name, who)
        except NotRead:
            continue
        if any(draft is None for draft in drafts):
            return _approval(plan, name, who, fields) if who and beside is None else False
        return _put(plan, [draft for draft in drafts if draft is not None], fields, beside)
    return False


def _put(plan: Plan, drafts: Sequence[JsonObject], fields: JsonObject, beside: Step | None) -> bool:
    if beside is not None and len(drafts) > 1:
        return False
    for draft in drafts:
        if any(step.name.casefold() == draft["name"].casefold() for step in plan.workflow.steps):
            plan.notes.append(f"there is “{draft['name']}” already, so that there would be two")
        draft["id"] = plan.new_id(draft["name"])
        if beside is None and fields == {"before": plan.workflow.start, "at": "start"}:
            start = plan.workflow.start
            plan.do(
                {"op": "add_step", "step": draft},
                {"op": "connect", "from": draft["id"], "to": start},
                {"op": "set_start", "step": draft["id"]},
            )
        elif beside is None:
            plan.do({"op": "insert_step", "step": draft, **fields})
        elif (branch := branch_of(plan, beside.id)) is not None:
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


def insert_on(plan: Plan, words: Tokens, place: Transition | Step) -> bool:
    """Put a new step on a transition, or beside a step; say whether words name one."""
    if isinstance(place, Step):
        return _insert(plan, words, {}, place)
    return plan.maybe(words) is None and _insert(plan, words, {"between": [place.from_, place.to]}, None)


def _delayed(plan: Plan, tokens: Tokens) -> bool:
    """Put a wait before a step that shall come later: "the survey a week later", "only after 3 days"."""
    spans = durations_in(tokens)
    if len(spans) != 1:
        return False
    at, length = spans[0]
    first, end = at, length.end
    if end < len(tokens) and tokens[end].is_("later"):
        end += 1
    elif at and tokens[at - 1].is_("after"):
        first = at - 1
    else:
        return False
    rest = [t for t in (*tokens[:first], *tokens[end:]) if not t.has("aux") and not t.among("placing.delay")]
    step = plan.maybe(rest) if any(map(counts, rest)) else None
    if step is None or step.type == "end" or step.id == plan.workflow.start:
        return False
    name = f"Wait {plan.said(tokens[at : length.end])}"
    draft = {"id": plan.new_id(name), "name": name, "type": "wait", "duration": length.value}
    plan.do({"op": "insert_step", "step": draft, "before": step.id})
    return True


def _approved(plan: Plan, tokens: Tokens) -> bool:
    """Put an approval behind what needs one: "the diagnosis needs approval by the support lead"."""
    need = next((at for at, t in enumerate(tokens) if at and t.is_("need", "require")), None)
    step = plan.maybe([t for t in tokens[:need] if not t.has("aux")]) if need else None
    rest = tokens[need + 1 :] if need else ()
    said = [t for t in rest if counts(t) or t.is_("of", "in")]
    who = [t for t in said if not is_approval((t,)) and not t.is_("to", "be")]
    while who and who[0].is_("of", "in", "by", "from"):
        who = who[1:]
    if step is None or len(said) == len(who) or not who or not plan.is_role(who):
        return False
    return _approval(plan, (), plan.role(who), {"after": step.id})


def insert_after_last(plan: Plan, tokens: Tokens) -> bool:
    """Put "..., then clean up" behind the step that was just put somewhere."""
    last = plan.edits[-1] if plan.edits else {}
    if last.get("op") != "insert_step" or not tokens or any(t.kind == "number" for t in tokens):
        return False
    if not (tokens[0].kind == "quoted" or "base" in tokens[0].entry.form) or tokens[0].lower in PRONOUNS:
        return False
    return _insert(plan, tokens, {"after": last["step"]["id"]}, None)


def branch_of(plan: Plan, anchor: str) -> tuple[str, str] | None:
    """Return the fork and the join between which a step stands alone, or None."""
    kinds = {step.id: step.type for step in plan.workflow.steps}
    forks = [edge.from_ for edge in plan.workflow.incoming(anchor) if kinds[edge.from_] == "fork"]
    joins = [edge.to for edge in plan.workflow.outgoing(anchor) if kinds[edge.to] == "join"]
    return (forks[0], joins[0]) if forks and joins else None


def _named(plan: Plan, words: Tokens) -> Iterator[tuple[Tokens, str | None]]:
    """Yield the ways to read a new step's name and who does it."""
    for at in range(1, len(words)):
        token = words[at]
        behind = [t for t in words[at + 1 :] if t.text != ")"]
        if token.kind == "quoted" or not behind:
            continue
        end, kinds = phrase_at(words, at, "slots.tsv")
        if kinds == ["by"] or (kinds and kinds[0] == "owner"):
            role = [t for t in words[end:] if t.text not in (")", ":")]
            if kinds == ["by"] and any(t.text == "," for t in role):
                continue
        elif (
            token.text in ("(", ",", "-")
            or (token.is_("for") and plan.is_role(behind))
            or (words[0].is_("for") and token.text == ":")
        ):
            role = behind
            while role and (role[0].is_("by", "do", "for", "owner") or role[0].text == ":"):
                role = role[1:]
            while role and role[-1].is_("do", "it", "that", "this", "handle", "take", "care"):
                role = role[:-1]
            if not plan.is_role(role):
                if words[0].is_("for") and token.text == ":" and plan.is_role(words[1:at]):
                    yield tuple(behind), plan.role(words[1:at])
                continue
        else:
            continue
        head = words[:at]
        if len(head) > 2 and "ed" in head[-1].entry.form and head[-2].text in (",", "("):
            head = head[:-1]
        while len(head) > 1 and (head[-1].kind == "punct" or head[-1].has("aux")):
            head = head[:-1]
        try:
            who = plan.role(role)
        except NotRead:
            continue
        actor, own = _by_actor(plan, head)
        yield actor, own or who
    yield _by_actor(plan, words)
    if words and words[0].is_("for") and (colon := next((i for i, t in enumerate(words) if t.text == ":"), 0)):
        yield words[colon + 1 :], plan.role(words[1:colon])


def _drafts(plan: Plan, name: Tokens, who: str | None) -> list[JsonObject | None]:
    """Return the new steps that a name stands for; None for an approval.

    Raises:
        NotRead: The words are no name.
    """
    if not name:
        raise NotRead
    if is_approval([t for t in name if not plan.is_role((t,))]) and name[0].kind != "quoted":
        return [None]
    quoted = [t for t in name if t.kind == "quoted"]
    if quoted:
        said = " ".join(t.text.casefold() for t in quoted)
        others = [t for t in name if counts(t) and t.kind != "quoted" and not {t.lower, t.lemma} & (_LEAD | _MOVING)]
        if not all(t.lemma in said or t.lower in said or t.is_("and", "steps") for t in others):
            raise NotRead
        return [plan.draft((t,), who) for t in quoted]
    heads = [at for at, t in enumerate(name) if t.lower in ("steps", "tasks", "stages", "activities")]
    pieces = listed([t for t in name[heads[0] + 1 :] if t.text != ":"]) if heads else [name]
    parts = listed(name)
    if len(parts) > 1 and all(
        one[0].text[:1].isupper() and len(one) > 1 and "base" in one[0].entry.form for one in parts[1:]
    ):
        pieces = parts
    return [_draft(plan, piece, who) for piece in pieces]


def _draft(plan: Plan, name: Tokens, who: str | None) -> JsonObject:
    spans = durations_in(name)
    is_wait = name[0].is_("wait") or any(t.is_("pause", "delay", "break", "wait") for t in name if spans)
    if bool(spans) != is_wait or len(spans) > 1 or (any(t.kind == "number" for t in name) and not is_wait):
        raise NotRead
    if any(t.has("aux") for t in name[1:]) or (len(name) == 1 and name[0].lower in PRONOUNS):
        raise NotRead
    verb, others = name[0], name[1:]
    turned = bool(others) and verb.start > others[0].start
    if turned or (verb.entry.form == "s" and verb.entry.verb and (who or not verb.has("noun"))):
        sides = ([t for t in others if t.start < verb.start], [t for t in others if t.start > verb.start])
        said = " ".join(plan.said(side) for side in sides if side)
        return plan.draft_named(titled(f"{verb.entry.verb} {said}"), who)
    draft = plan.draft(name, who)
    if is_wait:
        kept = {key: one for key, one in draft.items() if key not in ("assignee", "uses")}
        return kept | {"type": "wait", "duration": spans[0][1].value}
    return draft


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
    said = f"Approve {' '.join(t.text for t in of)}" if of else f"{titled(who.replace('_', ' '))} approval"
    return _put(plan, [plan.draft_named(said, who) | {"type": "human", "assignee": who}], fields, None)


def _by_actor(plan: Plan, name: Tokens) -> tuple[Tokens, str | None]:
    """Return the work of "the doctor has to check it", and who does it; any other name as it is."""
    if len(name) > 2 and name[0].is_("for") and any(t.is_("to") for t in name):
        # "For the nurse to shave the animal".
        name = name[1:]
    if len(name) > 3 and name[0].is_("somebody", "someone") and name[1].is_("from", "of", "in"):
        name = name[2:]
    told = next((i for i in range(1, len(name) - 1) if _is_passive(name, i)), None)
    if told is not None:
        # "The team gets told": the work is to tell the team.
        return (name[told + 1], *name[:told], *name[told + 2 :]), None
    at = next((i for i, t in enumerate(name) if t.kind == "word" and t.has("aux") and i), None)
    to = next(
        (i for i, t in enumerate(name[:-1]) if i and t.is_("to") and "base" in name[i + 1].entry.form.split()), None
    )
    if at is None and to is not None and (plan.is_role(name[:to]) or name[to - 1].is_("somebody", "someone")):
        return name[to + 1 :], plan.role(name[:to]) if plan.is_role(name[:to]) else None
    if at is None:
        for cut in range(1, min(5, len(name))):
            verb = name[cut]
            behind = name[cut + 1] if cut + 1 < len(name) else None
            does = "s" in verb.entry.form.split() or (verb.entry.form == "base" and name[cut - 1].lower.endswith("s"))
            does = does and (plan.is_role(name[:cut]) or _may_act(name[:cut], verb, behind))
            if does and (behind is None or behind.has("det", "pron", "noun", "prep")):
                return _work_of(plan, name[:cut], name[cut:])
        if is_approval(name[-1:]) and len(name) > 1 and plan.is_role(name[:-1]):
            return name, plan.role(name[:-1])
        return name, None
    end = at
    while end < len(name) and (
        name[end].has("aux") or name[end].is_("to") or (name[end].has("adv") and not name[end].has("verb"))
    ):
        end += 1
    if end == len(name):
        return name[:at], None
    somebody = all(not counts(t) or t.is_("somebody", "someone") for t in name[:at])
    if name[end - 1].lemma == "be" and "ed" in name[end].entry.form.split() and not somebody:
        # "The cake has to be photographed": the work is to photograph the cake.
        about = name[: at - 1] if name[at - 1].is_("to") else name[:at]
        return (name[end], *about, *name[end + 1 :]), None
    if somebody or plan.is_role(name[:at]):
        actor = [t for t in name[:at] if not t.is_("somebody", "someone", "from")]
        if not name[end].entry.verb:
            return (), None
        return _work_of(plan, tuple(actor), name[end:])
    return (), None


def _may_act(words: Tokens, verb: Token, behind: Token | None) -> bool:
    """Say whether words in front of a verb name somebody of whom nothing is known: "the deputy confirms"."""
    nouns = all(t.has("det", "noun", "adj") and not t.has("aux", "prep") for t in words) and words[-1].has("noun")
    plain = not words[-1].lower.endswith("ing") and "s" in verb.entry.form.split()
    return (
        nouns and plain and (not verb.has("noun") or (words[0].has("det") and behind is not None and behind.has("det")))
    )


def _work_of(plan: Plan, actor: Tokens, work: Tokens) -> tuple[Tokens, str | None]:
    """Return what somebody does, and who; of what somebody gets, that it is sent to them."""
    if not any(map(counts, actor)):
        return ((), None) if work[0].is_("get", "receive") else (work, None)
    if not work[0].is_("get", "receive") or len(work) < 2:
        return work, plan.role(actor)
    name = f"Send {plan.said(work[1:])} to {plan.said(actor)}"
    return (Token(name, "quoted", work[0].start, work[-1].end, work[0].entry),), None
