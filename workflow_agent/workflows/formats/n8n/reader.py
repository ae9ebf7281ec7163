"""A workflow of n8n as one of ours."""

from collections.abc import Iterator, Mapping
from typing import Any

from workflow_agent.errors import Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import Imported, UnreadableDocument
from workflow_agent.workflows.formats.builder import Draft, fit
from workflow_agent.workflows.formats.fidelity import kept_of, step_with
from workflow_agent.workflows.formats.n8n.nodes import NODE, NOTE, generated, is_trigger, said, said_port, short_type
from workflow_agent.workflows.formats.plain import filled, list_in, nonempty, object_in, repeated, text_in, without
from workflow_agent.workflows.formats.shapes import Place, anything, listed, mapped, one_kind, record, text
from workflow_agent.workflows.model.durations import duration_of, whole_seconds
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.triggers import cron_problem

MARK = {"exportedBy": "workflow_agent"}
"""The `meta` of documents that are made: places and triggers in them are generated, and not kept."""
TRIGGER_ID = "workflow-trigger-"
_ENTRIES = one_kind(list=listed(record({"node": text()}, required=["node"], is_open=True)), nothing=anything)
SHAPE = record(
    {
        "nodes": listed(NODE, least=1),
        "connections": mapped(mapped(listed(_ENTRIES))),
        "name": one_kind(text=anything, nothing=anything),
        "tags": one_kind(list=anything, nothing=anything),
    },
    required=["nodes", "connections"],
    is_open=True,
)
_BASE = "n8n-nodes-base."
_EVENT = "Event: "
_SECONDS = {"seconds": 1, "minutes": 60, "hours": 3_600, "days": 86_400, "weeks": 604_800}


def check_names(document: JsonObject, place: Place) -> None:
    """Refuse each node whose name another one has."""
    names = [node["name"] for node in document["nodes"]]
    for at in repeated(names):
        (place / "nodes" / at / "name").refuse(f"{names[at][:80]!r} is the name of another node, too")


def said_top(document: Mapping[str, Any]) -> JsonObject:
    """Return the fields of a workflow that a document says beside its nodes."""
    tags = [object_in(one).get("name", one) for one in list_in(document.get("tags"))]
    name, description = text_in(document.get("name"), 200), text_in(document.get("description"))
    return {
        "name": name or "n8n workflow",
        "description": description or "",
        "tags": [tag for tag in tags if text_in(tag, 200)],
    }


def made_top(fields: Mapping[str, Any]) -> JsonObject:
    """Return what a document says beside its nodes, from the model alone."""
    tags = [{"name": tag} for tag in fields.get("tags") or ()]
    return nonempty({"name": fields["name"], "description": fields.get("description"), "meta": MARK, "tags": tags})


def read_workflow(document: JsonObject, draft: Draft) -> Imported:
    """Return the workflow of an n8n document."""
    return _Reader(document, draft).whole()


class _Reader:
    def __init__(self, document: JsonObject, draft: Draft) -> None:
        self._document = document
        self._draft = draft
        self._is_ours = document.get("meta") == MARK
        self._nodes: dict[str, JsonObject] = {node["name"]: node for node in document["nodes"]}
        self._ids: dict[str, str] = {}
        self._dangling: list[list[Any]] = []

    def whole(self) -> Imported:
        made = [one for one in self._nodes.values() if self._is_ours and _is_made(one)]
        targets = {self._only_target(one["name"]) for one in made}
        is_plain = len(targets) == 1 and None not in targets
        triggering = made if is_plain else []
        elided = {one["name"] for one in triggering}
        for at, node in enumerate(self._document["nodes"]):
            if node["type"] != NOTE and node["name"] not in elided:
                self._node(node, at)
        if not self._draft.steps:
            raise UnreadableDocument(self._draft.title, [Problem("/nodes", "has no node that does something")])
        for source, kind, output, entry in self._entries():
            if source not in elided:
                self._entry(source, kind, output, entry)
        if not self._is_ours:
            triggering = [node for node in self._nodes.values() if is_trigger(node)]
        first = self._ids[str(targets.pop())] if elided else self._first()
        fields = said_top(self._document)
        kept = kept_of(without(self._document, "nodes", "connections"), made_top(fields))
        notes = [node for node in self._nodes.values() if node["type"] == NOTE]
        kept |= nonempty({"notes": notes, "dangling": self._dangling})
        triggers = [one for one in map(said_trigger, triggering) if one is not None]
        return self._draft.finished(start=first, triggers=triggers, kept=kept, **fields)

    def _entries(self) -> Iterator[tuple[str, str, int, JsonObject]]:
        for source, kinds in self._document["connections"].items():
            for kind, outputs in kinds.items():
                for output, entries in enumerate(outputs):
                    yield from ((source, kind, output, entry) for entry in entries or ())

    def _only_target(self, name: str) -> str | None:
        """Return the step that a trigger leads to, if that is all that it does."""
        leading = [one for one in self._entries() if one[0] == name]
        entered = any(one[3]["node"] == name for one in self._entries())
        if len(leading) != 1 or entered or leading[0][1:3] != ("main", 0):
            return None
        entry = leading[0][3]
        target = self._nodes.get(entry["node"])
        is_plain = target and entry == entry_to(entry["node"]) and not _is_made(target) and target["type"] != NOTE
        return entry["node"] if is_plain else None

    def _node(self, node: JsonObject, at: int) -> None:
        fields = said(node)
        plain = generated(step_with(fields))
        wanted = str(node.get("id") or "") if self._is_ours else None
        step_id = self._draft.add(wanted_id=wanted, **fields)
        own = {key: value for key, value in node.items() if key != "position" or not self._is_ours}
        if fields["type"] == "decision" and self._is_ours and "rules" in object_in(fields.get("with")):
            own["parameters"] = without(own["parameters"], "rules", "options")
            rest = without(fields["with"], "rules", "options")
            self._draft.steps[-1] = nonempty(self._draft.steps[-1] | {"with": rest})
            plain["parameters"] = rest
        if self._is_ours and own.get("onError") == "continueErrorOutput":
            del own["onError"]
        kept = kept_of(own, {**plain, "id": step_id})
        self._draft.keep(kept, ("nodes", at))
        self._ids[node["name"]] = step_id

    def _entry(self, source: str, kind: str, output: int, entry: JsonObject) -> None:
        target = entry["node"]
        if source not in self._ids or target not in self._ids:
            self._dangling.append([source, kind, output, entry])
            return
        fields = said_port(self._nodes[source], kind, output)
        is_plain = (kind, output) == ("main", 0) and fields == {"type": "sequence"}
        is_made_again = kind != "main" or output == 0 or fields["type"] in ("condition", "default", "error")
        kept = {
            "port": None if is_plain or (self._is_ours and is_made_again) else [kind, output],
            "entry": without(entry, "node") if entry != entry_to(target, kind) else None,
        }
        self._draft.connect(self._ids[source], self._ids[target], kept=filled(kept), **fields)

    def _first(self) -> str:
        entered = {entry["node"] for _, kind, _, entry in self._entries() if kind == "main"}
        leading = {source for source, kind, _, _ in self._entries() if kind == "main"}
        names = list(self._ids)
        triggers = [name for name in names if is_trigger(self._nodes[name]) and not self._is_ours]
        free = [name for name in names if name not in entered]
        busy = [name for name in free if name in leading]
        return self._ids[(triggers + busy + free + names)[0]]


