"""What a turn's request was made of, in tokens: the record that reply, file, span and metrics carry."""

from collections.abc import Mapping
from dataclasses import dataclass

from workflow_agent.domain.counting import Counting, apportioned, is_plausible
from workflow_agent.domain.errors import ContextOverflow
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.window import Utilization, budget_tokens, largest_first, level_of

SECTIONS = (
    "prompt_module", "phase", "memory", "workflow", "calls", "tools", "summary", "ledger", "history",
    "artifacts", "message", "run",
)  # fmt: skip
"""The parts of a request, in the order of the record."""


@dataclass(frozen=True, slots=True)
class WindowLimits:
    """How large a request may be."""

    window_tokens: int
    reserve_tokens: int
    utilization: Utilization

    @property
    def budget_tokens(self) -> int:
        """Return the tokens a request may use."""
        return budget_tokens(self.window_tokens, self.reserve_tokens, self.utilization)


def context_record(
    *,
    counted: Mapping[str, int],
    reported_tokens: int | None,
    counting: Counting,
    limits: WindowLimits,
    facts: JsonObject,
) -> JsonObject:
    """Return the context record: every section in tokens, summing to what was used.

    Args:
        counted: Tokens by section, as we counted them.
        reported_tokens: What the provider counted, where it said so; taken over where it is plausible.
        counting: How we counted.
        limits: The window and how much of it may be used.
        facts: What else is recorded.
    """
    estimate = sum(counted.values())
    is_told = reported_tokens is not None and is_plausible(estimate, reported_tokens)
    used = reported_tokens if reported_tokens is not None and is_told else estimate
    fraction = used / limits.budget_tokens if limits.budget_tokens else 1.0
    return {
        "window_tokens": limits.window_tokens,
        "budget_tokens": limits.budget_tokens,
        "used_tokens": used,
        "fraction": round(fraction, 4),
        "level": level_of(fraction),
        "breakdown": apportioned(counted, used) if is_told else dict(counted),
        "counting": "provider" if is_told else counting,
        "estimated_tokens": estimate,
        "estimated_by": counting,
        "counting_error": round(estimate / used - 1, 4) if is_told else None,
        "strategy": limits.utilization,
        **facts,
    }


def overflow_of(fixed: Mapping[str, int], budget: int) -> ContextOverflow:
    """Return the error for fixed parts that alone are over the budget: by how much, and which weigh most."""
    taken = sum(fixed.values())
    return ContextOverflow(
        f"The fixed parts of the request take {taken} tokens, {taken - budget} more than the budget of "
        f"{budget}; the largest: {largest_first(fixed)}. Use a model with a larger window, a higher context "
        "utilization, or a smaller open workflow.",
        section=max(fixed, key=lambda name: fixed[name]),
        sections=dict(fixed),
        excess_tokens=taken - budget,
    )
