"""Tools that make a workflow of a description, of another one or of a document, and that write it as a document."""

from asyncio import to_thread
from typing import Annotated

from pydantic import Field
from pydantic_ai import RunContext

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools.analysis import listed_findings
from workflow_agent.assistant.tools.discovery import find_workflow, named
from workflow_agent.assistant.tools.edit_calls import StepParts, Words
from workflow_agent.assistant.tools.parameters import LIST_OF_SHAPES, Parameters, Reference, told_to_model
from workflow_agent.conversations.document import UserMessage
from workflow_agent.errors import InvalidInput
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.analysis import analyze
from workflow_agent.workflows.edits.drafts import parse_draft, workflow_from_draft
from workflow_agent.workflows.formats import format_named, looks_pasted, only_workflow, pasted_document
from workflow_agent.workflows.formats.base import Report
from workflow_agent.workflows.model.transitions import TransitionType
from workflow_agent.workflows.model.workflow import workflow_document
from workflow_agent.workflows.service import Created


class Edge(Parameters):
    """A transition between steps, named by id or by name."""

    from_: str = Field(alias="from", description="a step, by id or name")
    to: str = Field(description="a step, by id or name")
    type: TransitionType = Field(default="sequence", description="sequence unless given")
    when: Words | None = Field(default=None, description="the condition, in words")
    label: str | None = Field(default=None, description="on the diagram")
    action: str | None = Field(default=None, description="in a lifecycle: what a person does")
    permission: str | None = Field(default=None, description="who may take it")


_Steps = Annotated[list[StepParts], LIST_OF_SHAPES]
_Edges = Annotated[list[Edge], LIST_OF_SHAPES]
_Triggers = Annotated[list[JsonObject], LIST_OF_SHAPES]
TRIGGERS = (
    "{type: manual}, {type: schedule, cron: 0 9 * * 1, timezone}, {type: event, event}, "
    "{type: webhook, path}, {type: workflow, workflow}"
)


class CreateWorkflow(Parameters):
    """A new workflow; transitions name steps by id or by name."""

    name: Annotated[str, Field(min_length=1, max_length=200, description="short")]
    description: str = Field(default="", description="what it is for")
    steps: _Steps = Field(min_length=1, description="[{name, type, …}], ends included")
    transitions: _Edges = Field(default_factory=list[Edge], description="[{from, to, when, …}]")
    triggers: _Triggers = Field(default_factory=list[JsonObject], description="[{type, …}]")
    tags: list[str] = Field(default_factory=list[str], description="department, topic")
    aliases: list[str] = Field(default_factory=list[str], description="other names")
    start: str | None = Field(default=None, description="or the first step")


class CopyWorkflow(Parameters):
    """Which workflow to copy, and what to call the copy."""

    workflow: Reference
    name: Annotated[str, Field(min_length=1, max_length=200, description="of the copy")]


async def create_workflow(ctx: RunContext[WorkflowContext], request: CreateWorkflow) -> JsonObject:
    """Create a workflow, whole, in one call. Shapes as in your instructions."""
    given = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    deps = ctx.deps
    writer = deps.writer(deps.progress.digest_of_write(given))
    with told_to_model():
        draft = parse_draft(given)
        workflow = workflow_from_draft(draft, await deps.service.free_id(draft.name))
    return created_report(deps, await deps.service.create(workflow, writer))


async def copy_workflow(ctx: RunContext[WorkflowContext], request: CopyWorkflow) -> JsonObject:
    """Make a new workflow from one; then edit the copy."""
    deps = ctx.deps
    original = await find_workflow(ctx, request.workflow)
    writer = deps.writer(deps.progress.digest_of_write(["copy", original.id, request.name]))
    with told_to_model():
        created = await deps.service.copy(original, request.name, writer)
    return {"copied_from": named(original), **created_report(deps, created)}


def created_report(deps: WorkflowContext, created: Created) -> JsonObject:
    """Return what a tool tells of a workflow it has just created, noted as what this run did."""
    workflow = created.workflow
    deps.progress.touch(workflow, "created")
    document = workflow_document(workflow)
    return {
        "workflow": named(workflow),
        "steps": [_brief(step, ("id", "name", "type", "assignee", "parent")) for step in document["steps"]],
        "transitions": [_brief(edge, ("from", "to", "type", "when")) for edge in document["transitions"]],
        "findings": listed_findings(analyze(workflow)),
    }


def _brief(part: JsonObject, fields: tuple[str, ...]) -> JsonObject:
    return {name: part[name] for name in fields if name in part}


_MOST_NOTES = 12


class ImportWorkflow(Parameters):
    """A document in a format of another tool."""

    text: str | None = Field(default=None, max_length=2_000_000, description="or as in the message")
    format: str | None = Field(default=None, description="or by its content")
    name: str | None = Field(default=None, min_length=1, max_length=200, description="or its own")


class ExportWorkflow(Parameters):
    """Which workflow to write, and in which format."""

    workflow: Reference
    format: str = Field(description="json, bpmn, n8n, asl, github-actions, …")


async def import_workflow(ctx: RunContext[WorkflowContext], request: ImportWorkflow) -> JsonObject:
    """Create a workflow from a document; says what did not fit."""
    deps = ctx.deps
    writer = deps.writer(deps.progress.digest_of_write(["import", request.model_dump(exclude_unset=True)]))
    with told_to_model():
        text = await to_thread(_text, request, _message(deps))
        part, imported = only_workflow(await deps.service.read_documents(text, request.format))
    name = request.name or imported.workflow.name
    workflow = imported.workflow.model_copy(update={"id": await deps.service.free_id(name), "name": name})
    created = await deps.service.store_imported(workflow, part, writer)
    return {
        "format": part.format.name if part.format else None,
        "title": part.format.title if part.format else None,
        **_noted(imported.report),
        **created_report(deps, created),
    }


def _message(deps: WorkflowContext) -> str:
    """Return what the user said in this run."""
    said = (event for event in reversed(deps.conversation.events) if isinstance(event, UserMessage))
    return next((event.content for event in said if event.run_id == deps.run_id), "")


def _text(request: ImportWorkflow, message: str) -> str:
    if request.text is not None:
        return request.text
    if (text := pasted_document(message) or looks_pasted(message)) is None:
        raise InvalidInput("The message holds no document: ask for one as JSON, YAML or XML.")
    return text


async def export_workflow(ctx: RunContext[WorkflowContext], request: ExportWorkflow) -> JsonObject:
    """Write a workflow in a format; says what is lost."""
    workflow = await find_workflow(ctx, request.workflow)
    with told_to_model():
        chosen = format_named(request.format)
    exported = await to_thread(chosen.write, workflow)
    ctx.deps.progress.touch(workflow, "viewed")
    return {
        "workflow": named(workflow),
        "format": chosen.name,
        "title": chosen.title,
        "file_name": f"{workflow.id}.{chosen.extension}",
        "text": exported.text,
        **_noted(exported.report),
    }


def _noted(report: Report) -> JsonObject:
    """Return the first notes of a report, and how many there are."""
    return {
        key: {
            "total": len(notes),
            "notes": [f"{n.where}: {n.what}" if n.where else n.what for n in notes[:_MOST_NOTES]],
        }
        for key, notes in (("kept", report.kept), ("lost", report.lost))
    }


TOOLS = (create_workflow, copy_workflow, import_workflow, export_workflow)
