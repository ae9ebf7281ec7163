"""What an element of BPMN says in the terms of the model, and the element that says it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.bpmn.xml import Roots, add, bpmn, local_name, named_children, text_of
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.plain import filled, text_in
from workflow_agent.workflows.model.durations import is_duration
from workflow_agent.workflows.model.steps import Step, StepType

_TASKS: Mapping[str, StepType] = {
    **dict.fromkeys(("task", "serviceTask", "sendTask", "scriptTask", "businessRuleTask"), "action"),
    **dict.fromkeys(("userTask", "manualTask"), "human"),
    "receiveTask": "event",
    **dict.fromkeys(("callActivity", "subProcess", "transaction", "adHocSubProcess"), "subworkflow"),
}
WORKED_OFF = ("serviceTask", "sendTask", "businessRuleTask")
"""The tasks that name what does them."""
SCOPES = ("subProcess", "transaction", "adHocSubProcess")
_GATEWAYS: Mapping[str, StepType] = {
    **dict.fromkeys(("exclusiveGateway", "eventBasedGateway", "complexGateway"), "decision"),
    **dict.fromkeys(("inclusiveGateway", "parallelGateway"), "fork"),
}
_EVENTS: Mapping[str, StepType] = {
    "startEvent": "event",
    "intermediateCatchEvent": "event",
    "intermediateThrowEvent": "action",
    "endEvent": "end",
}
NODES: Mapping[str, StepType] = {**_TASKS, **_GATEWAYS, **_EVENTS}
"""The elements that are steps, with what they mostly are."""
_JOINS = {"exclusiveGateway": {"mode": "any"}}
_LOOPS = ("standardLoopCharacteristics", "multiInstanceLoopCharacteristics")
_WORDS = re.compile(r"[A-Z]?[a-z]+")


@dataclass(frozen=True, slots=True)
class Definition:
    """What an event is about: `timer`, `message`, ...; with its name or its time."""

    kind: str = ""
    name: str | None = None
    every: Mapping[str, str] = field(default_factory=dict[str, str])


def definition_of(element: Element, roots: Roots) -> Definition:
    """Return what an event is about; an empty one where it is about nothing."""
    for child in element:
        local = local_name(child)
        if local.endswith("EventDefinition"):
            kind = local.removesuffix("EventDefinition")
            times = {one: text_of(child, one) for one in ("timeDuration", "timeCycle", "timeDate")}
            name = roots.name_of(child.get(f"{kind}Ref")) or child.get("name")
            every = {one: text.strip() for one, text in times.items() if text}
            return Definition(kind, fit(name or text_of(child, "condition") or ""), every)
    return Definition()


def words_of(element: Element) -> str:
    """Return what to call an element that has no name."""
    return " ".join(_WORDS.findall(local_name(element))).capitalize()


def said(element: Element, roots: Roots, *, is_join: bool, deadline: str | None, lane: str | None) -> JsonObject:
    """Return the fields of a step that an element and those around it say; those they do not say are left out."""
    local = local_name(element)
    fields: JsonObject = {
        "name": fit(element.get("name", "")) or words_of(element),
        "type": NODES[local],
        "description": text_in(text_of(element, "documentation")),
        "timeout": deadline,
        "loop": _said_loop(element),
    }
    if local in _GATEWAYS:
        direction = element.get("gatewayDirection")
        if direction == "Converging" or (direction != "Diverging" and is_join):
            fields |= {"type": "join", "join": _JOINS.get(local)}
    elif local in _EVENTS:
        fields |= _said_event(element, local, roots)
    else:
        fields |= _said_task(element, local, roots, lane)
    return filled(fields)


def _said_task(element: Element, local: str, roots: Roots, lane: str | None) -> JsonObject:
    uses = element.get("implementation", "##") if local in WORKED_OFF else element.get("scriptFormat", "")
    found: JsonObject = {
        "assignee": _owner(element) or fit(lane or ""),
        "uses": None if uses.startswith("##") else text_in(uses),
        "workflow": fit(element.get("calledElement", "")),
    }
    if local == "receiveTask":
        found["event"] = roots.name_of(element.get("messageRef"))
    if element.get("triggeredByEvent") == "true":
        found["type"] = "event"
    elif local in SCOPES and _said_loop(element):
        found["type"] = "loop"
    return found


def _owner(element: Element) -> str | None:
    for role in named_children(element, "potentialOwner", "humanPerformer", "performer"):
        for expression in role.iter(bpmn("formalExpression")):
            return fit("".join(expression.itertext()).strip())
    return None


def _said_event(element: Element, local: str, roots: Roots) -> JsonObject:
    about = definition_of(element, roots)
    if local == "endEvent":
        failed = {"error": "failed", "cancel": "cancelled", "terminate": "terminated"}
        return {"outcome": failed.get(about.kind)}
    if about.kind != "timer":
        return {"event": about.name}
    length = about.every.get("timeDuration")
    kind = "wait" if local == "intermediateCatchEvent" else NODES[local]
    return {"type": kind, "duration": length if is_duration(length) else None}


def _said_loop(element: Element) -> JsonObject | None:
    for loop in named_children(element, *_LOOPS):
        if local_name(loop) == "standardLoopCharacteristics":
            condition = text_in(text_of(loop, "loopCondition"))
            most = loop.get("loopMaximum", "")
            bound = int(most) if most.isascii() and most.isdigit() and 0 < len(most) < 10 and int(most) else None
            found = {"while": {"expression": condition} if condition else None, "max_iterations": bound}
        else:
            parallel = None if loop.get("isSequential") == "true" else 0
            over = text_of(loop, "loopDataInputRef") or text_of(loop, "loopCardinality")
            found = {"over": over, "parallel": parallel}
        return filled(found)
    return None


def _tag_of(step: Step, *, has_inside: bool) -> str:
    kind = step.type
    if has_inside or kind == "loop":
        return "subProcess"
    mode = step.join.mode if step.join else "all"
    joins = {"all": "parallelGateway", "any": "exclusiveGateway", "count": "complexGateway"}
    return {
        "action": "serviceTask" if step.uses else "task",
        "human": "userTask",
        "decision": "exclusiveGateway",
        "fork": "parallelGateway",
        "join": joins[mode],
        **dict.fromkeys(("wait", "event"), "intermediateCatchEvent"),
        "subworkflow": "callActivity",
        "state": "task",
        "end": "endEvent",
    }[kind]


def made(step: Step, roots: Roots, *, has_inside: bool) -> Element:
    """Return the element for a step, from the model alone."""
    local = _tag_of(step, has_inside=has_inside)
    element = Element(bpmn(local), {"name": step.name})
    if step.description:
        add(element, "documentation", step.description)
    if local in _GATEWAYS and step.type in ("fork", "join"):
        element.set("gatewayDirection", "Diverging" if step.type == "fork" else "Converging")
    elif local in _EVENTS:
        _make_event(element, step, roots)
    elif step.type == "event":
        element.set("triggeredByEvent", "true")
    else:
        _make_task(element, step, local)
    return element


def _make_task(element: Element, step: Step, local: str) -> None:
    if local == "serviceTask":
        element.set("implementation", step.uses or "")
    if local == "callActivity" and step.workflow:
        element.set("calledElement", step.workflow)
    if step.assignee and local in _TASKS and step.type == "human":
        owner = add(add(element, "potentialOwner"), "resourceAssignmentExpression")
        add(owner, "formalExpression", step.assignee)
    if step.loop is None and step.type != "loop":
        return
    loop = step.loop
    if loop and (loop.while_ or loop.until):
        repeated = add(element, _LOOPS[0], loopMaximum=str(loop.max_iterations or ""))
        condition = loop.while_ and (loop.while_.expression or loop.while_.text)
        if isinstance(condition, str):
            add(repeated, "loopCondition", condition)
        return
    repeated = add(element, _LOOPS[1], isSequential="" if loop and loop.parallel is not None else "true")
    if loop and isinstance(loop.over, str):
        add(repeated, "loopDataInputRef", loop.over)


def _make_event(element: Element, step: Step, roots: Roots) -> None:
    if step.type == "wait":
        timer = add(element, "timerEventDefinition")
        if step.duration:
            add(timer, "timeDuration", step.duration)
    elif step.type == "event" and step.event:
        add(element, "messageEventDefinition", messageRef=roots.named("message", step.event))
    elif step.outcome in ("failed", "error"):
        add(element, "errorEventDefinition")
