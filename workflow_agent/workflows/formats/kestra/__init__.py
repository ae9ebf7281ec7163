"""Kestra in YAML: the format, and workflows written as flows."""

import re
from collections.abc import Collection, Sequence
from typing import Any

from typing_extensions import override

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import DocumentFormat
from workflow_agent.workflows.formats.fidelity import WITHOUT, kept_in, kept_or_made, restored, restored_step
from workflow_agent.workflows.formats.flow import Flow
from workflow_agent.workflows.formats.kestra import reader
from workflow_agent.workflows.formats.kestra.shapes import FLOW, HOLDERS, PART, flow_shape, short, task_shape
from workflow_agent.workflows.formats.kestra.tasks import FLOW as FLOW_TASK
from workflow_agent.workflows.formats.kestra.tasks import SAID_BY, expression_of, generated, id_of, said
from workflow_agent.workflows.formats.plain import filled, list_in, object_in, text_in, without
from workflow_agent.workflows.formats.shapes import allowed, problems_in, record
from workflow_agent.workflows.model.parser import take_id
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

_COUNTED = re.compile(r"_\d{1,9}")
"""How ids that are made of the same name differ."""
_MEETINGS_TRIED = 30
_SELF = record({key: FLOW[key] for key in reader.ABOUT}, required=("id", "namespace"), is_open=True)


def flow_of(workflow: Workflow, format_name: str) -> JsonObject:
    """Return the flow for a workflow, as far as Kestra can say it."""
    kept = kept_in(workflow.extensions, format_name)
    own = {key: value for key, value in kept.items() if key in (*reader.ABOUT, WITHOUT)}
    wanted = {"name": workflow.name, "description": workflow.description, "tags": list(workflow.tags)}
    itself = restored(reader.about(wanted), own, wanted, read=reader.said_about, said_by=reader.SAID_BY, shape=_SELF)
    rest = allowed(without(kept, *own, "tasks", "errors", "triggers"), record(FLOW, is_open=True))
    taken = {str(one.get("id")) for key in ("finally", "afterExecution") for one in list_in(rest.get(key))}
    plain = [one.as_plain() for one in workflow.triggers]
    made = reader.triggers_of(plain) or None
    given = kept.get("triggers")
    triggers = kept_or_made(given, made, plain, read=reader.said_triggers, shape=FLOW["triggers"])
    return {**itself, **rest, **_Writer(workflow, format_name, taken).whole(), **filled({"triggers": triggers})}


