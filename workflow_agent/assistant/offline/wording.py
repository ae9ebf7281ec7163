"""Workflows, changes and lists in words."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.references import Candidate, content_of
from workflow_agent.values.stored import JsonObject
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
    parts = [step.assignee and f"done by {step.assignee}", _KINDS.get(step.type), *_settings_of(step)]
    return ", ".join(part for part in parts if part)


def _settings_of(step: Step) -> list[str | None]:
    return [
        step.uses and f"calls `{step.uses}`",
        step.duration and (f"lasts {duration_in_words(step.duration)}"),
        step.event and f"event `{step.event}`",
        step.timeout and f"deadline {duration_in_words(step.timeout)}",
        step.retry and f"up to {step.retry.max_attempts} attempts",
        step.escalate_to and f"escalates to {step.escalate_to}",
    ]


def short_lines(workflow: Workflow) -> list[str]:
    """Return the steps as a numbered outline, a line each: who does it, what is set on it, and where it leads."""
    names = {step.id: step.name for step in workflow.steps}
    loops = {step.id for step in workflow.steps if step.type == "loop"}
    lines: list[str] = []
    for at, step in enumerate((step for step in workflow.steps if step.type != "end"), 1):
        inside = " (inside the loop)" if step.parent in loops else ""
        about = ", ".join(part for part in (step.assignee, *_settings_of(step)) if part)
        ways = "; ".join(_short_way(edge, names[edge.to]) for edge in workflow.outgoing(step.id))
        lines.append(f"{at}. {named(step)}{inside}{about and f': {about}'}{ways and f' → {ways}'}")
    return lines


def _short_way(edge: Transition, target: str) -> str:
    if edge.type in ("error", "default"):
        return f"{'on error' if edge.type == 'error' else 'otherwise'} {target}"
    condition = condition_of(edge)
    return f"if {condition}: {target}" if condition else target


def condition_of(edge: Transition) -> str:
    """Return under what condition a transition is taken, or nothing when always."""
    if edge.when is not None:
        is_data = not isinstance(edge.when.expression, str)
        return edge.when.text or (f"`{edge.when.formula}`" if is_data else edge.when.formula)
    return edge.label or edge.action or {"default": "otherwise", "error": "it fails"}.get(edge.type, "")


def denies(text: str) -> bool:
    """Say whether a name or a case has a "not" in it."""
    return any(word in f" {text.lower()} " for word in (" not ", "n't ", " no "))


def is_bad_outcome(case: str) -> bool | None:
    """Say whether a case is a bad outcome, "not passed" too; None where it is neither or both."""
    if (alone := case.lower()) in word_set("bad") | word_set("good"):
        # "No" is no content word.
        return alone in word_set("bad")
    bad, good = (not word_set(one).isdisjoint(content_of(case)) for one in ("bad", "good"))
    fewer = not {"fewer", "less", "under", "below"}.isdisjoint(case.lower().split())
    return None if bad == good else bad != (denies(case) or fewer)


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
        lines += [f"   - {way_on(workflow, edge)}" for edge in workflow.outgoing(step.id)]
    if len(work) > _MOST_STEPS:
        lines.append(f"… and {len(work) - _MOST_STEPS} more steps.")
    return lines


def ends_line(workflow: Workflow) -> str:
    """Return how a workflow can end."""
    ends = [step for step in workflow.steps if step.type == "end"]
    told = joined([named(end) + (f", {end.outcome}" if end.outcome else "") for end in ends])
    return f"Ends: {told}" if ends else ""


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
    head = f"{headline(workflow)}, {counted(len(workflow.steps), 'step')}."
    head += f" {clipped(workflow.description, 400)}" if workflow.description else ""
    tags = f"Tags: {', '.join(workflow.tags)}." if workflow.tags else ""
    ends = [line for line in (ends_line(workflow), tags) if line]
    return "\n".join([head, "", starts_line(workflow), "", *step_lines(workflow), "", *ends]).rstrip()


def explain_text(workflow: Workflow) -> str:
    """Return a workflow told in plain words, branch by branch, with who does what."""
    head = headline(workflow) + (f": {clipped(workflow.description, 400)}" if workflow.description else "")
    work = [step for step in in_walking_order(workflow) if step.type != "end"]
    told = [_told(workflow, step, at == 0) for at, step in enumerate(work[:_MOST_STEPS])]
    roles = [f"{role} ({joined([step.name for step in steps])})" for role, steps in roles_of(workflow).items()]
    who = f"Who is involved: {'; '.join(roles)}." if roles else "No step has an owner yet."
    parts = (head, starts_line(workflow), "\n".join(told), ends_line(workflow), who)
    return "\n\n".join(part for part in parts if part)


def _told(workflow: Workflow, step: Step, is_first: bool) -> str:
    about = who_and_how(step)
    subject = ("It begins with " if is_first else "") + named(step) + (f" ({about})" if about else "")
    ways = workflow.outgoing(step.id)
    if not ways:
        return f"- {subject}. Nothing follows it."
    if not any(condition_of(edge) for edge in ways):
        targets = joined([way_on(workflow, edge).removeprefix("→ ") for edge in ways])
        return f"- {subject}, then {'at the same time ' if len(ways) > 1 else ''}{targets}."
    return f"- {subject}:\n" + "\n".join(f"  - {_capitalised(way_on(workflow, edge))}" for edge in ways)


def _capitalised(text: str) -> str:
    return text if text.startswith("→") else text[:1].upper() + text[1:]


def told_step(workflow: Workflow, step: Step) -> str:
    """Return what is known of a step: who does it, its limits, what comes before and after."""
    about = who_and_how(step)
    before = [named(one) for edge in workflow.incoming(step.id) if (one := workflow.step(edge.from_)) is not None]
    head = f"{named(step)}{f': {about}' if about else ''}." + (f" {step.description}" if step.description else "")
    first = f"Before it: {joined(before)}." if before else "It comes first."
    return "\n".join([head, first, *(f"- {way_on(workflow, edge)}" for edge in workflow.outgoing(step.id))])


def bulleted(items: Iterable[str]) -> str:
    """Return items as a list, a line each."""
    return "\n".join(f"- {item}" for item in items)


def versioned(workflow: Mapping[str, Any]) -> str:
    """Return the name and version of a workflow that a tool tells of."""
    return f"**{workflow['name']}** (version {workflow['version']})"


def identified(workflow: Mapping[str, Any]) -> str:
    """Return the name, id and version of a workflow that a tool tells of."""
    return f"**{workflow['name']}** (`{workflow['id']}`, version {workflow['version']})"


def example_step(workflow: Workflow) -> Step:
    """Return a step to name in an example: none at the start or an end, where there is another one."""
    return next((s for s in workflow.steps if s.type != "end" and s.id != workflow.start), workflow.steps[0])


def numbered(candidates: Iterable[Candidate]) -> str:
    """Return candidates as a numbered list with their ids, the form that "the second one" refers to."""
    return "\n".join(f"{at}. **{item.name}** (`{item.id}`)" for at, item in enumerate(candidates, 1))


def joined(items: Sequence[str], word: str = "and") -> str:
    """Return "a, b and c"."""
    return f" {word} ".join(part for part in (", ".join(items[:-1]), *items[-1:]) if part)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return "1 step" or "3 steps"."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def clipped(text: str, most_chars: int) -> str:
    """Return a text on one line, cut with an ellipsis where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= most_chars else line[: most_chars - 1].rstrip() + "…"


