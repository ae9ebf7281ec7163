"""The parts of an Arazzo description: their shapes, what they say in the terms of the model, and back."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.fidelity import NOT_SAID, completed, same, unsaid
from workflow_agent.workflows.formats.plain import filled, list_in, nonempty, number_in, object_in, text_in, without
from workflow_agent.workflows.formats.shapes import (
    anything,
    choice,
    fields_of,
    flag,
    listed,
    mapped,
    one_kind,
    record,
    text,
)
from workflow_agent.workflows.model.durations import duration_of
from workflow_agent.workflows.model.parser import slug, take_id
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

_ID = text(r"[\s\S]*\S[\s\S]*", says="an id", most=200)
_CRITERIA = listed(record({"condition": text(), "context": text()}, required=["condition"], is_open=True))
_ACTION = record({"name": text(), "type": text(), "criteria": _CRITERIA, "reference": text()}, is_open=True)
_FLOW = fields_of(listed(_ACTION), "onSuccess onFailure")
FLOW_SHAPE = record(_FLOW)
STEP = record(
    {
        "stepId": _ID,
        **fields_of(text(), "description operationId operationPath channelPath workflowId"),
        "parameters": listed(),
        "requestBody": mapped(),
        "successCriteria": _CRITERIA,
        **_FLOW,
        "outputs": mapped(),
    },
    required=["stepId"],
    is_open=True,
)
_WORKFLOW = {
    "workflowId": _ID,
    **fields_of(text(), "summary description"),
    "inputs": one_kind(object=mapped(), flag=flag),
    "dependsOn": listed(text()),
    "outputs": mapped(),
}
WORKFLOW_REST = record(_WORKFLOW, required=["workflowId"], is_open=True)
"""A workflow beside its steps."""
_STEPS = record({**_WORKFLOW, "steps": listed(STEP, least=1)}, required=["workflowId", "steps"], is_open=True)
_NAMED = record(
    {"name": _ID, "url": text(), "type": choice("openapi", "arazzo", "asyncapi")}, required=["name"], is_open=True
)
_DOCUMENT = {
    "arazzo": text(r"1\.\d+\.\d+(-.+)?", says="a version of Arazzo such as 1.0.1"),
    "info": record({"title": text(), "version": text()}, required=["title", "version"], is_open=True),
    "sourceDescriptions": listed(_NAMED, least=1),
    "components": mapped(anything),
}
DOCUMENT_REST = record(_DOCUMENT, required=["arazzo", "info", "sourceDescriptions"], is_open=True)
"""A document beside its workflows."""
DOCUMENT = record(
    {**_DOCUMENT, "workflows": listed(_STEPS, least=1)},
    required=["arazzo", "info", "sourceDescriptions", "workflows"],
    is_open=True,
)
NO_STEP = {"id": "x", "name": "x"}
NO_WORKFLOW: JsonObject = {"id": "wf_x", "start": "x", "steps": [NO_STEP]}


def said_top(document: Mapping[str, Any]) -> JsonObject:
    """Return the name and the description that a document has."""
    info = object_in(document.get("info"))
    name = fit(str(info.get("title") or "")) or "API workflow"
    return {"name": name, "description": text_in(info.get("description")) or ""}


def made_top(name: str, description: str) -> JsonObject:
    """Return what a document says beside its workflows, from the model alone."""
    return {
        "arazzo": "1.0.1",
        "info": nonempty({"title": name, "description": description, "version": "1.0.0"}),
        "sourceDescriptions": [{"name": "api", "url": "./openapi.yaml", "type": "openapi"}],
    }


def said_scope(workflow: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the step that stands for one of several workflows."""
    called = workflow["workflowId"]
    told = text_in(workflow.get("description")) or text_in(workflow.get("summary"))
    return filled({"type": "subworkflow", "workflow": called, "description": told})


def made_scope(step: Step) -> JsonObject:
    """Return what a workflow says beside its steps, for the step that stands for it."""
    return nonempty({"workflowId": step.workflow or step.id, "description": step.description})


