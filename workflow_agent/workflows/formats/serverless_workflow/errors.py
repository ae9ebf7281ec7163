"""What a `try` says about errors, as retry, error transitions and going on regardless; and back."""

from collections.abc import Mapping, Sequence
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.serverless_workflow.tasks import said_duration
from workflow_agent.workflows.formats.shapes import list_in, object_in
from workflow_agent.workflows.model.steps import Retry, Step

_STATUS = "status "
_BACKOFFS = {"constant": "fixed", "linear": "linear", "exponential": "exponential"}
_UNBOUNDED = 1_000_000


def folded(name: str, task: Mapping[str, Any]) -> JsonObject | None:
    """Return the one task that a `try` of the same name is only there to catch the errors of."""
    items = list_in(task.get("try"))
    if len(items) != 1 or set(task) - {"try", "catch", "then"}:
        return None
    inner = object_in(items[0]).get(name)
    return None if inner is None or "then" in inner or "try" in inner or "switch" in inner else object_in(inner)


def said_catch(task: Mapping[str, Any], retries: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the step that a `catch` says; a retry by name is looked up."""
    if "catch" not in task:
        return {}
    catch = object_in(task["catch"])
    named = catch.get("retry")
    policy = retries.get(named) if isinstance(named, str) else named
    retry = _said_retry(policy, errors_caught(catch))
    if retry is not None:
        return {"retry": retry}
    goes_on = not catch.get("do") and catch.keys().isdisjoint(("retry", "then"))
    return {"on_error": "continue"} if goes_on else {}


def errors_caught(catch: Mapping[str, Any]) -> list[str]:
    """Return the label of the errors a `catch` is for; none stands for all."""
    given = object_in(object_in(catch.get("errors")).get("with"))
    if "type" in given:
        label = fit(str(given["type"]))
        return [label] if label else []
    return [f"{_STATUS}{given['status']}"] if "status" in given else []


def catch_of(step: Step, errors: Sequence[str]) -> JsonObject:
    """Return the `catch` for a step, without what is done then."""
    wanted = list(errors) or list(step.retry.errors if step.retry else ())
    found: JsonObject = {}
    if len(wanted) == 1 and wanted[0].startswith(_STATUS) and wanted[0].removeprefix(_STATUS).isdigit():
        found["errors"] = {"with": {"status": int(wanted[0].removeprefix(_STATUS))}}
    elif len(wanted) == 1:
        found["errors"] = {"with": {"type": wanted[0]}}
    elif wanted:
        found["when"] = " or ".join(f"$error.type == {_quoted(one)}" for one in wanted)
    if step.retry is not None:
        found["retry"] = _policy_of(step.retry)
    return found


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _said_retry(policy: Any, errors: list[str]) -> JsonObject | None:
    """Return a retry policy as the model has it."""
    if not isinstance(policy, dict):
        return None
    given = object_in(policy)
    count = object_in(object_in(given.get("limit")).get("attempt")).get("count")
    attempts = min(max(int(count), 0) + 1, _UNBOUNDED) if isinstance(count, int | float) else _UNBOUNDED
    backoff = next(iter(object_in(given.get("backoff"))), "constant")
    return {
        "max_attempts": attempts,
        "interval": said_duration(given.get("delay")),
        "backoff": _BACKOFFS[backoff],
        "errors": errors,
    }


def _policy_of(retry: Retry) -> JsonObject:
    """Return a retry as a retry policy."""
    delay = {"delay": retry.interval} if retry.interval else {}
    backoff = next(name for name, said in _BACKOFFS.items() if said == retry.backoff)
    shape: JsonObject = {} if backoff == "constant" else {"backoff": {backoff: {}}}
    limit = {"limit": {"attempt": {"count": retry.max_attempts - 1}}} if retry.max_attempts < _UNBOUNDED else {}
    return {**delay, **shape, **limit}
