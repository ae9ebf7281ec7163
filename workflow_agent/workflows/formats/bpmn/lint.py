"""What bpmnlint finds in a process: rules of BPMN 2.0, and of diagrams that people can read."""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from workflow_agent.errors import Problem
from workflow_agent.values import grouped
from workflow_agent.workflows.formats.bpmn.document import Scope, xml_id
from workflow_agent.workflows.formats.bpmn.elements import SCOPES
from workflow_agent.workflows.formats.bpmn.writer import BpmnWriter
from workflow_agent.workflows.formats.bpmn.xml import bpmn, local_name, named_children
from workflow_agent.workflows.formats.lint import LintRule, lint_rule
from workflow_agent.workflows.formats.shapes import Place
from workflow_agent.workflows.model.findings import EditDocument
from workflow_agent.workflows.model.parser import unique_id
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

RULES: list[LintRule] = []
_REFUSED = "Engines refuse the process."
_WAITS = ("intermediateCatchEvent", "receiveTask")
_ASKS = ("exclusiveGateway", "inclusiveGateway", "complexGateway")
_GATEWAYS = (*_ASKS, "parallelGateway", "eventBasedGateway")
_TIMES = ("timeDuration", "timeCycle", "timeDate")
_LABELLED = ("startEvent", "endEvent", "intermediateCatchEvent", "intermediateThrowEvent", "callActivity")


class _Inside:
    """One process or sub-process as rules look at it."""

    def __init__(self, container: Element) -> None:
        self.container = container
        self.scope = Scope(container)
        self.out = grouped((flow.get("sourceRef", ""), flow) for flow in self.scope.flows)
        self.into = grouped((flow.get("targetRef", ""), flow) for flow in self.scope.flows)
        self.by_id = {xml_id(one): one for one in self.scope.nodes}
        self.nodes = [(one, local_name(one), xml_id(one)) for one in self.scope.nodes]
        """Each step or event with its kind and its id."""
        self.starts = [one for one, kind, _ in self.nodes if kind == "startEvent"]
        self.is_event_handler = container.get("triggeredByEvent") == "true"
        """Whether it is begun by an event beside the flow."""
        self.is_free = local_name(container) == "adHocSubProcess"
        """Whether people choose what is done in it."""


class LintedProcess:
    """A process as rules look at it, taken apart once for all of them."""

    def __init__(self, process: Element, workflow: Workflow) -> None:
        self.element = process
        self.free_end_id = unique_id("done", {one.id for one in workflow.steps})
        """Of an end that a fix makes."""
        self.ends = grouped((step.parent, step.id) for step in workflow.steps if step.type == "end")
        """The ids of the ends in each scope, by the step whose scope it is."""
        self.is_executable = process.get("isExecutable") == "true"
        self.elements = list(process.iter())
        inside = (_Inside(one) for one in self.elements if one is process or local_name(one) in SCOPES)
        self.scopes = [one for one in inside if one.scope.nodes]
        self.sources = {xml_id(flow): flow.get("sourceRef", "") for one in self.scopes for flow in one.scope.flows}
        """The element that each flow leads from."""

    def nodes(self) -> Iterator[tuple[_Inside, Element, str, str]]:
        """Yield each step and event with the scope that it is in, its kind and its id."""
        yield from ((inside, *node) for inside in self.scopes for node in inside.nodes)


def linted_process(workflow: Workflow, format_name: str) -> LintedProcess:
    """Return the process of a workflow for the rules to look at."""
    return LintedProcess(BpmnWriter(workflow, format_name).process(), workflow)


def _definitions(event: Element) -> list[str]:
    found = [local_name(one) for one in event]
    return [one.removesuffix("EventDefinition") for one in found if one.endswith(("EventDefinition", "DefinitionRef"))]


def _condition(flow: Element) -> bool:
    return flow.find(bpmn("conditionExpression")) is not None


@lint_rule(RULES, "bpmn-event-gateway", "error", _REFUSED)
def _event_gateways(process: LintedProcess, place: Place) -> None:
    """Find gateways that wait for events and are followed by something else."""
    for inside, _, kind, node_id in process.nodes():
        if kind != "eventBasedGateway":
            continue
        targets = [one.get("targetRef", "") for one in inside.out.get(node_id, ())]
        if len(targets) < 2:
            (place / node_id).refuse("waits for one of several events, and fewer than two follow it")
        for target in targets:
            if local_name(inside.by_id[target]) not in _WAITS:
                (place / target).refuse("follows a gateway that waits for events, and is no event to wait for")
            elif len(inside.into[target]) > 1:
                (place / target).refuse("follows a gateway that waits for events, and nothing else may lead to it")


