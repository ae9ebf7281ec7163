"""Orders that change which steps there are, and what leads where."""

import itertools
from collections.abc import Sequence

from workflow_agent.assistant.offline.clauses import Clause, Part, counts
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan, at_end, listed, object_and_name, place_of
from workflow_agent.assistant.offline.references import PRONOUNS, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import durations_in, times_at
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

_APPROVALS = word_set("structure.approvals")


def add(plan: Plan, clause: Clause) -> None:
    """Put new steps into the flow: one, or each of a list, in the order they are said."""
    name: Tokens = ()
    object_ = clause.object
    if not object_ and clause.verb is not None:
        object_ = next((p.tokens for p in clause.parts if p.marker == "for"), ())
    called = clause.part("called")
    if called is not None:
        name = called.tokens
        clause.use_part(called)
        clause.use(object_)
    who = _who(plan, clause)
    where = place_of(plan, clause)
    if (beside := clause.part("beside")) is not None:
        return add_beside(plan, clause, name or object_, beside, who)
    condition = condition_of(plan, clause)
    pieces = _new_names(name or object_)
    if not pieces:
        raise NotRead
    if where is None:
        where = _stated_place(plan, clause)
    previous: str | None = None
    for piece in pieces:
        draft = _with_purpose(plan, clause, plan.draft(clause, piece, who))
        if any(s.name.casefold() == draft["name"].casefold() for s in plan.workflow.steps) and "another" not in {
            t.lower for t in clause.tokens
        }:
            plan.notes.append(f"there is a step named “{draft['name']}” already, so that there would be two")
        if condition:
            draft["when"] = {"text": condition}
        if (length := durations_in(clause.object)) and not name:
            raise NotRead
        plan.do({"op": "insert_step", "step": draft, **({"after": previous} if previous else where)})
        previous = draft["id"]
        del length
    return None


def _stated_place(plan: Plan, clause: Clause) -> JsonObject:
    to = next((p for p in clause.parts if p.marker in ("to", "in", "on", "for")), None)
    if to is not None and _is_whole(to.tokens):
        clause.use_part(to)
    elif to is not None and to.marker == "to" and plan.steps.maybe(to.tokens) is not None:
        raise Asked(f"Before or after **{plan.steps.find(to.tokens).name}**?", "", "")
    where = at_end(plan)
    anchor = plan.workflow.step(where.get("before") or where.get("after") or "")
    side = "before" if "before" in where else "after"
    plan.notes.append(
        f"you did not say where it goes: I would put it at the end, {side} “{anchor.name if anchor else ''}”"
    )
    return where


def _is_whole(tokens: Sequence[Token]) -> bool:
    return all(t.lemma in ("workflow", "process", "flow", "procedure", "pipeline") or not counts(t) for t in tokens)


def _new_names(tokens: Tokens) -> list[Tokens]:
    """Return the names of new steps: several where they are listed as such, or all are quoted."""
    quoted = [t for t in tokens if t.kind == "quoted"]
    if len(quoted) > 1:
        return [(t,) for t in quoted]
    heads = [t for t in tokens if t.lower in ("steps", "tasks", "stages", "activities")]
    rest = tokens
    if heads:
        at = tokens.index(heads[0])
        rest = tuple(t for t in tokens[at + 1 :] if t.text != ":") or tokens
    pieces = listed(rest)
    is_list = heads or any(t.text == "," for t in rest) or all(p[0].lower in ("a", "an", "another") for p in pieces)
    return pieces if len(pieces) > 1 and is_list else [rest] if rest else []


def _who(plan: Plan, clause: Clause) -> str | None:
    """Return who does what is added: "by finance", "for the CFO", "done by HR"."""
    for part in clause.parts:
        is_by = part.marker in ("responsible", "owner")
        if part.marker == "tail" and part.tokens and _tail_role(plan, part.tokens):
            who = plan.role(clause, [t for t in part.tokens if not t.is_("do", "it", "that", "by")])
            clause.use_part(part)
            return who
        if is_by or (
            part.marker in word_set("structure.who.for")
            and plan.is_role(part.tokens)
            and plan.steps.maybe(part.tokens) is None
        ):
            if part.marker in ("to", "with") and not (clause.object and clause.object[-1].lemma == "assign"):
                continue
            try:
                who = plan.role(clause, part.tokens)
            except NotRead:
                continue
            clause.use_part(part)
            return who
    return None