class _Writer:
    def __init__(self, workflow: Workflow, format_name: str, taken: set[str]) -> None:
        self._workflow = workflow
        self._flow = Flow(workflow, format_name)
        self._taken = taken
        self._ids: dict[str, str] = {}
        for step in workflow.steps:
            kept = self._flow.kept(step).get(reader.ID)
            if isinstance(kept, str) and kept not in taken and _COUNTED.fullmatch(kept.removeprefix(id_of(step.name))):
                taken.add(kept)
                self._ids[step.id] = kept
        for step in (one for one in workflow.steps if one.id not in self._ids):
            self._ids[step.id] = take_id(id_of(step.name), self._taken)
        self._done: set[str] = set()

    def whole(self) -> JsonObject:
        """Return the tasks of the flow, and those for when one of them fails."""
        return self._scope(self._flow.children[None], self._flow.start)

    def _scope(self, members: Sequence[Step], first: str, *, are_beside: bool = False) -> JsonObject:
        ids = [step.id for step in members]
        handling = self._handling(ids, first)
        main = [one for one in ids if one not in handling]
        if are_beside:
            groups = self._flow.components([self._flow.steps[one] for one in main], by_onward=True)
            lists = [([step.id for step in group], self._flow.heads(None, group)[0]) for group in groups]
            tasks = [self._as_one(self._in_order(*one)) for one in lists]
        else:
            tasks = self._in_order(main, first)
        errors = self._in_order(handling, handling[0]) if handling else []
        return {"tasks": tasks, **({"errors": errors} if errors else {})}

    def _handling(self, ids: Sequence[str], first: str) -> list[str]:
        """Return the steps to which work comes only because something failed."""
        targets = [edge.to for one in ids for edge in self._flow.failing(one)]
        entered = {edge.to for one in ids for edge in self._flow.onward(one)}
        heads = {one for one in targets if one not in entered and one != first}
        begins = [one for one in ids if one == first or one not in entered | {*targets}]
        usual = {there for one in begins for there in self._reached(one)}
        found = {there for head in heads for there in self._reached(head)} - usual
        return [one for one in dict.fromkeys([*targets, *ids]) if one in found]

    def _reached(self, first: str, stop: str | None = None) -> list[str]:
        """Return the steps of the scope that work comes to from one when nothing fails, itself first."""
        return self._flow.reached(first, stop=stop, when_failing=False)

    def _as_one(self, tasks: list[JsonObject]) -> JsonObject:
        """Return tasks that come one after the other as one."""
        if len(tasks) == 1:
            return tasks[0]
        return {"id": take_id("branch", self._taken), "type": FLOW_TASK + "Sequential", "tasks": tasks}

    def _in_order(self, ids: Sequence[str], first: str) -> list[JsonObject]:
        """Return the tasks of steps, begun with the first; what no list can lead to comes last."""
        tasks = self._list(first, None, {*ids})
        for one in ids:
            tasks += self._list(one, None, {*ids})
        return tasks

    def _list(self, first: str | None, stop: str | None, within: Collection[str]) -> list[JsonObject]:
        tasks: list[JsonObject] = []
        here = first
        while here is not None and here != stop and here in within and here not in self._done:
            self._done.add(here)
            step = self._flow.steps[here]
            ways = [e for e in self._flow.onward(here) if e.to in within] if step.type != "end" else []
            decides = any(edge.type == "condition" or edge.when or edge.action for edge in ways)
            if step.type == "decision" and short(self._flow.kept(step).get("type")) != "Dag":
                here, task = self._decision(step, ways, stop, within)
                tasks.append(task)
            elif decides:
                tasks.append(self._content(step))
                chooser = Step(id="x", name=f"{self._ids[here]}_way", type="decision")
                here, task = self._decision(chooser, ways, stop, within, beside=here)
                tasks.append(task)
            elif len(ways) > 1 and here not in self._flow.children:
                tasks += [] if step.type == "fork" else [self._content(step)]
                here, task = self._fork(step, ways, stop, within)
                tasks += [task] if task["tasks"] or step.type == "fork" else []
            else:
                tasks.append(self._content(step))
                here = ways[0].to if ways else None
        return tasks

    def _decision(
        self, step: Step, ways: Sequence[Transition], stop: str | None, within: Collection[str], beside: str = ""
    ) -> tuple[str | None, JsonObject]:
        """Return where the branches of a decision come together, and its task."""
        kept = self._flow.kept(step)
        meeting = self._meeting(ways, kept.get(reader.NEXT), stop, within)
        asked = [edge for edge in ways if edge.type == "condition" or edge.when or edge.action]
        otherwise = next((edge for edge in ways if edge not in asked), None)
        written = [str(one) for one in list_in(kept.get(reader.WAYS))]
        when = asked[0].when if len(asked) == 1 else None
        condition: str | bool | None = None
        if when is not None and when.expression is not None and short(kept.get("type")) != "Switch":
            condition = expression_of(when)
        elif not asked and isinstance(kept.get(reader.IF), str | bool):
            condition = kept[reader.IF]
        is_if = condition is not None
        task = self._plain(step, condition=condition)
        if beside:
            value = {} if is_if else {"value": f"{{{{ outputs.{self._ids[beside]} }}}}"}
            task = {**task, "id": take_id(step.name, self._taken), **value}
        cases = {self._case(edge): self._list(edge.to, meeting, within) for edge in asked}
        given = [one.removeprefix("cases:") for one in written if one.startswith("cases:")]
        # Branches with nothing in them come to the graph late, or not at all; they stand where they stood.
        cases = {key: cases.get(key, []) for key in (*given, *cases)}
        others = self._list(otherwise.to, meeting, within) if otherwise else []
        last = "else" if is_if else "defaults"
        inside: JsonObject = {"then": next(iter(cases.values()), list[JsonObject]())} if is_if else {"cases": cases}
        if others or last in written:
            inside[last] = others
        return meeting, {**task, **inside}

    def _case(self, edge: Transition) -> str:
        key, when = self._flow.kept(edge).get("case"), edge.when
        if isinstance(key, str) and when is not None and key[:200].strip() in ("", when.text):
            return key
        return (when.text or expression_of(when)) if when is not None else edge.action or edge.label or "chosen"

    def _meeting(
        self, ways: Sequence[Transition], hint: object, stop: str | None, within: Collection[str]
    ) -> str | None:
        """Return the step where the branches come together: after it none of them goes on by itself."""
        heads = list(dict.fromkeys(edge.to for edge in ways))
        hinted = [hint] if isinstance(hint, str) and hint in within and hint not in self._done else []
        hinted = [stop] if hint == "" else hinted
        reached = [self._reached(head, stop) for head in heads] if len(heads) > 1 else [list[str]()]
        common = set(reached[0]).intersection(*reached[1:])
        tried = [*hinted, *[one for one in reached[0] if one in common][:_MEETINGS_TRIED]]
        return next((one for one in tried if self._are_apart(heads, one)), stop)

    def _are_apart(self, heads: Sequence[str], meeting: str | None) -> bool:
        branches = [self._reached(head, meeting) for head in heads]
        return len(set[str]().union(*branches)) == sum(map(len, branches))

    def _fork(
        self, step: Step, ways: Sequence[Transition], stop: str | None, within: Collection[str]
    ) -> tuple[str | None, JsonObject]:
        """Return where the branches of a fork come together, and its task with them inside."""
        meeting = self._meeting(ways, None, stop, within)
        lists = [self._list(edge.to, meeting, within) for edge in ways]
        inside = [self._as_one(one) for one in lists if one]
        beside = {"id": take_id(f"{self._ids[step.id]}_ways", self._taken), "type": FLOW_TASK + "Parallel"}
        return meeting, {**(self._plain(step) if step.type == "fork" else beside), "tasks": inside}

    def _plain(self, step: Step, *, has_children: bool = False, condition: str | bool | None = None) -> JsonObject:
        kept = without(
            self._flow.kept(step), reader.ID, reader.IF, reader.NEXT, reader.WAYS, reader.WHOLE, reader.NEEDS
        )
        task_id = self._ids.get(step.id, step.name)
        plain = generated(step, task_id, has_children=has_children, condition=condition)
        return restored_step(step, plain, kept, read=said, said_by=SAID_BY, shape=PART)

    def _content(self, step: Step) -> JsonObject:
        """Return the task of a step, with all that is inside it."""
        inside = self._flow.children.get(step.id, [])
        task = self._plain(step, has_children=bool(inside))
        kind = short(task["type"])
        if kind == "Dag":
            return {**task, "tasks": [self._needing(one) for one in inside]}
        if not inside:
            return {**task, "tasks": []} if kind in HOLDERS else task
        if kind not in HOLDERS:
            task = {"id": task["id"], "type": FLOW_TASK + "Sequential"}
        first = self._flow.heads(step.id, inside)[0]
        return {**task, **self._scope(inside, first, are_beside=kind == "Parallel")}

    def _needing(self, step: Step) -> JsonObject:
        kept = self._flow.kept(step)
        whole = object_in(kept.get(reader.WHOLE))
        is_whole = whole and not problems_in(whole, task_shape) and whole["id"] == step.name
        task = {**whole, "id": self._ids[step.id]} if is_whole else self._content(step)
        inside = {one.id for one in self._flow.children[step.parent]}
        needed = [
            self._ids[one.from_] for one in self._flow.into(step.id) if one.from_ in inside and one.type != "error"
        ]
        return {"task": task, **({"dependsOn": needed} if needed or reader.NEEDS in kept else {})}


class Kestra(DocumentFormat):
    """Tasks of plugins, in lists and in tasks that hold others."""

    name = "kestra"
    title = "Kestra flow"
    extension = "yaml"
    shape = staticmethod(flow_shape)
    read_into = staticmethod(reader.read_flow)
    document_of = staticmethod(flow_of)

    @override
    def recognises(self, document: Any) -> float:
        whole = object_in(document)
        tasks = [object_in(one) for one in list_in(whole.get("tasks"))]
        is_typed = bool(tasks) and all("." in (text_in(one.get("type")) or "") for one in tasks)
        if {"id", "namespace"} <= whole.keys():
            return 0.95 if is_typed else 0.4 * ("tasks" in whole)
        return 0.5 * (is_typed and "id" in whole)
