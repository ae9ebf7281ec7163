"""Turning the readings of orders into the edits of one call: of each clause the first reading that fits."""

from collections.abc import Iterator, Mapping, Sequence

from workflow_agent.agent.offline.intents.changes import Change, Order, parted_orders, stated_order
from workflow_agent.agent.offline.skills.plan import Builder, Incomplete, NotReadable, Plan
from workflow_agent.agent.offline.skills.remarks import is_remark, step_of_remark
from workflow_agent.agent.offline.skills.steps import StepUnclear
from workflow_agent.agent.offline.turn.outcome import JsonObject

_MOST_PARTS = 3
Builders = Mapping[str, Builder]


def plan_orders(plan: Plan, orders: tuple[Order, ...], builders: Builders) -> Plan:
    """Return the plan with the edits of every clause.

    Raises:
        StepUnclear: A phrase means several steps or none, in every reading of its clause.
        Incomplete: A clause leaves out what it needs.
        NotReadable: No clause makes sense as a change of this workflow.
    """
    for order in orders:
        try:
            plan.edits += _edits(plan, order, builders)
        except NotReadable:
            if not _heard(plan, order.text):
                plan.unread.append(order.text)
        except StepUnclear as unclear:
            # A reason that also reads as an order to no step of this workflow.
            if unclear.candidates or len(orders) == 1 or not _heard(plan, order.text):
                raise
    if not plan.edits:
        raise NotReadable(next(iter([*plan.unread, *(order.text for order in orders)])))
    return plan


def _edits(plan: Plan, order: Order, builders: Builders) -> list[JsonObject]:
    """Return the edits of a clause: as it stands, said as a statement, or as two that stand side by side."""
    try:
        return _first_that_fits(plan, order.readings, builders)
    except (NotReadable, StepUnclear, Incomplete) as failure:
        if isinstance(failure, StepUnclear) and failure.candidates and "," not in failure.phrase:
            raise
        other = _otherwise(plan, order.text, builders, _MOST_PARTS)
        if other is not None:
            return other
        if plan.asks and not order.readings:
            raise plan.asks[0] from failure
        raise


def _otherwise(plan: Plan, text: str, builders: Builders, most_parts: int) -> list[JsonObject] | None:
    """Return the edits of a clause that no order fits as a whole; None where nothing else does."""
    trial = plan.trial()
    try:
        trial.edits = _first_that_fits(trial, stated_order(text, plan.drafting).readings, builders)
        return plan.adopt(trial)
    except (NotReadable, StepUnclear, Incomplete):
        partings = list(parted_orders(text, plan.drafting)) if most_parts > 1 else []
    for hears in (False, True):
        for parting in partings:
            if edits := _in_parts(plan, parting, builders, most_parts - 1, hears=hears):
                return edits
    return None


def _in_parts(
    plan: Plan, parts: Sequence[Order], builders: Builders, most_parts: int, *, hears: bool
) -> list[JsonObject]:
    """Return the edits of parts that all fit; nothing, and the plan as it was, where one does not.

    Args:
        plan: What was planned so far.
        parts: In the order in which they were said.
        builders: What makes edits of each kind of reading.
        most_parts: Into how many parts each may fall in its turn.
        hears: Whether a part may be a remark that orders nothing, such as a reason.
    """
    trial = plan.trial()
    for part in parts:
        try:
            trial.edits += _first_that_fits(trial, part.readings, builders)
        except (NotReadable, StepUnclear, Incomplete) as failure:
            if isinstance(failure, StepUnclear) and failure.candidates:
                plan.asks.append(failure)
            if hears and _heard(trial, part.text):
                continue
            edits = _otherwise(trial, part.text, builders, most_parts)
            if edits is None:
                return []
            trial.edits += edits
    return plan.adopt(trial) if trial.edits else []


def _heard(plan: Plan, text: str) -> bool:
    """Say whether a clause only remarks on something; "it" is from there on the step it speaks of."""
    if not is_remark(text):
        return False
    step = step_of_remark(text, plan.finder)
    if step is not None:
        plan.finder.last, plan.prefers_workflow = step, False
    return True


def _first_that_fits(plan: Plan, readings: Sequence[Change], builders: Builders) -> list[JsonObject]:
    """Return the edits of the first reading that fits the workflow."""
    failures: list[StepUnclear | Incomplete] = []
    for reading in readings:
        last, prefers = plan.finder.last, plan.prefers_workflow
        try:
            return builders[reading.kind](plan, reading)
        except NotReadable:
            pass
        except (StepUnclear, Incomplete) as failure:
            failures.append(failure)
        plan.finder.last, plan.prefers_workflow = last, prefers
    raise next(_worst_first(failures), NotReadable())


def _worst_first(failures: Sequence[StepUnclear | Incomplete]) -> Iterator[Exception]:
    """Yield what to ask about: first what several steps fit, as it takes least to answer."""
    yield from (one for one in failures if isinstance(one, StepUnclear) and one.candidates)
    yield from failures
