"""Workflows in words: an outline, a walk from the start, one step at a time."""

from collections.abc import Sequence

from workflow_agent.assistant.offline.wording.lists import clipped, counted, joined
from workflow_agent.workflows.model.durations import duration_in_words
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.triggers import describe_trigger
from workflow_agent.workflows.model.workflow import Workflow

FENCES = {
    "json": "json", "yaml": "yaml", "yml": "yaml", "bpmn": "xml", "xml": "xml", "mermaid": "mermaid",
    "dot": "dot", "svg": "svg",
}  # fmt: skip
"""How a fenced block is marked, by the extension of a file or the format of a diagram."""
_MOST_STEPS = 60
_KINDS = {
    "decision": "a decision",
    "fork": "splits into parallel branches",
    "join": "waits for the branches",
    "wait": "a wait",
    "loop": "a loop",
    "event": "waits for an event",
    "subworkflow": "runs another workflow",
    "state": "a state",
}


def named(step: Step) -> str:
    """Return a step's name with its id."""
    return f"**{step.name}** (`{step.id}`)"


def headline(workflow: Workflow) -> str:
    """Return the workflow's name, id and version."""
    return f"**{workflow.name}** (`{workflow.id}`, version {workflow.version})"


def in_walking_order(workflow: Workflow) -> list[Step]:
    """Return the steps as somebody walking from the start meets them; the unreachable ones last."""
    order, waiting = dict[str, None](), [workflow.start]
    while waiting:
        here = waiting.pop(0)
        if here not in order:
            order[here] = None
            waiting += [edge.to for edge in workflow.outgoing(here)]
    steps = {step.id: step for step in workflow.steps}
    return [steps[id_] for id_ in order] + [step for step in workflow.steps if step.id not in order]


def who_and_how(step: Step) -> str:
    """Return what is set on a step, shortly: who does it, what it calls, its limits."""
    parts = [
        step.assignee and f"done by {step.assignee}",
        _KINDS.get(step.type),
        step.uses and f"calls `{step.uses}`",
        step.duration and (f"lasts {duration_in_words(step.duration)}"),
        step.event and f"event `{step.event}`",
        step.timeout and f"deadline {duration_in_words(step.timeout)}",
        step.retry and f"up to {step.retry.max_attempts} attempts",
        step.escalate_to and f"escalates to {step.escalate_to}",
    ]
    return ", ".join(part for part in parts if part)


def condition_of(edge: Transition) -> str:
    """Return under what condition a transition is taken, or nothing when always."""
    if edge.when is not None:
        is_data = not isinstance(edge.when.expression, str)
        return edge.when.text or (f"`{edge.when.formula}`" if is_data else edge.when.formula)
    return edge.label or edge.action or {"default": "otherwise", "error": "it fails"}.get(edge.type, "")


def way_on(workflow: Workflow, edge: Transition) -> str:
    """Return where a transition leads and when: "if approved → **Pay out** (`pay`)"."""
    target = next(step for step in workflow.steps if step.id == edge.to)
    condition = condition_of(edge)
    if not condition:
        return f"→ {named(target)}"
    lead = "on error" if edge.type == "error" else condition if condition == "otherwise" else f"if {condition}"
    if edge.type == "error" and condition != "it fails":
        lead += f" ({condition})"
    return f"{lead} → {named(target)}"


def step_lines(workflow: Workflow) -> list[str]:
    """Return the steps as a numbered outline with their ways on, ends last."""
    lines: list[str] = []
    work = [step for step in workflow.steps if step.type != "end"]
    for at, step in enumerate(work[:_MOST_STEPS], 1):
        about = who_and_how(step)
        lines.append(f"{at}. {named(step)}" + (f": {about}" if about else ""))
        ways = workflow.outgoing(step.id)
        lines += [f"   - {way_on(workflow, edge)}" for edge in ways]
    if len(work) > _MOST_STEPS:
        lines.append(f"… and {len(work) - _MOST_STEPS} more steps.")
    return lines


