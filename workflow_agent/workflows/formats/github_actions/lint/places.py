"""The parts of a GitHub Actions workflow that rules look at, with their places."""

from collections.abc import Iterator, Mapping
from typing import Any

from workflow_agent.workflows.formats.shapes import Place, list_in, object_in


def jobs(document: Any, place: Place) -> Iterator[tuple[str, Mapping[str, Any], Place]]:
    """Yield the jobs with their names."""
    for name, job in object_in(document.get("jobs")).items():
        yield name, object_in(job), place / "jobs" / name


def steps(document: Any, place: Place) -> Iterator[tuple[Mapping[str, Any], Place]]:
    """Yield the steps of all jobs."""
    for _, job, here in jobs(document, place):
        for at, step in enumerate(list_in(job.get("steps"))):
            yield object_in(step), here / "steps" / at


def events(document: Any) -> dict[str, Any]:
    """Return what starts a workflow, with what is told of each."""
    on = document.get("on")
    listed: list[Any] = [on] if isinstance(on, str) else list_in(on)
    return dict.fromkeys(map(str, listed)) if listed else object_in(on)
