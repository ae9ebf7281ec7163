"""One job, or one step of a job, as the fields of a step of the model, and back."""

import json
import re
from collections.abc import Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import first_line, fit
from workflow_agent.workflows.formats.shapes import list_in, object_in, text_in
from workflow_agent.workflows.model.conditions import Condition
from workflow_agent.workflows.model.durations import duration_of, exact_seconds, whole_seconds
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.steps import Step

LANGUAGE = "github"
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


def _said_by_both(part: Mapping[str, Any]) -> JsonObject:
    condition = part.get("if")
    return {
        "when": None if condition is None else {"expression": condition, "language": LANGUAGE},
        "timeout": _duration(part.get("timeout-minutes")),
        "on_error": "continue" if part.get("continue-on-error") is True else None,
    }


def _duration(minutes: Any) -> str | None:
    is_number = isinstance(minutes, int | float) and not isinstance(minutes, bool)
    return duration_of(minutes * 60) if is_number and minutes < 1e9 else None


def said_job(job_id: str, job: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the step that a job is."""
    fields = _said_by_both(job)
    fields["name"] = text_in(job.get("name"), 200) or fit(job_id)
    if "uses" in job:
        fields |= {"type": "subworkflow", "workflow": fit(job["uses"]), "with": object_in(job.get("with"))}
    strategy = object_in(job.get("strategy"))
    if strategy.get("matrix") is not None:
        limit = strategy.get("max-parallel", 0)
        is_limit = isinstance(limit, int) and not isinstance(limit, bool) and limit != 1
        fields["loop"] = {"over": strategy.get("matrix"), "parallel": limit if is_limit else None}
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


def expression_of(when: Condition, names: str = "vars") -> Any:
    """Return a condition as an expression; one in words asks a variable of the repository."""
    if when.language == LANGUAGE and isinstance(when.expression, str | bool | int | float):
        return when.expression
    asked = slug(when.text or when.formula, fallback="condition").upper()
    return f"{names}.{asked} == 'true'"


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
    named = {"name": step.name} if step.name != job_id else {}
    if step.type == "subworkflow":
        given = {"with": _given(step.with_)} if step.with_ else {}
        work: JsonObject = {"uses": _workflow(step), **given}
    else:
        work = {"runs-on": "ubuntu-latest"}
    gate = {"environment": step.assignee or step.name} if step.type == "human" else {}
    return {**named, **_both(step), **_strategy(step), **gate, **work}


def _workflow(step: Step) -> str:
    named = step.workflow or step.name
    is_file = "/" in named and re.search(r"\.ya?ml(@\S+)?$", named)
    return named if is_file else f"./.github/workflows/{slug(named)}.yml"


def _strategy(step: Step) -> JsonObject:
    if step.type != "loop" and step.loop is None:
        return {}
    over: Any = step.loop.over if step.loop else None
    limit = step.loop.parallel if step.loop else None
    if object_in(over) and all(isinstance(one, list) for one in object_in(over).values()):
        matrix: Any = over
    elif isinstance(over, str) and "${{" in over:
        matrix = over
    else:
        asked = f"${{{{ fromJSON(vars.{slug(step.name).upper()}_ITEMS) }}}}"
        matrix = {"item": list_in(over) or asked}
    return {"strategy": {"matrix": matrix, **({"max-parallel": limit or 1} if limit != 0 else {})}}


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
    given = {"with": _given(step.with_)} if step.with_ else {}
    return {"uses": uses if _ACTION.fullmatch(uses) else _LOCAL_ACTION + uses, **given}


def _given(values: JsonObject) -> JsonObject:
    """Return arguments as an action takes them: each one value, and what is more as JSON text."""
    return {
        key: value if isinstance(value, _SCALARS) or value is None else json.dumps(value)
        for key, value in values.items()
    }
