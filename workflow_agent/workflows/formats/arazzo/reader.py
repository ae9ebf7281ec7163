"""An Arazzo description as a workflow."""

from collections.abc import Mapping
from typing import Any

from workflow_agent.errors import Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.arazzo.steps import (
    ENDS,
    FLOW,
    OWN,
    following,
    generated,
    made_flow,
    made_id,
    merged,
    said,
    said_flow,
)
from workflow_agent.workflows.formats.base import Imported
from workflow_agent.workflows.formats.builder import Draft, fit
from workflow_agent.workflows.formats.fidelity import kept_of
from workflow_agent.workflows.formats.shapes import (
    Place,
    anything,
    choice,
    fields_of,
    filled,
    flag,
    listed,
    mapped,
    object_in,
    one_kind,
    record,
    repeated,
    text,
    text_in,
    without,
)
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

_ID = text(r"[\s\S]*\S[\s\S]*", says="an id", most=200)
_CRITERIA = listed(record({"condition": text(), "context": text()}, required=["condition"], is_open=True))
_ACTION = record({"name": text(), "type": text(), "criteria": _CRITERIA, "reference": text()}, is_open=True)
STEP = record(
    {
        "stepId": _ID,
        **fields_of(text(), "description operationId operationPath channelPath workflowId"),
        "parameters": listed(),
        "requestBody": mapped(),
        "successCriteria": _CRITERIA,
        **fields_of(listed(_ACTION), "onSuccess onFailure"),
        "outputs": mapped(),
    },
    required=["stepId"],
    is_open=True,
)
WORKFLOW = record(
    {
        "workflowId": _ID,
        **fields_of(text(), "summary description"),
        "inputs": one_kind(object=mapped(), flag=flag),
        "dependsOn": listed(text()),
        "steps": listed(STEP, least=1),
        "outputs": mapped(),
    },
    required=["workflowId", "steps"],
    is_open=True,
)
_NAMED = record(
    {"name": _ID, "url": text(), "type": choice("openapi", "arazzo", "asyncapi")}, required=["name"], is_open=True
)
DOCUMENT = record(
    {
        "arazzo": text(r"1\.\d+\.\d+(-.+)?", says="a version of Arazzo such as 1.0.1"),
        "info": record({"title": text(), "version": text()}, required=["title", "version"], is_open=True),
        "sourceDescriptions": listed(_NAMED, least=1),
        "workflows": listed(WORKFLOW, least=1),
        "components": mapped(anything),
    },
    required=["arazzo", "info", "sourceDescriptions", "workflows"],
    is_open=True,
)
NO_STEP = {"id": "x", "name": "x"}
NO_WORKFLOW: JsonObject = {"id": "wf_x", "start": "x", "steps": [NO_STEP]}


def read_description(document: JsonObject, draft: Draft) -> Imported:
    """Return the workflow of an Arazzo description; several in it become scopes of one."""
    return _Reader(document, draft).whole()


def used_twice(document: JsonObject) -> list[Problem]:
    """Return a problem for each id of a workflow or a step that another one has."""
    place = Place([]) / "workflows"
    workflows = [workflow["workflowId"] for workflow in document["workflows"]]
    for at in repeated(workflows):
        (place / at / "workflowId").refuse(f"{workflows[at][:80]!r} is the id of another workflow, too")
    for within, workflow in enumerate(document["workflows"]):
        steps = [step["stepId"] for step in workflow["steps"]]
        for at in repeated(steps):
            (place / within / "steps" / at / "stepId").refuse(f"{steps[at][:80]!r} is the id of another step, too")
    return place.problems


def said_top(document: Mapping[str, Any]) -> JsonObject:
    """Return the name and the description that a document has."""
    info = object_in(document.get("info"))
    name = fit(str(info.get("title") or "")) or "API workflow"
    return {"name": name, "description": text_in(info.get("description")) or ""}


def made_top(name: str, description: str) -> JsonObject:
    """Return what a document says beside its workflows, from the model alone."""
    about = {"description": description} if description else {}
    return {
        "arazzo": "1.0.1",
        "info": {"title": name, **about, "version": "1.0.0"},
        "sourceDescriptions": [{"name": "api", "url": "./openapi.yaml", "type": "openapi"}],
    }