_SEVERITY = {"error": "Error", "warning": "Warning", "info": "Note"}
_MOST_FINDINGS = 12


def describe_findings(findings: Sequence[Mapping[str, Any]], *, start: int = 1) -> str:
    """Return findings as a numbered list, each with its severity and the ids of the steps it is about."""
    lines = [f"{at}. {_finding(item)}" for at, item in enumerate(findings[:_MOST_FINDINGS], start)]
    if len(findings) > _MOST_FINDINGS:
        lines.append(f"… and {len(findings) - _MOST_FINDINGS} more.")
    return "\n".join(lines)


def _finding(item: Mapping[str, Any]) -> str:
    message = clipped(str(item["message"]), 400)
    concerned: list[str] = item.get("steps") or []
    steps = [step for step in concerned if f"`{step}`" not in message and f"({step})" not in message]
    where = f" ({joined([f'`{step}`' for step in steps[:6]])})" if steps else ""
    return f"**{_SEVERITY.get(item['severity'], item['severity'])}:** {message}{where}"


def shall_i_fix(findings: Sequence[Mapping[str, Any]]) -> str:
    """Return the question whether to fix the findings that have a fix."""
    fixable = [str(at) for at, item in enumerate(findings, 1) if item.get("fix")]
    if len(findings) == 1:
        return "Shall I fix that?"
    which = f"number {fixable[0]}" if len(fixable) == 1 else f"numbers {joined(fixable)}"
    return f"I can fix {which}. Shall I?"


