"""Tools that take workflows in from the formats of other tools, and give them out."""

from asyncio import to_thread

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools.creation import created_report, store_new
from workflow_agent.assistant.tools.discovery import find_workflow, named
from workflow_agent.assistant.tools.parameters import Parameters, Reference
from workflow_agent.conversations.document import UserMessage
from workflow_agent.errors import InvalidInput
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats import FORMATS, format_named, summary_of_import
from workflow_agent.workflows.formats import import_workflow as read_workflow
from workflow_agent.workflows.formats.base import Format, Imported, Report
from workflow_agent.workflows.formats.pasted import looks_pasted, pasted_document
from workflow_agent.workflows.model.workflow import Workflow

_MOST_NOTES = 12
_FormatName = Field(default=None, json_schema_extra={"enum": list(FORMATS)})


class ImportWorkflow(Parameters):
    """A document in a format of another tool."""

    text: str | None = Field(
        default=None, max_length=2_000_000,
        description="the document; leave it out to take the one in the user's message, word for word",
    )  # fmt: skip
    format: str | None = _FormatName
    """Told by its content unless given."""
    name: str | None = Field(
        default=None, min_length=1, max_length=200, description="instead of its own name"
    )


class ExportWorkflow(Parameters):
    """Which workflow to write, and in which format."""

    workflow: Reference
    format: str = Field(json_schema_extra={"enum": list(FORMATS)})


async def import_workflow(ctx: RunContext[WorkflowContext], request: ImportWorkflow) -> JsonObject:
    """Create a workflow from a pasted document in another tool's format; reports what did not fit."""
    deps = ctx.deps
    try:
        format_, imported = await to_thread(_read, request, _message(deps))
    except InvalidInput as error:
        raise ModelRetry(str(error)) from error
    workflow = imported.workflow
    name = request.name or workflow.name
    given = ["import", request.model_dump(exclude_unset=True)]
    summary = summary_of_import(name, format_)
    change = deps.change("imported", summary, digest=deps.progress.digest_of_write(given))

    def made(workflow_id: str) -> Workflow:
        return workflow.model_copy(update={"id": workflow_id, "name": name})

    created = await store_new(deps, name, made, change)
    return {
        "format": format_.name,
        "title": format_.title,
        **_noted(imported.report),
        **created_report(created),
    }


def _message(deps: WorkflowContext) -> str:
    """Return what the user said in this run."""
    said = (event for event in reversed(deps.conversation.events) if isinstance(event, UserMessage))
    return next((event.content for event in said if event.run_id == deps.run_id), "")


def _read(request: ImportWorkflow, message: str) -> tuple[Format, Imported]:
    text = request.text
    if text is None:
        text = pasted_document(message) or looks_pasted(message)
    if text is None:
        raise InvalidInput("The message holds no document: ask for one as JSON, YAML or XML.")
    return read_workflow(text, request.format)


async def export_workflow(ctx: RunContext[WorkflowContext], request: ExportWorkflow) -> JsonObject:
    """Write a workflow in another tool's format; reports what has no place there. Changes nothing."""
    workflow = await find_workflow(ctx, request.workflow)
    try:
        chosen = format_named(request.format)
    except InvalidInput as error:
        raise ModelRetry(str(error)) from error
    exported = await to_thread(chosen.write, workflow)
    ctx.deps.progress.touch(workflow, "viewed")
    return {
        "workflow": named(workflow), "format": chosen.name, "title": chosen.title,
        "file_name": f"{workflow.id}.{chosen.extension}", "text": exported.text, **_noted(exported.report),
    }  # fmt: skip


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