@lint_rule(RULES, "bpmn-event-sub-process", "error", _REFUSED)
def _event_handlers(process: LintedProcess, place: Place) -> None:
    """Find event sub-processes that do not say which event begins them."""
    for inside in (one for one in process.scopes if one.is_event_handler):
        if len(inside.starts) != 1:
            told = f"is begun by an event, and has {len(inside.starts)} start events, not one"
            (place / xml_id(inside.container)).refuse(told)
        for start in inside.starts:
            if not _definitions(start):
                (place / xml_id(start)).refuse("begins a sub-process by an event, and does not say by which")


@lint_rule(RULES, "bpmn-link", "error", _REFUSED)
def _links(process: LintedProcess, place: Place) -> None:
    """Find link events without their other end, or with several."""
    for inside in process.scopes:
        names: dict[str, dict[str, list[str]]] = {}
        for node, kind, node_id in inside.nodes:
            definition = node.find(bpmn("linkEventDefinition"))
            if definition is not None:
                side = "caught" if "Catch" in kind else "thrown"
                names.setdefault(definition.get("name", ""), {}).setdefault(side, []).append(node_id)
        for name, sides in names.items():
            thrown, caught = sides.get("thrown", []), sides.get("caught", [])
            for one in thrown if not caught else ():
                (place / one).refuse(f"leads to a link {name[:60]!r} that is nowhere caught")
            for one in caught if not thrown else caught[1:]:
                (place / one).refuse(
                    f"is the link {name[:60]!r}, which {'another one catches' if thrown else 'nothing leads to'}"
                )


@lint_rule(RULES, "bpmn-start-entered", "error", _REFUSED)
def _starts_entered(process: LintedProcess, place: Place) -> None:
    """Find start events that a flow leads to."""
    for inside, _, kind, node_id in process.nodes():
        if kind == "startEvent" and node_id in inside.into:
            (place / node_id).refuse("is a start event, and a flow leads to it")


@lint_rule(RULES, "bpmn-timer", "warning", _REFUSED)
def _timers(process: LintedProcess, place: Place) -> None:
    """Find timers of a process to be run that name no time."""
    for one in process.elements if process.is_executable else ():
        for definition in named_children(one, "timerEventDefinition"):
            told = [bpmn(name) for name in _TIMES if (definition.findtext(bpmn(name)) or "").strip()]
            if len(told) != 1:
                (place / xml_id(one)).refuse("waits for a time, and does not say for which")


@lint_rule(RULES, "bpmn-start", "warning", "Where it begins is a guess.")
def _no_start(process: LintedProcess, place: Place) -> None:
    """Find processes without a start event, or with several."""
    for inside in process.scopes:
        here = place / xml_id(inside.container)
        if not inside.starts and not inside.is_free:
            here.refuse("has no start event")
        blank = [one for one in inside.starts if not _definitions(one)]
        if len(blank) > 1:
            here.refuse(f"has {len(blank)} start events without a trigger")
        is_inner = inside.container is not process.element and not inside.is_event_handler
        for one in inside.starts if is_inner else ():
            if _definitions(one):
                (place / xml_id(one)).refuse("begins a sub-process, and cannot wait for a trigger there")


@lint_rule(RULES, "bpmn-end", "info", "Where it is done is a guess.")
def _no_end(process: LintedProcess, place: Place) -> None:
    """Find processes and sub-processes without an end event."""
    for inside in (one for one in process.scopes if not one.is_free):
        if not any(kind == "endEvent" for _, kind, _ in inside.nodes):
            (place / xml_id(inside.container)).refuse("has no end event")


def _as_default(workflow: Workflow, step: Step, problem: Problem, document: LintedProcess) -> Sequence[EditDocument]:
    """Return the edit that makes the one flow without a condition that of no condition which holds."""
    exits = workflow.outgoing(step.id)
    plain = [one for one in exits if one.type == "sequence"]
    source = document.sources.get(problem.pointer.rpartition("/")[2])
    kinds = [kind for _, _, kind, node_id in document.nodes() if node_id == source]
    if kinds != ["exclusiveGateway"] or len(plain) != 1 or any(one.type == "default" for one in exits):
        return []
    return [{"op": "update_transition", "transition": plain[0].id, "set": {"type": "default"}}]


@lint_rule(RULES, "bpmn-condition", "warning", "Which way is taken is a guess.", fix=_as_default)
def _conditions(process: LintedProcess, place: Place) -> None:
    """Find flows without a condition beside others with one."""
    for inside, node, kind, node_id in process.nodes():
        flows = [one for one in inside.out.get(node_id, ()) if xml_id(one) != node.get("default")]
        plain = [one for one in flows if not _condition(one)]
        if kind in _ASKS and len(plain) < len(flows):
            for one in plain:
                (place / xml_id(one)).refuse("has no condition beside others that do, and is no default")


