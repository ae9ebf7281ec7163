"""One task with its template as the fields of a step, and back."""

import re
from collections.abc import Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.argo.shapes import CALLED, KINDS
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.plain import are_texts, filled, list_in, nonempty, object_in, text_in, without
from workflow_agent.workflows.model.durations import duration_of, exact_seconds
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.steps import Condition, Retry, Step

LANGUAGE = "argo"
COMPOSITE = ("steps", "dag")
_RESOURCE = "kubernetes."
_UNBOUNDED = 1_000_000
TASK_SAID_BY: Mapping[str, tuple[str, ...]] = {
    "name": ("name",),
    "uses": CALLED,
    "when": ("when",),
    "loop": ("withItems", "withParam", "withSequence"),
    "on_error": ("continueOn",),
    "with": ("arguments",),
}
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)")


def said_template(template: Mapping[str, Any]) -> JsonObject:
    """Return the fields of a step that does what a template says; nothing of the tasks in it."""
    limit = template.get("timeout", template.get("activeDeadlineSeconds"))
    fields = {"retry": _said_retry(template.get("retryStrategy")), "timeout": short_duration(str(limit))}
    kind = next((one for one in KINDS if one in template), None)
    if kind == "suspend":
        length = object_in(template["suspend"]).get("duration")
        waits = {"type": "human"} if length is None else {"type": "wait", "duration": short_duration(str(length))}
        return {**fields, **waits}
    part = object_in(template.get(kind)) if kind else {}
    if kind in ("container", "script"):
        given = {key: part[key] for key in ("command", "args", "source") if key in part}
        return {**fields, "uses": text_in(part.get("image")) or kind, "with": given}
    if kind == "resource":
        given = {"manifest": part["manifest"]} if "manifest" in part else {}
        return {**fields, "uses": _RESOURCE + str(part["action"]), "with": given}
    if kind == "http":
        return {**fields, "uses": "http", "with": part}
    return fields if kind in COMPOSITE else {**fields, "uses": kind}


def _said_retry(strategy: Any) -> JsonObject | None:
    if not isinstance(strategy, dict):
        return None
    given = object_in(strategy)
    limit = str(given.get("limit", ""))
    backoff = object_in(given.get("backoff"))
    factor = str(backoff.get("factor", ""))
    grows = bool(factor.isdigit() and int(factor) > 1)
    return {
        "max_attempts": min(int(limit) + 1, _UNBOUNDED) if limit.isdigit() and len(limit) < 9 else _UNBOUNDED,
        "interval": short_duration(str(backoff.get("duration", ""))),
        "max_interval": short_duration(str(backoff.get("cap", ""))),
        "backoff": "exponential" if grows else "fixed",
        "factor": float(factor) if grows and len(factor) < 9 else None,
    }


def said_call(task: Mapping[str, Any], template: Mapping[str, Any] | None) -> JsonObject:
    """Return the fields of the step that a task is; what it calls may not be in the document, or told elsewhere."""
    reference = object_in(task.get("templateRef"))
    called = f"{reference['name']}/{reference['template']}" if reference else text_in(task.get("template"))
    fields: JsonObject = said_template(template) if template is not None else {"uses": called}
    fields["name"] = fit(task["name"])
    if "when" in task:
        fields["when"] = {"expression": task["when"], "language": LANGUAGE}
    sequence = {"sequence": task["withSequence"]} if "withSequence" in task else None
    over = sequence or task.get("withItems", task.get("withParam"))
    if over is not None:
        fields |= {"type": "loop", "loop": {"over": over, "parallel": 0}}
    if any(object_in(task.get("continueOn")).values()):
        fields["on_error"] = "continue"
    given = list_in(object_in(task.get("arguments")).get("parameters"))
    parameters = {one["name"]: one["value"] for one in given if "value" in one}
    if parameters:
        fields["with"] = {**object_in(fields.get("with")), "parameters": parameters}
    return fields