def _tail_role(plan: Plan, tokens: Tokens) -> bool:
    """Say whether words behind a comma say who: ", secretary", ", by the nurse", ", teachers do it"."""
    kept = [t for t in tokens if not t.is_("do", "it", "that", "by")]
    return len(kept) <= 3 and plan.is_role(kept)


def _with_purpose(plan: Plan, clause: Clause, draft: JsonObject) -> JsonObject:
    """Add to a new step's name what it is for: "a notification to the customer", "a check of the data"."""
    if any(t.kind == "quoted" for t in clause.object) or clause.part("called"):
        return draft
    said = [
        p
        for p in clause.parts
        if p.marker in word_set("structure.with_purpose.to")
        and p.tokens
        and not all(t.start in clause.used for t in p.tokens)
        and not _is_whole(p.tokens)
    ]
    if not said or len(said) > 2:
        return draft
    words = " ".join(f"{plan.said(p.mark)} {plan.said(p.tokens)}" for p in said)
    if len(words.split()) > 6 or any(durations_in(p.tokens) for p in said):
        return draft
    for part in said:
        clause.use_part(part)
    made = plan.draft_named(f"{draft['name']} {words}", draft.get("assignee"))
    return {**draft, "name": made["name"], "id": made["id"], **({"uses": made["uses"]} if "uses" in made else {})}


def add_beside(plan: Plan, clause: Clause, tokens: Tokens, beside: Part, who: str | None) -> None:
    """Put a new step beside another, to be done at the same time."""
    anchor = plan.step(clause, beside.tokens)
    clause.use_part(beside)
    draft = plan.draft(clause, tokens, who)
    branch = _branch_of(plan, anchor.id)
    if branch is not None:
        plan.do(
            {"op": "add_step", "step": draft},
            {"op": "connect", "from": branch[0], "to": draft["id"]},
            {"op": "connect", "from": draft["id"], "to": branch[1]},
        )
        return
    plan.do(
        {"op": "insert_step", "step": draft, "before": anchor.id},
        {"op": "parallelize", "steps": [draft["id"], anchor.id]},
    )


def _branch_of(plan: Plan, anchor: str) -> tuple[str, str] | None:
    kinds = {step.id: step.type for step in plan.workflow.steps}
    forks = [edge.from_ for edge in plan.workflow.incoming(anchor) if kinds[edge.from_] == "fork"]
    joins = [edge.to for edge in plan.workflow.outgoing(anchor) if kinds[edge.to] == "join"]
    return (forks[0], joins[0]) if forks and joins else None


def condition_of(plan: Plan, clause: Clause) -> str | None:
    """Return the condition a clause gives: "if it is over 500", "above 10,000", "unless it is urgent"."""
    if (part := clause.part("if", "unless")) is not None and part.tokens:
        clause.use_part(part)
        rest = clause.parts[clause.parts.index(part) + 1 :]
        words = plan.said(part.tokens)
        for more in rest:
            if more.marker in word_set("structure.condition_of.above"):
                clause.use_part(more)
                words += f" {plan.said(more.mark)} {plan.said(more.tokens)}"
            else:
                break
        return f"not ({words})" if part.marker == "unless" else words
    if (part := clause.part("above", "below")) is not None and any(t.kind == "number" for t in part.tokens):
        clause.use_part(part)
        of = clause.part("for", "of", "in")
        about = "amount"
        if (
            of is not None
            and not plan.is_role(of.tokens)
            and clause.parts.index(of) < clause.parts.index(part)
            and of.tokens
        ):
            clause.use_part(of)
            about = plan.said(of.tokens)
        word = "over" if part.marker == "above" else "under"
        if part.mark[-1].is_("from", "least") or (len(part.mark) > 1 and part.mark[-1].is_("least")):
            word = "at least"
        return f"{about} {word} {plan.said(part.tokens)}"
    return None