def made_flat(name: str) -> JsonObject:
    """Return what the only workflow of a document says beside its steps."""
    return {"workflowId": slug(name, fallback="workflow").removeprefix("wf_")}


OWN = "x-workflow-agent"
"""The specification extension that holds what Arazzo has no place for."""
_STEP_ID = re.compile(r"[A-Za-z0-9_\-]{1,200}")
_WITH = ("parameters", "requestBody", "successCriteria")
FLOW = ("onSuccess", "onFailure")
SAID_BY = {
    "description": ("description",),
    "type": ("workflowId", "operationId", "operationPath"),
    "uses": ("workflowId", "operationId", "operationPath"),
    "workflow": ("workflowId", "operationId", "operationPath"),
    "with": _WITH,
    "writes": ("outputs",),
}


def residue_of(wanted: Mapping[str, Any], said: Mapping[str, Any]) -> JsonObject:
    """Return the extension with the fields of the model that a part does not say; nothing where it says all."""
    return nonempty({OWN: unsaid(wanted, said)})


def merged(said: JsonObject, part: Mapping[str, Any], model: type[BaseModel], others: JsonObject) -> JsonObject:
    """Return what a part and the extension in it say together; the extension only where it makes sense."""
    rest = without(object_in(part.get(OWN)), *NOT_SAID)
    return completed(said, rest, model, others)


def said(step: Mapping[str, Any]) -> JsonObject:
    """Return the fields of a step of the model that a step says, apart from its name."""
    called = text_in(step.get("workflowId"), 200)
    outputs = [key for key in object_in(step.get("outputs")) if 0 < len(key) <= 200]
    fields: JsonObject = {
        "type": "subworkflow" if called else "action",
        "description": text_in(step.get("description")),
        "uses": text_in(step.get("operationId")) or text_in(step.get("operationPath")),
        "workflow": called,
        "with": {key: step[key] for key in _WITH if key in step} or None,
        "retry": said_retry(step),
        "writes": outputs or None,
    }
    return filled(fields)


def said_retry(step: Mapping[str, Any]) -> JsonObject | None:
    """Return how a step is tried again, if one of its failure actions says so for every failure."""
    for action in map(object_in, list_in(step.get("onFailure"))):
        after, limit = number_in(action.get("retryAfter", 0)), action.get("retryLimit", 1)
        is_plain = action.get("type") == "retry" and "criteria" not in action and "stepId" not in action
        if not is_plain or after is None:
            continue
        if type(limit) is int and 0 <= limit < 1_000_000 and 0 <= after < 1e9:
            return {"max_attempts": limit + 1} | ({"interval": duration_of(after)} if after else {})
    return None


def generated(step: Step, step_id: str) -> JsonObject:
    """Return the step for a step of the model, without what comes after it."""
    made = nonempty({"stepId": step_id, "description": step.description})
    if step.type == "subworkflow" and step.workflow:
        made["workflowId"] = step.workflow
    elif step.uses and ("{$" in step.uses or "#/" in step.uses):
        made["operationPath"] = step.uses
    else:
        made["operationId"] = step.uses or step.id
    made |= {key: value for key, value in step.with_.items() if key in _WITH and _is_allowed(key, value)}
    return made


def _is_allowed(key: str, value: Any) -> bool:
    if key == "requestBody":
        return isinstance(value, dict)
    items = list_in(value)
    distinct = all(not same(one, other) for at, one in enumerate(items) for other in items[:at])
    needed = ("name", "value") if key == "parameters" else ("condition",)
    known = all(set(needed) <= object_in(one).keys() or "reference" in object_in(one) for one in items)
    return bool(items) and distinct and known


def made_id(name: str, step_id: str) -> str:
    """Return how a step is called: by its name where that may be, else by its id."""
    return name if _STEP_ID.fullmatch(name) and slug(name) == step_id else step_id


def said_action(action: Mapping[str, Any], kind: str) -> JsonObject:
    """Return the fields of a transition that a success or failure action says."""
    criteria = list_in(action.get("criteria"))
    when = {"when": {"expression": criteria, "language": "arazzo"}} if criteria else {}
    return {"type": "error" if kind == "onFailure" else "condition" if criteria else "sequence", **when}