def call_of(step: Step, name: str) -> JsonObject:
    """Return the task for a step, without the template it calls and what it waits for."""
    found: JsonObject = {"name": name}
    parameters = object_in(step.with_.get("parameters"))
    if parameters:
        listed = [{"name": name, "value": value} for name, value in parameters.items()]
        found["arguments"] = {"parameters": listed}
    if step.when is not None:
        found["when"] = expression_of(step.when)
    if step.type == "loop" or step.loop is not None:
        found |= _items(step.loop.over if step.loop else None)
    if step.on_error == "continue":
        found["continueOn"] = {"failed": True}
    return found


def expression_of(when: Condition) -> str:
    """Return a condition as an expression; one in words asks a parameter of the workflow."""
    if when.language == LANGUAGE and isinstance(when.expression, str):
        return when.expression
    asked = slug(when.text or when.formula, fallback="condition")
    return f"{{{{workflow.parameters.{asked}}}}} == true"


def _items(over: Any) -> JsonObject:
    if isinstance(over, list):
        return {"withItems": over}
    sequence = object_in(over).get("sequence")
    if isinstance(sequence, dict):
        return {"withSequence": sequence}
    return {"withParam": over if isinstance(over, str) else "{{workflow.parameters.items}}"}


def template_of(step: Step, name: str) -> JsonObject:
    """Return the template for a step that has nothing in it."""
    parameters = [{"name": one} for one in object_in(step.with_.get("parameters"))]
    limits = {"timeout": as_short_duration(step.timeout), "retryStrategy": step.retry and _strategy(step.retry)}
    return {"name": name, **nonempty({"inputs": nonempty({"parameters": parameters})}), **filled(limits), **_work(step)}


def _strategy(retry: Retry) -> JsonObject:
    backoff = {
        "duration": as_short_duration(retry.interval),
        "cap": as_short_duration(retry.max_interval),
        "factor": str(int(retry.factor or 2)) if retry.backoff == "exponential" else None,
    }
    limit = str(retry.max_attempts - 1) if retry.max_attempts < _UNBOUNDED else None
    return nonempty({"limit": limit, "backoff": filled(backoff)})


def _work(step: Step) -> JsonObject:
    if step.type == "wait" and (duration := as_short_duration(step.duration)):
        return {"suspend": {"duration": duration}}
    if step.type in ("human", "event", "wait", "state"):
        return {"suspend": {}}
    uses = step.uses or "alpine"
    given = step.with_
    if uses.startswith(_RESOURCE):
        manifest = {"manifest": given["manifest"]} if isinstance(given.get("manifest"), str) else {}
        return {"resource": {"action": uses.removeprefix(_RESOURCE) or "get", **manifest}}
    if uses == "http" and isinstance(given.get("url"), str):
        return {"http": without(given, "parameters")}
    pod: JsonObject = {"image": uses}
    pod |= {key: given[key] for key in ("command", "args") if are_texts(given.get(key))}
    if isinstance(given.get("source"), str):
        return {"script": {**pod, "source": given["source"]}}
    return {"container": pod}


def short_duration(text: str) -> str | None:
    """Return the ISO 8601 form of a duration like `20`, `90s` or `1h30m`; None if it is none."""
    if text.isascii() and text.isdigit():
        return duration_of(int(text))
    if not text or _AMOUNT.sub("", text):
        return None
    return duration_of(sum(float(amount) * _UNITS[unit] for amount, unit in _AMOUNT.findall(text)))


def as_short_duration(duration: str | None) -> str | None:
    """Return a duration as `1h30m`; None where that cannot say it."""
    left = exact_seconds(duration)
    if left is None:
        return None
    parts: list[str] = []
    for unit in ("h", "m"):
        amount, left = divmod(left, _UNITS[unit])
        parts += [f"{int(amount)}{unit}"] if amount else []
    if left or not parts:
        parts.append(f"{left:.9f}".rstrip("0").rstrip(".") + "s")
    return "".join(parts)
