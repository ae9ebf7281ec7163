"""What a GitHub Actions workflow may look like."""

from collections.abc import Iterator, Mapping
from typing import Any

from workflow_agent.errors import Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.flow import waiting_for_ever
from workflow_agent.workflows.formats.shapes import (
    Place,
    Shape,
    anything,
    flag,
    list_in,
    listed,
    mapped,
    number,
    object_in,
    one_kind,
    record,
    text,
)

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
        "shell": _TEXT,
        "working-directory": _TEXT,
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
    "name": one_kind(text=anything, number=anything, nothing=anything),
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


def broken_needs(document: JsonObject) -> list[Problem]:
    """Return a problem for each job that waits for one that is not there, or for itself in the end."""
    place, jobs = Place([]), object_in(document["jobs"])
    for name, job in jobs.items():
        for needed in needs_of(job):
            if needed not in jobs:
                (place / "jobs" / name / "needs").refuse(f"there is no job {needed[:80]!r}", list(jobs))
    waiting = {name: set(needs_of(job)) & jobs.keys() for name, job in jobs.items()}
    for name in waiting_for_ever(waiting):
        (place / "jobs" / name / "needs").refuse("waits for itself by way of the jobs it needs")
    return place.problems


def jobs_in(document: Any, place: Place) -> Iterator[tuple[str, Mapping[str, Any], Place]]:
    """Yield the jobs with their names."""
    for name, job in object_in(document.get("jobs")).items():
        yield name, object_in(job), place / "jobs" / name


def steps_in(document: Any, place: Place) -> Iterator[tuple[Mapping[str, Any], Place]]:
    """Yield the steps of all jobs."""
    for _, job, here in jobs_in(document, place):
        for at, step in enumerate(list_in(job.get("steps"))):
            yield object_in(step), here / "steps" / at


def events_of(document: Any) -> dict[str, Any]:
    """Return what starts a workflow, with what is told of each."""
    on = document.get("on")
    names: list[Any] = [on] if isinstance(on, str) else list_in(on)
    return dict.fromkeys(map(str, names)) if names else object_in(on)
