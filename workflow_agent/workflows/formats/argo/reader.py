"""An Argo document as a workflow."""

from collections.abc import Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.argo.shapes import BINDING, CALLED, SPECS, cron_rest_shape, said_depends, spec_in
from workflow_agent.workflows.formats.argo.templates import call_of, said_call
from workflow_agent.workflows.formats.base import Imported
from workflow_agent.workflows.formats.builder import Draft, fit
from workflow_agent.workflows.formats.fidelity import kept_in, kept_of, same, step_with
from workflow_agent.workflows.formats.plain import filled, list_in, nonempty, object_in, text_in, without
from workflow_agent.workflows.formats.shapes import Place, Shape, problems_in, record
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.triggers import cron_problem
from workflow_agent.workflows.model.workflow import Workflow

START = "Start"
ON_EXIT = "on_exit"
_TITLE = "workflows.argoproj.io/title"
_DESCRIPTION = "workflows.argoproj.io/description"


def read_document(whole: JsonObject, draft: Draft) -> Imported:
    """Return the workflow of a document."""
    spec, _ = spec_in(whole, Place([]))
    reader = _Reader(draft, spec)
    start, entry = reader.entry(whole)
    kept: JsonObject = {**{key: whole[key] for key in ("apiVersion", "kind", "metadata")}, **entry}
    kept |= {"status": whole["status"]} if "status" in whole else {}
    if whole["kind"] in ("CronWorkflow", "WorkflowEventBinding"):
        kept["starts"] = without(whole["spec"], "workflowSpec")
    spec = {} if whole["kind"] == "WorkflowEventBinding" else spec
    kept["spec"] = without(spec, "templates", "entrypoint", "onExit")
    if "templates" in spec:
        kept["templates"] = [one["name"] if one.get("name") in reader.expanded else one for one in spec["templates"]]
    fields = {"triggers": said_triggers(whole["kind"], whole["spec"]), "automations": said_exit(spec.get("onExit"))}
    return draft.finished(start=start, kept=kept, **fields, **said_metadata(whole["metadata"]))


def said_exit(template: Any) -> list[JsonObject]:
    """Return the automation that a workflow's exit handler is."""
    if not isinstance(template, str) or not template.strip():
        return []
    effect = {"type": "template", "with": {"template": template}}
    return [{"id": ON_EXIT, "on": {"event": "completed"}, "effect": effect}]


class _Reader:
    def __init__(self, draft: Draft, spec: JsonObject) -> None:
        self._draft = draft
        self._spec = spec
        self._templates = {one.get("name"): one for one in list_in(spec.get("templates"))}
        self.expanded: set[str] = set()
        """The templates whose tasks are steps; each where it is called first."""

    def entry(self, document: JsonObject) -> tuple[str, JsonObject]:
        """Add everything, and return the first step and what is kept about how it begins."""
        spec = self._spec
        name = spec.get("entrypoint")
        template = self._templates.get(name)
        if template is None and "templates" in spec and name is None:
            return self._choice(said_metadata(document["metadata"])["name"])
        kept: JsonObject = filled({"entrypoint": name})
        if template is None:
            reference = object_in(object_in(spec.get("submit", spec)).get("workflowTemplateRef"))
            called = str(reference.get("name") or name)
            return self._draft.add(called, "subworkflow", workflow=fit(called)), {**kept, "entry": "reference"}
        if _calls(template):
            self.expanded.add(str(name))
            heads = self._inside(template, None, ("spec", "templates", str(name)))
            return self._started(heads), {**kept, "inside": _layout(template)}
        return self._root(template), {**kept, "entry": "single"}

    def _choice(self, name: str) -> tuple[str, JsonObject]:
        """Add all templates that no other calls, and a decision between them: who uses them chooses."""
        called = {call.get("template") for one in self._templates.values() for call in _calls(one)}
        roots = [one for key, one in self._templates.items() if key not in called] or [*self._templates.values()][:1]
        if len(roots) == 1:
            return self._root(roots[0]), {"entry": "choice"}
        start = self._draft.add(name, "decision")
        for template in roots:
            self._draft.connect(start, self._root(template), "condition", when={"text": template["name"]})
        return start, {"entry": "choice"}

    def _root(self, template: JsonObject) -> str:
        call = {"name": template["name"], "template": template["name"]}
        return self._call(call, None, ("spec", "templates", template["name"]))

    def _started(self, heads: list[str]) -> str:
        """Return the step that begins, which where several do is one that starts them all."""
        if len(heads) == 1:
            return heads[0]
        start = self._draft.add(START, "fork")
        for head in heads:
            self._draft.connect(start, head)
        return start

    def _inside(self, template: JsonObject, parent: str | None, at: tuple[str | int, ...]) -> list[str]:
        """Add the tasks of a template, and return those that nothing comes before."""
        if "dag" in template:
            return self._dag(template["dag"]["tasks"], parent, (*at, "dag", "tasks"))
        return self._steps(template["steps"], parent, (*at, "steps"))

    def _dag(self, tasks: list[Any], parent: str | None, at: tuple[str | int, ...]) -> list[str]:
        ids = {task["name"]: self._call(task, parent, (*at, place)) for place, task in enumerate(tasks)}
        for task in tasks:
            needed, any_is_enough = said_depends(task)
            target = ids[task["name"]]
            if len(needed) > 1:
                wanted_id = f"before_{slug(task['name'])}"
                target = self._draft.join_before(task["name"], target, parent, wanted_id, is_any=any_is_enough)
            for name, on_failure in needed.items():
                self._draft.connect(ids[name], target, "error" if on_failure else "sequence")
        return [ids[task["name"]] for task in tasks if not said_depends(task)[0]]

    def _steps(self, groups: list[Any], parent: str | None, at: tuple[str | int, ...]) -> list[str]:
        heads: list[str] = []
        before: list[str] = []
        for place, group in enumerate(groups):
            ids = [self._call(step, parent, (*at, place, beside)) for beside, step in enumerate(group)]
            if not ids:
                continue
            heads = heads or ids
            self._after(before, ids, group[0]["name"], parent)
            before = ids
        return heads

    def _after(self, before: list[str], ids: list[str], name: str, parent: str | None) -> None:
        """Connect all of a group with all of the next."""
        if len(before) > 1:
            join = self._draft.add(f"All before {name}"[:200], "join", parent=parent, wanted_id=f"before_{slug(name)}")
            for one in before:
                self._draft.connect(one, join)
            before = [join]
        for source in before:
            for target in ids:
                self._draft.connect(source, target)

    def _call(self, task: JsonObject, parent: str | None, at: tuple[str | int, ...]) -> str:
        """Add the step of a task, and what is inside the template it calls."""
        template = object_in(task["inline"]) if "inline" in task else self._templates.get(task.get("template"))
        is_composite = template is not None and bool(_calls(template))
        if is_composite and "inline" not in task:
            if task["template"] in self.expanded:
                template, is_composite = None, False
            else:
                self.expanded.add(task["template"])
        fields = said_call(task, template)
        own = without(task, *CALLED)
        kept = kept_of(own, call_of(step_with(fields), task["name"]))
        kept |= {key: task[key] for key in CALLED if key in task}
        if is_composite and template is not None:
            kept |= {"inside": _layout(template), **({"inline": {}} if "inline" in task else {})}
        added = self._draft.add(parent=parent, kept=kept, at=at, **fields)
        if is_composite and template is not None:
            self._inside(template, added, at)
        return added


