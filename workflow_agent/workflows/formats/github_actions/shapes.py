"""What a GitHub Actions workflow may look like, and what starts it: `on` as triggers, and back."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.flow import waiting_for_ever
from workflow_agent.workflows.formats.plain import list_in, object_in, without
from workflow_agent.workflows.formats.shapes import (
    Place,
    Shape,
    anything,
    fields_of,
    flag,
    listed,
    mapped,
    number,
    one_kind,
    record,
    text,
)
from workflow_agent.workflows.formats.text import vocabulary
from workflow_agent.workflows.model.durations import whole_seconds
from workflow_agent.workflows.model.triggers import cron_problem

JOB_ID = r"[A-Za-z_][A-Za-z0-9_-]*"
_EXPRESSION = text(r"[\s\S]*\$\{\{[\s\S]*\}\}[\s\S]*", says="an expression like ${{ matrix.experimental }}")
_REPLACED = text(r"\s*\$[\s\S]+", says="an expression, or a placeholder of a template")
_TEXT = text()
_SCALAR = one_kind(text=anything, number=anything, flag=anything, nothing=anything)
_CONDITION = one_kind(text=anything, number=anything, flag=anything)
_VALUES = one_kind(object=mapped(_SCALAR), text=_EXPRESSION, nothing=anything)
_MINUTES = one_kind(number=number(least=0), text=_EXPRESSION)
_MAYBE = one_kind(flag=flag, text=_EXPRESSION)
_PERMISSIONS = one_kind(
    text=text(r"read-all|write-all|", says="read-all or write-all"), object=mapped(_TEXT), nothing=anything
)
_CONCURRENCY = one_kind(
    text=anything, object=record({"group": _TEXT, "cancel-in-progress": _MAYBE, "queue": _TEXT}, required=["group"])
)
_DEFAULTS = one_kind(object=record({"run": mapped(_TEXT)}), nothing=anything)
_RUNNER = one_kind(
    text=text(r"\s*\S[\s\S]*", says="the label of a runner"),
    list=listed(_TEXT, least=1),
    object=record({"group": _TEXT, "labels": one_kind(text=anything, list=listed(_TEXT))}),
)
_ENVIRONMENT = one_kind(
    text=anything,
    object=record({"name": _TEXT, "url": _TEXT, "deployment": _MAYBE}, required=["name"]),
    nothing=anything,
)
_CONTAINER = one_kind(text=anything, object=mapped(), nothing=anything)
_SERVICES = one_kind(object=mapped(_CONTAINER), text=_EXPRESSION, nothing=anything)

_BOTH: Mapping[str, Shape] = {
    "name": one_kind(text=anything, number=anything, nothing=anything),
    "if": _CONDITION,
    "env": _VALUES,
    "timeout-minutes": _MINUTES,
    "continue-on-error": _MAYBE,
}
STEP = record(
    {
        **_BOTH,
        "id": text(JOB_ID, says="letters, digits, `-` and `_`"),
        "uses": text(r"\s*\S[\s\S]*", says="an action"),
        "run": one_kind(text=anything, number=anything),
        "with": _VALUES,
        **fields_of(_TEXT, "shell working-directory"),
    },
    exactly_one=[("uses", "run")],
)
_STRATEGY = one_kind(
    object=record(
        {
            "matrix": one_kind(
                object=mapped(one_kind(list=listed(), text=_REPLACED)), text=_REPLACED, nothing=anything
            ),
            "fail-fast": _MAYBE,
            "max-parallel": one_kind(number=number(least=1, whole=True), text=_EXPRESSION),
        }
    ),
    text=_EXPRESSION,
)
_JOB_REST: Mapping[str, Shape] = {
    **_BOTH,
    "permissions": _PERMISSIONS,
    "runs-on": _RUNNER,
    "environment": _ENVIRONMENT,
    "concurrency": _CONCURRENCY,
    "outputs": one_kind(object=mapped(_SCALAR)),
    "defaults": _DEFAULTS,
    "strategy": _STRATEGY,
    "container": _CONTAINER,
    "services": _SERVICES,
    "with": _VALUES,
    "uses": text(r"\s*\S[\s\S]*", says="a workflow"),
    "snapshot": one_kind(text=anything, object=mapped()),
    "secrets": one_kind(object=mapped(_SCALAR), text=text("inherit", says="inherit"), nothing=anything),
}
_JOB = record(
    {**_JOB_REST, "needs": one_kind(text=anything, list=listed(_TEXT)), "steps": listed(STEP)},
    exactly_one=[("steps", "uses")],
)
job_rest_shape = record(_JOB_REST)
"""A job without what it needs and what is in it."""


def _job(value: Any, place: Place) -> None:
    _JOB(value, place)
    job = object_in(value)
    if "steps" in job and "runs-on" not in job:
        place.refuse("needs `runs-on`")


_SCHEDULES = listed(record({"cron": text(r"\s*\S[\s\S]*", says="cron"), "timezone": _TEXT}, required=["cron"]), least=1)
_EVENT_NAME = r"[a-z][a-z_]*"


def on_shape(value: Any, place: Place) -> None:
    """Check what starts the workflow: an event, several, or several with their filters."""
    name = text(_EVENT_NAME, says="the name of an event")
    filters = mapped(
        one_kind(object=mapped(), nothing=anything, list=anything), key=_EVENT_NAME, says="an event", least=1
    )
    one_kind(text=name, list=listed(name, least=1), object=filters)(value, place)
    for event, given in object_in(value).items():
        shape = _SCHEDULES if event == "schedule" else one_kind(object=mapped(), nothing=anything)
        shape(given, place / event)


REST: Mapping[str, Shape] = {
    "name": _BOTH["name"],
    "run-name": _TEXT,
    "on": on_shape,
    "permissions": _PERMISSIONS,
    "env": _VALUES,
    "defaults": _DEFAULTS,
    "concurrency": _CONCURRENCY,
}
"""What a workflow has beside its jobs."""
rest_shape = record(REST)
_JOBS = mapped(_job, key=JOB_ID, says="letters, digits, `-` and `_`, and begin with a letter or `_`", least=1)
workflow_shape = record({**REST, "jobs": _JOBS}, required=["on", "jobs"])


def needs_of(job: Mapping[str, Any]) -> list[str]:
    """Return the jobs that a job waits for."""
    needs = job.get("needs", [])
    return [needs] if isinstance(needs, str) else list(needs)


def check_needs(document: JsonObject, place: Place) -> None:
    """Refuse each job that waits for one that is not there, or for itself in the end."""
    jobs = object_in(document["jobs"])
    for name, job in jobs.items():
        for needed in needs_of(job):
            if needed not in jobs:
                (place / "jobs" / name / "needs").refuse(f"there is no job {needed[:80]!r}", list(jobs))
    waiting = {name: set(needs_of(job)) & jobs.keys() for name, job in jobs.items()}
    for name in waiting_for_ever(waiting):
        (place / "jobs" / name / "needs").refuse("waits for itself by way of the jobs it needs")


def jobs_in(document: Any, place: Place) -> Iterator[tuple[Mapping[str, Any], Place]]:
    """Yield the jobs, each with its place, the last part of which is its name."""
    for name, job in object_in(document.get("jobs")).items():
        yield object_in(job), place / "jobs" / name


def steps_in(document: Any, place: Place) -> Iterator[tuple[Mapping[str, Any], Place]]:
    """Yield the steps of all jobs."""
    for job, here in jobs_in(document, place):
        for at, step in enumerate(list_in(job.get("steps"))):
            yield object_in(step), here / "steps" / at


def events_of(document: Any) -> dict[str, Any]:
    """Return what starts a workflow, with what is told of each."""
    on = document.get("on")
    names: list[Any] = [on] if isinstance(on, str) else list_in(on)
    return dict.fromkeys(map(str, names)) if names else object_in(on)


_ANY_CALLER = "*"
_DAILY = {1440: "0 0 * * *", 10_080: "0 0 * * 0"}
VOCABULARY = vocabulary("workflow_agent.workflows.formats.github_actions")
"""What GitHub knows: events, values of expressions, permissions, and inputs of actions."""
EVENTS: frozenset[str] = VOCABULARY["events"]


def said_triggers(on: Any) -> list[JsonObject]:
    """Return the triggers that an `on` is."""
    named = [on] if isinstance(on, str) else list_in(on)
    events = [(event, None) for event in named] or object_in(on).items()
    return [trigger for event, given in events for trigger in _said(event, given)]


def _said(event: str, given: Any) -> Iterable[JsonObject]:
    reader = _READERS.get(event)
    return reader(given) if reader else [_with({"type": "event", "event": fit(event)}, object_in(given))]


def _with(trigger: JsonObject, given: JsonObject) -> JsonObject:
    return {**trigger, "with": given} if given else trigger


def _said_schedules(given: Any) -> Iterable[JsonObject]:
    for one in list_in(given):
        if cron_problem(one["cron"]) is None and set(one) == {"cron"}:
            yield {"type": "schedule", "cron": one["cron"]}
        else:
            yield {"type": "event", "event": "schedule", "with": one}


def _said_run(given: Any) -> Iterable[JsonObject]:
    rest = without(object_in(given), "workflows")
    named = [fit(str(name)) for name in list_in(object_in(given).get("workflows"))]
    for name in [one for one in named if one] or ["any workflow"]:
        yield _with({"type": "workflow", "workflow": name}, rest)


def _said_dispatch(given: Any) -> Iterable[JsonObject]:
    types = [fit(str(one)) for one in list_in(object_in(given).get("types"))]
    for one in [each for each in types if each] or ["repository_dispatch"]:
        yield {"type": "event", "event": one}


_READERS: Mapping[str, Callable[[Any], Iterable[JsonObject]]] = {
    "schedule": _said_schedules,
    "workflow_dispatch": lambda given: [_with({"type": "manual"}, object_in(given))],
    "workflow_call": lambda given: [_with({"type": "workflow", "workflow": _ANY_CALLER}, object_in(given))],
    "workflow_run": _said_run,
    "repository_dispatch": _said_dispatch,
}


def on_of(triggers: Iterable[JsonObject]) -> JsonObject:
    """Return the `on` for triggers; without any, people start it."""
    found: JsonObject = {}
    for trigger in triggers:
        _WRITERS[trigger["type"]](trigger, trigger.get("with", {}), found)
    return found or {"workflow_dispatch": None}


def _schedule(trigger: JsonObject, _: JsonObject, found: JsonObject) -> None:
    cron = trigger.get("cron") or _cron_of(trigger.get("every"))
    if cron is not None:
        found.setdefault("schedule", []).append({"cron": cron})


def _cron_of(every: str | None) -> str | None:
    """Return the cron that comes nearest to an interval; None where none comes near."""
    minutes, seconds = divmod(whole_seconds(every) or 0, 60)
    if minutes == 0 or seconds:
        return None
    if 60 % minutes == 0 and minutes < 60:
        return f"*/{minutes} * * * *"
    hours = minutes // 60
    return f"0 */{hours} * * *" if minutes % 60 == 0 and hours < 24 and 24 % hours == 0 else _DAILY.get(minutes)


def _event(trigger: JsonObject, given: JsonObject, found: JsonObject) -> None:
    event = trigger["event"]
    if event == "schedule" and "cron" in given:
        found.setdefault("schedule", []).append(given)
    elif event in EVENTS and event not in _READERS:
        found.setdefault(event, given or None)
    else:
        _dispatch(found, event)


def _dispatch(found: JsonObject, name: str) -> None:
    types = found.setdefault("repository_dispatch", {"types": []})["types"]
    if name not in types:
        types.append(name)


def _workflow(trigger: JsonObject, given: JsonObject, found: JsonObject) -> None:
    if trigger["workflow"] == _ANY_CALLER:
        found.setdefault("workflow_call", given or None)
    else:
        found.setdefault("workflow_run", {**given, "workflows": []})["workflows"].append(trigger["workflow"])


_WRITERS: Mapping[str, Callable[[JsonObject, JsonObject, JsonObject], object]] = {
    "schedule": _schedule,
    "event": _event,
    "manual": lambda _, given, found: found.setdefault("workflow_dispatch", given or None),
    "webhook": lambda trigger, _, found: _dispatch(found, trigger.get("path", "").strip("/")[:100] or "webhook"),
    "workflow": _workflow,
}
