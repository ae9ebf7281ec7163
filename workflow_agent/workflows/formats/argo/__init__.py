"""Argo Workflows in YAML: the format of workflows, templates and cron workflows, and how they are written."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from typing_extensions import override

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.argo import reader, shapes
from workflow_agent.workflows.formats.argo.templates import TASK_SAID_BY, call_of, expression_of, said_call, template_of
from workflow_agent.workflows.formats.builder import DocumentFormat
from workflow_agent.workflows.formats.fidelity import kept_in, kept_or_made, restored_step, same, step_with
from workflow_agent.workflows.formats.flow import Dependencies, Flow
from workflow_agent.workflows.formats.plain import are_texts, list_in, object_in, without
from workflow_agent.workflows.formats.shapes import allowed, problems_in
from workflow_agent.workflows.model.parser import slug, take_id
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow, step_document

_API = "argoproj.io/v1alpha1"
_BESIDE_CALL = (*shapes.CALLED, "inside", "depends", "dependencies")
_TASK_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,127}")


def document_of(workflow: Workflow, format_name: str) -> JsonObject:
    """Return the document for a workflow, as far as Argo can say it."""
    kept = kept_in(workflow.extensions, format_name)
    titled = {"name": workflow.name, "description": workflow.description}
    made = reader.metadata_of(workflow)
    metadata = kept_or_made(kept.get("metadata"), made, titled, read=reader.said_metadata, shape=shapes.METADATA)
    kind, starts = reader.started_by(workflow, format_name)
    version = kept.get("apiVersion")
    is_argo = isinstance(version, str) and version.startswith("argoproj.io/")
    head = {"apiVersion": version if is_argo else _API, "kind": kind, "metadata": metadata}
    if kind == "WorkflowEventBinding":
        return {**head, "spec": starts}
    spec = _Writer(workflow, format_name).spec()
    if kind == "CronWorkflow":
        return {**head, "spec": {**starts, "workflowSpec": spec}}
    status = {"status": kept["status"]} if isinstance(kept.get("status"), dict) else {}
    return {**head, "spec": spec, **status}


class _Writer:
    def __init__(self, workflow: Workflow, format_name: str) -> None:
        self._workflow = workflow
        self._flow = Flow(workflow, format_name)
        self._kept = kept_in(workflow.extensions, format_name)
        kept = list_in(self._kept.get("templates"))
        self._order = [one for one in kept if isinstance(one, str) or not problems_in(one, shapes.template_shape)]
        self._told = {str(one["name"]): one for one in map(object_in, self._order) if "name" in one}
        self._made: dict[str, JsonObject] = {}
        self._taken = {*self._told}

    def spec(self) -> JsonObject:
        """Return the part of the document that says what is done."""
        rest = allowed(object_in(self._kept.get("spec")), shapes.SPEC)
        top = self._flow.children[None]
        entry = self._kept.get("entry")
        if len(self._workflow.steps) == 1 and top[0].type == "subworkflow" and (top[0].workflow or entry):
            rest["workflowTemplateRef"] = {**object_in(rest.get("workflowTemplateRef")), "name": top[0].workflow}
            named = {"entrypoint": self._kept["entrypoint"]} if "entrypoint" in self._kept else {}
        elif entry == "choice":
            for step in (one for one in top if one.type != "decision"):
                self._call(step, step.name)
            named = {}
        elif entry == "single" and len(top) == 1 and not self._flow.children.get(top[0].id):
            named = {"entrypoint": self._call(top[0], top[0].name).get("template", top[0].name)}
        else:
            named = {"entrypoint": self._called(str(self._kept.get("entrypoint") or "main"), top, self._kept)}
        return {**named, **self._exit(rest), **rest, **self._templates()}

    def _called(self, wanted: str, members: Sequence[Step], kept: JsonObject) -> str:
        """Add the template whose tasks are these steps, and return its name."""
        name = take_id(wanted, self._taken)
        # It comes before the templates that it calls.
        self._made[name] = {}
        self._made[name] = self._composite(members, object_in(kept.get("inside")), name)
        return name

    def _templates(self) -> JsonObject:
        kept = [self._made.pop(one, None) if isinstance(one, str) else one for one in self._order]
        templates = [*(one for one in kept if one is not None), *self._made.values()]
        return {"templates": templates} if templates or "templates" in self._kept else {}

    def _exit(self, rest: JsonObject) -> JsonObject:
        known = {*self._told, *self._made}
        for one in self._workflow.automations:
            name = one.effect.with_.get("template")
            is_known = name in known or "workflowTemplateRef" in rest or "{{" in str(name)
            if is_known and reader.said_exit(name) == [one.as_plain()]:
                return {"onExit": name}
        return {}

    def _composite(self, members: Sequence[Step], kept: JsonObject, name: str | None) -> JsonObject:
        """Return a template whose tasks are these steps."""
        needs = Dependencies(self._flow, members)
        names = self._names(needs.work)
        calls = {step.id: self._call(step, names[step.id]) for step in needs.work}
        groups = groups_of(kept.get("steps"), names, needs) if "steps" in kept else None
        plain: JsonObject = {} if name is None else {"name": name}
        if groups is not None:
            plain["steps"] = [[calls[step_id] for step_id in group] for group in groups]
            whole = {**without(kept, "steps", "dag"), **plain}
        else:
            plain["dag"] = {"tasks": [self._task(step, calls[step.id], names, needs) for step in needs.work]}
            whole = {**without(kept, "steps", "dag"), **plain, "dag": {**object_in(kept.get("dag")), **plain["dag"]}}
        return plain if problems_in(whole, shapes.template_shape) else whole

    def _names(self, steps: Sequence[Step]) -> dict[str, str]:
        found: dict[str, str] = {}
        taken: set[str] = set()
        for step in steps:
            kept = self._flow.kept(step)
            is_own = _TASK_NAME.fullmatch(step.name) or any(key in kept for key in shapes.CALLED)
            wanted = step.name if is_own else slug(step.name).replace("_", "-")
            found[step.id] = take_id(wanted, taken)
        return found

    def _task(self, step: Step, call: JsonObject, names: Mapping[str, str], needs: Dependencies) -> JsonObject:
        kept = self._flow.kept(step)
        guards = [edge for one in needs.of(step.id) for edge in one.guards] or needs.guards(step.id)
        asked = list(dict.fromkeys(said for edge in guards if (said := self._guard(edge))))
        if asked:
            own = [call["when"]] if "when" in call else []
            call = {**call, "when": " && ".join(f"({one})" for one in [*asked, *own])}
        return {**call, **dependencies_of(step, kept, names, needs)}

    def _guard(self, edge: Transition) -> str:
        if edge.when is not None:
            return expression_of(edge.when)
        others = [one.when for one in self._flow.onward(edge.from_) if one.when is not None]
        said = " || ".join(f"({expression_of(one)})" for one in others)
        return f"!({said})" if said and edge.type == "default" else ""

    def _call(self, step: Step, name: str) -> JsonObject:
        """Return the task for a step; the template it calls is there afterwards."""
        kept = self._flow.kept(step)
        own = without(kept, *_BESIDE_CALL)
        reference, template = self._reference(kept)
        inside = self._flow.children.get(step.id, [])

        def read(part: JsonObject) -> JsonObject:
            told: JsonObject | None = {} if inside else template
            return {"type": step.type, **said_call({**part, **reference}, told), "name": step.name}

        task = restored_step(step, call_of(step, name), own, read=read, said_by=TASK_SAID_BY, shape=shapes.call_shape)
        if inside:
            return {**task, **self._inside(step, inside, kept)}
        if reference and self._still_says(step, said_call({**task, **reference}, template)):
            return {**task, **reference}
        made = take_id(slug(step.name).replace("_", "-"), self._taken)
        self._made[made] = template_of(step, made)
        return {**task, "template": made}

    def _reference(self, kept: JsonObject) -> tuple[JsonObject, JsonObject | None]:
        """Return what the task called when it was read, and the template that this is."""
        reference = {key: kept[key] for key in shapes.CALLED if key in kept}
        if len(reference) != 1 or problems_in({"name": "x", **reference}, shapes.call_shape):
            return {}, None
        if "inline" in reference:
            return reference, object_in(reference["inline"])
        name = reference.get("template")
        is_there = name in self._told or name in self._order or "templateRef" in reference
        return (reference, self._told.get(str(name))) if is_there else ({}, None)

    def _still_says(self, step: Step, fields: JsonObject) -> bool:
        said, wanted = step_document(step_with(fields)), step_document(step)
        compared = ("type", "uses", "with", "retry", "timeout", "duration")
        return all(same(said.get(key), wanted.get(key)) for key in compared)

    def _inside(self, step: Step, inside: Sequence[Step], kept: JsonObject) -> JsonObject:
        if "inline" in kept:
            return {"inline": self._composite(inside, object_in(kept.get("inside")), None)}
        wanted = kept.get("template")
        wanted = wanted if isinstance(wanted, str) else slug(step.name).replace("_", "-")
        return {"template": self._called(wanted, inside, kept)}


def groups_of(layout: Any, names: Mapping[str, str], needs: Dependencies) -> list[list[str]] | None:
    """Return the steps of each group, if they still follow one another in the groups that were kept."""
    ids = {name: step_id for step_id, name in names.items()}
    kept = [[ids.get(str(name)) for name in list_in(group)] for group in list_in(layout)]
    groups = [[one for one in group if one is not None] for group in kept]
    if sorted(one for group in groups for one in group) != sorted(names):
        return None
    before: set[str] = set()
    for group in groups:
        for step_id in group:
            waits = needs.of(step_id)
            fails = any(one.on_failure or one.guards for one in waits) or needs.guards(step_id)
            if {one.source for one in waits} != before or fails or needs.needs_any(step_id):
                return None
        before = set(group) or before
    return groups


def dependencies_of(step: Step, kept: Mapping[str, Any], names: Mapping[str, str], needs: Dependencies) -> JsonObject:
    """Return what a task of a DAG depends on: as it was written, where that is still so."""
    waits = needs.of(step.id)
    wanted = {names[one.source]: one.on_failure for one in waits}
    any_is_enough = needs.needs_any(step.id)
    for key in ("depends", "dependencies"):
        is_readable = are_texts(kept.get(key)) if key == "dependencies" else isinstance(kept.get(key), str)
        if is_readable and shapes.said_depends({key: kept[key]}) == (wanted, any_is_enough):
            return {key: kept[key]}
    said = [f"{name}.Failed" if on_failure else name for name, on_failure in wanted.items()]
    return {"depends": (" || " if any_is_enough else " && ").join(said)} if said else {}


class ArgoWorkflows(DocumentFormat):
    """Templates that call one another, each of them a container, a script or tasks of its own."""

    name = "argo"
    title = "Argo Workflows"
    extension = "yaml"
    shape = staticmethod(shapes.document_shape)
    rules = staticmethod(shapes.check_references)
    read_into = staticmethod(reader.read_document)
    document_of = staticmethod(document_of)

    @override
    def recognises(self, document: Any) -> float:
        whole = object_in(document)
        is_argo = str(whole.get("apiVersion", "")).startswith("argoproj.io/")
        if not is_argo:
            return 0.0
        return 0.95 if str(whole.get("kind")) in shapes.SPECS else 0.4
