"""A GitHub Actions workflow as a workflow of the model."""

import json
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import Imported
from workflow_agent.workflows.formats.builder import Draft, first_line, fit
from workflow_agent.workflows.formats.fidelity import kept_of, step_with
from workflow_agent.workflows.formats.github_actions.shapes import needs_of, said_triggers
from workflow_agent.workflows.formats.plain import list_in, nonempty, number_in, object_in, text_in, without
from workflow_agent.workflows.model.durations import duration_of, exact_seconds, whole_seconds
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.steps import Condition, Loop, Step

_LANGUAGE = "github"
_ACTION = re.compile(r"[\w.-]+/[\w./-]+@[\w./-]+|\./.*|docker://.*")
_LOCAL_ACTION = "./.github/actions/"
_RUN = ("run", "shell", "working-directory")
_SCALARS = (str, int, float, bool)
JOB_SAID_BY: Mapping[str, tuple[str, ...]] = {
    "name": ("name",),
    "when": ("if",),
    "timeout": ("timeout-minutes",),
    "on_error": ("continue-on-error",),
    "workflow": ("uses",),
    "with": ("with",),
    "loop": ("strategy",),
}
STEP_SAID_BY: Mapping[str, tuple[str, ...]] = {
    "name": ("name",),
    "uses": ("uses", *_RUN),
    "with": ("with", *_RUN),
    "when": ("if",),
    "timeout": ("timeout-minutes",),
    "on_error": ("continue-on-error",),
}


def read_workflow(whole: JsonObject, draft: Draft) -> Imported:
    """Return the workflow of a document."""
    jobs = object_in(whole["jobs"])
    roots = [job_id for job_id, job in jobs.items() if not needs_of(job)]
    start = draft.add("Start", "fork") if len(roots) > 1 else None
    ids = {job_id: _add_job(draft, job_id, job) for job_id, job in jobs.items()}
    for job_id, job in jobs.items():
        _connect(draft, ids, job_id, job)
    for root in roots if start else ():
        draft.connect(str(start), ids[root])
    fields = said_workflow(whole)
    kept = without(whole, "name", "jobs")
    kept |= kept_of({"name": whole["name"]} if "name" in whole else {}, {"name": fields["name"]})
    return draft.finished(start=start or ids[roots[0]], kept=kept, **fields)


def said_workflow(whole: JsonObject) -> JsonObject:
    """Return the fields of the workflow that a document says beside its jobs."""
    return {"name": text_in(whole.get("name"), 200) or "GitHub workflow", "triggers": said_triggers(whole.get("on"))}


def folded(job: JsonObject, name: str) -> JsonObject | None:
    """Return the only step of a job which is there for this step alone: it has the job's name."""
    steps = list_in(job.get("steps"))
    only = object_in(steps[0]) if len(steps) == 1 else {}
    is_plain = only.keys() <= {"name", "uses", "with", *_RUN} and "matrix" not in object_in(job.get("strategy"))
    return only if only and is_plain and said_step(only)["name"] == name else None


def _add_job(draft: Draft, job_id: str, job: JsonObject) -> str:
    fields = said_job(job_id, job)
    only = folded(job, fields["name"])
    if only is not None:
        fields |= {key: value for key, value in said_step(only).items() if key in ("uses", "with")}
    step = step_with(fields)
    kept = kept_of(without(job, "needs", "steps"), job_of(step, job_id))
    if draft.free_id(job_id) != job_id:
        kept["$id"] = job_id
    needs = job.get("needs")
    if isinstance(needs, list) and (len(list_in(needs)) < 2 or len(set(needs_of(job))) < len(needs_of(job))):
        kept["needs"] = needs
    if job.get("steps") == []:
        kept["steps"] = []
    if only is not None and (rest := kept_of(only, step_of(step))):
        kept["$step"] = rest
    added = draft.add(wanted_id=job_id, kept=kept, at=("jobs", job_id), **fields)
    if only is None:
        _add_steps(draft, list_in(job.get("steps")), added, job_id)
    return added


def _add_steps(draft: Draft, steps: list[Any], parent: str, job_id: str) -> None:
    added: list[str] = []
    for at, one in enumerate(steps):
        fields = said_step(one)
        kept, place = kept_of(one, step_of(step_with(fields))), ("jobs", job_id, "steps", at)
        added.append(draft.add(parent=parent, wanted_id=one.get("id"), kept=kept, at=place, **fields))
    for before, after in pairwise(added):
        draft.connect(before, after)


def _connect(draft: Draft, ids: dict[str, str], job_id: str, job: JsonObject) -> None:
    needs = list(dict.fromkeys(needs_of(job)))
    target = ids[job_id]
    if len(needs) > 1:
        target = draft.join_before(job_id, target, None, f"all_before_{job_id}")
    for needed in needs:
        draft.connect(ids[needed], target)