def _calls(template: JsonObject) -> list[JsonObject]:
    tasks = list_in(object_in(template.get("dag")).get("tasks"))
    return [*tasks, *(step for group in list_in(template.get("steps")) for step in group)]


def _layout(template: JsonObject) -> JsonObject:
    """Return what is kept of a template whose tasks are steps: all but these, and how they are laid out."""
    if "dag" in template:
        return {**template, "dag": without(template["dag"], "tasks")}
    return {**template, "steps": [[step["name"] for step in group] for group in template["steps"]]}


def said_metadata(metadata: Mapping[str, Any]) -> JsonObject:
    """Return the name and the description of a workflow."""
    notes = object_in(metadata.get("annotations"))
    name = text_in(metadata.get("name")) or str(metadata.get("generateName") or "").rstrip("-")
    return {
        "name": text_in(notes.get(_TITLE), 200) or fit(name) or "Argo workflow",
        "description": text_in(notes.get(_DESCRIPTION)) or "",
    }


def metadata_of(workflow: Workflow) -> JsonObject:
    """Return the metadata for a workflow."""
    name = slug(workflow.name, fallback="workflow").replace("_", "-")
    title = workflow.name if workflow.name != name else None
    notes = nonempty({_TITLE: title, _DESCRIPTION: workflow.description})
    return nonempty({"name": name, "annotations": notes})


def said_triggers(kind: str, spec: Mapping[str, Any]) -> list[JsonObject]:
    """Return the triggers that a document of this kind has."""
    if kind == "WorkflowEventBinding":
        selector = text_in(object_in(spec.get("event")).get("selector"))
        return [{"type": "event", "event": fit(" ".join(selector.split()))}] if selector else []
    if kind != "CronWorkflow":
        return []
    zone = text_in(spec.get("timezone"), 200)
    crons = [spec["schedule"]] if "schedule" in spec else list_in(spec.get("schedules"))
    valid = [one for one in crons if isinstance(one, str) and cron_problem(one) is None]
    return [filled({"type": "schedule", "cron": one, "timezone": zone}) for one in valid]


def started_by(workflow: Workflow, format_name: str) -> tuple[str, JsonObject]:
    """Return the kind of document for a workflow, and what its triggers say in it."""
    kept = kept_in(workflow.extensions, format_name)
    kind, rest = str(kept.get("kind", "Workflow")), object_in(kept.get("starts"))
    plain = [one.as_plain() for one in workflow.triggers]
    shape = _STARTS.get(kind)
    is_valid = shape is not None and not problems_in(rest, shape)
    bound = object_in(object_in(rest.get("submit")).get("workflowTemplateRef")).get("name")
    is_bound = kind != "WorkflowEventBinding" or [step.workflow for step in workflow.steps] == [bound]
    if is_valid and is_bound and same(said_triggers(kind, rest), plain):
        return kind, rest
    schedules = [one for one in plain if "cron" in one]
    if not schedules:
        return kind if kind.endswith("WorkflowTemplate") and kind in SPECS else "Workflow", {}
    starts = {"schedules": [one["cron"] for one in schedules], "timezone": schedules[0].get("timezone")}
    return "CronWorkflow", nonempty(starts)


_STARTS: Mapping[str, Shape] = {
    "CronWorkflow": cron_rest_shape,
    "WorkflowEventBinding": BINDING,
    **dict.fromkeys(("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate"), record({})),
}
