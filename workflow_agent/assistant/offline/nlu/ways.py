"""The ways between steps: their conditions, cases, failures, and where they lead."""

from collections.abc import Callable, Mapping, Sequence

from workflow_agent.assistant.offline.nlu import cases
from workflow_agent.assistant.offline.nlu.cases import NUMBER, amount_of, case_told, condition_of_way, connections
from workflow_agent.assistant.offline.nlu.loops import loop
from workflow_agent.assistant.offline.nlu.new_steps import is_message, message_step, new_step
from workflow_agent.assistant.offline.nlu.placing import plain_ways
from workflow_agent.assistant.offline.nlu.slots import Filled, bare, shares_word, step_meant, using
from workflow_agent.assistant.offline.nlu.step_fields import growth_of
from workflow_agent.assistant.offline.nlu.ways_meant import between, decided_on, is_contrary, leaving, taken, told_by
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan
from workflow_agent.assistant.offline.references import StepUnclear, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.workflows.edits.flow import main_exit
from workflow_agent.workflows.edits.graph_draft import GraphDraft
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition


def _condition(order: Filled) -> None:
    """Give a way another condition: the one that has the old words, or that leads where it is said."""
    plan, new = order.plan, bare(order.words("cond"))
    if (pair := _sharing_limit(order)) and not order.says("by"):
        step = plan.workflow.step(pair[0].from_)
        plan.notes.append(f"both ways from “{step.name if step else ''}” name that limit: I would change both")
        number = [t for t in new if not cases.direction_of(t)]
        _reword(plan, [(edge, cases.with_limit(condition_of_way(edge), number)) for edge in pair])
        return
    edge = _way_meant(order)
    if any(t.kind == "number" for t in new) and order.says("by"):
        # By how much it is to change, and not to what.
        raise NotRead
    old = condition_of_way(edge)
    if _is_length(new) and not durations_in(read_tokens(old)):
        # "Pay out only after 3 days" is no amount.
        raise NotRead
    text = cases.with_limit(old, new)
    if text is None and cases.is_amount(new) and not any(cases.direction_of(t) for t in new):
        # "Repairs under [300 euros]", of a way that names no amount.
        raise NotRead
    counts = any(t.kind == "number" for t in new) and not any(cases.direction_of(t) for t in new)
    says_so = order.says("condition", "way", "change", "take", "limit", "rule")
    others = not order.words("oldcond") and not says_so and not _is_spoken_of(order, edge)
    if text is None and old and (counts or others):
        plan.notes.append(f"it would hold no longer if {old}")
    _reword(plan, [(edge, text or case_told(order, "cond"))])


def _reword(plan: Plan, texts: Sequence[tuple[Transition, str | None]]) -> None:
    """Give ways other conditions.

    Raises:
        NotRead: They have them, or there is none for one.
    """
    for edge, text in texts:
        if text is None or text == condition_of_way(edge):
            raise NotRead
        plan.do(cases.reworded(edge, text))


def _sharing_limit(order: Filled) -> list[Transition]:
    """Return the two ways from a step that part at the limit of which an order tells the new amount; else nothing."""
    told = order.words("oldcond")
    if not cases.is_amount(order.words("cond")) or any(order.all_words(role) for role in ("to", "step", "after")):
        return []
    if any(cases.direction_of(t) for t in told):
        # "3,000 or less" is the condition of one of them.
        return []
    old, source = {t.value for t in told if t.value is not None}, order.maybe("from")
    limits: list[tuple[float, Transition]] = []
    for edge in order.plan.workflow.transitions:
        found = [amount_of(one) for one in NUMBER.findall(condition_of_way(edge))]
        own = source is None or edge.from_ == source.id or edge in leaving(order.plan, source)
        if len(found) == 1 and own and (not old or old & {found[0], found[0] / 1000}):
            limits.append((found[0], edge))
    same = {(amount, edge.from_) for amount, edge in limits}
    pair = [edge for _, edge in limits] if len(limits) == 2 and len(same) == 1 else []
    return pair if old or source or any(_is_spoken_of(order, edge) for edge in pair) else []


