"""One task as the fields of a step of the model, and back."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import fit, seconds_in
from workflow_agent.workflows.formats.plain import filled, list_in, object_in, text_in, without
from workflow_agent.workflows.model.durations import exact_seconds
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.steps import Retry, Step

_OPERATORS = "airflow.providers.standard.operators."
_SENSORS = "airflow.providers.standard.sensors."
_HUMAN = ("ApprovalOperator", "HITLOperator", "HITLEntryOperator", "HITLBranchOperator")
_OPERATOR = re.compile(r"[A-Za-z_][\w.]*\.[A-Z]\w*|[A-Z]\w*(Operator|Sensor)")
_FUNCTION = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")
_SENSOR = re.compile(r"[\w.]*Sensor(Async)?")
_RETRY = ("retries", "retry_delay", "retry_delay_sec", "retry_exponential_backoff", "max_retry_delay")
_TIMEOUT = ("execution_timeout", "execution_timeout_secs")
_INHERITED = (*_RETRY, *_TIMEOUT)
_OF_EVERY_TASK = frozenset(
    [
        "depends_on_past", "email", "email_on_failure", "email_on_retry", "executor_config", "params", "pool",
        "pool_slots", "priority_weight", "queue", "sla", "sla_secs", "start_date", "end_date", "trigger_rule",
        "wait_for_downstream", "weight_rule", "max_active_tis_per_dag", "run_as_user", "variables_as_arguments",
        "task_id", "operator", "decorator", "dependencies", "task_group_name", "task_display_name", "doc_md",
        "owner", "inlets", "outlets", "expand", *_INHERITED,
    ]
)  # fmt: skip
"""What is no argument of its operator; the last two lines are fields of a step."""
_CALLBACK = re.compile(r"on_\w+_callback\w*|doc\w*")
_WORK = ("operator", "decorator", "python_callable", "trigger_dag_id", "delta", "subject", "bash_command")
SAID_BY: Mapping[str, tuple[str, ...]] = {
    "name": ("task_display_name",),
    "type": (*_WORK, "expand"),
    "description": ("doc_md",),
    "assignee": ("owner",),
    "uses": _WORK,
    "workflow": _WORK,
    "duration": _WORK,
    "event": _WORK,
    "loop": ("expand",),
    "retry": _RETRY,
    "timeout": (*_TIMEOUT, "timeout"),
    "reads": ("inlets",),
    "writes": ("outlets",),
}
"""What says a field; the arguments in `with` are looked at one by one."""
_TYPE = "__type__"
_UNITS = {
    "weeks": 604_800.0,
    "days": 86_400.0,
    "hours": 3_600.0,
    "minutes": 60.0,
    "seconds": 1.0,
    "milliseconds": 0.001,
}
_LONGEST_SECONDS = 1e9


def said_delta(value: Any) -> str | None:
    """Return the duration that a timedelta object is; None for everything else."""
    given = without(object_in(value), _TYPE)
    if not str(object_in(value).get(_TYPE, "")).endswith("timedelta") or not given.keys() <= _UNITS.keys():
        return None
    if any(seconds_in(amount, _LONGEST_SECONDS) is None for amount in given.values()):
        return None
    return seconds_in(sum(amount * _UNITS[unit] for unit, amount in given.items()), _LONGEST_SECONDS)


def delta_of(duration: str | None) -> JsonObject | None:
    """Return a duration as a timedelta object; None for months and years."""
    seconds = exact_seconds(duration)
    if seconds is None:
        return None
    return {_TYPE: "datetime.timedelta", "seconds": int(seconds) if seconds.is_integer() else seconds}


def said_task(task_id: str, task: JsonObject, inherited: JsonObject) -> JsonObject:
    """Return the fields of the step that a task is, with the arguments that it inherits from its DAG and group."""
    over = task.get("expand")
    whole = {**{key: inherited[key] for key in _INHERITED if key in inherited}, **task}
    return {
        "name": text_in(task.get("task_display_name"), 200) or fit(task_id),
        "description": text_in(task.get("doc_md")),
        "assignee": text_in(task.get("owner"), 200),
        "retry": _said_retry(whole),
        "timeout": _said_length(whole, *_TIMEOUT),
        "reads": _labels(task.get("inlets")),
        "writes": _labels(task.get("outlets")),
        **_said_work(task),
        **({"type": "loop", "loop": {"over": over, "parallel": 0}} if over is not None else {}),
    }


def _said_length(task: JsonObject, delta: str, seconds: str) -> str | None:
    given = (seconds_in(task.get(key), _LONGEST_SECONDS) for key in (seconds, delta))
    return said_delta(task.get(delta)) or next(filter(None, given), None)


def _said_retry(task: JsonObject) -> JsonObject | None:
    retries = task.get("retries")
    if type(retries) is not int or not 0 < retries < 1_000_000:
        return None
    found = {
        "max_attempts": retries + 1,
        "interval": _said_length(task, "retry_delay", "retry_delay_sec"),
        "max_interval": said_delta(task.get("max_retry_delay")),
        "backoff": "exponential" if task.get("retry_exponential_backoff") is True else None,
    }
    return filled(found)


def _labels(value: Any) -> list[str] | None:
    found = list_in(value)
    return found if found and all(isinstance(one, str) and 0 < len(one) <= 200 for one in found) else None


def arguments_in(task: JsonObject, *without: str) -> JsonObject:
    """Return what a task gives to its operator, beside what every task may have."""
    apart = {*_OF_EVERY_TASK, *without}
    return {key: value for key, value in task.items() if key not in apart and not _CALLBACK.fullmatch(key)}


def _said_work(task: JsonObject) -> JsonObject:
    operator = text_in(task.get("operator"))
    if operator is None:
        function = text_in(task.get("python_callable"))
        named = function or text_in(task.get("decorator"))
        return {"uses": named, "with": arguments_in(task, *(["python_callable"] if function else []))}
    kind = operator.rsplit(".", 1)[-1]
    if kind in ("EmptyOperator", "DummyOperator"):
        return {"with": arguments_in(task)}
    if kind in _HUMAN:
        return {"type": "human", "with": arguments_in(task, "subject")}
    if kind == "TriggerDagRunOperator" and (dag := text_in(task.get("trigger_dag_id"), 200)):
        return {"type": "subworkflow", "workflow": dag, "with": arguments_in(task, "trigger_dag_id")}
    if _SENSOR.fullmatch(kind):
        return _said_sensor(operator, kind, task)
    return {"uses": operator, "with": arguments_in(task)}


def _said_sensor(operator: str, kind: str, task: JsonObject) -> JsonObject:
    length = said_delta(task.get("delta"))
    if kind.startswith("TimeDeltaSensor") and length is not None:
        return {"type": "wait", "duration": length, "with": arguments_in(task, "delta")}
    limit = seconds_in(task.get("timeout"), _LONGEST_SECONDS)
    found = {"timeout": limit} if limit else {}
    asked = text_in(task.get("python_callable"), 200)
    if kind == "PythonSensor" and asked:
        rest = arguments_in(task, "python_callable", *found)
        return {"type": "event", "event": asked, "with": rest, **found}
    waited = [task.get("external_dag_id"), task.get("external_task_id")]
    named = ".".join(one for one in waited if isinstance(one, str)) or kind
    return {"type": "event", "event": fit(named) or kind, "uses": operator, "with": arguments_in(task, *found), **found}


def task_of(step: Step, task_id: str) -> JsonObject:
    """Return the task for a step, without its id, its group and what it waits for."""
    arguments = {key: value for key, value in step.with_.items() if arguments_in({key: value})}
    over = step.loop.over if step.loop else None
    seconds = exact_seconds(step.timeout) if step.type == "event" else None
    waited = seconds and (int(seconds) if seconds.is_integer() else seconds)
    said: JsonObject = {
        **arguments,
        "task_display_name": step.name if step.name != task_id else None,
        "doc_md": step.description,
        "owner": step.assignee,
        "inlets": list(step.reads) or None,
        "outlets": list(step.writes) or None,
        **({"timeout": waited} if waited else {"execution_timeout": delta_of(step.timeout)}),
        **(_retries(step.retry) if step.retry else {}),
        "expand": over if over is None or (isinstance(over, dict) and over) else {"item": over},
    }
    return {**_work(step), **filled(said)}


def _retries(retry: Retry) -> JsonObject:
    return {
        "retries": retry.max_attempts - 1,
        "retry_delay": delta_of(retry.interval),
        "retry_exponential_backoff": True if retry.backoff == "exponential" else None,
        "max_retry_delay": delta_of(retry.max_interval),
    }


def _work(step: Step) -> JsonObject:
    if (make := _WORKS.get(step.type)) and (found := make(step)):
        return found
    uses = (step.uses or "").strip()
    if not uses:
        return {"operator": _OPERATORS + "empty.EmptyOperator"}
    if uses == "run" and isinstance(step.with_.get("run"), str):
        return {"operator": _OPERATORS + "bash.BashOperator", "bash_command": step.with_["run"]}
    if _OPERATOR.fullmatch(uses):
        return {"operator": uses}
    named = uses if _FUNCTION.fullmatch(uses) else f"tasks.{slug(uses)}"
    return {"decorator": "airflow.decorators.task", "python_callable": named}


def _event(step: Step) -> JsonObject:
    if step.uses and _SENSOR.fullmatch(step.uses):
        return {"operator": step.uses}
    return {"operator": _SENSORS + "python.PythonSensor", "python_callable": step.event or step.name}


def _wait(step: Step) -> JsonObject | None:
    delta = delta_of(step.duration)
    return {"operator": _SENSORS + "time_delta.TimeDeltaSensor", "delta": delta} if delta else None


_WORKS: Mapping[str, Callable[[Step], JsonObject | None]] = {
    "human": lambda step: {"operator": _OPERATORS + "hitl.ApprovalOperator", "subject": step.name},
    "event": _event,
    "wait": _wait,
    "subworkflow": lambda step: {
        "operator": _OPERATORS + "trigger_dagrun.TriggerDagRunOperator",
        "trigger_dag_id": step.workflow or slug(step.name),
    },
}
