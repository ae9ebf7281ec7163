"""Where the tasks of a list lead, written as directives and cases."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.flow import Region
from workflow_agent.workflows.formats.plain import list_in, nonempty, object_in
from workflow_agent.workflows.formats.serverless_workflow.tasks import expression_of, said_duration
from workflow_agent.workflows.formats.shapes import Place
from workflow_agent.workflows.model.steps import Retry, Step
from workflow_agent.workflows.model.transitions import Transition

DIRECTIVES = ("continue", "exit", "end")
_LISTS = (("do",), ("try",), ("fork", "branches"), ("catch", "do"), ("foreach", "do"))
_Path = tuple[str | int, ...]
_STATUS = "status "
_BACKOFFS = {"constant": "fixed", "linear": "linear", "exponential": "exponential"}
_UNBOUNDED = 1_000_000


def check_targets(document: JsonObject, place: Place) -> None:
    """Refuse each directive that names a task which is not in the same list."""
    _check(document["do"], place / "do")


def _check(items: list[Any], place: Place) -> None:
    names = [name for item in items for name in item]
    for at, item in enumerate(items):
        for name, task in item.items():
            here = place / at / name
            for path, target in _directives(task):
                if target not in names and target not in DIRECTIVES:
                    told = f"there is no task {target[:80]!r} in the same list"
                    here.down(path).refuse(told, (*names, *DIRECTIVES))
            for path in _LISTS:
                _check(_list_at(task, path), here.down(path))


def _directives(task: Mapping[str, Any]) -> list[tuple[_Path, str]]:
    found: list[tuple[_Path, str]] = [(("then",), task["then"])] if "then" in task else []
    for at, case in enumerate(list_in(task.get("switch"))):
        found += [(("switch", at, name, "then"), one["then"]) for name, one in object_in(case).items()]
    catch = object_in(task.get("catch"))
    return [*found, *([(("catch", "then"), catch["then"])] if "then" in catch else [])]


def _list_at(task: Mapping[str, Any], path: tuple[str, ...]) -> list[Any]:
    here: Any = task
    for part in path:
        here = object_in(here).get(part)
    return list_in(here)


@dataclass(frozen=True, slots=True)
class TaskList:
    """The tasks of one list, in order, and where they can lead."""

    order: tuple[str, ...]
    names: Mapping[str, str]
    """The name that each step has in the list."""
    leaving: Mapping[str, str]
    """The directive that a step stands for, for those that are no task."""
    regions: Mapping[str, Region]
    kept: Callable[[Step | Transition], JsonObject]
    is_inside: bool

    def has(self, step_id: str) -> bool:
        """Say whether a task of the list can lead to this step."""
        return step_id in self.names or step_id in self.leaving

    def after(self, step_id: str) -> str | None:
        """Return the step that comes next by itself."""
        at = self.order.index(step_id)
        return self.order[at + 1] if at + 1 < len(self.order) else None

    def then(self, step: Step, ways: Sequence[Transition]) -> JsonObject:
        """Return the directive that leads a task on, where going on to the next one is not it."""
        following, kept = self.after(step.id), self.kept(step).get("then")
        target = ways[0].to if ways else None
        if kept in DIRECTIVES and target == (following if kept == "continue" else None):
            return {"then": kept}
        if ways and self.kept(ways[0]).get("then") == self.names.get(ways[0].to):
            return {"then": self.names[ways[0].to]}
        return {} if target == following else {"then": self._directive(target)}

    def _directive(self, target: str | None) -> str:
        if target is None:
            return "exit" if self.is_inside else "end"
        return self.leaving.get(target) or self.names[target]

    def switch(self, step: Step, ways: Sequence[Transition]) -> JsonObject:
        """Return the cases for the ways on from a step."""
        cases: list[JsonObject] = []
        kept = self.kept(step).get("then")
        then: JsonObject = {"then": kept} if kept in DIRECTIVES else {}
        for edge in ways:
            if edge is ways[-1] and edge.type == "default" and self.kept(edge).get("implicit") is True:
                then = self.then(step, [edge])
            else:
                cases.append(self._case(edge, step, len(cases) + 1))
        return {"switch": cases, **then}

    def _case(self, edge: Transition, step: Step, number: int) -> JsonObject:
        asked: JsonObject = {}
        if edge.when is not None:
            asked = {"when": expression_of(edge.when)}
        elif edge.type == "condition" or edge.action:
            asked = {"when": f".{edge.action or edge.label or 'chosen'}"}
        unnamed = f"case{number}" if asked else "default"
        name = edge.label if edge.label is not None else edge.action or unnamed
        return {name: {**asked, "then": self.led_to(edge, step.id)}}

    def led_to(self, edge: Transition, source: str) -> str:
        """Return the directive for a transition that has to name where it leads."""
        if self.kept(edge).get("then") == "continue" and edge.to == self.after(source):
            return "continue"
        return self._directive(edge.to)

    def after_handling(
        self, handler: Step, ways: Sequence[Transition], task: str, task_ways: Sequence[Transition]
    ) -> JsonObject:
        """Return the directive that leads on from what handles a task's errors, where it is not the task's own."""
        target = ways[0].to if ways else None
        kept = self.kept(handler).get("then")
        first_of_name = {name: step_id for step_id, name in reversed(list(self.names.items()))}
        leads_to = {**first_of_name, **dict.fromkeys(DIRECTIVES), "continue": self.after(task)}
        if isinstance(kept, str) and kept in leads_to and leads_to[kept] == target:
            return {"then": kept}
        return {} if target == (task_ways[0].to if task_ways else None) else {"then": self._directive(target)}


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
    if len(wanted) == 1:
        status = wanted[0].removeprefix(_STATUS)
        is_status = status != wanted[0] and status.isdigit()
        found["errors"] = {"with": {"status": int(status)} if is_status else {"type": wanted[0]}}
    elif wanted:
        quoted = [one.replace("\\", "\\\\").replace('"', '\\"') for one in wanted]
        found["when"] = " or ".join(f'$error.type == "{one}"' for one in quoted)
    if step.retry is not None:
        found["retry"] = _policy_of(step.retry)
    return found


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
    backoff = next(name for name, said in _BACKOFFS.items() if said == retry.backoff)
    limit = {"attempt": {"count": retry.max_attempts - 1}}
    return nonempty(
        {
            "delay": retry.interval,
            "backoff": {backoff: {}} if backoff != "constant" else None,
            "limit": limit if retry.max_attempts < _UNBOUNDED else None,
        }
    )
