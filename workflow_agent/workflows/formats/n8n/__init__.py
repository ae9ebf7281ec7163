"""n8n in JSON: the format, and workflows written as those of n8n."""

from collections.abc import Iterable, Sequence
from typing import Any

from typing_extensions import override

from workflow_agent.values import grouped
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import DocumentFormat
from workflow_agent.workflows.formats.fidelity import kept_in, restored, restored_step, same
from workflow_agent.workflows.formats.n8n import reader
from workflow_agent.workflows.formats.n8n.nodes import NODE, SAID_BY, generated, is_trigger, said, said_port
from workflow_agent.workflows.formats.plain import list_in, object_in, without
from workflow_agent.workflows.formats.shapes import problems_in, record
from workflow_agent.workflows.model.parser import take_id
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

_TOP_SAID_BY = {"name": ("name",), "description": ("description",), "tags": ("tags",)}
_COLUMN, _ROW = 220, 160


def document_of(workflow: Workflow, format_name: str) -> JsonObject:
    """Return the n8n document for a workflow."""
    return _Writer(workflow, format_name).whole()


class _Writer:
    def __init__(self, workflow: Workflow, format_name: str) -> None:
        self._workflow = workflow
        self._format_name = format_name
        self._kept = kept_in(workflow.extensions, format_name)
        self._nodes: dict[str, JsonObject] = {}
        names: set[str] = set()
        for step in workflow.steps:
            kept = kept_in(step.extensions, format_name)
            node = restored_step(step, generated(step), kept, read=said, said_by=SAID_BY, shape=NODE)
            node["name"] = take_id(node["name"], names)
            self._nodes[step.id] = node
        self._taken = names

    def whole(self) -> JsonObject:
        workflow = self._workflow
        written = workflow_document(workflow)
        fields = {"name": workflow.name, "description": workflow.description, "tags": written["tags"]}
        beside = without(self._kept, "notes", "dangling", "nodes", "connections")
        shape = record({}, is_open=True)
        top = restored(reader.made_top(fields), beside, fields, read=reader.said_top, said_by=_TOP_SAID_BY, shape=shape)
        connections: JsonObject = {}
        ports = self._ports()
        triggers = self._triggers(is_ours=top.get("meta") == reader.MARK)
        for node in triggers:
            _add(connections, node["name"], ("main", 0), reader.entry_to(self._nodes[workflow.start]["name"]))
        for edge in workflow.transitions:
            self._connect(connections, edge, ports[edge.id])
        names = {node["name"] for node in self._nodes.values()}
        for one in list_in(self._kept.get("dangling")):
            if _is_dangling(one, names):
                _add(connections, one[0], (one[1], one[2]), one[3])
        self._place()
        notes = [n for n in list_in(self._kept.get("notes")) if not problems_in(n, NODE)]
        nodes = [*triggers, *self._nodes.values(), *(n for n in notes if n["name"] not in self._taken)]
        named = {"name": top["name"]} if "name" in top else {}
        return {**named, "nodes": nodes, "connections": connections, **top}

    def _ports(self) -> dict[str, tuple[str, int]]:
        """Return the output each transition leaves by; those that were read leave as they did."""
        found: dict[str, tuple[str, int]] = {}
        leaving = grouped((edge.from_, edge) for edge in self._workflow.transitions)
        for step in self._workflow.steps:
            edges = leaving.get(step.id, [])
            kept = {edge.id: self._kept_port(step, edge) for edge in edges}
            is_new = any(kept[edge.id] is None for edge in edges if edge.type in ("condition", "default"))
            if step.type == "decision" and is_new:
                found |= self._switch(step, edges)
                continue
            for edge in edges:
                found[edge.id] = kept[edge.id] or _plain_port(edge)
                if edge.type == "error" and kept[edge.id] is None:
                    self._nodes[step.id]["onError"] = "continueErrorOutput"
        return found

    def _kept_port(self, step: Step, edge: Transition) -> tuple[str, int] | None:
        port = list_in(kept_in(edge.extensions, self._format_name).get("port")) or ["main", 0]
        if len(port) != 2 or not isinstance(port[0], str) or type(port[1]) is not int or not 0 <= port[1] < 1_000:
            return None
        plain = edge.as_plain()
        wanted = {key: plain[key] for key in ("when", "label") if key in plain} | {"type": edge.type}
        return (port[0], port[1]) if same(said_port(self._nodes[step.id], *port), wanted) else None

    def _switch(self, step: Step, edges: Sequence[Transition]) -> dict[str, tuple[str, int]]:
        """Make a node a switch with one rule for each of its conditions, and say which way leads where."""
        node = self._nodes[step.id]
        rules: list[JsonObject] = []
        found: dict[str, tuple[str, int]] = {}
        for edge in (one for one in edges if one.type == "condition"):
            found[edge.id] = ("main", len(rules))
            rules.append(_rule(edge))
        rest = {"condition": 0, "default": len(rules), "error": len(rules) + 1}
        for edge in (one for one in edges if one.type != "condition"):
            found[edge.id] = ("main", rest.get(edge.type, 0)) if edge.type != "data" else _plain_port(edge)
            if edge.type == "error":
                node["onError"] = "continueErrorOutput"
        own = without(node["parameters"], "conditions")
        options = {**object_in(own.get("options")), "fallbackOutput": "extra"}
        parameters = {**own, "rules": {"values": rules}, "options": options}
        node |= {"type": "n8n-nodes-base.switch", "typeVersion": 3, "parameters": parameters}
        return found

    def _connect(self, connections: JsonObject, edge: Transition, port: tuple[str, int]) -> None:
        target = self._nodes[edge.to]["name"]
        kept = object_in(kept_in(edge.extensions, self._format_name).get("entry"))
        entry = {"node": target, **without(kept, "node")} if kept else reader.entry_to(target, port[0])
        _add(connections, self._nodes[edge.from_]["name"], port, entry)

    def _triggers(self, *, is_ours: bool) -> list[JsonObject]:
        """Return the nodes for triggers that no step stands for."""
        steps = [] if is_ours else [reader.said_trigger(node) for node in self._nodes.values() if is_trigger(node)]
        wanted = [one for one in workflow_document(self._workflow)["triggers"] if one not in steps]
        return [
            {
                **reader.made_trigger(trigger),
                "id": f"{reader.TRIGGER_ID}{at + 1}",
                "name": take_id(f"Start by {trigger['type']}", self._taken),
                "position": [-_COLUMN, at * _ROW],
            }
            for at, trigger in enumerate(wanted)
        ]

    def _place(self) -> None:
        """Give every node that has no place one, in columns from left to right."""
        if all("position" in node for node in self._nodes.values()):
            return
        onward = grouped((edge.from_, edge.to) for edge in self._workflow.transitions)
        columns: dict[str, int] = {}
        for first in (self._workflow.start, *self._nodes):
            columns.setdefault(first, 0)
            for here in (waiting := [first]):
                for there in (one for one in onward.get(here, ()) if one not in columns):
                    columns[there] = columns[here] + 1
                    waiting.append(there)
        for column, step_ids in grouped((column, step_id) for step_id, column in columns.items()).items():
            for row, step_id in enumerate(step_ids):
                self._nodes[step_id].setdefault("position", [column * _COLUMN, row * _ROW])


