"""GitHub Actions in YAML: the format, and workflows written as those of GitHub."""

import re
from collections.abc import Sequence
from typing import Any

from typing_extensions import override

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import DocumentFormat
from workflow_agent.workflows.formats.fidelity import kept_in, kept_or_made, restored_step
from workflow_agent.workflows.formats.flow import Dependencies, Dependency, Flow
from workflow_agent.workflows.formats.github_actions import reader, shapes
from workflow_agent.workflows.formats.plain import list_in, object_in, without
from workflow_agent.workflows.formats.shapes import allowed
from workflow_agent.workflows.model.parser import take_id
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow


def document_of(workflow: Workflow, format_name: str) -> JsonObject:
    """Return the document for a workflow, as far as GitHub Actions can say it."""
    kept = kept_in(workflow.extensions, format_name)
    rest = allowed(kept, shapes.rest_shape)
    plain = [one.as_plain() for one in workflow.triggers]
    made = shapes.on_of(plain)
    on = kept_or_made(kept.get("on"), made, plain, read=shapes.said_triggers, shape=shapes.on_shape)
    named = {"name": rest.get("name", workflow.name)}
    if reader.said_workflow(named)["name"] != workflow.name:
        named = {"name": workflow.name}
    if "name" not in rest and "$without" in kept and reader.said_workflow({})["name"] == workflow.name:
        named = {}
    rest = without(rest, "name", "on")
    return {**named, "on": on, **rest, "jobs": _Writer(workflow, format_name).jobs()}


class _Writer:
    def __init__(self, workflow: Workflow, format_name: str) -> None:
        self._flow = Flow(workflow, format_name)
        self._needs = Dependencies(self._flow, self._flow.children[None])
        taken: set[str] = set()
        self._ids = {step.id: take_id(self._wanted_id(step), taken) for step in self._needs.work}

    def _wanted_id(self, step: Step) -> str:
        kept = self._flow.kept(step).get("$id")
        wanted = kept if isinstance(kept, str) and re.fullmatch(shapes.JOB_ID, kept) else step.id
        return wanted if wanted[0].isalpha() or wanted[0] == "_" else f"_{wanted}"

    def jobs(self) -> JsonObject:
        """Return the jobs; where nothing works, one that only says so."""
        found = {self._ids[step.id]: self._job(step) for step in self._needs.work}
        return found or {"nothing": {"runs-on": "ubuntu-latest", "steps": [{"run": "true"}]}}

    def _job(self, step: Step) -> JsonObject:
        job_id = self._ids[step.id]
        kept = self._flow.kept(step)
        job = restored_step(
            step,
            reader.job_of(step, job_id),
            without(kept, "$id", "$step", "needs", "steps"),
            read=lambda part: {"type": step.type, **reader.said_job(job_id, part)},
            said_by=reader.JOB_SAID_BY,
            shape=shapes.job_rest_shape,
        )
        needs = self._needs.of(step.id)
        asked = self._asked(step, needs)
        condition = {"if": f"{asked} && ({job['if']})" if "if" in job else asked} if asked else {}
        steps = {} if "uses" in job else {"steps": self._steps(step, kept)}
        return {**self._written_needs(needs, kept), **job, **condition, **steps}

    def _written_needs(self, needs: Sequence[Dependency], kept: JsonObject) -> JsonObject:
        names = [self._ids[one.source] for one in needs]
        written = kept.get("needs")
        if isinstance(written, list) and list(dict.fromkeys(map(str, list_in(written)))) == names:
            return {"needs": written}
        return {"needs": names[0] if len(names) == 1 else names} if names else {}

    def _asked(self, step: Step, needs: Sequence[Dependency]) -> str:
        """Return the condition that comes from how the job is reached."""
        failed = [f"needs.{self._ids[one.source]}.result == 'failure'" for one in needs if one.on_failure]
        guards = [edge for one in needs for edge in one.guards] or (self._needs.guards(step.id) if not needs else [])
        if self._needs.needs_any(step.id):
            done = [f"needs.{self._ids[one.source]}.result == 'success'" for one in needs if not one.on_failure]
            return f"!cancelled() && ({' || '.join([*done, *failed])})"
        if failed:
            return f"always() && {' && '.join(failed)}"
        return " && ".join(f"({one})" for one in dict.fromkeys(map(self._guard, guards)) if one)

    def _guard(self, edge: Transition) -> str:
        if edge.when is not None:
            return str(reader.expression_of(edge.when))
        if edge.type != "default":
            return ""
        others = [one.when for one in self._flow.onward(edge.from_) if one.when is not None]
        said = " || ".join(str(reader.expression_of(one)) for one in others)
        return f"!({said})" if said else ""

    def _steps(self, step: Step, kept: JsonObject) -> list[JsonObject]:
        if inside := self._inside(step):
            return [self._step(one, reader.step_of(one), self._flow.kept(one)) for one in inside]
        if not step.uses and kept.get("steps") == []:
            return []
        only = without(reader.step_of(step), "if", "timeout-minutes", "continue-on-error")
        return [self._step(step, only, object_in(kept.get("$step")))]

    def _step(self, step: Step, plain: JsonObject, kept: JsonObject) -> JsonObject:
        return restored_step(
            step,
            plain,
            kept,
            read=lambda part: {"type": step.type, **reader.said_step(part)},
            said_by=reader.STEP_SAID_BY,
            shape=shapes.STEP,
        )

    def _inside(self, step: Step) -> list[Step]:
        """Return all that is in a step's scope, in an order in which it can be done."""
        ordered = Dependencies(self._flow, self._flow.children.get(step.id, [])).in_order()
        return [one for child in ordered for one in (child, *self._inside(child))]


class GitHubActions(DocumentFormat):
    """Jobs that need one another, each with its steps."""

    name = "github-actions"
    title = "GitHub Actions"
    extension = "yml"
    shape = staticmethod(shapes.workflow_shape)
    rules = staticmethod(shapes.check_needs)
    read_into = staticmethod(reader.read_workflow)
    document_of = staticmethod(document_of)

    @override
    def recognises(self, document: Any) -> float:
        whole = object_in(document)
        jobs = object_in(whole.get("jobs"))
        if not jobs:
            return 0.0
        has_work = any({"steps", "uses", "runs-on"} & object_in(job).keys() for job in jobs.values())
        return 0.95 if "on" in whole and has_work else 0.5 * has_work
