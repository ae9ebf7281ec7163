"""The Serverless Workflow DSL 1.0 of the CNCF, now called Open Workflow: its format, and workflows written in it."""

from collections.abc import Sequence
from typing import Any

from typing_extensions import override

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import DocumentFormat, fit
from workflow_agent.workflows.formats.fidelity import kept_in, kept_or_made, restored, restored_step
from workflow_agent.workflows.formats.flow import Flow, Region
from workflow_agent.workflows.formats.plain import filled, object_in, without
from workflow_agent.workflows.formats.serverless_workflow import directives, reader, shapes
from workflow_agent.workflows.formats.serverless_workflow.tasks import SAID_BY, generated, said
from workflow_agent.workflows.formats.shapes import allowed, problems_in, record
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

_BESIDE_CONTENT = ("name", "catch", "then", "directive")


def document_of(workflow: Workflow, format_name: str) -> JsonObject:
    """Return the document for a workflow, as far as the DSL can say it."""
    kept = kept_in(workflow.extensions, format_name)
    wanted = {"name": workflow.name, "description": workflow.description, "tags": list(workflow.tags)}
    document = restored(
        reader.about(wanted, workflow.version),
        object_in(kept.get("document")),
        wanted,
        read=reader.said_about,
        said_by=reader.SAID_BY,
        shape=shapes.DOCUMENT,
    )
    triggers = [one.as_plain() for one in workflow.triggers]
    made = reader.schedule_of(triggers)
    given = kept.get("schedule")
    schedule = kept_or_made(given, made, triggers, read=reader.said_triggers, shape=shapes.SCHEDULE)
    rest = allowed(without(kept, "document", "schedule"), record(shapes.REST))
    retries = object_in(object_in(rest.get("use")).get("retries"))
    tasks = _Writer(workflow, format_name, retries).whole()
    return {"document": document, **rest, **filled({"schedule": schedule}), "do": tasks}