def describe_edits(workflow: Workflow, edits: Sequence[JsonObject]) -> list[str]:
    """Return what edits would do, one readable line each."""
    names = {step.id: step.name for step in workflow.steps}
    for edit in edits:
        if isinstance(edit.get("step"), dict):
            names[edit["step"]["id"]] = edit["step"]["name"]
    return [_DESCRIBERS.get(edit["op"], _plain)(edit, names) for edit in edits]


def _said(reference: Any, names: Mapping[str, str]) -> str:
    return f"**{names.get(str(reference), reference)}**"


def _place(edit: JsonObject, names: Mapping[str, str]) -> str:
    if "between" in edit:
        return "between " + " and ".join(_said(step, names) for step in edit["between"])
    side = "before" if "before" in edit else "after"
    return f"{side} {_said(edit[side], names)}"


def _inserted(edit: JsonObject, names: Mapping[str, str]) -> str:
    step = edit["step"]
    who = f", done by {step['assignee']}" if step.get("assignee") else ""
    return f"Add **{step['name']}**{who}, {_place(edit, names)}"


def _plain(edit: JsonObject, names: Mapping[str, str]) -> str:
    """Return an edit without a wording of its own: its operation and what it names."""
    told = [str(value) for key, value in edit.items() if key not in ("op", "step") and isinstance(value, str | int)]
    step = f" {_said(edit['step'], names)}" if isinstance(edit.get("step"), str) else ""
    return edit["op"].replace("_", " ").capitalize() + step + (f": {', '.join(told)}" if told else "")


def _timeout(edit: JsonObject, names: Mapping[str, str]) -> str:
    step, timeout = _said(edit["step"], names), edit["timeout"]
    return f"Give {step} a deadline of {duration_in_words(timeout)}" if timeout else f"Remove the deadline of {step}"


def _assignee(edit: JsonObject, names: Mapping[str, str]) -> str:
    step, who = _said(edit["step"], names), edit["assignee"]
    return f"Leave {step} without an owner" if who is None else f"Assign {step} to {who}"


def _connected(edit: JsonObject, names: Mapping[str, str]) -> str:
    when = f" if {edit['when']['text']}" if "when" in edit else ""
    return f"Connect {_said(edit['from'], names)} to {_said(edit['to'], names)}{when}"


_DESCRIBERS: Mapping[str, Callable[[JsonObject, Mapping[str, str]], str]] = {
    "insert_step": _inserted,
    "remove_step": lambda edit, names: (
        f"Remove {_said(edit['step'], names)} and join what was before it to what comes after"
    ),
    "rename_step": lambda edit, names: f"Rename {_said(edit['step'], names)} to **{edit['name']}**",
    "move_step": lambda edit, names: f"Move {_said(edit['step'], names)} {_place(edit, names)}",
    "replace_step": lambda edit, names: f"Replace {_said(edit['step'], names)} with **{edit['with']['name']}**",
    "connect": _connected,
    "disconnect": lambda edit, names: f"Disconnect {_said(edit['from'], names)} from {_said(edit['to'], names)}",
    "set_timeout": _timeout,
    "set_assignee": _assignee,
    "wrap_in_approval": lambda edit, names: f"Have {edit['assignee']} approve before {_said(edit['step'], names)}",
    "parallelize": lambda edit, names: f"Do {joined([_said(step, names) for step in edit['steps']])} at the same time",
    "add_error_path": lambda edit, names: f"Give {_said(edit['step'], names)} a way out when it fails",
}
