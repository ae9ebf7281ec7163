"""Work that is done again until something holds, or as long as it does: a question behind it leads on or back."""

from itertools import pairwise

from workflow_agent.assistant.offline.nlu.cases import case_told, condition_of_way, connections, decider
from workflow_agent.assistant.offline.nlu.slots import Filled
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan, titled
from workflow_agent.assistant.offline.references import akin, content_of
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.walks import branches, ranks, reach
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition


def loop(order: Filled) -> None:
    """Let work be done again: on the condition that was told the way leads on, or back where it is "as long as"."""
    plan = order.plan
    if not order.words("cond"):
        raise Asked("Until when is it done again?", plan.going_on(", until"))
    condition, is_until = case_told(order, "cond"), _leads_on(order)
    first, last = _ends(order, condition)
    leaves_branch = any((first in row) != (last in row) for row in branches(plan.workflow))
    if leaves_branch or last.id not in reach(plan.workflow, first.id):
        raise NotRead
    if first.type == "decision":
        plan.notes.append(f"it would go back to the question “{first.name}”")
    if words := order.words("num"):
        # "Three times at most": what is done then, nobody told.
        plan.unread.append(plan.said(words))
    plan.unread += [f"{one.text} {other.text}" for one, other in pairwise(order.around()) if one.is_("every", "each")]
    if (asking := _asked_already(plan, last, condition)) is not None:
        _lead_back(plan, asking, first, condition, is_until=is_until)
        return
    name = f"{titled(condition)}?"
    question: JsonObject = {"id": plan.new_id(condition), "name": name, "type": "decision"}
    plan.do({"op": "insert_step", "step": question, "after": last.id})
    (onward,) = plan.workflow.outgoing(question["id"])
    holds: JsonObject = {"type": "condition", "when": {"text": condition}}
    on, back = (holds, {"type": "default"}) if is_until else ({"type": "default"}, holds)
    plan.do(
        {"op": "update_transition", "transition": onward.id, "set": on},
        {"op": "connect", "from": question["id"], "to": first.id, **back},
    )


def _leads_on(order: Filled) -> bool:
    """Say whether the condition of a loop leads on, as behind "until", and not back, as behind "as long as" and "if".

    Raises:
        NotRead: Nothing says which.
    """
    told, around = order.words("cond"), order.around()
    front = [t for t in around if t.start < told[0].start]
    marks = [t for t in front if _leads(t)] or [t for t in told[:2] if _leads(t)]
    if marks:
        return marks[-1].among("loops.on")
    # "The weight is wrong? Then back to packing."
    if any(t.text == "?" and t.start == told[-1].end for t in around):
        return False
    raise NotRead


def _leads(token: Token) -> bool:
    return token.kind == "word" and (token.among("loops.on") or token.among("loops.back"))


def _ends(order: Filled, condition: str) -> tuple[Step, Step]:
    """Return the first and the last step of what is done again."""
    plan = order.plan
    if order.words("to"):
        first = order.step("to")
        if role := next((role for role in ("from", "step") if order.all_words(role)), None):
            return first, order.step(role)
        returns = order.says("back", "return", "start")
        return first, decider(plan, condition) if returns else first
    if order.words("from"):
        raise NotRead
    rank = ranks(plan.workflow)
    steps = sorted(order.steps(), key=lambda step: rank[step.id])
    between = (s for s in plan.workflow.steps if rank[steps[0].id] < rank[s.id] < rank[steps[-1].id])
    others = [step for step in between if step not in steps]
    plan.notes += (f"“{step.name}” lies between them and is done again too" for step in others)
    return steps[0], steps[-1]


def _asked_already(plan: Plan, last: Step, condition: str) -> Step | None:
    """Return the step whose ways on are taken by case already: the last one, or the question about it behind it.

    Raises:
        NotRead: Nothing follows the last one, or several steps do whatever the case.
    """
    ways = _onward(plan, last)
    if any(_has_case(edge) for edge in ways):
        return last
    if len(ways) != 1:
        raise NotRead
    behind = plan.workflow.step(ways[0].to)
    cases = _onward(plan, behind) if behind else []
    if behind is None or not any(_has_case(edge) for edge in cases):
        return None
    told = " ".join((behind.name, *map(condition_of_way, cases)))
    return behind if _tells(told, condition) else None


def _tells(text: str, condition: str) -> bool:
    """Say whether a text has at least half of the words of a condition."""
    own, said = content_of(text), content_of(condition)
    return 2 * sum(any(akin(word, one) for one in own) for word in said) >= max(len(said), 1)


def _onward(plan: Plan, step: Step) -> list[Transition]:
    return [edge for edge in plan.workflow.outgoing(step.id) if edge.type in ("sequence", "condition", "default")]


def _has_case(edge: Transition) -> bool:
    return edge.type != "sequence" or edge.when is not None


def _lead_back(plan: Plan, asking: Step, first: Step, condition: str, *, is_until: bool) -> None:
    """Lead back from a step that decides already, in the case told, or in any other than that."""
    ways = _onward(plan, asking)
    others = [edge for edge in ways if edge.type == "default"]
    if is_until and any(edge.to == first.id for edge in others):
        raise NotRead(f"“{asking.name}” leads back to “{first.name}” already")
    if is_until and not others and any(_tells(condition_of_way(edge), condition) for edge in ways):
        plan.do({"op": "connect", "from": asking.id, "to": first.id, "type": "default"})
    else:
        plan.do(*connections(plan, asking, first.id, f"not ({condition})" if is_until else condition))
    plan.notes.append(f"the other ways from “{asking.name}” stay as they are")