def _plain_port(edge: Transition) -> tuple[str, int]:
    if edge.type == "data":
        return (edge.label if edge.label and edge.label.startswith("ai_") else "ai_tool", 0)
    return ("main", 1 if edge.type == "error" else 0)


def _rule(edge: Transition) -> JsonObject:
    when = edge.when
    text = (when.text if when else None) or edge.label or edge.id
    conditions: Any = when.expression if when and when.language == "n8n" else None
    if not list_in(object_in(conditions).get("conditions")):
        is_true = {"type": "boolean", "operation": "true", "singleValue": True}
        asked = when.expression if when and isinstance(when.expression, str) else None
        tests = [] if asked is None else [{"leftValue": asked, "rightValue": "", "operator": is_true}]
        conditions = {"options": {"caseSensitive": True}, "conditions": tests, "combinator": "and"}
    return {"conditions": conditions, "renameOutput": True, "outputKey": text}


def _is_dangling(one: Any, names: Iterable[str]) -> bool:
    """Say whether a kept connection still leads from or to a node that is not there."""
    if not isinstance(one, list) or len(list_in(one)) != 4:
        return False
    source, kind, output, entry = list_in(one)
    is_sound = isinstance(source, str) and isinstance(kind, str) and type(output) is int and 0 <= output < 1_000
    target = object_in(entry).get("node")
    return is_sound and isinstance(target, str) and not {source, target} <= set(names)


def _add(connections: JsonObject, source: str, port: tuple[str, int], entry: JsonObject) -> None:
    outputs: list[list[JsonObject]] = connections.setdefault(source, {}).setdefault(port[0], [])
    outputs += [[] for _ in range(port[1] + 1 - len(outputs))]
    outputs[port[1]].append(entry)


class N8n(DocumentFormat):
    """Nodes, and the connections between their outputs and inputs."""

    name = "n8n"
    title = "n8n"
    media_type = "application/json"
    extension = "json"
    shape = staticmethod(reader.SHAPE)
    rules = staticmethod(reader.check_names)
    read_into = staticmethod(reader.read_workflow)
    document_of = staticmethod(document_of)

    @override
    def recognises(self, document: Any) -> float:
        nodes = list_in(object_in(document).get("nodes"))
        if not nodes or "connections" not in document:
            return 0.0
        return 0.95 if all({"name", "type"} <= object_in(node).keys() for node in nodes) else 0.5
