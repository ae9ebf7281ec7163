"""Edits and findings in words."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workflow_agent.assistant.offline.wording.lists import clipped, joined
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.durations import duration_in_words
from workflow_agent.workflows.model.workflow import Workflow

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
    if edit["timeout"] is None:
        return f"Remove the deadline of {_said(edit['step'], names)}"
    return f"Give {_said(edit['step'], names)} a deadline of {duration_in_words(edit['timeout'])}"


def _assignee(edit: JsonObject, names: Mapping[str, str]) -> str:
    if edit["assignee"] is None:
        return f"Leave {_said(edit['step'], names)} without an owner"
    return f"Assign {_said(edit['step'], names)} to {edit['assignee']}"


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