def remove(plan: Plan, clause: Clause) -> None:
    """Take steps out of the flow."""
    object_, name = object_and_name(clause.object, frozenset())
    called = clause.part("called")
    if called is not None:
        clause.use_part(called)
        clause.use(clause.object)
        object_ = called.tokens
    if (source := clause.part("from")) is not None and _is_whole(source.tokens):
        clause.use_part(source)
    steps = plan.steps_in(clause, name or _with_rest(clause, object_))
    if (others := clause.part("before", "after")) is not None:
        place_of(plan, clause)
        del others
    for step in dict.fromkeys(step.id for step in steps):
        plan.do({"op": "remove_step", "step": step})


def _with_rest(clause: Clause, object_: Tokens) -> Tokens:
    """Return an object with its "of ..." and "for ...", which belong to what it is called."""
    words = object_
    for part in clause.parts:
        if part.marker in word_set("structure.with_rest.of") and part.tokens and not _is_whole(part.tokens):
            clause.use(part.mark)
            words = (*words, *part.tokens)
    return words


def move(plan: Plan, clause: Clause) -> None:
    """Put steps that are there somewhere else."""
    if (parallel := clause.part("beside")) is not None:
        steps = [*plan.steps_in(clause, clause.object), plan.step(clause, parallel.tokens)]
        clause.use_part(parallel)
        plan.do({"op": "parallelize", "steps": [step.id for step in steps]})
        return
    if clause.part("parallel") is not None:
        parallel_steps(plan, clause)
        return
    steps = plan.steps_in(clause, clause.object or clause.subject)
    where = place_of(plan, clause) or _to_place(plan, clause)
    for step in steps:
        if step.id in (where.get("before"), where.get("after")) or step.id in (where.get("between") or ()):
            if "before" in where and where["before"] == plan.workflow.start == step.id:
                plan.do()
                return
            raise NotRead
        plan.do({"op": "move_step", "step": step.id, **where})
        where = {"after": step.id}


def _to_place(plan: Plan, clause: Clause) -> JsonObject:
    words = {token.lower for token in clause.tokens}
    if "first" in words or "front" in words or "top" in words:
        clause.use(t for t in clause.tokens if t.is_("first", "front", "top"))
        return {"before": plan.workflow.start}
    if "last" in words or "end" in words:
        clause.use(t for t in clause.tokens if t.is_("last", "end"))
        return at_end(plan)
    raise Asked("Where does it go?", plan.text.rstrip(" .!") + " ", "")


def swap(plan: Plan, clause: Clause) -> None:
    """Let two steps that follow each other trade places."""
    tokens = clause.object
    other = clause.part("with", "for")
    if other is not None:
        steps = [plan.step(clause, tokens), plan.step(clause, other.tokens)]
        clause.use_part(other)
    else:
        of = clause.part("of")
        if of is not None:
            clause.use(clause.object)
            clause.use_part(of)
            tokens = of.tokens
        steps = plan.steps_in(clause, tokens)
    if len(steps) != 2 or steps[0].id == steps[1].id:
        raise NotRead
    swap_steps(plan, steps[0], steps[1])


def swap_steps(plan: Plan, one: Step, other: Step) -> None:
    """Make the edits that let two steps trade places, however far apart they are."""
    following = {edge.to for edge in plan.workflow.outgoing(one.id) if edge.type != "error"}
    preceding = {edge.to for edge in plan.workflow.outgoing(other.id) if edge.type != "error"}
    if other.id in following:
        plan.do({"op": "move_step", "step": other.id, "before": one.id})
    elif one.id in preceding:
        plan.do({"op": "move_step", "step": one.id, "before": other.id})
    else:
        after_one = [edge.to for edge in plan.workflow.outgoing(one.id)]
        after_other = [edge.to for edge in plan.workflow.outgoing(other.id)]
        if len(after_one) != 1 or len(after_other) != 1:
            raise NotRead(f"{one.name!r} and {other.name!r} stand apart, and their ways on differ")
        plan.do({"op": "move_step", "step": one.id, "before": after_other[0]})
        plan.do({"op": "move_step", "step": other.id, "before": after_one[0]})