def _is_spoken_of(order: Filled, edge: Transition) -> bool:
    """Say whether an order has a word of a way: of its condition, or of the steps at its ends."""
    ends = [step.name for one in (edge.from_, edge.to) if (step := order.plan.workflow.step(one))]
    own = content_of(" ".join((condition_of_way(edge), *ends)))
    said = [t.lower for t in (*order.around(), *order.words("cond")) if t.is_content and t.value is None]
    return any(akin(word, one) for word in said for one in own)


def _way_meant(order: Filled) -> Transition:
    """Return the one way with a condition that the slots of an order mean."""
    plan = order.plan
    edges = [edge for edge in plan.workflow.transitions if condition_of_way(edge)]
    old = order.words("oldcond")
    if old and len(exact := [edge for edge in edges if _speaks_of(condition_of_way(edge), old)]) == 1:
        return exact[0]
    every, ends = edges, [role for role in ("from", "to", "step", "after") if order.all_words(role)]
    steps = {role: order.step(role) for role in ends}
    for role, step in steps.items():
        edges = _at_end(plan, edges, step, "from_" if role in ("from", "after") else "to")
    new = order.words("cond")
    if (
        not old
        and cases.is_amount(new)
        and (limit := _only_limit(plan, edges, list(steps.values()), every)) is not None
    ):
        return limit
    if len(edges) == 1 and not old:
        return edges[0]
    if (best := told_by(plan, edges, old or new, is_new=not old)) is None:
        raise NotRead
    return best


def _only_limit(
    plan: Plan, edges: Sequence[Transition], steps: Sequence[Step], every: Sequence[Transition]
) -> Transition | None:
    """Return the one way that names an amount, of those meant, those from the steps named, or all there are."""
    own = [edge for step in steps for edge in leaving(plan, step)]
    for some in (edges, own, every):
        limits = [edge for edge in some if NUMBER.search(condition_of_way(edge))]
        if len(limits) == 1:
            if some is every and steps:
                taken(plan, limits[0])
            # "The limit for large deals is 50k now".
            return limits[0]
    return None


def _at_end(plan: Plan, edges: Sequence[Transition], step: Step, end: str) -> list[Transition]:
    """Return those of some ways that begin or end at a step, else that do the other."""
    some = [edge for edge in edges if getattr(edge, end) == step.id]
    some = some or [edge for edge in edges if end == "from_" and edge in leaving(plan, step)]
    return some or [edge for edge in edges if step.id in (edge.from_, edge.to)]


def _speaks_of(text: str, said: Sequence[Token]) -> bool:
    own = content_of(text)
    amounts = [amount_of(one) for one in NUMBER.findall(text)]
    told = (t for t in said if t.is_content and t.kind != "number")
    words = (word for t in told for word in (content_of(t.text) if t.kind == "quoted" else [t.lower]))
    numbers = (t.value for t in said if t.kind == "number")
    return all(any(akin(one, word) for word in own) for one in words) and all(one in amounts for one in numbers)


def _case_branch(order: Filled) -> None:
    plan = order.plan
    condition = case_told(order, "cond") if order.words("cond") else f"not ({case_told(order, 'unless')})"
    if order.words("new") and not any(order.words(role) for role in ("after", "from", "to")):
        if order.words("before"):
            draft = new_step(order) | {"when": {"text": condition}}
            plan.do({"op": "insert_step", "step": draft, "before": order.step("before").id})
            return
        if cases.is_approval(order.words("new")) and (who := order.who()) is not None:
            cases.approve_from(plan, who, condition, None)
            return
    from_ = order.maybe("after") or order.maybe("from") or _decider(plan, condition)
    known = step_there_already(order)
    target = known or order.maybe("to") or (order.maybe("step") if not order.words("new") else None)
    if known is not None or not order.words("new"):
        ways = plan.workflow.outgoing(from_.id)
        if target in (None, from_) or any(edge.to == target.id and edge.when for edge in ways):
            # There is a way to it in another case: both may be meant, or the one in place of the other.
            raise NotRead
        plan.do(*connections(plan, from_, target.id, condition))
        return
    draft = new_step(order)
    onward = target.id if target else _main_way(plan, from_, is_told=bool(order.words("after") or order.words("from")))
    plan.do({"op": "add_step", "step": draft})
    plan.do(*connections(plan, from_, draft["id"], condition))
    plan.do({"op": "connect", "from": draft["id"], "to": onward})