class _Writer:
    def __init__(self, workflow: Workflow, format_name: str, retries: JsonObject) -> None:
        self._workflow = workflow
        self._retries = retries
        self._flow = Flow(workflow, format_name)
        self._leaving = {
            step.id: str(directive)
            for step in workflow.steps
            if (directive := self._flow.kept(step).get("directive")) in directives.DIRECTIVES
            and not self._flow.beside(step.id)
        }
        self._handlers = {edge.to for edge in workflow.transitions if self._is_inline(edge)}

    def _is_inline(self, edge: Transition) -> bool:
        """Say whether an error transition leads to what is written inside the `catch`."""
        step = self._flow.steps[edge.to]
        plain = Step.model_validate({"id": step.id, "name": step.name, "parent": step.parent})
        return (
            edge.type == "error"
            and self._flow.kept(edge).get("inline") is True
            and step.model_copy(update={"extensions": {}}) == plain
            and step.id in self._flow.children
            and self._flow.steps[edge.from_].parent == step.parent
            and len(self._flow.into(step.id)) == 1
            and not self._flow.failing(step.id)
            and len(self._flow.onward(step.id)) <= 1
            and self._flow.failing(edge.from_)[0] is edge
        )

    def whole(self) -> list[JsonObject]:
        """Return the outermost list of tasks."""
        return self._tasks(self._flow.children[None], self._flow.start, is_inside=False)

    def _tasks(self, members: Sequence[Step], first: str, *, is_inside: bool = True) -> list[JsonObject]:
        regions = self._flow.regions(members, first)
        claimed = {step_id for region in regions.values() for step_id in region.inside}
        apart = claimed | self._handlers | self._leaving.keys()
        order = sorted((step for step in members if step.id not in apart), key=lambda step: step.id != first)
        here = directives.TaskList(
            order=tuple(step.id for step in order),
            names=self._names(order),
            leaving={step.id: self._leaving[step.id] for step in members if step.id in self._leaving},
            regions=regions,
            kept=self._flow.kept,
            is_inside=is_inside,
        )
        return [item for step in order for item in self._items(step, here)]

    def _names(self, steps: Sequence[Step]) -> dict[str, str]:
        """Return the name of each task; one that is led to differs from the others and the directives."""
        found: dict[str, str] = {}
        taken: set[str] = set()
        for step in steps:
            kept = self._flow.kept(step).get("name")
            name = kept if isinstance(kept, str) and (fit(kept) or step.name) == step.name else step.name
            number = 2
            while self._flow.into(step.id) and (name in taken or name in directives.DIRECTIVES):
                name, number = f"{step.name} {number}", number + 1
            taken.add(name)
            found[step.id] = name
        return found

    def _items(self, step: Step, here: directives.TaskList) -> list[JsonObject]:
        """Return the task of a step, and the choice after it where it has several ways on."""
        name, region = here.names[step.id], here.regions.get(step.id)
        ways = self._ways(step, here, region)
        task = self._content(step, region)
        guarded = any(edge.type == "condition" or edge.when or edge.action for edge in ways)
        if step.type == "decision" and guarded:
            return [self._caught(name, {**without(task, "do"), **here.switch(step, ways)}, step, here)]
        if not guarded:
            is_end = step.type == "end" and "do" in generated(step)
            then = {"then": "end"} if is_end else here.then(step, ways[:1])
            return [self._caught(name, task | then, step, here)]
        return [self._caught(name, task, step, here), {f"After {name}": here.switch(step, ways)}]

    def _ways(self, step: Step, here: directives.TaskList, region: Region | None) -> list[Transition]:
        return [edge for edge in self._flow.ways(step.id, region) if here.has(edge.to)]

    def _content(self, step: Step, region: Region | None) -> JsonObject:
        inside = self._flow.children.get(step.id, [])
        kept = without(self._flow.kept(step), *_BESIDE_CONTENT)
        plain = generated(step, has_children=bool(inside))
        task = restored_step(step, plain, kept, read=said, said_by=SAID_BY, shape=shapes.task_shape)
        if "fork" in task:
            return {**task, "fork": {**task["fork"], "branches": self._branches(step, region)}}
        if not inside or "do" not in task:
            return task
        is_try = "for" not in task and self._needs_catch(step)
        return {**without(task, "do"), "try" if is_try else "do": self._inside(step.id)}

    def _inside(self, step_id: str) -> list[JsonObject]:
        """Return the tasks of the steps in a step's scope."""
        members = self._flow.children[step_id]
        return self._tasks(members, self._flow.heads(step_id, members)[0])

    def _branches(self, step: Step, region: Region | None) -> list[JsonObject]:
        lists = [self._tasks(group, start) for group, start in self._flow.branches(step.id, region)]
        return [one[0] if len(one) == 1 else {f"branch {at + 1}": {"do": one}} for at, one in enumerate(lists)]

    def _needs_catch(self, step: Step) -> bool:
        is_caught = step.retry is not None or step.on_error == "continue" or "catch" in self._flow.kept(step)
        return is_caught or bool(self._flow.failing(step.id))

    def _caught(self, name: str, task: JsonObject, step: Step, here: directives.TaskList) -> JsonObject:
        """Return the item of a task, put into a `try` where its errors are dealt with."""
        if not self._needs_catch(step):
            return {name: task}
        catch = self._catch(step, here)
        if "try" in task:
            return {name: {**task, "catch": catch}}
        outside = {"then": task["then"]} if "then" in task else {}
        return {name: {"try": [{name: without(task, "then")}], "catch": catch, **outside}}

    def _catch(self, step: Step, here: directives.TaskList) -> JsonObject:
        edge = next((one for one in self._flow.failing(step.id) if here.has(one.to) or one.to in self._handlers), None)
        errors = list(edge.errors) if edge is not None else []
        catch = directives.catch_of(step, errors)
        kept = self._flow.kept(step).get("catch")
        if not problems_in(kept, shapes.CATCH) and self._still_says(object_in(kept), step, edge):
            catch = without(object_in(kept), "do", "then")
        if edge is None:
            return catch
        if edge.to not in self._handlers:
            return {**catch, "then": here.led_to(edge, step.id)}
        handler = self._flow.steps[edge.to]
        own = self._ways(step, here, here.regions.get(step.id))
        then = here.after_handling(handler, self._ways(handler, here, None), step.id, own)
        return {**catch, "do": self._inside(edge.to), **then}

    def _still_says(self, catch: JsonObject, step: Step, edge: Transition | None) -> bool:
        leads = {"then": "end"} if edge is not None else {}
        fields = directives.said_catch({"catch": {**catch, **leads}}, self._retries)
        again = Step.model_validate({"id": step.id, "name": step.name, **fields})
        is_same = (again.retry, again.on_error) == (step.retry, step.on_error)
        return is_same and (edge is None or directives.errors_caught(catch) == list(edge.errors))


class ServerlessWorkflow(DocumentFormat):
    """Tasks in lists, one after the other unless they say otherwise."""

    name = "serverless-workflow"
    title = "Serverless Workflow (Open Workflow)"
    extension = "yaml"
    shape = staticmethod(shapes.document_shape)
    rules = staticmethod(directives.check_targets)
    read_into = staticmethod(reader.read_document)
    document_of = staticmethod(document_of)

    @override
    def recognises(self, document: Any) -> float:
        whole = object_in(document)
        about = object_in(whole.get("document"))
        if "do" not in whole or not about:
            return 0.4 * ("dsl" in about)
        return 0.95 if "dsl" in about else 0.6
