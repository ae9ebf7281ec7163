"""A new workflow as people and models give it: ids where they have them, names where they do not."""

from collections.abc import Sequence
from typing import Any

from pydantic import Field, ValidationError

from workflow_agent.errors import InvalidWorkflow, Problem
from workflow_agent.values import grouped
from workflow_agent.values.stored import JsonObject, Value
from workflow_agent.workflows.edits import StepDraft, When
from workflow_agent.workflows.model.parser import parse_workflow, problems_of, slug, take_id, unique_id
from workflow_agent.workflows.model.steps import Form
from workflow_agent.workflows.model.terms import Label, Name, Text
from workflow_agent.workflows.model.transitions import TransitionType
from workflow_agent.workflows.model.triggers import Trigger
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

_IDS_SHOWN = 20


class TransitionDraft(Value):
    """An edge between steps named by id or by name; its id is made from its ends."""

    from_: Name = Field(alias="from")
    to: Name
    type: TransitionType = "sequence"
    when: When | None = None
    label: Text | None = None
    action: Label | None = None
    permission: Label | None = None
    form: Form | None = None


class WorkflowDraft(Value):
    """A workflow without its id, version and times."""

    name: Name
    description: Text = ""
    steps: tuple[StepDraft, ...] = Field(min_length=1)
    transitions: tuple[TransitionDraft, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    tags: tuple[Label, ...] = ()
    aliases: tuple[Name, ...] = ()
    start: Name | None = None


def parse_draft(data: Any) -> WorkflowDraft:
    """Return the draft that plain data describes.

    Raises:
        InvalidWorkflow: With every problem of shape, each with its JSON pointer.
    """
    try:
        return WorkflowDraft.model_validate(data)
    except ValidationError as error:
        raise InvalidWorkflow(problems_of(error, data)) from error


def workflow_id_for(name: str, taken: Sequence[str] = ()) -> str:
    """Return an id made from a workflow's name that is not taken."""
    return unique_id(f"wf_{slug(name, fallback='workflow')}", taken)


def workflow_from_draft(draft: WorkflowDraft, workflow_id: str) -> Workflow:
    """Return the workflow of a draft, with an id for each step and each name of a step resolved.

    Raises:
        InvalidWorkflow: A transition names no step or an ambiguous one, or the graph is impossible.
    """
    steps = _steps_with_ids(draft.steps)
    ids = [str(step["id"]) for step in steps]
    by_name = grouped((str(step["name"]).casefold(), str(step["id"])) for step in steps)
    problems: list[Problem] = []

    def resolved(reference: str, pointer: str) -> str:
        meant = [reference] if reference in ids else by_name.get(reference.casefold(), [])
        if len(meant) == 1:
            return meant[0]
        why = "names several steps" if meant else "is not the id or name of a step"
        problems.append(Problem(pointer, f"{reference[:80]!r} {why}", tuple(ids[:_IDS_SHOWN])))
        return reference

    transitions = [
        edge.as_plain()
        | {"from": resolved(edge.from_, f"/transitions/{at}/from"), "to": resolved(edge.to, f"/transitions/{at}/to")}
        for at, edge in enumerate(draft.transitions)
    ]
    start = resolved(draft.start, "/start") if draft.start is not None else steps[0]["id"]
    if problems:
        raise InvalidWorkflow(problems)
    kept = {"name", "description", "triggers", "tags", "aliases"}
    whole = draft.model_dump(mode="json", by_alias=True, include=kept)
    return parse_workflow(whole | {"id": workflow_id, "start": start, "steps": steps, "transitions": transitions})


def copied_as(original: Workflow, name: str) -> Workflow:
    """Return a workflow under another name and without what only one workflow may have: aliases, times.

    Raises:
        InvalidWorkflow: The name is no name.
    """
    own = ("aliases", "created_at", "updated_at")
    document = {key: value for key, value in workflow_document(original).items() if key not in own}
    return parse_workflow(document | {"name": name, "version": 1})


def _steps_with_ids(drafts: Sequence[StepDraft]) -> list[JsonObject]:
    taken = {draft.id for draft in drafts if draft.id is not None}
    return [draft.as_plain() | {"id": draft.id or take_id(slug(draft.name), taken)} for draft in drafts]
