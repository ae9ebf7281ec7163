"""A workflow as a model reads it: compact, complete in structure, every step with its id."""

from collections.abc import Iterable

from workflow_agent.workflows.model.steps import Condition, Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.triggers import describe_trigger
from workflow_agent.workflows.model.workflow import Workflow

_DESCRIPTION_CHARS = 300
_MAX_STEPS = 200


def outline(workflow: Workflow) -> str:
    """Return one line for each step with its id, name, type, role and where it leads."""
    lines = list(_header(workflow))
    edges: dict[str, list[Transition]] = {}
    for edge in workflow.transitions:
        edges.setdefault(edge.from_, []).append(edge)
    shown = workflow.steps[:_MAX_STEPS]
    lines += [_step_line(step, edges.get(step.id, [])) for step in shown]
    if len(workflow.steps) > len(shown):
        lines.append(f"… {len(workflow.steps) - len(shown)} more steps; get_workflow has them all")
    return "\n".join(lines)


def _header(workflow: Workflow) -> Iterable[str]:
    if workflow.description:
        yield " ".join(workflow.description[:_DESCRIPTION_CHARS].split())
    starts = ", ".join(describe_trigger(one) for one in workflow.triggers) or "not said how"
    yield f"starts at {workflow.start}; started {starts}"


def _step_line(step: Step, edges: Iterable[Transition]) -> str:
    facts = [
        step.type,
        f"by {step.assignee}" if step.assignee else "",
        f"uses {step.uses}" if step.uses else "",
        f"timeout {step.timeout}" if step.timeout else "",
        f"inside {step.parent}" if step.parent else "",
        f"outcome {step.outcome}" if step.outcome else "",
    ]
    leads = "; ".join(_lead(edge) for edge in edges)
    described = ", ".join(fact for fact in facts if fact)
    return f'- {step.id} "{step.name}" ({described})' + (f" -> {leads}" if leads else "")


def _lead(edge: Transition) -> str:
    guard = _guard(edge.when) or edge.action or edge.label or ""
    kind = "" if edge.type in ("sequence", "condition") else edge.type
    note = " ".join(part for part in (kind, guard) if part)
    return f"{edge.to} [{note}]" if note else edge.to


def _guard(when: Condition | None) -> str:
    if when is None:
        return ""
    return when.text if when.text is not None else when.formula[:80]


EXCERPT_CHARS = 240


def excerpt(text: str, word: str) -> str:
    """Return a bounded piece of a text around the first place of a word, with `…` where more was left out.

    Args:
        text: What to cut from.
        word: What to show, case-folded; where the text does not hold it, its beginning is shown.
    """
    start = max(text.casefold().find(word) - EXCERPT_CHARS // 3, 0)
    piece = text[start : start + EXCERPT_CHARS]
    return ("…" if start else "") + piece + ("…" if start + EXCERPT_CHARS < len(text) else "")