def _decider(plan: Plan, condition: str) -> Step:
    """Return the step that decides on a condition, and say that nobody named it."""
    try:
        step = cases.decider(plan, condition)
    except Asked as asked:
        try:
            step = step_meant(plan, read_tokens(condition), "step")
        except StepUnclear:
            raise asked from None
        if step.type in ("end", "fork", "join"):
            raise asked from None
    plan.notes.append(f"you did not say from where: I would take “{step.name}”")
    return step


def _main_way(plan: Plan, step: Step, *, is_told: bool) -> str:
    """Return where it goes on from a step when all is well; say so where that depends on the case.

    Raises:
        Asked: It does, and nobody told the step.
    """
    plain = plain_ways(plan, step.id)
    if len(plain) == 1:
        return plain[0].to
    if not is_told:
        raise Asked("From which step?")
    edge = main_exit(GraphDraft(plan.workflow, []), step)
    onward = plan.workflow.step(edge.to) if edge else None
    if onward is None:
        raise NotRead
    plan.notes.append(f"you did not say where it goes on then: I would lead it to “{onward.name}”")
    return onward.id


def step_there_already(order: Filled) -> Step | None:
    """Return the step that the words for a new one name: "the harvest is halted", of an end "Harvest halted"."""
    words = bare(order.words("new"))
    if words and words[0].has("verb") and not words[0].is_content:
        # "Thank the reviewers" is no "Invite reviewers".
        return None
    named = [t for t in words if t.is_content and not t.is_("wait", "pause")]
    step = order.plan.maybe(named) if named else None
    return step if step is not None and (not order.words("who") or order.who() == step.assignee) else None


def _error(order: Filled) -> None:
    if growth_of(order):
        raise NotRead
    plan, step = order.plan, _failing(order)
    said = (*order.words("cond"), *order.words("step"), *order.around())
    if step.type == "human" and not any(t.among("inquiry.fails") or t.is_("work") for t in said):
        # "If the director refuses", and neither "if it does not work" nor a system that does not answer.
        plan.notes.append(f"I would take it for a failure of “{step.name}”")
    if order.says("again") and not order.all_words("to"):
        # "The accountant calls, and then the refund is tried again."
        plan.notes.append("I did not draw what is done again")
    if _carries_on(order):
        plan.do({"op": "update_step", "step": step.id, "set": {"on_error": "continue"}})
        return
    known = step_there_already(order)
    target = known or (order.step("to") if order.all_words("to") else None)
    tells = known is None and is_message(order)
    if known is not None or not (order.words("new") or tells):
        if target is None:
            raise Asked("What is done then?")
        if target.id == step.id:
            raise StepUnclear(plan.said(order.words("step") or order.words("cond")))
        failing = _when_failing(plan, step)
        if failing is not None and (order.says_of("set.negations") or order.says("instead", "rather", "now")):
            plan.do({"op": "update_transition", "transition": failing.id, "set": {"to": target.id}})
            return
        plan.do({"op": "add_error_path", "step": step.id, "to": target.id})
        return
    if tells:
        plan.unread += map(plan.said, order.all_words("time"))
    put_on_failure(plan, step, message_step(order) if tells else new_step(order), target)


def _carries_on(order: Filled) -> bool:
    """Say whether nothing is to be done when a step fails: "just carry on", "go on then"."""
    said = order.tokens
    if any(
        t.among("ways.carrying_on") and any(b.among("set.negations") for b in said[max(at - 2, 0) : at])
        for at, t in enumerate(said)
    ):
        # A denied "continue" passes over nothing.
        return False
    if any(order.all_words(role) for role in ("to", "who", "channel")):
        return False
    new = [t for words in order.all_words("new") for t in words if not t.has("adv", "part", "prep", "conj", "filler")]
    if not new:
        return order.says_of("ways.carrying_on")
    return all(t.among("ways.carrying_on") or t.is_("go", "move", "keep") for t in new)