def replace(plan: Plan, clause: Clause) -> None:
    """Put another step in the place of one."""
    part = clause.part("with", "responsible", "for", "instead", "to")
    if part is None:
        raise NotRead
    is_reversed = part.marker == "instead" or (
        clause.verb is not None and clause.verb.lemma == "substitute" and part.marker == "for"
    )
    old, new = (part.tokens, clause.object) if is_reversed else (clause.object, part.tokens)
    step = plan.step(clause, old)
    rest = [p for p in clause.parts if p is not part]
    who = next((plan.role(clause, p.tokens) for p in rest if p.marker in ("responsible", "owner")), None)
    for one in rest:
        if one.marker in ("responsible", "owner"):
            clause.use_part(one)
    existing = plan.steps.maybe(new)
    if existing is not None and plan.steps.is_named(new) and existing.id != step.id:
        raise Asked(f"**{existing.name}** is a step already. Shall the two swap places, or shall **{step.name}** go?")
    clause.use_part(part)
    plan.do({"op": "replace_step", "step": step.id, "with": _with_purpose(plan, clause, plan.draft(clause, new, who))})


def merge(plan: Plan, clause: Clause) -> None:
    """Make one step of two or more that follow one another."""
    tokens = clause.object
    with_ = clause.part("with")
    steps = plan.steps_in(clause, tokens)
    if with_ is not None:
        steps += plan.steps_in(clause, with_.tokens)
        clause.use_part(with_)
    into = clause.part("to", "as", "called")
    name = None
    if into is not None and into.tokens:
        if not all(t.lemma in ("one", "single", "step", "a") for t in into.tokens):
            name = plan.said([t for t in into.tokens if t.kind == "quoted"][:1] or _bare(into.tokens))
        clause.use_part(into)
        called = clause.part("called")
        if called is not None and called is not into:
            name = plan.said(called.tokens)
            clause.use_part(called)
    if len(steps) < 2:
        raise NotRead
    ids = [step.id for step in steps]
    order = [step for step in _walk(plan) if step in ids]
    for one, other in itertools.pairwise(order):
        if not any(edge.to == other for edge in plan.workflow.outgoing(one)):
            raise NotRead("those steps do not follow one another, so that one step cannot stand for them")
    named = {step.id: step.name for step in steps}
    if name is None:
        first, *others = [named[one] for one in order]
        name = " and ".join([first, *(one[:1].lower() + one[1:] for one in others)])
    plan.do(
        {"op": "rename_step", "step": order[0], "name": name[:1].upper() + name[1:]},
        *({"op": "remove_step", "step": one} for one in order[1:]),
    )


def _bare(tokens: Tokens) -> Tokens:
    kept = list(tokens)
    while len(kept) > 1 and (kept[0].has("det") or kept[0].lemma in ("single", "step", "new")):
        kept.pop(0)
    if len(kept) > 1 and kept[-1].lemma == "step":
        kept.pop()
    return tuple(kept)


def _walk(plan: Plan) -> list[str]:
    order, waiting = dict[str, None](), [plan.workflow.start]
    while waiting:
        here = waiting.pop(0)
        if here not in order:
            order[here] = None
            waiting += [edge.to for edge in plan.workflow.outgoing(here)]
    return [*order, *(s.id for s in plan.workflow.steps if s.id not in order)]


def split(plan: Plan, clause: Clause) -> None:
    """Make two or more steps of one."""
    into = clause.part("to")
    if into is None:
        raise Asked("Into which steps?", plan.text.rstrip(" .!") + " into ", "")
    step = plan.step(clause, clause.object)
    clause.use_part(into)
    names = [p for p in listed(into.tokens) if not all(t.lemma in ("two", "three", "step", "part") for t in p)]
    if len(names) < 2:
        raise Asked("Into which steps?", plan.text.rstrip(" .!") + ": ", "")
    drafts = [plan.draft(clause, name, step.assignee) for name in names]
    plan.do({"op": "rename_step", "step": step.id, "name": drafts[0]["name"]})
    previous = step.id
    for draft in drafts[1:]:
        kind = step.type if step.type in ("human", "action") else draft["type"]
        plan.do({"op": "insert_step", "step": {**draft, "type": kind}, "after": previous})
        previous = draft["id"]


def parallel_steps(plan: Plan, clause: Clause) -> None:
    """Let steps run at the same time."""
    if (mark := clause.part("parallel")) is not None:
        clause.use(mark.mark)
    tokens = clause.object or clause.subject or (mark.tokens if mark else ())
    steps = plan.steps_in(clause, tokens)
    for part in clause.parts:
        if part.marker in ("with", "beside", "to") and part.tokens:
            steps += plan.steps_in(clause, part.tokens)
            clause.use_part(part)
    ids = list(dict.fromkeys(step.id for step in steps))
    if len(ids) < 2:
        raise NotRead
    plan.do({"op": "parallelize", "steps": ids})


