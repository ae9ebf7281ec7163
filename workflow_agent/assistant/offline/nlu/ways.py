"""The ways between steps: their conditions, cases, failures, and where they lead."""

from collections.abc import Callable, Mapping, Sequence

from workflow_agent.assistant.offline.nlu.cases import (
    NUMBER,
    amount_of,
    case_told,
    connections,
    decider,
    happens_if,
    like_number,
)
from workflow_agent.assistant.offline.nlu.loops import loop
from workflow_agent.assistant.offline.nlu.new_steps import new_step
from workflow_agent.assistant.offline.nlu.slots import Filled, bare
from workflow_agent.assistant.offline.nlu.step_fields import growth_of
from workflow_agent.assistant.offline.plan import NotRead, Plan
from workflow_agent.assistant.offline.references import StepUnclear, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition


def _condition(order: Filled) -> None:
    """Give a way another condition: the one that has the old words, or that leads where it is said."""
    plan, new = order.plan, bare(order.words("cond"))
    numbers = [t for t in new if t.kind == "number"]
    edges = _ways(order)
    if len(numbers) == 1:
        edges = [edge for edge in edges if len(NUMBER.findall(condition_of_way(edge))) == 1]
    limits = [edge for edge in plan.workflow.transitions if NUMBER.search(condition_of_way(edge))]
    if len(edges) != 1 and numbers and len(limits) == 1 and not order.words("oldcond"):
        # The only limit there is: "the limit for large deals is 50k now".
        edges = limits
    if not new or len(edges) != 1:
        raise NotRead
    text = plan.said(new)
    if numbers and any(t.is_("by") for t in order.around()):
        # By how much it is to change, and not to what.
        raise NotRead
    if len(numbers) == 1:
        # A new limit alone: what is compared with it stays as it is said.
        old = NUMBER.findall(condition_of_way(edges[0]))[0]
        if amount_of(old) == numbers[0].value:
            raise NotRead
        text = condition_of_way(edges[0]).replace(old, like_number(old, numbers[0]))
    plan.do({"op": "update_transition", "transition": edges[0].id, "set": {"when": {"text": text}}})


def condition_of_way(edge: Transition) -> str:
    """Return the words of a way's condition, empty where it has none."""
    return (edge.when.text or "") if edge.when else ""


def _ways(order: Filled) -> list[Transition]:
    """Return the ways with a condition that the slots of an order may mean."""
    plan = order.plan
    edges = [edge for edge in plan.workflow.transitions if edge.when is not None and edge.when.text]
    if old := [t for t in order.words("oldcond") if t.is_content]:
        edges = [edge for edge in edges if _speaks_of(condition_of_way(edge), old)]
        if len(edges) == 1:
            return edges
    for role, end in (("from", "from_"), ("to", "to"), ("step", "to"), ("after", "from_")):
        if order.words(role):
            step = order.step(role)
            some = [edge for edge in edges if getattr(edge, end) == step.id]
            some = some or [edge for edge in edges if step.id in (edge.from_, edge.to)]
            edges = some
    return edges


def _speaks_of(text: str, said: Sequence[Token]) -> bool:
    own = content_of(text)
    amounts = [amount_of(one) for one in NUMBER.findall(text)]
    words = [
        word for t in said if t.kind != "number" for word in (content_of(t.text) if t.kind == "quoted" else [t.lower])
    ]
    numbers = [t.value for t in said if t.kind == "number"]
    return all(any(akin(one, word) for word in own) for one in words) and all(one in amounts for one in numbers)


def _case_branch(order: Filled) -> None:
    plan = order.plan
    condition = case_told(order, "cond")
    from_ = order.maybe("after") or order.maybe("from") or decider(plan, condition)
    known = step_there_already(order)
    target = known or order.maybe("to")
    if known is not None or not order.words("new"):
        if target is None or any(edge.to == target.id and edge.when for edge in plan.workflow.outgoing(from_.id)):
            # There is a way to it in another case: both may be meant, or the one in place of the other.
            raise NotRead
        plan.do(*connections(plan, from_, target, condition))
        return
    draft = new_step(order)
    onward = target.id if target else _main_way(plan, from_)
    plan.do({"op": "add_step", "step": draft})
    new = plan.workflow.step(draft["id"])
    if new is None:
        raise NotRead
    plan.do(*connections(plan, from_, new, condition))
    plan.do({"op": "connect", "from": draft["id"], "to": onward})


def _main_way(plan: Plan, step: Step) -> str:
    ways = [edge for edge in plan.workflow.outgoing(step.id) if edge.type == "sequence"]
    if len(ways) != 1:
        raise NotRead
    return ways[0].to


def step_there_already(order: Filled) -> Step | None:
    """Return the step that the words for a new one name: "the harvest is halted", of an end "Harvest halted"."""
    words = bare(order.words("new"))
    step = order.plan.maybe([t for t in words if t.is_content]) if words else None
    return step if step is not None and (not order.words("who") or order.who() == step.assignee) else None