def _failing(order: Filled) -> Step:
    """Return the step that fails: "billing", and of "the incubator breaks down" the one that incubates."""
    if order.all_words("step") or not order.all_words("cond"):
        return order.step("step")
    try:
        return order.step("cond")
    except StepUnclear as unclear:
        words = [t for t in order.words("cond") if not (t.among("drawing.fails") or t.among("set.negations"))]
        try:
            return step_meant(order.plan, tuple(words), "step")
        except StepUnclear:
            raise unclear from None


def _when_failing(plan: Plan, step: Step) -> Transition | None:
    """Return the way that is taken when a step fails, however it does; None where there is none."""
    found = (edge for edge in plan.workflow.outgoing(step.id) if edge.type == "error" and not edge.errors)
    return next(found, None)


def put_on_failure(plan: Plan, step: Step, draft: JsonObject, target: Step | None) -> None:
    """Let a new step be done when another fails: in front of what is done then now, else on the way past it."""
    if any(t.among("ways.mending") for t in read_tokens(step.name)[:1]):
        # "If the load fails": what repairs the load is not what fails.
        raise StepUnclear(step.name)
    failing = _when_failing(plan, step)
    onward = [target.id] if target else [edge.to for edge in ([failing] if failing else plain_ways(plan, step.id))]
    plan.do({"op": "add_step", "step": draft})
    if failing:
        plan.do({"op": "update_transition", "transition": failing.id, "set": {"to": draft["id"]}})
    else:
        plan.do({"op": "add_error_path", "step": step.id, "to": draft["id"]})
    if len(onward) == 1:
        plan.do({"op": "connect", "from": draft["id"], "to": onward[0]})
        behind = plan.workflow.step(onward[0])
        told = f"I would let it go on to “{behind.name}” then" if target is None and behind else ""
        verb = read_tokens(draft["name"])[:1]
        if told and any(t.is_("stop", "cancel", "abort", "end", "halt", "close") for t in verb):
            # "The clerk stops it".
            plan.notes.append(told)
        elif told and draft["type"] == "action" and not failing:
            # It tells somebody, and what failed is not done.
            plan.guesses.append(told)


def _connect(order: Filled) -> None:
    plan, to = order.plan, order.step("to")
    condition = case_told(order, "cond") if order.words("cond") else None
    from_ = _decider(plan, condition) if condition and not order.all_words("from") else order.step("from")
    if from_.id == to.id:
        raise NotRead
    plain = plain_ways(plan, from_.id)
    straight = order.says("directly", "straight", "immediately", "instead")
    if straight and not condition and len(plain) == 1:
        plan.do({"op": "update_transition", "transition": plain[0].id, "set": {"to": to.id}})
        return
    plan.do(*connections(plan, from_, to.id, condition))


def _disconnect(order: Filled) -> None:
    plan, edges = order.plan, between(order, "from", "to")
    if said := order.words("cond"):
        edge = told_by(plan, (edge for edge in edges if edge.when), said)
    else:
        edge = edges[0] if len(edges) == 1 else None
    if edge is None:
        raise NotRead("there is no such way" if not edges and order.words("from") and order.words("to") else "")
    plan.do({"op": "disconnect", "from": edge.from_, "to": edge.to})


def _redirect(order: Filled) -> None:
    plan, to = order.plan, order.step("to")
    edges = between(order, "from", "oldto")
    if said := order.words("cond"):
        ways = [edge for edge in edges if edge.when]
        edge = told_by(plan, ways, said)
        if edge is None and order.words("oldto"):
            edge = _way_led_away(plan, ways or edges, said)
    else:
        plain = [edge for edge in edges if edge.type == "sequence"]
        edges = edges if order.words("oldto") else plain
        edge = edges[0] if len(edges) == 1 else None
    if edge is None or edge.to == to.id or edge.from_ == to.id:
        raise NotRead
    plan.do({"op": "update_transition", "transition": edge.id, "set": {"to": to.id}})


