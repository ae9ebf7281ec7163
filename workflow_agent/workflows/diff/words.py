"""What is different between two workflows, and what two have in common, in words."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.diff import FieldChange, ListDiff, PartChange, WorkflowDiff
from workflow_agent.workflows.model.durations import duration_in_words
from workflow_agent.workflows.model.steps import Condition, Retry, Step
from workflow_agent.workflows.model.triggers import Trigger, describe_trigger
from workflow_agent.workflows.model.workflow import Workflow, step_document

_NAMES_SHOWN = 3
_VALUE_CHARS = 80
_TRIGGERS: TypeAdapter[list[Trigger]] = TypeAdapter(list[Trigger])
_DURATIONS = ("timeout", "duration")


def describe_diff(diff: WorkflowDiff) -> list[str]:
    """Return the differences as readable lines; none if there are none.

    What one line says another does not repeat: the plain transitions around a step that came or went
    are told by the line of the step.
    """
    return [
        *_field_lines(diff),
        *_step_lines(diff),
        *_start_lines(diff),
        *_transition_lines(diff),
        *_automation_lines(diff),
        *_list_lines("trigger", diff.triggers),
        *_list_lines("alias", diff.aliases),
        *_list_lines("tag", diff.tags),
    ]


def _field_lines(diff: WorkflowDiff) -> Iterator[str]:
    for change in diff.fields:
        if change.field == "name":
            yield f"Renamed the workflow from {change.before!r} to {change.after!r}"
        elif change.field != "start":
            yield f"The workflow's {_field_change(change)}"


def _start_lines(diff: WorkflowDiff) -> Iterator[str]:
    for change in diff.fields:
        if change.field == "start":
            now, once = _name(diff, change.after), _name(diff, change.before)
            yield f"The workflow now starts at {now} instead of {once}"


def _step_lines(diff: WorkflowDiff) -> Iterator[str]:
    for step in diff.steps.added:
        yield f"Added step {step['name']!r} ({', '.join(_kinds(step) + _terms(step))}){_where(diff, step)}"
    for step in diff.steps.removed:
        yield f"Removed step {step['name']!r} ({', '.join(_kinds(step))})"
    for part in diff.steps.changed:
        yield from _step_change_lines(part)
    if diff.steps.reordered:
        yield "Listed the steps in another order"


def _kinds(step: JsonObject) -> list[str]:
    return [str(step[key]) for key in ("type", "assignee") if key in step]


def _terms(step: JsonObject) -> list[str]:
    """Return when a new step is done, within which time, who hears of it then, and how often it is tried."""
    leads = {"when": "only when ", "timeout": "within ", "escalate_to": "escalated to ", "duration": "", "retry": ""}
    return [f"{lead}{told_value(key, step[key])}" for key, lead in leads.items() if key in step]


def _where(diff: WorkflowDiff, step: JsonObject) -> str:
    before, after = diff.neighbours[step["id"]]
    if len(before) == 1 and len(after) == 1:
        return f" between {_names(diff, before)} and {_names(diff, after)}"
    told = [f"{word} {_names(diff, ids)}" for word, ids in (("after", before), ("before", after)) if ids]
    if not told and "parent" in step:
        told = [f"inside {_name(diff, step['parent'])}"]
    return f" {', '.join(told)}" if told else ""


def _step_change_lines(part: PartChange) -> Iterator[str]:
    if part.before["name"] != part.after["name"]:
        yield f"Renamed step {part.before['name']!r} to {part.after['name']!r}"
    if others := [change for change in part.fields if change.field != "name"]:
        yield f"Changed step {part.after['name']!r}: {_field_changes(others)}"


def _transition_lines(diff: WorkflowDiff) -> Iterator[str]:
    added = {step["id"] for step in diff.steps.added}
    gone = {step["id"] for step in diff.steps.removed}
    for edge in diff.transitions.added:
        if _way(edge) or not {edge["from"], edge["to"]} & added:
            yield f"Connected {_name(diff, edge['from'])} to {_name(diff, edge['to'])}{_way(edge)}"
    for edge in diff.transitions.removed:
        if not {edge["from"], edge["to"]} & gone:
            way = f" ({_way(edge).strip()})" if _way(edge) else ""
            yield f"Disconnected {_name(diff, edge['from'])} from {_name(diff, edge['to'])}{way}"
    for part in diff.transitions.changed:
        yield from _transition_change_lines(diff, part, added)
    if diff.transitions.reordered:
        yield "Listed the transitions in another order"


def _transition_change_lines(diff: WorkflowDiff, part: PartChange, added: set[str]) -> Iterator[str]:
    old, new = part.before, part.after
    source, target, once = _name(diff, new["from"]), _name(diff, new["to"]), _name(diff, old["to"])
    if old["from"] != new["from"] and new["from"] not in added:
        yield f"What led from {_name(diff, old['from'])} to {once} now leads from {source} to {target}"
    elif old["to"] != new["to"] and new["to"] not in added:
        yield f"{source} now leads to {target} instead of {once}"
    if others := [change for change in part.fields if change.field not in ("from", "to")]:
        yield f"Changed the transition from {source} to {target}: {_field_changes(others)}"


def _way(edge: JsonObject) -> str:
    """Return when a transition is taken, as the end of a sentence; empty for a plain one."""
    kind = edge.get("type", "sequence")
    words = {"default": " otherwise", "error": " on error", "compensation": " as compensation", "data": " for data"}
    when = edge.get("when")
    told = words.get(kind, "")
    if when is not None:
        told += f" when {_short(when.get('text', when.get('expression')))}"
    elif "action" in edge:
        told += f" by {_short(edge['action'])}"
    return told


def _automation_lines(diff: WorkflowDiff) -> Iterator[str]:
    for automation in diff.automations.added:
        yield f"Added automation {automation['id']!r} ({_reaction(diff, automation)})"
    for automation in diff.automations.removed:
        yield f"Removed automation {automation['id']!r} ({_reaction(diff, automation)})"
    for part in diff.automations.changed:
        yield f"Changed automation {part.after['id']!r}: {_field_changes(part.fields)}"
    if diff.automations.reordered:
        yield "Listed the automations in another order"


def _reaction(diff: WorkflowDiff, automation: JsonObject) -> str:
    on = automation["on"]
    steps = "".join(f" {_name(diff, on[end])}" for end in ("from", "to") if end in on)
    return f"{automation['effect']['type']} on {on['event']}{steps}"


def _list_lines(what: str, changes: ListDiff) -> Iterator[str]:
    for item in changes.added:
        yield f"Added {what} {_item(item)}"
    for item in changes.removed:
        yield f"Removed {what} {_item(item)}"
    if changes.reordered:
        yield f"Listed the {'aliases' if what == 'alias' else what + 's'} in another order"


def _item(item: Any) -> str:
    return repr(item) if isinstance(item, str) else f"({describe_trigger(item)})"


def _field_changes(changes: Sequence[FieldChange]) -> str:
    return "; ".join(_field_change(change) for change in changes)


def _form_change(before: JsonObject, after: JsonObject) -> str:
    """Return what became of the fields of a form; which of them, where they are not told alike."""
    once, now = ({one["key"]: one for one in form.get("fields", ())} for form in (before, after))
    told = {
        "asks for": [now[key] for key in now if key not in once],
        "leaves out": [once[key] for key in once if key not in now],
        "asks differently for": [now[key] for key in now if key in once and now[key] != once[key]],
    }
    names = {verb: [repr(one.get("label", one["key"])) for one in fields] for verb, fields in told.items()}
    return "; ".join(f"form now {verb} {', '.join(labels)}" for verb, labels in names.items() if labels)


def _field_change(change: FieldChange) -> str:
    is_other_form = change.field == "form" and change.before and change.after
    if is_other_form and (told := _form_change(change.before, change.after)):
        return told
    before, after = told_value(change.field, change.before), told_value(change.field, change.after)
    if change.after is None:
        return f"{change.field} ({before}) removed" if ", " in before else f"{change.field} {before} removed"
    if change.before is None:
        return f"{change.field} set to {after}"
    return f"{change.field} changed from {before} to {after}"


def told_value(field: str, value: Any) -> str:
    """Return the value of a field in words, or as JSON has it, cut to fit in a line."""
    if field in _DURATIONS and isinstance(value, str):
        return duration_in_words(value)
    if field == "triggers" and value:
        return "; ".join(describe_trigger(one) for one in _TRIGGERS.validate_python(value))
    if field == "retry" and value is not None:
        return _retry_in_words(Retry.model_validate(value))
    if field == "when" and value is not None:
        condition = Condition.model_validate(value)
        return _short(condition.text if condition.text is not None else condition.expression)
    return _short(value)


def _retry_in_words(retry: Retry) -> str:
    told = [
        f"{retry.max_attempts} attempt{'' if retry.max_attempts == 1 else 's'}",
        f"{duration_in_words(retry.interval)} apart" if retry.interval else "",
        f"{retry.backoff} backoff" if retry.backoff != "fixed" else "",
        f"factor {retry.factor:g}" if retry.factor is not None else "",
        f"at most {duration_in_words(retry.max_interval)} apart" if retry.max_interval else "",
        f"only for {', '.join(retry.errors)}" if retry.errors else "",
    ]
    return ", ".join(part for part in told if part)


def _short(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _VALUE_CHARS else f"{text[: _VALUE_CHARS - 1]}…"


def _name(diff: WorkflowDiff, step_id: str) -> str:
    return repr(diff.names[step_id])


def _names(diff: WorkflowDiff, step_ids: Sequence[str]) -> str:
    shown = [_name(diff, step_id) for step_id in step_ids[:_NAMES_SHOWN]]
    if (more := len(step_ids) - _NAMES_SHOWN) > 0:
        shown.append(f"{more} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


_NOT_COMPARED = frozenset({"id", "name", "parent", "extensions"})
_HEAD = ("description", "tags", "triggers")


@dataclass(frozen=True, slots=True)
class Likeness:
    """What two workflows share and what sets them apart."""

    shared: tuple[str, ...]
    """Names of steps that both have."""
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    differences: tuple[str, ...]
    """Of the shared steps and of what the workflows say of themselves, in readable lines."""

    def as_dict(self) -> JsonObject:
        """Return the comparison as plain JSON data."""
        return {
            "shared_steps": list(self.shared),
            "only_in_first": list(self.only_first),
            "only_in_second": list(self.only_second),
            "differences": list(self.differences),
        }


def compare_workflows(first: Workflow, second: Workflow) -> Likeness:
    """Return what two workflows share and how they differ, steps paired by name."""
    theirs = {step.name.casefold(): step for step in second.steps}
    pairs = [(step, theirs[step.name.casefold()]) for step in first.steps if step.name.casefold() in theirs]
    shared = {step.name.casefold() for step, _ in pairs}
    return Likeness(
        shared=tuple(step.name for step, _ in pairs),
        only_first=_others(first.steps, shared),
        only_second=_others(second.steps, shared),
        differences=(*_head_differences(first, second), *(line for a, b in pairs for line in _told(a, b))),
    )


def _others(steps: Sequence[Step], shared: set[str]) -> tuple[str, ...]:
    return tuple(step.name for step in steps if step.name.casefold() not in shared)


def _told(first: Step, second: Step) -> list[str]:
    a, b = step_document(first), step_document(second)
    keys = [key for key in {**a, **b} if key not in _NOT_COMPARED and a.get(key) != b.get(key)]
    return [f"{first.name!r}: {_apart(key, a.get(key), b.get(key))}" for key in keys]


def _head_differences(first: Workflow, second: Workflow) -> list[str]:
    a, b = (one.model_dump(mode="json", by_alias=True, include=set(_HEAD)) for one in (first, second))
    return [_apart(key, a[key], b[key]) for key in _HEAD if a[key] != b[key]]


def _apart(key: str, first: Any, second: Any) -> str:
    return f"{key} is {_said(key, first)} in the first, {_said(key, second)} in the second"


def _said(field: str, value: Any) -> str:
    return "not set" if value in (None, "", [], {}) else told_value(field, value)
