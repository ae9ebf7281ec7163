"""Edits for what needs approval from an amount on: "anything over 100 euros needs approval by finance"."""

import re
from collections.abc import Mapping

from workflow_agent.agent.offline.intents.changes import Change
from workflow_agent.agent.offline.skills.conditions import comparable, with_text
from workflow_agent.agent.offline.skills.plan import Builder, Incomplete, Plan
from workflow_agent.agent.offline.turn.outcome import Answered, JsonObject, Reply, Suggestion
from workflow_agent.agent.offline.wording.workflow import named
from workflow_agent.domain.workflow import Step
from workflow_agent.domain.workflow_parsing import slug

_ARTICLE = re.compile(r"^(?:the|our|a|an)\s+", re.IGNORECASE)
_ANYTHING = re.compile(
    r"^(?:anything|everything|whatever|what|all|all (?:amounts|sums)|amounts|sums)(?: is| are| that is)?"
    r"(?: of)? ",
    re.IGNORECASE,
)
_APPROVES = re.compile(r"approv|sign|authori[sz]|decide|decision|review|check|confirm", re.IGNORECASE)


def _approval_above(plan: Plan, change: Change) -> list[JsonObject]:
    """Return the other amount where somebody approves from one on; else ask what is to happen.

    Raises:
        Answered: Somebody approves everything already.
        Incomplete: Where to approve is not said.
    """
    who = _ARTICLE.sub("", change.slots["who"])
    condition = _ANYTHING.sub("the amount is ", change.slots["limit"])
    steps = [step for step in plan.workflow.steps if _approves(step, who)]
    for step in steps:
        if (known := comparable(plan, step.id, condition)) is not None:
            return [with_text(known, condition)]
    if len(steps) == 1:
        raise Answered(Reply(
            f"In **{plan.workflow.name}** {who} already has {named(steps[0])}, and what leads there names no "
            f"amount. Nothing is changed. Shall I let only that go there where {condition}, and everything "
            "else past it?",
            Suggestion(f"do {steps[0].id} only if {condition}"),
        ))  # fmt: skip
    raise Incomplete(
        f"Where does {who} approve that? Nothing is changed yet.",
        f"add an approval by {who} ",
        f" if {condition}",
    )


def _approves(step: Step, who: str) -> bool:
    is_theirs = step.type == "human" and slug(step.assignee or "-") == slug(who)
    return is_theirs and _APPROVES.search(step.name) is not None


APPROVALS: Mapping[str, Builder] = {"approval_above": _approval_above}