def sequence_steps(plan: Plan, clause: Clause) -> None:
    """Let steps that run at the same time run one after the other, in the order they are said."""
    if (mark := clause.part("sequence")) is not None:
        clause.use_part(mark) if all(not counts(t) for t in mark.tokens) else clause.use(mark.mark)
    steps = plan.steps_in(clause, clause.object or clause.subject)
    ids = [step.id for step in steps]
    branch = _branch_of(plan, ids[0])
    if len(ids) < 2 or branch is None or any(_branch_of(plan, one) != branch for one in ids):
        raise NotRead("those steps do not run at the same time now")
    for before, after in itertools.pairwise(ids):
        plan.do(
            {"op": "disconnect", "from": branch[0], "to": after},
            {"op": "disconnect", "from": before, "to": branch[1]},
            {"op": "connect", "from": before, "to": after},
        )
    if len(plan.workflow.outgoing(branch[0])) == 1:
        plan.do({"op": "remove_step", "step": branch[0]}, {"op": "remove_step", "step": branch[1]})


def connect(plan: Plan, clause: Clause) -> None:
    """Add a transition, with its condition where one is said."""
    source, target = clause.part("from"), clause.part("to", "with", "before")
    condition = condition_of(plan, clause)
    if source is not None:
        clause.use_part(source)
        from_ = plan.step(clause, source.tokens)
    elif clause.object:
        pieces = listed(clause.object)
        if target is None and len(pieces) == 2:
            plan.do(_connection(plan, plan.step(clause, pieces[0]), plan.step(clause, pieces[1]), condition))
            return
        from_ = plan.step(clause, clause.object)
    elif clause.subject:
        from_ = plan.step(clause, clause.subject)
    else:
        from_ = _decider(plan, condition)
    if target is None:
        raise NotRead
    clause.use_part(target)
    to = plan.step(clause, target.tokens)
    if source is not None:
        clause.use(t for t in clause.object if t.lemma in _LINKS or t.has("det") or t.lemma in ("loop", "back"))
    plan.do(*connections(plan, from_, to, condition))


_LINKS = word_set("structure.links")


def _decider(plan: Plan, condition: str | None) -> Step:
    """Return the step whose outcome a condition speaks of: the one that has it as a case already."""
    if condition is None:
        raise NotRead
    words = set(phrase_words(condition))
    found = {
        edge.from_
        for edge in plan.workflow.transitions
        if edge.when and edge.when.text and words & set(phrase_words(edge.when.text))
    }
    if len(found) == 1:
        return next(s for s in plan.workflow.steps if s.id == next(iter(found)))
    if plan.steps.last and not found:
        step = plan.workflow.step(plan.steps.last)
        if step is not None:
            return step
    raise Asked("From which step?")


def phrase_words(text: str) -> list[str]:
    """Return the content words of a text."""
    return content_of(text)


def _connection(plan: Plan, from_: Step, to: Step, condition: str | None) -> JsonObject:
    del plan
    edge: JsonObject = {"op": "connect", "from": from_.id, "to": to.id}
    return edge | {"type": "condition", "when": {"text": condition}} if condition else edge


def connections(plan: Plan, from_: Step, to: Step, condition: str | None) -> list[JsonObject]:
    """Return the edits that lead from a step to another in a case; the case it has goes there instead."""
    if condition is None:
        return [_connection(plan, from_, to, None)]
    same = _case(plan, from_, condition)
    if same is not None:
        return [{"op": "update_transition", "transition": same.id, "set": {"to": to.id}}]
    return [_connection(plan, from_, to, condition)]


def _case(plan: Plan, from_: Step, condition: str) -> Transition | None:
    wanted = [
        w
        for w in phrase_words(condition)
        if not any(akin(w, n) for n in phrase_words(from_.name)) or len(phrase_words(condition)) == 1
    ]
    if not wanted or any(word in f" {condition.lower()} " for word in (" not ", "n't ")):
        return None
    for edge in plan.workflow.outgoing(from_.id):
        has = phrase_words(edge.when.text) if edge.when and edge.when.text else []
        if has and all(any(akin(word, one) for one in wanted) for word in has) and len(has) == len(wanted):
            return edge
    return None