def ends_line(workflow: Workflow) -> str:
    """Return how a workflow can end."""
    ends = [step for step in workflow.steps if step.type == "end"]
    return (
        "Ends: " + joined([f"{named(end)}" + (f", {end.outcome}" if end.outcome else "") for end in ends])
        if ends
        else ""
    )


def starts_line(workflow: Workflow) -> str:
    """Return what starts a workflow."""
    starts = [describe_trigger(trigger) for trigger in workflow.triggers]
    return f"Starts: {joined(starts)}." if starts else "Nothing starts it automatically; no trigger is set."


def roles_of(workflow: Workflow) -> dict[str, list[Step]]:
    """Return the steps of each role, in walking order."""
    roles: dict[str, list[Step]] = {}
    for step in in_walking_order(workflow):
        if step.assignee:
            roles.setdefault(step.assignee, []).append(step)
    return roles


def show_text(workflow: Workflow) -> str:
    """Return a workflow's outline."""
    size = f"{counted(len(workflow.steps), 'step')}"
    head = f"{headline(workflow)}, {size}." + (f" {clipped(workflow.description, 400)}" if workflow.description else "")
    tags = f"Tags: {', '.join(workflow.tags)}." if workflow.tags else ""
    lines = [
        starts_line(workflow),
        "",
        *step_lines(workflow),
        "",
        *[line for line in (ends_line(workflow), tags) if line],
    ]
    return "\n".join([head, "", *lines]).rstrip()


def explain_text(workflow: Workflow) -> str:
    """Return a workflow told in plain words, branch by branch, with who does what."""
    head = headline(workflow) + (f": {clipped(workflow.description, 400)}" if workflow.description else "")
    told = [_told(workflow, step, at == 0) for at, step in enumerate(_work(workflow)[:_MOST_STEPS])]
    roles = [f"{role} ({joined([step.name for step in steps])})" for role, steps in roles_of(workflow).items()]
    who = f"Who is involved: {'; '.join(roles)}." if roles else "No step has an owner yet."
    return "\n\n".join(
        part for part in (head, starts_line(workflow), "\n".join(told), ends_line(workflow), who) if part
    )


def _work(workflow: Workflow) -> Sequence[Step]:
    return [step for step in in_walking_order(workflow) if step.type != "end"]


def _told(workflow: Workflow, step: Step, is_first: bool) -> str:
    about = who_and_how(step)
    subject = ("It begins with " if is_first else "") + named(step) + (f" ({about})" if about else "")
    ways = workflow.outgoing(step.id)
    if not ways:
        return f"- {subject}. Nothing follows it."
    plain = [edge for edge in ways if not condition_of(edge)]
    if len(ways) == len(plain) == 1:
        return f"- {subject}, then {way_on(workflow, ways[0]).removeprefix('→ ')}."
    if len(ways) == len(plain):
        targets = joined([way_on(workflow, edge).removeprefix("→ ") for edge in ways])
        return f"- {subject}, then at the same time {targets}."
    return f"- {subject}:\n" + "\n".join(f"  - {_capitalised(way_on(workflow, edge))}" for edge in ways)


def _capitalised(text: str) -> str:
    return text if text.startswith("→") else text[:1].upper() + text[1:]


def told_step(workflow: Workflow, step: Step) -> str:
    """Return what is known of a step: who does it, its limits, what comes before and after."""
    about = who_and_how(step)
    before = [named(one) for edge in workflow.incoming(step.id) if (one := workflow.step(edge.from_)) is not None]
    lines = [
        f"{named(step)}" + (f": {about}." if about else ".") + (f" {step.description}" if step.description else "")
    ]
    lines.append(f"Before it: {joined(before)}." if before else "It comes first.")
    lines += [f"- {way_on(workflow, edge)}" for edge in workflow.outgoing(step.id)]
    return "\n".join(lines)