def _way_led_away(plan: Plan, edges: Sequence[Transition], said: Tokens) -> Transition | None:
    """Return the way that leads where an order tells, in a case that words tell; note what is not sure about it."""
    if any(edge.when for edge in edges):
        edge = edges[0] if len(edges) == 1 and not is_contrary(plan, edges[0], said) else None
    else:
        edge = decided_on(plan, edges, said)
    if edge is None:
        return None
    taken(plan, edge)
    if edge.type == "sequence" and not edge.when:
        # "Regular donors" may be some of those that go this way.
        plan.notes.append("That way is taken in every case")
    elif edge.type == "default" and len({condition_of_way(one) for one in plan.workflow.outgoing(edge.from_)}) > 2:
        # "Not sour" may be high in sugar.
        plan.notes.append("That way is taken in no other case")
    elif edge.when and not _is_of_case(plan, edge, said):
        plan.notes.append("I am not sure that this way is taken in that case")
    return edge


def _is_of_case(plan: Plan, edge: Transition, said: Tokens) -> bool:
    """Say whether words speak of a way's condition, or of the step that decides on it."""
    step = plan.workflow.step(edge.from_)
    text = f"{condition_of_way(edge)} {step.name if step is not None else ''}"
    return shares_word([t for t in said if t.is_content], text)


def _optional(order: Filled) -> None:
    plan, step = order.plan, order.step("step")
    if order.says("cancel"):
        # "Can be cancelled when ..." tells of the work, and leaves no step out.
        raise NotRead
    role = "unless" if order.words("unless") else "only"
    if not order.words(role):
        raise Asked(f"In which case is “{step.name}” left out?", f'Skip "{step.name}" if ', "")
    if _is_length(order.words(role)) or (role == "unless" and order.words("only")):
        # "Only after 3 days" is a wait.
        raise NotRead
    denies, told = _leaves_out(order, role), case_told(order, role)
    cases.happens_if(plan, step, f"not ({told})" if denies else told, is_limit=not denies)


def _leaves_out(order: Filled, role: str) -> bool:
    """Say whether a step is left out in the case of a role, and not in any other: "skip it for flats"."""
    skips, denied = order.says_of("ways.skipping"), order.says_of("set.negations")
    # Of "skip it if only one is concerned", "only" is of the case.
    front = order.words(role)[:1] if role == "only" else ()
    restricted = order.says_of("ways.restricting") or any(t.among("ways.restricting") for t in front)
    if role == "unless":
        # "Unless it is a bridge, you can leave him out."
        excepted = order.says("unless", "except")
        return not excepted if skips or denied else excepted or not restricted
    if restricted:
        return False
    if denied and not skips:
        order.plan.notes.append("I would leave it out in that case, and not in any other")
    return skips or denied


def _is_length(words: Sequence[Token]) -> bool:
    """Say whether words tell a length of time and nothing of which it is one: "after 3 days"."""
    found = durations_in(words)
    if len(found) != 1:
        return False
    first, length = found[0]
    return not any(t.is_content for t in (*words[:first], *words[length.end :]))


def _required(order: Filled) -> None:
    step = order.step("step")
    if step.when is None:
        raise NotRead
    order.plan.do({"op": "update_step", "step": step.id, "unset": ["when"]})


OF_WAYS: Mapping[str, Callable[[Filled], None]] = {
    "case": _case_branch,
    "error": using(_error, "step", "cond", "new", "who", "time", "to", "channel"),
    "condition": using(_condition, "cond", "oldcond", "from", "to", "step", "after"),
    "loop": using(loop, "cond", "from", "to", "step", "num"),
    "connect": using(_connect, "cond", "from", "to"),
    "disconnect": using(_disconnect, "cond", "from", "to"),
    "redirect": using(_redirect, "cond", "from", "to", "oldto"),
    "optional": using(_optional, "step", "only", "unless"),
    "required": _required,
}