def back(plan: Plan, clause: Clause) -> None:
    """Lead back to an earlier step: "loop back to draft if rejected", "send it back to the employee"."""
    condition = condition_of(plan, clause)
    part = clause.part("to")
    if part is None:
        raise NotRead
    clause.use(t for t in clause.object if t.lower in PRONOUNS or t.is_("back", "loop", "straight", "directly"))
    source = clause.part("from")
    target = plan.steps.maybe(part.tokens)
    if target is None:
        target = plan.step(clause, part.tokens)
    clause.use_part(part)
    rest = [t for t in clause.object if t.start not in clause.used and counts(t)]
    if source is not None:
        clause.use_part(source)
        from_ = plan.step(clause, source.tokens)
    elif rest:
        from_ = plan.step(clause, clause.object)
    elif clause.subject and not all(t.lower in PRONOUNS for t in clause.subject):
        from_ = plan.step(clause, clause.subject)
    else:
        from_, condition = source_and_case(plan, condition)
    limit = next((found for at in range(len(clause.tokens)) if (found := times_at(clause.tokens, at))), None)
    if limit is not None:
        raise NotRead("I cannot draw how often at most")
    plan.do(*connections(plan, from_, target, condition))


def source_and_case(plan: Plan, condition: str | None) -> tuple[Step, str | None]:
    """Return the step that a condition names with its case: "if the review fails", "if legal rejects"."""
    if condition is None:
        raise Asked("From which step, and in which case?")
    tokens = read_tokens(condition)
    for at in range(len(tokens) - 1, 0, -1):
        step = plan.steps.maybe(tokens[:at])
        if step is not None and step.type != "end":
            return step, plan_said(condition, tokens[at:])
    return _decider(plan, condition), condition


def plan_said(text: str, tokens: Sequence[Token]) -> str:
    """Return tokens of a text as they stand in it, without "is" in front."""
    words = list(tokens)
    while words and (words[0].lemma == "be" or words[0].is_("get", "it")):
        words.pop(0)
    return text[words[0].start : words[-1].end] if words else text


def disconnect(plan: Plan, clause: Clause) -> None:
    """Take a transition away."""
    source, target = clause.part("from"), clause.part("to", "with")
    between = clause.part("between")
    if between is not None:
        steps = plan.steps_in(clause, between.tokens)
        clause.use_part(between)
    elif source is not None and target is not None:
        clause.use_part(source)
        clause.use_part(target)
        steps = [plan.step(clause, source.tokens), plan.step(clause, target.tokens)]
    elif source is not None and clause.object:
        clause.use_part(source)
        steps = [plan.step(clause, clause.object), plan.step(clause, source.tokens)]
    else:
        steps = plan.steps_in(clause, clause.object)
    if len(steps) != 2:
        raise NotRead
    one, other = steps
    if not any(edge.to == other.id for edge in plan.workflow.outgoing(one.id)):
        one, other = other, one
    clause.use(t for t in clause.object if t.lemma in _LINKS)
    plan.do({"op": "disconnect", "from": one.id, "to": other.id})


def error_path(plan: Plan, clause: Clause, step: Step, tokens: Tokens, verb: Token | None) -> None:
    """Say what happens when a step fails: an existing step, or a new one."""
    target = plan.steps.maybe(tokens)
    has_error = [edge for edge in plan.workflow.outgoing(step.id) if edge.type == "error" and not edge.errors]
    if target is None:
        words = (verb, *tokens) if verb is not None else tokens
        draft = plan.draft(clause, words)
        plan.do({"op": "add_step", "step": draft})
        target_id = draft["id"]
    else:
        clause.use(tokens)
        target_id = target.id
    if has_error:
        plan.do({"op": "update_transition", "transition": has_error[0].id, "set": {"to": target_id}})
    else:
        plan.do({"op": "add_error_path", "step": step.id, "to": target_id})


def is_approval(tokens: Sequence[Token]) -> bool:
    """Say whether words mean an approval and nothing more: "an approval", "sign-off"."""
    content = [t for t in tokens if t.is_content and t.lemma != "step"]
    return len(content) == 1 and (content[0].lemma in _APPROVALS or content[0].lower in _APPROVALS)
