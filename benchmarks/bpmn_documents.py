"""BPMN documents with all that BPMN has, as modellers write them; the same seed gives the same document.

Each has one to three pools with lanes, nested and event sub-processes, boundary events, every event
definition, data, artifacts, message flows, attributes of engines, and a diagram with bends and labels.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random
from xml.sax.saxutils import escape, quoteattr

MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"
_SPACES = {
    "bpmndi": "http://www.omg.org/spec/BPMN/20100524/DI",
    "dc": "http://www.omg.org/spec/DD/20100524/DC",
    "di": "http://www.omg.org/spec/DD/20100524/DI",
    "xsd": "http://www.w3.org/2001/XMLSchema",
    "xsi": "http://www.w3.org/2001/XMLSchema-instance",
    "camunda": "http://camunda.org/schema/1.0/bpmn",
    "zeebe": "http://camunda.org/schema/zeebe/1.0",
    "modeler": "http://camunda.org/schema/modeler/1.0",
    "bioc": "http://bpmn.io/schema/bpmn/biocolor/1.0",
    "tns": "http://example.com/orders",
    "vendor": "http://example.com/vendor",
}
_TASKS = ["callActivity"] + [
    f"{kind}Task".replace("plainT", "t")
    for kind in ("plain", "service", "send", "script", "businessRule", "user", "manual", "receive")
]
_GATEWAYS = [f"{kind}Gateway" for kind in ("exclusive", "eventBased", "complex", "inclusive", "parallel")]
_WORDS = ("check", "order", "invoice", "ship", "approve", "budget", "notify", "archive", "claim", "risk")
_TIMES = ("timeDuration", "PT2H"), ("timeCycle", "R3/P1D"), ("timeDate", "2030-01-01T09:00:00Z")
_CATCHING = ["message", "timer", "signal", "conditional", "link"]
_THROWING = ["message", "signal", "escalation", "link", "compensate"]
_ENDING = ["message", "signal", "escalation", "error", "compensate", "terminate", "cancel"]
_BOUNDARY = ["message", "timer", "signal", "conditional", "error", "escalation", "compensate"]
_STARTING = ["message", "timer", "signal", "conditional"]
_INSIDE = ["message", "timer", "signal", "conditional", "error", "escalation", "compensate"]
_HELD = (
    '<camunda:properties><camunda:property name="a" value="b"/></camunda:properties>',
    '<zeebe:taskDefinition type="pay" retries="3"/>',
    '<zeebe:ioMapping><zeebe:input source="=order" target="order"/></zeebe:ioMapping>',
    '<vendor:note vendor:at="now">text <vendor:b>bold</vendor:b> tail</vendor:note>',
)


class _Made:
    """One document while it is made."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.prefix = self.random.choice(["bpmn:", "bpmn2:", "semantic:", ""])
        self.count = 0
        self.drawn: list[str] = []
        self.roots: list[str] = []
        self.at = 100

    def chance(self, of_one: float) -> bool:
        return self.random.random() < of_one

    def new_id(self, kind: str) -> str:
        self.count += 1
        style = self.random.choice(["{0}_{1}", "{0}_0{1}abc", "_{1}-{0}", "sid-{1}-{0}"])
        return style.format(kind.capitalize(), self.count)

    def name(self) -> str:
        if self.chance(0.1):
            return ""
        text = " ".join(self.random.sample(_WORDS, self.random.randint(1, 3))).capitalize()
        return text + self.random.choice(["", "", "", "\nnow", " & more", " für <alle>"])

    def tag(self, local: str, inside: str = "", **given: str | None) -> str:
        attributes = "".join(
            f" {key.replace('__', ':').rstrip('_')}={quoteattr(value).replace(chr(10), '&#10;')}"
            for key, value in given.items()
            if value is not None
        )
        name = local if ":" in local else self.prefix + local
        return f"<{name}{attributes}>{inside}</{name}>" if inside else f"<{name}{attributes}/>"

    def root(self, kind: str) -> str:
        root_id = self.new_id(kind)
        given = {"errorCode": "E1"} if kind == "error" else {}
        given |= {"escalationCode": "X1"} if kind == "escalation" else {}
        given |= {"itemRef": "tns:Item"} if kind == "message" and self.chance(0.3) else {}
        self.roots.append(self.tag(kind, id=root_id, name=self.name() or None, **given))
        return root_id

    def definition(self, kind: str, host: str | None = None) -> str:
        own = self.new_id(f"{kind}Def") if self.chance(0.6) else None
        if kind == "timer":
            local, text = self.random.choice(_TIMES)
            typed = self.prefix + "tFormalExpression"
            return self.tag("timerEventDefinition", self.tag(local, text, xsi__type=typed), id=own)
        if kind == "conditional":
            condition = self.tag("condition", "${ready}", xsi__type=self.prefix + "tFormalExpression")
            return self.tag("conditionalEventDefinition", condition, id=own)
        if kind == "link":
            return self.tag("linkEventDefinition", id=own, name="page 2")
        if kind == "compensate":
            return self.tag("compensateEventDefinition", id=own, activityRef=host, waitForCompletion="true")
        if kind in ("terminate", "cancel"):
            return self.tag(f"{kind}EventDefinition", id=own)
        given = {f"{kind}Ref": self.root(kind)} if self.chance(0.8) else {}
        return self.tag(f"{kind}EventDefinition", id=own, **given)

    def extras(self) -> str:
        inside = self.tag("documentation", escape(self.name() or "As agreed.")) if self.chance(0.2) else ""
        if self.chance(0.25):
            inside += self.tag("extensionElements", self.random.choice(_HELD))
        return inside

    def shape(self, element: str, width: int, height: int, inside: str = "", **given: str) -> None:
        self.at += 130
        bounds = f'<dc:Bounds x="{self.at}.5" y="{80 + self.at % 300}" width="{width}" height="{height}"/>'
        label = (
            '<bpmndi:BPMNLabel><dc:Bounds x="1" y="2" width="30" height="14"/></bpmndi:BPMNLabel>'
            if self.chance(0.3)
            else ""
        )
        colour = {"bioc:stroke": "#f00"} if self.chance(0.1) else {}
        attributes = "".join(f' {key}="{value}"' for key, value in {**given, **colour}.items())
        self.drawn.append(
            f'<bpmndi:BPMNShape id="{element}_di" bpmnElement="{element}"{attributes}>'
            f"{bounds}{inside}{label}</bpmndi:BPMNShape>"
        )

    def line(self, element: str) -> None:
        points = "".join(
            f'<di:waypoint x="{self.random.randint(1, 900)}" y="{self.random.randint(1, 900)}"/>'
            for _ in range(self.random.randint(2, 5))
        )
        self.drawn.append(f'<bpmndi:BPMNEdge id="{element}_di" bpmnElement="{element}">{points}</bpmndi:BPMNEdge>')

    def event(self, local: str, kinds: Sequence[str], **given: str | None) -> tuple[str, str]:
        event_id = self.new_id(local)
        own = self.extras()
        own += self.definition(self.random.choice(kinds)) if kinds and self.chance(0.8) else ""
        own += self.definition(self.random.choice(kinds)) if kinds and self.chance(0.05) else ""
        self.shape(event_id, 36, 36)
        return event_id, self.tag(local, own, id=event_id, name=self.name() or None, **given)

    def task(self, depth: int) -> tuple[str, str]:
        if depth and self.chance(0.2):
            return self.inner(depth, self.random.choice(["subProcess", "transaction", "adHocSubProcess"]))
        local = self.random.choice(_TASKS)
        task_id, inside, given = self.new_id(local), self.extras(), self.attributes(local)
        if self.chance(0.15):
            inside += self.data_input()
        if local == "userTask" and self.chance(0.3):
            expression = self.tag("formalExpression", "clerk")
            owner = self.tag("resourceAssignmentExpression", expression)
            inside += self.tag("potentialOwner", owner)
        inside += self.repeated() if self.chance(0.15) else ""
        inside += self.tag("script", "a &lt; b") if local == "scriptTask" else ""
        self.shape(task_id, 100, 80)
        return task_id, self.tag(local, inside, id=task_id, name=self.name() or None, **given)

    def attributes(self, local: str) -> dict[str, str | None]:
        given: dict[str, str | None] = {"isForCompensation": "true" if self.chance(0.1) else None}
        if local == "callActivity":
            given["calledElement"] = "tns:other"
        if local in ("receiveTask", "sendTask") and self.chance(0.7):
            given["messageRef"] = self.root("message")
        if local == "serviceTask":
            given["implementation"] = self.random.choice([None, "##WebService", "bank.pay"])
            given["camunda__asyncBefore"] = self.random.choice([None, "true"])
        if local == "userTask" and self.chance(0.4):
            given["camunda__assignee"] = "${clerk}"
        return given

    def data_input(self) -> str:
        input_id = self.new_id("input")
        put = self.tag("dataInput", id=input_id, name="in")
        sets = self.tag("inputSet", self.tag("dataInputRefs", input_id)) + self.tag("outputSet")
        association_id = self.new_id("DataInput")
        self.line(association_id)
        association = self.tag("dataInputAssociation", self.tag("targetRef", input_id), id=association_id)
        return self.tag("ioSpecification", put + sets) + association

    def repeated(self) -> str:
        if self.chance(0.5):
            condition = self.tag("loopCondition", "${more}") if self.chance(0.7) else ""
            most = self.random.choice([None, "3"])
            return self.tag("standardLoopCharacteristics", condition, loopMaximum=most)
        return self.tag(
            "multiInstanceLoopCharacteristics",
            self.tag("loopCardinality", "4") + self.tag("completionCondition", "${done}"),
            isSequential=self.random.choice([None, "true", "false"]),
            camunda__collection=self.random.choice([None, "items"]),
        )

    def inner(self, depth: int, local: str, **given: str | None) -> tuple[str, str]:
        inner_id = self.new_id(local)
        is_open = self.random.choice(["true", "false"])
        self.shape(inner_id, 350, 200, isExpanded=is_open)
        if self.chance(0.1) and not given:
            return inner_id, self.tag(local, id=inner_id, name=self.name() or None)
        repeated = self.repeated() if not given and self.chance(0.2) else ""
        kinds = _INSIDE if given else []
        content = self.extras() + repeated + self.scope(depth - 1, kinds)
        return inner_id, self.tag(local, content, id=inner_id, name=self.name() or None, **given)

    def scope(self, depth: int, starting: Sequence[str], nodes_out: list[str] | None = None) -> str:
        """Return what is directly in a process or sub-process."""
        starts = [self.event("startEvent", starting) for _ in range(self.random.choice([1, 1, 1, 0, 2]))]
        found = [self.node(depth) for _ in range(self.random.randint(2, 6))]
        ends = [self.event("endEvent", _ENDING) for _ in range(self.random.randint(1, 2))]
        elements = [text for _, text in (*starts, *found, *ends)]
        ids = [one for one, _ in (*starts, *found, *ends)]
        sources = [one for one, _ in (*starts, *found)]
        targets = [one for one, _ in (*found, *ends)]
        flows = [self.flow(a, b) for a, b in pairwise(ids) if a in sources and b in targets]
        flows += [
            self.flow(self.random.choice(sources), self.random.choice(targets))
            for _ in range(self.random.randint(0, 3))
        ]
        associations: list[str] = []
        hosts = [one for one, text in found if "Task" in text[:20] and self.chance(0.25)]
        elements += [self.boundary(host, targets, flows, associations) for host in hosts]
        if depth and self.chance(0.2):
            elements.append(self.inner(1, "subProcess", triggeredByEvent="true")[1])
        if nodes_out is not None:
            nodes_out += ids
        elements += self.data()
        if self.chance(0.5):
            self.random.shuffle(elements)
            elements += flows
        else:
            elements = flows + elements
        return "".join([*elements, *associations, *self.artifacts(self.random.choice(ids))])

    def node(self, depth: int) -> tuple[str, str]:
        pick = self.random.random()
        if pick < 0.6:
            return self.task(depth)
        if pick < 0.9:
            catches = pick < 0.8
            local = "intermediateCatchEvent" if catches else "intermediateThrowEvent"
            return self.event(local, _CATCHING if catches else _THROWING)
        gate_id = self.new_id("gateway")
        self.shape(gate_id, 50, 50, isMarkerVisible="true")
        way = self.random.choice([None, None, "Diverging", "Converging"])
        local = self.random.choice(_GATEWAYS)
        return gate_id, self.tag(local, id=gate_id, name=self.name() or None, gatewayDirection=way)

    def boundary(self, host: str, targets: Sequence[str], flows: list[str], associations: list[str]) -> str:
        kind, boundary_id = self.random.choice(_BOUNDARY), self.new_id("boundary")
        self.shape(boundary_id, 36, 36)
        inside, target = self.definition(kind), self.random.choice(targets)
        if kind == "compensate" or self.chance(0.2):
            associations.append(self.association(boundary_id, target, "One"))
        elif self.chance(0.85):
            flows.append(self.flow(boundary_id, target))
        stops = self.random.choice([None, "true", "false"])
        given = {"id": boundary_id, "attachedToRef": host, "name": self.name() or None}
        return self.tag("boundaryEvent", inside, **given, cancelActivity=stops)

    def flow(self, source: str, target: str) -> str:
        flow_id = self.new_id("flow")
        self.line(flow_id)
        inside = ""
        if self.chance(0.25):
            typed = self.prefix + "tFormalExpression"
            inside = self.tag("conditionExpression", "${a &gt; 1}", xsi__type=typed, language="juel")
        return self.tag(
            "sequenceFlow",
            inside,
            id=flow_id,
            sourceRef=source,
            targetRef=target,
            name=self.random.choice([None, "yes", "no"]),
        )

    def association(self, source: str, target: str, way: str | None) -> str:
        own = self.new_id("association")
        self.line(own)
        return self.tag("association", id=own, sourceRef=source, targetRef=target, associationDirection=way)

    def data(self) -> Iterator[str]:
        if self.chance(0.3):
            data_id, reference = self.new_id("data"), self.new_id("dataRef")
            self.shape(reference, 36, 50)
            yield self.tag("dataObject", id=data_id, itemSubjectRef="tns:Item")
            yield self.tag(
                "dataObjectReference",
                self.tag("dataState", name="new"),
                id=reference,
                name=self.name() or None,
                dataObjectRef=data_id,
            )
        if self.chance(0.2):
            store = self.new_id("store")
            self.shape(store, 50, 50)
            yield self.tag("dataStoreReference", id=store, name="Ledger")

    def artifacts(self, near: str) -> Iterator[str]:
        if self.chance(0.3):
            note = self.new_id("note")
            self.shape(note, 100, 30)
            yield self.tag("textAnnotation", self.tag("text", "Careful here"), id=note)
            yield self.association(near, note, None)
        if self.chance(0.1):
            group = self.new_id("group")
            self.shape(group, 300, 300)
            yield self.tag("group", id=group)

    def lanes(self, nodes: Sequence[str]) -> str:
        lanes: list[str] = []
        for part in (nodes[::2], nodes[1::2]):
            lane = self.new_id("lane")
            self.shape(lane, 900, 125, isHorizontal="true")
            inside = "".join(self.tag("flowNodeRef", one) for one in part)
            lanes.append(self.tag("lane", inside, id=lane, name=self.random.choice(["Sales", "Legal", ""])))
        return self.tag("laneSet", "".join(lanes), id=self.new_id("laneSet"))

    def process(self, process_id: str, nodes: list[str]) -> str:
        body = self.scope(2, _STARTING, nodes)
        lanes = self.lanes(nodes) if self.chance(0.4) else ""
        runs, version = self.random.choice([None, "true", "false"]), self.random.choice([None, "1.2"])
        given = {"id": process_id, "name": self.name() or None, "isExecutable": runs}
        return self.tag("process", self.extras() + lanes + body, **given, camunda__versionTag=version)

    def collaboration(self, own: str, processes: Sequence[tuple[str, list[str]]]) -> str:
        pools: list[str] = []
        flows: list[str] = []
        black_box = self.new_id("participant")
        self.shape(black_box, 600, 60, isHorizontal="true")
        pools.append(self.tag("participant", id=black_box, name="Customer"))
        for process_id, nodes in processes:
            pool, flow = self.new_id("participant"), self.new_id("messageFlow")
            self.shape(pool, 1000, 250, isHorizontal="true")
            self.line(flow)
            pools.append(self.tag("participant", id=pool, name=self.name() or None, processRef=process_id))
            target = self.random.choice(nodes)
            flows.append(self.tag("messageFlow", id=flow, sourceRef=black_box, targetRef=target))
        return self.tag("collaboration", "".join(pools + flows), id=own)

    def document(self) -> str:
        is_collaboration = self.chance(0.5)
        count = self.random.randint(1, 3) if is_collaboration else 1
        named: list[tuple[str, list[str]]] = [(self.new_id("process"), []) for _ in range(count)]
        processes = [self.process(*one) for one in named]
        plane = self.new_id("collaboration") if is_collaboration else named[0][0]
        together = self.collaboration(plane, named) if is_collaboration else ""
        self.roots.append(self.tag("itemDefinition", id="Item", structureRef="xsd:string"))
        diagram = (
            f'<bpmndi:BPMNDiagram id="Diagram_x"><bpmndi:BPMNPlane id="Plane_x" bpmnElement="{plane}">'
            f"{''.join(self.drawn)}</bpmndi:BPMNPlane></bpmndi:BPMNDiagram>"
        )
        parts = [*self.roots, together, *processes]
        parts = parts if self.chance(0.5) else [together, *processes, *self.roots]
        parts.append(diagram if self.chance(0.85) else "")
        spaces = "".join(f' xmlns:{key}="{uri}"' for key, uri in _SPACES.items())
        own = f"xmlns:{self.prefix[:-1]}" if self.prefix else "xmlns"
        name = f"{self.prefix}definitions"
        return (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<{name} {own}="{MODEL}"{spaces} '
            'id="Defs" targetNamespace="http://example.com/orders" '
            'exporter="Some Modeler" exporterVersion="5.1" modeler:executionPlatform="Camunda Cloud">\n'
            f"{''.join(parts)}</{name}>"
        )


def document(seed: int) -> str:
    """Return the BPMN document of a seed."""
    return _Made(seed).document()