def made_action(edge: Transition, target: str, name: str) -> JsonObject:
    """Return the action that leads where a transition does."""
    kind = "onFailure" if edge.type == "error" else "onSuccess"
    action: JsonObject = {"name": name, "type": "goto", "stepId": target}
    if edge.when is not None:
        expression = edge.when.expression
        is_ours = edge.when.language == "arazzo" and bool(list_in(expression))
        text = expression if isinstance(expression, str) and expression else edge.when.text
        criteria = list_in(expression) if is_ours else [{"condition": text}] if text else []
        action |= {"criteria": criteria} if criteria else {}
    return action | residue_of(plain_edge(edge), said_action(action, kind))


def plain_edge(edge: Transition) -> JsonObject:
    """Return what a transition is, apart from its ends."""
    plain = edge.as_plain()
    return {"type": edge.type, **{key: plain[key] for key in plain if key not in NOT_SAID}}


ENDS = {"id": "go", "from": "here", "to": "there"}
Way = tuple[str, JsonObject]
"""The id of a step, and what the transition to it is."""
Following = Mapping[str, str | None]
"""Each step of a workflow by its id, and the one after it."""


def following(step_ids: Sequence[str]) -> Following:
    """Return each of the steps with the one after it; of an id that is there twice, the first."""
    return dict(reversed(list(zip(step_ids, [*step_ids[1:], None], strict=True))))


def said_flow(step: Mapping[str, Any], known: Following) -> list[Way]:
    """Return where a step leads."""
    after = known[step["stepId"]]
    found = list(_led_to(step, "onSuccess", known))
    if not any(_is_final(action) for action in _actions(step, "onSuccess")) and after is not None:
        found.append((after, {"type": "sequence"}))
    return found + list(_led_to(step, "onFailure", known))


def _actions(step: Mapping[str, Any], kind: str) -> list[JsonObject]:
    return [object_in(one) for one in list_in(step.get(kind))]


def _is_final(action: JsonObject) -> bool:
    return action.get("type") in ("goto", "end") and not list_in(action.get("criteria"))


def _led_to(step: Mapping[str, Any], kind: str, known: Following) -> Iterator[Way]:
    for action in _actions(step, kind):
        goal = action.get("stepId")
        if action.get("type") == "goto" and isinstance(goal, str) and goal in known:
            fields = merged(said_action(action, kind), action, Transition, ENDS)
            yield goal, plain_edge(Transition.model_validate(ENDS | fields))
        if _is_final(action) and kind == "onSuccess":
            return


def made_flow(step_id: str, edges: Sequence[tuple[str, Transition]], known: Following) -> JsonObject:
    """Return the actions of a step that lead where its transitions do."""
    after = known[step_id]
    success = [one for one in edges if one[1].type != "error"]
    falls = bool(success) and success[-1][0] == after and plain_edge(success[-1][1]) == {"type": "sequence"}
    names: set[str] = set()
    actions: dict[str, list[JsonObject]] = {kind: [] for kind in FLOW}
    for target, edge in [one for one in edges if not (falls and one is success[-1])]:
        kind = "onFailure" if edge.type == "error" else "onSuccess"
        if kind == "onSuccess" and any(map(_is_final, actions[kind])):
            # Nothing comes after an action that is always taken: a step of Arazzo has one way on.
            continue
        actions[kind].append(made_action(edge, target, take_id(f"to-{target}", names)))
    if after and not falls and not any(map(_is_final, actions["onSuccess"])):
        actions["onSuccess"].append({"name": "end", "type": "end"})
    return {kind: listed for kind, listed in actions.items() if listed}


def flow_of(
    part: JsonObject, edges: Sequence[tuple[str, Transition]], known: Following, kept: JsonObject
) -> JsonObject:
    """Return the actions of a step: those that were read where they still lead the same ways."""
    wanted = [[target, plain_edge(edge)] for target, edge in edges]
    told = [list(way) for way in said_flow({**part, **kept}, known)]
    return kept if same(told, wanted) else made_flow(part["stepId"], edges, known)