def _is_made(node: Mapping[str, Any]) -> bool:
    return str(node.get("id")).startswith(TRIGGER_ID) and said_trigger(node) is not None


def entry_to(target: str, kind: str = "main") -> JsonObject:
    """Return the connection to the first input of a node."""
    return {"node": target, "type": kind, "index": 0}


def said_trigger(node: Mapping[str, Any]) -> JsonObject | None:
    """Return the trigger that a node stands for; None where it is none, or the model has none like it."""
    short, parameters = short_type(node), object_in(node.get("parameters"))
    if not is_trigger(node) or node.get("disabled") is True:
        return None
    notes = text_in(node.get("notes"), 200 + len(_EVENT)) or ""
    if notes.startswith(_EVENT) and notes.removeprefix(_EVENT).strip():
        return {"type": "event", "event": notes.removeprefix(_EVENT)}
    if short in ("manualTrigger", "start"):
        return {"type": "manual"}
    if short in ("scheduleTrigger", "cron", "interval"):
        intervals = list_in(object_in(parameters.get("rule")).get("interval"))
        return _said_schedule(object_in(intervals[0])) if len(intervals) == 1 else None
    if short == "webhook":
        path, method = text_in(parameters.get("path")), text_in(parameters.get("httpMethod"), 200)
        return nonempty({"type": "webhook", "path": path, "method": method})
    name = fit(short.removesuffix("Trigger"))
    return {"type": "event", "event": name} if name else None


def _said_schedule(interval: JsonObject) -> JsonObject | None:
    field = str(interval.get("field", "days"))
    if field == "cronExpression":
        cron = text_in(interval.get("expression"), 200)
        return {"type": "schedule", "cron": cron} if cron and cron_problem(cron) is None else None
    amount = interval.get(f"{field}Interval", 1)
    if field not in _SECONDS or type(amount) is not int or not 1 <= amount <= 10_000:
        return None
    hour, minute = interval.get("triggerAtHour", 0), interval.get("triggerAtMinute", 0)
    if field == "days" and amount == 1 and type(hour) is int and type(minute) is int:
        cron = f"{minute} {hour} * * *"
        return {"type": "schedule", "cron": cron} if cron_problem(cron) is None else None
    return {"type": "schedule", "every": duration_of(amount * _SECONDS[field])}


def made_trigger(trigger: Mapping[str, Any]) -> JsonObject:
    """Return the type, the parameters and the notes of the node for a trigger."""
    kind = trigger["type"]
    if kind == "schedule":
        rule = {"rule": {"interval": [_made_interval(trigger)]}}
        return {"type": _BASE + "scheduleTrigger", "typeVersion": 1.2, "parameters": rule}
    if kind == "webhook":
        parameters = nonempty({"path": trigger.get("path"), "httpMethod": trigger.get("method")})
        return {"type": _BASE + "webhook", "typeVersion": 2, "parameters": parameters}
    if kind in ("event", "workflow"):
        event = str(trigger[kind])
        parameters = {"path": slug(event, fallback="event"), "httpMethod": "POST"}
        return {"type": _BASE + "webhook", "typeVersion": 2, "parameters": parameters, "notes": _EVENT + event}
    return {"type": _BASE + "manualTrigger", "typeVersion": 1, "parameters": {}}


def _made_interval(trigger: Mapping[str, Any]) -> JsonObject:
    if trigger.get("cron"):
        return {"field": "cronExpression", "expression": trigger["cron"]}
    seconds = whole_seconds(trigger.get("every")) or 3_600
    field = next(one for one in ("weeks", "days", "hours", "minutes", "seconds") if not seconds % _SECONDS[one])
    if field == "days" and seconds == _SECONDS["days"]:
        field = "hours"
    return {"field": field, f"{field}Interval": seconds // _SECONDS[field]}
