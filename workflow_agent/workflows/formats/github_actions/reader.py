"""A GitHub Actions workflow as a workflow of the model."""

from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import Imported, UnreadableDocument
from workflow_agent.workflows.formats.builder import Draft
from workflow_agent.workflows.formats.fidelity import kept_of
from workflow_agent.workflows.formats.github_actions.jobs import job_of, said_job, said_step, step_of
from workflow_agent.workflows.formats.github_actions.shapes import broken_needs, needs_of, workflow_shape
from workflow_agent.workflows.formats.github_actions.triggers import said_triggers
from workflow_agent.workflows.formats.shapes import list_in, object_in, problems_in, text_in
from workflow_agent.workflows.model.steps import Step

DEFAULT_NAME = "GitHub workflow"
START = "Start"
_APART = ("needs", "steps")


def read_workflow(document: Any, format_name: str, title: str) -> Imported:
    """Return the workflow of a document.

    Raises:
        UnreadableDocument: With everything that GitHub Actions does not allow.
    """
    problems = problems_in(document, workflow_shape) or broken_needs(object_in(object_in(document)["jobs"]))
    if problems:
        raise UnreadableDocument(title, problems)
    whole = object_in(document)
    draft = Draft(format_name, title)
    jobs = object_in(whole["jobs"])
    roots = [job_id for job_id, job in jobs.items() if not needs_of(job)]
    start = draft.add(START, "fork") if len(roots) > 1 else None
    ids = {job_id: _add_job(draft, job_id, job) for job_id, job in jobs.items()}
    for job_id, job in jobs.items():
        _connect(draft, ids, job_id, job)
    for root in roots if start else ():
        draft.connect(str(start), ids[root])
    fields = said_workflow(whole)
    kept = {key: value for key, value in whole.items() if key not in ("name", "jobs")}
    kept |= kept_of({"name": whole["name"]} if "name" in whole else {}, {"name": fields["name"]})
    return draft.finished(fields.pop("name"), start=start or ids[roots[0]], kept=kept, **fields)


def said_workflow(whole: JsonObject) -> JsonObject:
    """Return the fields of the workflow that a document says beside its jobs."""
    return {"name": text_in(whole.get("name"), 200) or DEFAULT_NAME, "triggers": said_triggers(whole.get("on"))}


def folded(job: JsonObject, name: str) -> JsonObject | None:
    """Return the only step of a job which is there for this step alone: it has the job's name."""
    steps = list_in(job.get("steps"))
    only = object_in(steps[0]) if len(steps) == 1 else {}
    is_plain = only.keys() <= {"name", "uses", "with", "run", "shell", "working-directory"}
    return (
        only
        if only and is_plain and said_step(only)["name"] == name and "matrix" not in object_in(job.get("strategy"))
        else None
    )


def _add_job(draft: Draft, job_id: str, job: JsonObject) -> str:
    fields = {key: value for key, value in said_job(job_id, job).items() if value is not None}
    only = folded(job, fields["name"])
    if only is not None:
        fields |= {key: value for key, value in said_step(only).items() if key in ("uses", "with")}
    step = Step.model_validate({"id": "x", **fields})
    own = {key: value for key, value in job.items() if key not in _APART}
    kept = kept_of(own, job_of(step, job_id))
    if draft.free_id(job_id) != job_id:
        kept["$id"] = job_id
    needs = job.get("needs")
    if isinstance(needs, list) and (len(list_in(needs)) < 2 or len(set(needs_of(job))) < len(needs_of(job))):
        kept["needs"] = needs
    if job.get("steps") == []:
        kept["steps"] = []
    if only is not None and (rest := kept_of(only, step_of(step))):
        kept["$step"] = rest
    name, kind = fields.pop("name"), fields.pop("type", "action")
    at = ("jobs", job_id)
    added = draft.add(name, kind, wanted_id=job_id, kept=kept, at=at, **fields)
    if only is None:
        _add_steps(draft, list_in(job.get("steps")), added, job_id)
    return added


def _add_steps(draft: Draft, steps: list[Any], parent: str, job_id: str) -> None:
    before: str | None = None
    for at, one in enumerate(steps):
        fields = {key: value for key, value in said_step(one).items() if value is not None}
        kept = kept_of(one, step_of(Step.model_validate({"id": "x", **fields})))
        name = fields.pop("name")
        place = ("jobs", job_id, "steps", at)
        added = draft.add(name, "action", parent=parent, wanted_id=one.get("id"), kept=kept, at=place, **fields)
        if before is not None:
            draft.connect(before, added)
        before = added


def _connect(draft: Draft, ids: dict[str, str], job_id: str, job: JsonObject) -> None:
    needs = list(dict.fromkeys(needs_of(job)))
    target = ids[job_id]
    if len(needs) > 1:
        target = draft.add(f"All before {job_id}"[:200], "join", wanted_id=f"all_before_{job_id}")
        draft.connect(target, ids[job_id])
    for needed in needs:
        draft.connect(ids[needed], target)
