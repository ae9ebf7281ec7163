"""Tools that take workflows in from the formats of other tools, and give them out."""

from asyncio import to_thread

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools.creation import created_report
from workflow_agent.assistant.tools.discovery import find_workflow, named
from workflow_agent.assistant.tools.parameters import Parameters, Reference
from workflow_agent.conversations.document import UserMessage
from workflow_agent.errors import InvalidInput
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats import format_named, looks_pasted, only_workflow, pasted_document
from workflow_agent.workflows.formats.base import Report

_MOST_NOTES = 12
_FormatName = Field(default=None, description="or by its content")


class ImportWorkflow(Parameters):
    """A document in a format of another tool."""

    text: str | None = Field(default=None, max_length=2_000_000, description="or as in the message")
    format: str | None = _FormatName
    """Told by its content unless given."""
    name: str | None = Field(default=None, min_length=1, max_length=200, description="or its own")


class ExportWorkflow(Parameters):
    """Which workflow to write, and in which format."""

    workflow: Reference
    format: str = Field(description="json, bpmn, n8n, asl, github-actions, …")


async def import_workflow(ctx: RunContext[WorkflowContext], request: ImportWorkflow) -> JsonObject:
    """Create a workflow from a document; says what did not fit."""
    deps = ctx.deps
    writer = deps.writer(deps.progress.digest_of_write(["import", request.model_dump(exclude_unset=True)]))
    try:
        text = await to_thread(_text, request, _message(deps))
        part, imported = only_workflow(await deps.service.read_documents(text, request.format))
    except InvalidInput as error:
        raise ModelRetry(str(error)) from error
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
    text = pasted_document(message) or looks_pasted(message)
    if text is None:
        raise InvalidInput("The message holds no document: ask for one as JSON, YAML or XML.")
    return text


async def export_workflow(ctx: RunContext[WorkflowContext], request: ExportWorkflow) -> JsonObject:
    """Write a workflow in a format; says what is lost."""
    workflow = await find_workflow(ctx, request.workflow)
    try:
        chosen = format_named(request.format)
    except InvalidInput as error:
        raise ModelRetry(str(error)) from error
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


TOOLS = (import_workflow, export_workflow)
