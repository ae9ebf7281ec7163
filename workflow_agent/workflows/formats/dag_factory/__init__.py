"""dag-factory, Airflow DAGs in YAML with several in one file: the format, and workflows written as a DAG."""

import re
from collections.abc import Sequence
from typing import Any

from typing_extensions import override

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import DocumentFormat
from workflow_agent.workflows.formats.dag_factory import reader, shapes
from workflow_agent.workflows.formats.dag_factory.tasks import SAID_BY, arguments_in, said_task, task_of
from workflow_agent.workflows.formats.fidelity import kept_in, restored, restored_step
from workflow_agent.workflows.formats.flow import Dependencies, Flow
from workflow_agent.workflows.formats.plain import list_in, object_in, without
from workflow_agent.workflows.formats.shapes import problems_in
from workflow_agent.workflows.model.parser import slug, take_id
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

_GROUP_SAID_BY = {"name": ("group_display_name",), "description": ("tooltip",)}


def document_of(workflow: Workflow, format_name: str) -> JsonObject:
    """Return the document for a workflow, as far as a DAG can say it."""
    kept = kept_in(workflow.extensions, format_name)
    shared = without(object_in(kept.get(shapes.DEFAULT)), *shapes.NAMED_BY)
    shared = {} if problems_in(shared, shapes.DAG) else shared
    dag_id = _dag_id(workflow, kept)
    header = _header(workflow, dag_id, object_in(kept.get("dag")), shared)
    writer = _Writer(workflow, format_name, object_in(shapes.merged(header, shared).get("default_args")))
    by_name = list_in(kept.get("$mapped"))
    body = {
        kind: found if kind in by_name else [{shapes.NAMED_BY[kind]: name, **entry} for name, entry in found.items()]
        for kind, found in writer.body().items()
    }
    return {**({shapes.DEFAULT: shared} if shapes.DEFAULT in kept else {}), dag_id: {**header, **body}}


def _dag_id(workflow: Workflow, kept: JsonObject) -> str:
    for wanted in (kept.get("$dag_id"), workflow.name):
        if isinstance(wanted, str) and wanted != shapes.DEFAULT and re.fullmatch(shapes.DAG_ID, wanted):
            return wanted
    return slug(workflow.name, fallback="workflow")


def _header(workflow: Workflow, dag_id: str, kept: JsonObject, shared: JsonObject) -> JsonObject:
    document = workflow_document(workflow)
    wanted = {field: document[field] for field in reader.HEADER_SAID_BY}
    return restored(
        reader.header_of(wanted, dag_id),
        without(kept, *shapes.NAMED_BY),
        wanted,
        read=lambda part: reader.said_dag(dag_id, shapes.merged(part, shared)),
        said_by=reader.HEADER_SAID_BY,
        shape=shapes.DAG,
    )