def said_scope(workflow: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the step that stands for one of several workflows."""
    called = workflow["workflowId"]
    told = text_in(workflow.get("description")) or text_in(workflow.get("summary"))
    fields = {"type": "subworkflow", "workflow": called, "description": told}
    return filled(fields)


def made_scope(step: Step) -> JsonObject:
    """Return what a workflow says beside its steps, for the step that stands for it."""
    about = {"description": step.description} if step.description else {}
    return {"workflowId": step.workflow or step.id, **about}


def made_flat(workflow_id: str) -> JsonObject:
    """Return what the only workflow of a document says beside its steps."""
    return {"workflowId": workflow_id.removeprefix("wf_")}


class _Reader:
    def __init__(self, document: JsonObject, draft: Draft) -> None:
        self._document = document
        self._draft = draft
        self._scopes: dict[str, str] = {}

    def whole(self) -> Imported:
        workflows = self._document["workflows"]
        top = merged(said_top(self._document), self._document, Workflow, NO_WORKFLOW)
        told = said_top(self._document)
        rest = without(self._document, "workflows", OWN)
        kept = kept_of(rest, made_top(told["name"], told["description"]))
        for at, workflow in enumerate(workflows):
            if len(workflows) > 1:
                self._scope(workflow, at)
            else:
                own = without(workflow, "steps")
                flat = kept_of(own, made_flat(slug(str(top["name"]), fallback="workflow")))
                kept |= {"workflow": flat} if flat else {}
                self._steps(workflow, None, at)
        self._dependencies(workflows)
        return self._draft.finished(kept=kept, **top)

    def _scope(self, workflow: JsonObject, at: int) -> None:
        told = said_scope(workflow)
        fields = merged({**told, "name": workflow["workflowId"]}, workflow, Step, NO_STEP)
        step_id = self._draft.add(wanted_id=workflow["workflowId"], **fields)
        step = Step.model_validate({**self._draft.steps[-1]})
        own = without(workflow, "steps", OWN, "dependsOn")
        kept = kept_of(own, made_scope(step))
        outside = [one for one in workflow.get("dependsOn", ()) if one not in self._known_before(at)]
        if outside:
            kept["dependsOn"] = workflow["dependsOn"]
        self._draft.keep(kept, ("workflows", at))
        self._scopes[workflow["workflowId"]] = step_id
        self._steps(workflow, step_id, at)

    def _known_before(self, at: int) -> list[str]:
        names = [one["workflowId"] for one in self._document["workflows"]]
        return names[:at] + names[at + 1 :]

    def _dependencies(self, workflows: list[JsonObject]) -> None:
        for workflow in workflows if self._scopes else ():
            for one in dict.fromkeys(workflow.get("dependsOn", ())):
                if one in self._scopes and one != workflow["workflowId"]:
                    self._draft.connect(self._scopes[one], self._scopes[workflow["workflowId"]])

    def _steps(self, workflow: JsonObject, parent: str | None, at: int) -> None:
        known = following([step["stepId"] for step in workflow["steps"]])
        ids = {step["stepId"]: self._step(step, parent, at) for step in workflow["steps"]}
        drafted = {step["id"]: step for step in self._draft.steps}
        for step in workflow["steps"]:
            ways = said_flow(step, known)
            edges = [(target, Transition.model_validate(ENDS | fields)) for target, fields in ways]
            flow = {kind: step[kind] for kind in FLOW if kind in step}
            if flow != made_flow(step["stepId"], edges, known):
                kept = drafted[ids[step["stepId"]]].setdefault("extensions", {}).setdefault(self._draft.format_name, {})
                kept["flow"] = flow
            for target, fields in ways:
                self._draft.connect(ids[step["stepId"]], ids[target], **fields)

    def _step(self, step: JsonObject, parent: str | None, at: int) -> str:
        told = said(step)
        fields = merged({**told, "name": step["stepId"]}, step, Step, NO_STEP)
        step_id = self._draft.add(parent=parent, wanted_id=step["stepId"], **fields)
        plain = Step.model_validate({**self._draft.steps[-1], "parent": None})
        own = without(step, *FLOW, OWN)
        kept = kept_of(own, generated(plain, made_id(fields["name"], step_id)))
        self._draft.keep(kept, ("workflows", at, "steps", step["stepId"]))
        return step_id
