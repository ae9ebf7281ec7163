"""A flow of Kestra as a workflow."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import Imported, UnreadableDocument
from workflow_agent.workflows.formats.builder import Draft, fit
from workflow_agent.workflows.formats.fidelity import kept_of, same
from workflow_agent.workflows.formats.kestra.metadata import about, said_about, said_triggers, triggers_of
from workflow_agent.workflows.formats.kestra.shapes import LISTS_OF, flow_shape, short
from workflow_agent.workflows.formats.kestra.tasks import condition_of, flat, generated, id_of, said
from workflow_agent.workflows.formats.shapes import list_in, object_in, problems_in
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import TransitionType
from workflow_agent.workflows.model.workflow import Workflow

ID, NEXT, WAYS, IF, WHOLE, NEEDS = "$id", "$next", "$ways", "$if", "$whole", "$needs"
"""What is kept of a task: its id, where its name gives another one; of a decision: the step after it, its branches
and the condition of one with nothing to do; of a task in a Dag: all of it, and what it needs."""
_ABOUT = ("id", "namespace", "description", "labels")
_Path = tuple[str | int, ...]


def read_flow(document: Any, format_name: str, title: str) -> Imported:
    """Return the workflow of a flow.

    Raises:
        UnreadableDocument: With everything that Kestra does not allow.
    """
    if problems := problems_in(document, flow_shape):
        raise UnreadableDocument(title, problems)
    flow = object_in(document)
    draft = Draft(format_name, title)
    _Reader(draft).scope(flow, None, ())
    fields = said_about(flow)
    fields["triggers"] = said_triggers(list_in(flow.get("triggers")))
    made = Workflow.model_validate({**fields, "id": "wf_x", "start": "x", "steps": [{"id": "x", "name": "x"}]})
    kept = {key: value for key, value in flow.items() if key not in (*_ABOUT, "tasks", "errors", "triggers")}
    kept |= kept_of({key: flow[key] for key in _ABOUT if key in flow}, about(made))
    if "triggers" in flow and not same(flow["triggers"], triggers_of(made.triggers)):
        kept["triggers"] = flow["triggers"]
    return draft.finished(fields.pop("name"), kept=kept, **fields)


@dataclass(frozen=True, slots=True)
class _End:
    """A step from which work goes on to what comes next, and how."""

    step: str
    kind: TransitionType = "sequence"
    fields: JsonObject = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class _Run:
    """Tasks one after the other."""

    head: str
    ends: list[_End]
    steps: list[str]
    loose: tuple[str, ...] = ()
    """The tasks that stand after an end, to which nothing leads."""


class _Reader:
    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def scope(self, holder: Mapping[str, Any], parent: str | None, at: _Path) -> None:
        """Add the tasks that a flow or a task holds, and those for when one of them fails."""
        kind = short(holder.get("type"))
        if kind == "Dag":
            steps = self._dag(list_in(holder["tasks"]), parent, (*at, "tasks"))
        elif kind == "Parallel":
            tasks = enumerate(list_in(holder.get("tasks")))
            steps = [self._task(one, parent, (*at, "tasks", number)).head for number, one in tasks]
        else:
            run = self._list(list_in(holder.get("tasks")), parent, (*at, "tasks"))
            steps = run.steps if run else []
        handling = self._list(list_in(holder.get("errors")), parent, (*at, "errors"))
        for head in (handling.head, *handling.loose) if handling else ():
            for step in steps:
                self._draft.connect(step, head, "error")

    def _list(self, tasks: list[Any], parent: str | None, at: _Path) -> _Run | None:
        whole: _Run | None = None
        for number, task in enumerate(tasks):
            run = self._task(task, parent, (*at, number))
            if whole is None:
                whole = run
                continue
            for end in whole.ends:
                self._draft.connect(end.step, run.head, end.kind, **end.fields)
            self._note_next(whole.steps[-1], run.head)
            loose = whole.loose if whole.ends else (*whole.loose, run.head)
            whole = _Run(whole.head, run.ends, [*whole.steps, *run.steps], loose)
        return whole

    def _note_next(self, step_id: str, following: str) -> None:
        """Note at a decision what comes after it: where its branches end is not always plain from the graph."""
        step = next(one for one in self._draft.steps if one["id"] == step_id)
        if step["type"] == "decision":
            step["extensions"][self._draft.format_name][NEXT] = following

    def _task(self, task: JsonObject, parent: str | None, at: _Path) -> _Run:
        kind = short(task["type"])
        branches = _branches(task) if kind in ("If", "Switch") else []
        more: JsonObject = {}
        if branches:
            more[NEXT] = ""
            empty = [key for key, tasks, _ in branches if tasks == []]
            more |= {WAYS: [key for key, tasks, _ in branches if tasks is not None]} if empty else {}
            more |= {IF: task["condition"]} if kind == "If" and "then" in empty else {}
        step_id, is_end = self._step(task, parent, at, more)
        if not branches:
            if kind in LISTS_OF:
                self.scope(task, step_id, at)
            return _Run(step_id, [] if is_end else [_End(step_id)], [step_id])
        ends: list[_End] = []
        for key, tasks, way in branches:
            run = self._list(tasks or [], parent, (*at, *key.split(":", 1)))
            if run is None:
                ends.append(_End(step_id, way.kind, way.fields))
            else:
                self._draft.connect(step_id, run.head, way.kind, **way.fields)
                ends += run.ends
        handling = self._list(list_in(task.get("errors")), parent, (*at, "errors"))
        for head in (handling.head, *handling.loose) if handling else ():
            self._draft.connect(step_id, head, "error")
        return _Run(step_id, ends, [step_id])

    def _step(self, task: JsonObject, parent: str | None, at: _Path, more: JsonObject) -> tuple[str, bool]:
        fields = {key: value for key, value in said(task).items() if value is not None}
        step = Step.model_validate({"id": "x", **fields})
        condition = task.get("condition")
        is_if = short(task["type"]) == "If"
        plain = generated(
            step,
            task["id"],
            has_children=short(task["type"]) in LISTS_OF and bool(list_in(task.get("tasks"))),
            condition=None if not is_if else object_in(condition_of(condition)).get("expression", ""),
        )
        kept = kept_of(flat(task), plain)
        name, kind = fields.pop("name"), fields.pop("type")
        more |= {ID: task["id"]} if id_of(name) != task["id"] else {}
        step_id = self._draft.add(
            name, kind, parent=parent, wanted_id=task["id"], kept=kept | more or None, at=at if kept else (), **fields
        )
        return step_id, kind == "end"

    def _dag(self, tasks: list[Any], parent: str | None, at: _Path) -> list[str]:
        ids: dict[str, str] = {}
        for number, one in enumerate(tasks):
            task, place = one["task"], (*at, number, "task")
            more: JsonObject = {NEEDS: []} if one.get("dependsOn") == [] else {}
            if short(task["type"]) in ("If", "Switch"):
                # What waits for it waits for all of its branches: it stays one piece of work.
                step_id = self._draft.add(
                    task["id"], "action", parent=parent, uses=task["type"], kept={WHOLE: task, **more}, at=place
                )
            else:
                step_id, _ = self._step(task, parent, place, more)
                if short(task["type"]) in LISTS_OF:
                    self.scope(task, step_id, place)
            ids[task["id"]] = step_id
        for one in tasks:
            for needed in list_in(one.get("dependsOn")):
                self._draft.connect(ids[needed], ids[one["task"]["id"]])
        return list(ids.values())


def _branches(task: JsonObject) -> list[tuple[str, list[Any] | None, _End]]:
    """Return each branch of a decision: where it stands in the task, its tasks if they are written, its condition."""
    if short(task["type"]) == "If":
        then = _End("", "condition", {"when": condition_of(task["condition"])})
        return [("then", list_in(task["then"]), then), ("else", task.get("else"), _End("", "default"))]
    found: list[tuple[str, list[Any] | None, _End]] = []
    for key, tasks in task["cases"].items():
        name = fit(key)
        fields: JsonObject = {"when": {"text": name or "nothing"}}
        fields |= {"kept": {"case": key}} if name != key else {}
        found.append((f"cases:{key}", list_in(tasks), _End("", "condition", fields)))
    return [*found, ("defaults", task.get("defaults"), _End("", "default"))]