class _Writer:
    def __init__(self, workflow: Workflow, format_name: str, arguments: JsonObject) -> None:
        self._arguments = arguments
        self._flow = Flow(workflow, format_name)
        self._needs = {scope: Dependencies(self._flow, members) for scope, members in self._flow.children.items()}
        working = {step.id for needs in self._needs.values() for step in needs.work}
        self._members = [step for step in workflow.steps if step.id in working]
        self._ids: dict[str, str] = {}
        taken: set[str] = set()
        for step in self._members:
            kept = self._flow.kept(step).get("$id")
            named = kept if isinstance(kept, str) and re.fullmatch(shapes.TASK_ID, kept) else step.id
            self._ids[step.id] = take_id(named, taken)

    def _is_group(self, step: Step) -> bool:
        return step.id in self._flow.children or self._flow.kept(step).get("$group") is True

    def body(self) -> JsonObject:
        """Return the groups, if any, and the tasks by their names."""
        groups = {self._ids[one.id]: self._group(one) for one in self._members if self._is_group(one)}
        tasks = {self._ids[one.id]: self._task(one) for one in self._members if not self._is_group(one)}
        self._say_needs(groups, tasks)
        whole = {shapes.TASKS: tasks or {"nothing": task_of(Step(id="nothing", name="nothing"), "nothing")}}
        return {shapes.GROUPS: groups, **whole} if groups else whole

    def _group(self, step: Step) -> JsonObject:
        name = self._ids[step.id]
        group = restored(
            reader.group_of(step, name),
            without(self._flow.kept(step), "$id", "$needs", "$group"),
            {"name": step.name, "description": step.description},
            read=lambda part: reader.said_group(name, part),
            said_by=_GROUP_SAID_BY,
            shape=shapes.GROUP,
        )
        return {**group, **self._inside(step, "parent_group_name")}

    def _inside(self, step: Step, key: str) -> JsonObject:
        return {key: self._ids[step.parent]} if step.parent in self._ids else {}

    def _task(self, step: Step) -> JsonObject:
        name = self._ids[step.id]
        kept = without(self._flow.kept(step), "$id", "$needs", "$group")
        generated = task_of(step, name)
        parent = self._flow.steps.get(step.parent or "")
        of_group = object_in(self._flow.kept(parent).get("default_args")) if parent else {}
        task = restored_step(
            step,
            generated,
            kept,
            read=lambda part: said_task(name, part, {**self._arguments, **of_group}),
            said_by={**SAID_BY, "with": tuple(arguments_in({**generated, **kept}))},
            shape=shapes.TASK,
        )
        return {**self._ruled(step, task), **self._inside(step, "task_group_name")}

    def _ruled(self, step: Step, task: JsonObject) -> JsonObject:
        """Return a task with the rule by which it runs, as far as the transitions to it say one."""
        needs = self._needs[step.parent].of(step.id)
        failing = any(one.on_failure for one in needs)
        enough = self._needs[step.parent].needs_any(step.id)
        rule = task.get("trigger_rule", self._arguments.get("trigger_rule"))
        is_how = (rule in reader.FIRST_FAILS) == failing
        if not needs or (is_how and (len(needs) == 1 or (rule in reader.ANY_IS_ENOUGH) == enough)):
            return task
        wanted = f"{'one' if enough else 'all'}_{'failed' if failing else 'success'}"
        return {**without(task, "trigger_rule"), "trigger_rule": wanted}

    def _say_needs(self, groups: JsonObject, tasks: JsonObject) -> None:
        """Say what each waits for: as it was said, if that is still what the transitions say."""
        entries = {**groups, **tasks}
        wanted = {
            self._ids[step.id]: [self._ids[one.source] for one in self._needs[step.parent].of(step.id)]
            for step in self._members
        }
        plain = {name: reader.plain_dependencies(entries[name], needs) for name, needs in wanted.items()}
        kept = {self._ids[step.id]: self._flow.kept(step) for step in self._members}
        said: JsonObject = {name: kept[name].get("$needs", needs) for name, needs in plain.items()}
        for name, dependencies in (said if self._says(said, wanted, groups, tasks) else plain).items():
            if dependencies is not None:
                entries[name]["dependencies"] = dependencies

    def _says(self, said: JsonObject, wanted: dict[str, list[str]], groups: JsonObject, tasks: JsonObject) -> bool:
        entries = [
            [(name, {**entry, "dependencies": said[name]}) for name, entry in found.items()]
            for found in (tasks, groups)
        ]
        graph = shapes.DagGraph(*entries)
        is_known = all(isinstance(one, list | None) for one in said.values()) and not list(graph.unknown())
        return is_known and graph.needs() == wanted


class DagFactory(DocumentFormat):
    """Tasks that wait for one another, in groups, with arguments that a whole file shares."""

    name = "dag-factory"
    title = "Airflow dag-factory"
    extension = "yml"
    shape = staticmethod(shapes.document_shape)
    rules = staticmethod(shapes.check_tasks)
    read_into = staticmethod(reader.read_dag)
    document_of = staticmethod(document_of)

    @override
    def recognises(self, document: Any) -> float:
        dags = shapes.dags_in(document)
        if not all(map(object_in, dags.values())):
            return 0.0
        tasks = [shapes.entries(shapes.whole_dag(document, dag_id).get(shapes.TASKS), shapes.TASKS) for dag_id in dags]
        return 0.95 * any({"operator", "decorator"} & task.keys() for found in tasks for _, task in found)

    @override
    def documents(self, document: Any) -> Sequence[Any]:
        """Return a document for each DAG, with what they share in each."""
        dags = shapes.dags_in(document)
        if len(dags) < 2:
            return [document]
        shared = {shapes.DEFAULT: document[shapes.DEFAULT]} if shapes.DEFAULT in document else {}
        return [{**shared, dag_id: dag} for dag_id, dag in dags.items()]