@lint_rule(RULES, "bpmn-fake-join", "info", "It runs once for each, which looks like waiting for all.")
def _fake_joins(process: LintedProcess, place: Place) -> None:
    """Find tasks and events that several flows enter."""
    for inside, _, kind, node_id in process.nodes():
        flows = inside.into.get(node_id, ())
        if kind not in _GATEWAYS and kind != "endEvent" and len(flows) > 1:
            (place / node_id).refuse(f"is entered by {len(flows)} flows without a gateway")


@lint_rule(RULES, "bpmn-implicit-split", "info", "All ways are taken, which is easily overlooked.")
def _implicit_splits(process: LintedProcess, place: Place) -> None:
    """Find tasks and events that several flows leave without a condition."""
    for inside, node, kind, node_id in process.nodes():
        flows = inside.out.get(node_id, ())
        plain = [one for one in flows if not _condition(one) and xml_id(one) != node.get("default")]
        if kind not in _GATEWAYS and len(plain) > 1:
            (place / node_id).refuse(f"is left by {len(plain)} flows at once without a gateway")


@lint_rule(RULES, "bpmn-join-fork", "info", "What waits for what is hard to see.")
def _join_forks(process: LintedProcess, place: Place) -> None:
    """Find gateways that join and split at once."""
    for inside, _, kind, node_id in process.nodes():
        if kind in _GATEWAYS and min(len(inside.into.get(node_id, ())), len(inside.out.get(node_id, ()))) > 1:
            (place / node_id).refuse("is a gateway at which ways come together and part")


def _led_to_an_end(workflow: Workflow, step: Step, problem: Problem, document: LintedProcess) -> Sequence[EditDocument]:
    """Return the edits that lead a step to the end of its scope, which is made where there is none."""
    del workflow, problem
    ends, made_id = document.ends.get(step.parent, []), document.free_end_id
    if len(ends) > 1:
        return []
    made = {"id": made_id, "name": "Done", "type": "end"} | ({"parent": step.parent} if step.parent else {})
    link = {"op": "connect", "from": step.id, "to": ends[0] if ends else made_id}
    return [link] if ends else [{"op": "add_step", "step": made}, link]


@lint_rule(RULES, "bpmn-implicit-end", "info", "It is easily taken for forgotten.", fix=_led_to_an_end)
def _implicit_ends(process: LintedProcess, place: Place) -> None:
    """Find steps where work ends without an end event."""
    for inside in process.scopes:
        linked = {one.get("sourceRef") for one in inside.scope.links}
        for node, kind, node_id in inside.nodes:
            is_last = node_id not in inside.out and node_id not in linked and node_id in inside.into
            is_beside = kind == "endEvent" or "link" in _definitions(node) or node.get("isForCompensation") == "true"
            if is_last and not is_beside and not inside.is_free:
                (place / node_id).refuse("is where the work ends without an end event")


@lint_rule(RULES, "bpmn-event-definition", "info", "Which of them it is, the diagram does not show.")
def _several_definitions(process: LintedProcess, place: Place) -> None:
    """Find events about several things at once."""
    for one in process.elements:
        if len(_definitions(one)) > 1:
            (place / xml_id(one)).refuse("is about several events at once")


@lint_rule(RULES, "bpmn-gateway", "info", "Few people read it as it is meant, and few engines run it.")
def _hard_gateways(process: LintedProcess, place: Place) -> None:
    """Find inclusive and complex gateways."""
    for _, _, kind, node_id in process.nodes():
        if kind in ("inclusiveGateway", "complexGateway"):
            (place / node_id).refuse(f"is {'an inclusive' if kind[0] == 'i' else 'a complex'} gateway")


@lint_rule(RULES, "bpmn-label", "info", "A reader has to guess.")
def _labels(process: LintedProcess, place: Place) -> None:
    """Find tasks, events and questions without a name."""
    for inside, node, kind, node_id in process.nodes():
        splits = kind in _ASKS and len(inside.out.get(node_id, ())) > 1
        wants = kind.endswith(("Task", "task")) or kind in _LABELLED or splits
        if wants and not node.get("name", "").strip():
            (place / node_id).refuse("has no name")


def steps_at(parts: Sequence[str], document: LintedProcess) -> Iterator[str]:
    """Yield the ids of the element at a place, and of those that a flow there leads from."""
    yield parts[-1]
    if parts[-1] in document.sources:
        yield document.sources[parts[-1]]