def _said_by_both(part: Mapping[str, Any]) -> JsonObject:
    condition = part.get("if")
    minutes = number_in(part.get("timeout-minutes"))
    return {
        "when": None if condition is None else {"expression": condition, "language": _LANGUAGE},
        "timeout": duration_of(minutes * 60) if minutes is not None and minutes < 1e9 else None,
        "on_error": "continue" if part.get("continue-on-error") is True else None,
    }


def said_job(job_id: str, job: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the step that a job is."""
    fields = _said_by_both(job)
    fields["name"] = text_in(job.get("name"), 200) or fit(job_id)
    if "uses" in job:
        fields |= {"type": "subworkflow", "workflow": fit(job["uses"]), "with": object_in(job.get("with"))}
    strategy = object_in(job.get("strategy"))
    if strategy.get("matrix") is not None:
        limit = strategy.get("max-parallel", 0)
        is_limit = type(limit) is int and limit != 1
        fields["loop"] = {"over": strategy["matrix"], "parallel": limit if is_limit else None}
        fields.setdefault("type", "loop")
    return fields


def said_step(step: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the step that a step of a job is."""
    fields = {**_said_by_both(step), "name": text_in(step.get("name"), 200) or default_name(step)}
    if "run" in step:
        return {**fields, "uses": "run", "with": {key: step[key] for key in _RUN if key in step}}
    uses = text_in(step.get("uses"))
    local = (uses or "").removeprefix(_LOCAL_ACTION)
    named = local if uses != local and not _ACTION.fullmatch(local) else uses
    return {**fields, "uses": named or uses, "with": object_in(step.get("with"))}


def default_name(step: Mapping[str, Any]) -> str:
    """Return what a step without a name is called: the action, or the first line that is run."""
    said = str(step["run"]) if "run" in step else str(step.get("uses"))
    return first_line(said, 80) or "run"


def expression_of(when: Condition) -> Any:
    """Return a condition as an expression; one in words asks a variable of the repository."""
    if when.language == _LANGUAGE and isinstance(when.expression, str | bool | int | float):
        return when.expression
    asked = slug(when.text or when.formula, fallback="condition").upper()
    return f"vars.{asked} == 'true'"


def _both(step: Step) -> JsonObject:
    found: JsonObject = {}
    if step.when is not None:
        found["if"] = expression_of(step.when)
    seconds = exact_seconds(step.timeout)
    if seconds is not None:
        minutes = seconds / 60
        found["timeout-minutes"] = int(minutes) if minutes.is_integer() else minutes
    if step.on_error == "continue":
        found["continue-on-error"] = True
    return found


def job_of(step: Step, job_id: str) -> JsonObject:
    """Return the job for a step, without what it needs and what is in it."""
    work: JsonObject = {"environment": step.assignee or step.name} if step.type == "human" else {}
    if step.type == "subworkflow":
        called = step.workflow or step.name
        is_file = "/" in called and re.search(r"\.ya?ml(@\S+)?$", called)
        uses = called if is_file else f"./.github/workflows/{slug(called)}.yml"
        work |= nonempty({"uses": uses, "with": _given(step.with_)})
    else:
        work |= {"runs-on": "ubuntu-latest"}
    named = nonempty({"name": step.name if step.name != job_id else None})
    return {**named, **_both(step), **_strategy(step), **work}


def _strategy(step: Step) -> JsonObject:
    if step.type != "loop" and step.loop is None:
        return {}
    loop = step.loop or Loop()
    over: Any = loop.over
    is_expression = isinstance(over, str) and "${{" in over
    is_matrix = object_in(over) and all(isinstance(one, list) for one in object_in(over).values())
    asked = f"${{{{ fromJSON(vars.{slug(step.name).upper()}_ITEMS) }}}}"
    matrix = over if is_expression or is_matrix else {"item": list_in(over) or asked}
    return {"strategy": {"matrix": matrix, **({"max-parallel": loop.parallel or 1} if loop.parallel != 0 else {})}}


def step_of(step: Step) -> JsonObject:
    """Return the step of a job for a step that has nothing in it."""
    work = _work(step)
    named = {} if default_name(work) == step.name else {"name": step.name}
    return {**named, **_both(step), **work}


def _work(step: Step) -> JsonObject:
    if step.uses == "run" and isinstance(step.with_.get("run"), str):
        return {key: step.with_[key] for key in _RUN if isinstance(step.with_.get(key), str)}
    seconds = whole_seconds(step.duration) if step.type == "wait" else None
    if seconds is not None:
        return {"run": f"sleep {seconds}"}
    uses = (step.uses or "").strip()
    if not uses:
        return {"run": f"echo {json.dumps(step.name)}"}
    named = uses if _ACTION.fullmatch(uses) else _LOCAL_ACTION + uses
    return nonempty({"uses": named, "with": _given(step.with_)})


def _given(values: JsonObject) -> JsonObject:
    """Return arguments as an action takes them: each one value, and what is more as JSON text."""
    return {
        key: value if isinstance(value, _SCALARS) or value is None else json.dumps(value)
        for key, value in values.items()
    }