def _error(order: Filled) -> None:
    if growth_of(order):
        raise NotRead
    plan, step = order.plan, order.step("step" if order.words("step") or not order.words("cond") else "cond")
    known = step_there_already(order)
    target = known or order.maybe("to")
    if known is not None or not order.words("new"):
        if target is None:
            raise NotRead
        plan.do({"op": "add_error_path", "step": step.id, "to": target.id})
        return
    draft = new_step(order)
    put_on_failure(plan, step, draft, target)


def put_on_failure(plan: Plan, step: Step, draft: JsonObject, target: Step | None) -> None:
    """Let a new step be done when another fails: in front of what is done then now, else on the way past it."""
    if any(t.among("ways.mending") for t in read_tokens(step.name)[:1]):
        # "If the load fails": what repairs the load is not what fails.
        raise StepUnclear(step.name)
    failing = [edge for edge in plan.workflow.outgoing(step.id) if edge.type == "error" and not edge.errors]
    onward = [target.id] if target else [edge.to for edge in failing[:1] or _plain_ways(plan, step)]
    plan.do({"op": "add_step", "step": draft})
    if failing:
        plan.do({"op": "update_transition", "transition": failing[0].id, "set": {"to": draft["id"]}})
    else:
        plan.do({"op": "add_error_path", "step": step.id, "to": draft["id"]})
    if len(onward) == 1:
        plan.do({"op": "connect", "from": draft["id"], "to": onward[0]})


def _plain_ways(plan: Plan, step: Step) -> list[Transition]:
    """Return the ways on from a step that have no condition."""
    return [edge for edge in plan.workflow.outgoing(step.id) if edge.type == "sequence" and edge.when is None]


def _connect(order: Filled) -> None:
    plan, from_, to = order.plan, order.step("from"), order.step("to")
    if from_.id == to.id:
        raise NotRead
    plain = _plain_ways(plan, from_)
    straight = any(t.is_("directly", "straight", "immediately", "instead") for t in order.around())
    if straight and not order.words("cond") and len(plain) == 1:
        plan.do({"op": "update_transition", "transition": plain[0].id, "set": {"to": to.id}})
        return
    plan.do(*connections(plan, from_, to, case_told(order, "cond") if order.words("cond") else None))


def _disconnect(order: Filled) -> None:
    edges = _edges(order, "to")
    if len(edges) != 1:
        raise NotRead
    order.plan.do({"op": "disconnect", "from": edges[0].from_, "to": edges[0].to})


def _edges(order: Filled, to: str) -> list[Transition]:
    """Return the ways from the step of `from` to that of a role, on the condition of `cond`, where these are told."""
    edges = list(order.plan.workflow.transitions)
    if (from_ := order.maybe("from")) is not None:
        edges = [edge for edge in edges if edge.from_ == from_.id]
    if (target := order.maybe(to)) is not None:
        edges = [edge for edge in edges if edge.to == target.id]
    if cond := [t for t in order.words("cond") if t.is_content]:
        edges = [edge for edge in edges if edge.when and _speaks_of(condition_of_way(edge), cond)]
    return edges


def _redirect(order: Filled) -> None:
    plan, to = order.plan, order.step("to")
    edges = _edges(order, "oldto")
    if not order.words("oldto") and not any(t.is_content for t in order.words("cond")):
        edges = [edge for edge in edges if edge.type == "sequence"]
    if len(edges) != 1 or edges[0].to == to.id or edges[0].from_ == to.id:
        raise NotRead
    plan.do({"op": "update_transition", "transition": edges[0].id, "set": {"to": to.id}})


def _optional(order: Filled) -> None:
    plan, step = order.plan, order.step("step")
    if any(t.is_("cancel") for t in order.around()):
        # "Can be cancelled when ..." tells of the work, and leaves no step out.
        raise NotRead
    skips = any(t.is_("skip", "omit", "bypass", "drop", "leave", "miss", "unnecessary") for t in order.around())
    role = "unless" if order.words("unless") else "only"
    if durations_in(order.words(role)):
        # "Only after 3 days" is a wait.
        raise NotRead
    condition = f"not ({case_told(order, role)})" if role == "unless" or skips else case_told(order, role)
    happens_if(plan, step, condition)


def _required(order: Filled) -> None:
    step = order.step("step")
    if step.when is None:
        raise NotRead
    order.plan.do({"op": "update_step", "step": step.id, "unset": ["when"]})


OF_WAYS: Mapping[str, Callable[[Filled], None]] = {
    "case": _case_branch,
    "error": _error,
    "condition": _condition,
    "loop": loop,
    "connect": _connect,
    "disconnect": _disconnect,
    "redirect": _redirect,
    "optional": _optional,
    "required": _required,
}
