"""The tools of the MCP server: each translates one call to a use case."""

from asyncio import to_thread
from dataclasses import dataclass
from typing import Annotated

from mcp.server.mcpserver import Context
from pydantic import Field

from workflow_agent.api.dependencies import Services
from workflow_agent.api.event_stream import stream_of
from workflow_agent.assistant.requests import RunEvent, TurnRequest, chat_response
from workflow_agent.assistant.tools.creation import Edge
from workflow_agent.assistant.tools.discovery import named
from workflow_agent.assistant.tools.edit_calls import Edits, StepParts
from workflow_agent.conversations.agents import Mode
from workflow_agent.errors import WorkflowNotFound
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.diagrams.graph import DiagramFormat, diagram_of
from workflow_agent.workflows.edits.drafts import parse_draft, workflow_from_draft
from workflow_agent.workflows.edits.operations import edit_document, parse_edits
from workflow_agent.workflows.formats import FORMATS, Part, format_named
from workflow_agent.workflows.model.steps import StepType
from workflow_agent.workflows.model.workflow import Workflow, workflow_document
from workflow_agent.workflows.search.listing import listed_workflow
from workflow_agent.workflows.service import ChangeReport, WorkflowService, Writer
from workflow_agent.workflows.store import Author, Revision, WorkflowFilters

_WRITER = Writer(Author(user="mcp"))
Reference = Annotated[str, Field(min_length=1, max_length=200, description="id, name or alias")]
FormatName = Annotated[str, Field(json_schema_extra={"enum": list(FORMATS)}, description="another tool's format")]
Earlier = Annotated[int, Field(ge=1, description="one that list_versions names")]
Newest = Annotated[int | None, Field(ge=1, description="the newest unless given")]


@dataclass(frozen=True, slots=True)
class WorkflowTools:
    """The tools over the services of one tenant."""

    services: Services

    @property
    def workflows(self) -> WorkflowService:
        """Return the use cases."""
        return self.services.use_cases

    async def find(self, reference: str) -> Workflow:
        """Return the one workflow with this id, name or alias; where there is none, tell those that come near."""
        wanted = reference.strip()
        try:
            return await self.workflows.at(wanted)
        except WorkflowNotFound:
            answer = await self.services.search.search(self.services.tenant, wanted, limit=5)
        if len(answer.certain) == 1:
            return await self.workflows.at(answer.certain[0].id)
        near = answer.certain or (*answer.hits, *answer.suggestions)
        listed = "; ".join(f'{hit.id} "{hit.name}"' for hit in near[:5])
        hint = f"Close ones: {listed}. Use an id." if near else "search_workflows lists what there is."
        raise WorkflowNotFound(f"No workflow is certainly meant by {wanted[:80]!r}. {hint}")

    async def search_workflows(
        self,
        query: Annotated[str, Field(max_length=500, description="words about it; empty lists all")] = "",
        tag: Annotated[str | None, Field(description="a department, a topic")] = None,
        trigger: Annotated[str | None, Field(description="what starts it: schedule, monday, …")] = None,
        role: Annotated[str | None, Field(description="who does or decides something in it")] = None,
        service: Annotated[str | None, Field(description="what a step calls, such as slack")] = None,
        step_type: Annotated[StepType | None, Field(description="a kind of step that it has")] = None,
        limit: Annotated[int, Field(ge=1, le=100, description="at most so many")] = 10,
    ) -> JsonObject:
        """Find workflows, the best match first; without a query list them, the latest change first."""
        filters = WorkflowFilters(tag, trigger, role, service, step_type)
        found = await self.services.search.search(self.services.tenant, query, filters, limit=limit)
        return {
            "items": [listed_workflow(await self.workflows.at(hit.id), hit, query) for hit in found.hits],
            "suggestions": [{"id": one.id, "name": one.name} for one in found.suggestions],
        }

    async def get_workflow(self, workflow: Reference, version: Newest = None) -> JsonObject:
        """Read a workflow whole: its steps, transitions and triggers."""
        found = await self.find(workflow)
        return {"workflow": workflow_document(await self.workflows.at(found.id, version) if version else found)}

    async def create_workflow(
        self,
        name: Annotated[str, Field(min_length=1, max_length=200, description="what people call it")],
        steps: Annotated[list[StepParts], Field(min_length=1, description="all, ends included")],
        transitions: Annotated[list[Edge] | None, Field(description="between steps by id or name")] = None,
        description: Annotated[str, Field(description="what it is for")] = "",
        triggers: Annotated[
            list[JsonObject] | None,
            Field(description=("{type: manual | webhook}, {type: schedule, cron, timezone}, {type: event, event}")),
        ] = None,
        tags: Annotated[list[str] | None, Field(description="department, topic")] = None,
        start: Annotated[str | None, Field(description="the first step unless given")] = None,
    ) -> JsonObject:
        """Create a workflow; its id is made from its name. Answers with the findings of its analysis."""
        draft = parse_draft(
            {
                "name": name,
                "description": description,
                "tags": tags or [],
                "triggers": triggers or [],
                "steps": [one.model_dump(mode="json", by_alias=True, exclude_unset=True) for one in steps],
                "transitions": [
                    one.model_dump(mode="json", by_alias=True, exclude_unset=True) for one in transitions or ()
                ],
                **({"start": start} if start else {}),
            }
        )
        workflow = workflow_from_draft(draft, await self.workflows.free_id(name))
        created = (await self.workflows.create(workflow, _WRITER)).workflow
        return {"workflow": workflow_document(created), **await self._found_in(created)}

    async def edit_workflow(
        self,
        workflow: Reference,
        edits: Edits,
        preview: Annotated[bool, Field(description="only show what the edits would do")] = False,
        expected_version: Annotated[int | None, Field(ge=1, description="refuse unless it is the newest")] = None,
    ) -> JsonObject:
        """Change a workflow by typed edits, all or none, as a new version; what they do not name stays."""
        found = await self.find(workflow)
        expected = None if expected_version is None else Revision(expected_version)
        parsed = parse_edits([edit.as_edit() for edit in edits])
        if preview:
            report = await self.workflows.preview(found.id, parsed, expected=expected)
        else:
            report = await self.workflows.edit(found.id, parsed, _WRITER, expected=expected)
        return _changed(report) | {"edits": [edit_document(one) for one in parsed]}

    async def analyze_workflow(self, workflow: Reference) -> JsonObject:
        """Find what can go wrong in a workflow: each finding with its evidence and, if any, a fix."""
        found = await self.find(workflow)
        return {"workflow": named(found), **await self._found_in(found)}

    async def draw_diagram(
        self,
        workflow: Reference,
        format: Annotated[DiagramFormat, Field(description="the language of the diagram")] = "mermaid",
        version: Newest = None,
    ) -> JsonObject:
        """Draw a workflow as a flowchart, in the language of the diagram."""
        drawn = await self.workflows.at((await self.find(workflow)).id, version)
        return {"workflow": named(drawn), "format": format, "diagram": await to_thread(diagram_of, drawn, format)}

    async def import_workflow(
        self,
        text: Annotated[str, Field(min_length=1, max_length=2_000_000, description="the document")],
        ctx: Context,
        format: Annotated[FormatName | None, Field(description="told by content unless given")] = None,
        preview: Annotated[bool, Field(description="only show what would be created")] = False,
    ) -> JsonObject:
        """Create the workflows in a document of another tool; reports what did not fit."""
        parts = await self.workflows.read_documents(text, format)
        documents: list[JsonObject] = []
        for number, part in enumerate(parts, 1):
            documents.append(await self._imported(part, preview=preview))
            await ctx.report_progress(number, len(parts), f"Read document {number} of {len(parts)}")
        return {"preview": preview, "documents": documents}

    async def export_workflow(self, workflow: Reference, format: FormatName = "json") -> JsonObject:
        """Write a workflow in another tool's format; reports what has no place there."""
        chosen = format_named(format)
        found = await self.find(workflow)
        exported = await to_thread(chosen.write, found)
        return {
            "workflow": named(found),
            "format": chosen.name,
            "media_type": chosen.media_type,
            "text": exported.text,
            "report": exported.report.as_dict(),
        }

    async def list_versions(self, workflow: Reference) -> JsonObject:
        """List the versions of a workflow, newest first: who made each, when, and what changed."""
        found = await self.find(workflow)
        records = await self.services.workflows.versions(self.services.tenant, found.id)
        listed = {"version", "at", "author", "action", "summary"}
        items = [one.model_dump(mode="json", include=listed, exclude_none=True) for one in reversed(records)]
        return {"workflow": named(found), "items": items}

    async def restore_version(self, workflow: Reference, version: Earlier) -> JsonObject:
        """Make an earlier version the newest again, as a new version; nothing of the history is lost."""
        found = await self.find(workflow)
        return _changed(await self.workflows.restore(found.id, version, _WRITER))

    async def ask_assistant(
        self,
        message: Annotated[str, Field(pattern=r"\S", max_length=32_000, description="in the user's words")],
        ctx: Context,
        conversation_id: Annotated[str | None, Field(description="to go on with; a new one unless given")] = None,
        workflow: Annotated[str | None, Field(description="the open one: id, name or alias")] = None,
        mode: Annotated[Mode | None, Field(description="how it works; told by the message unless given")] = None,
    ) -> JsonObject:
        """Say something to the assistant in a conversation; it may search, create and change workflows."""
        asked = TurnRequest(
            message=message,
            conversation_id=conversation_id,
            mode=mode,
            workflow_id=(await self.find(workflow)).id if workflow else None,
            is_streamed=False,
        )
        started = await self.services.chat.start(self.services.tenant, asked)
        async for event in (await stream_of(started)).events():
            if told_of := _progress(event):
                # How much there is to do is known when it is done.
                total = event.id if event.name == "complete" else None
                await ctx.report_progress(event.id, total, told_of)
        return chat_response(await started.outcome())

    async def _found_in(self, workflow: Workflow) -> JsonObject:
        return (await self.workflows.analysis_of(workflow)).as_dict()

    async def _imported(self, part: Part, *, preview: bool) -> JsonObject:
        shown: JsonObject = {
            "document": part.number,
            "format": part.format.name if part.format else None,
            "problems": [one.as_dict() for one in part.problems],
        }
        if part.imported is None:
            return shown
        workflow = part.imported.workflow
        if not preview:
            free = workflow.model_copy(update={"id": await self.workflows.free_id(workflow.name)})
            workflow = (await self.workflows.store_imported(free, part, _WRITER)).workflow
        return shown | {"workflow": workflow_document(workflow), "report": part.imported.report.as_dict()}


def _changed(report: ChangeReport) -> JsonObject:
    return {
        "workflow": workflow_document(report.after),
        "previous_version": report.before.version,
        "preview": not report.is_stored,
        "changes": list(report.changes),
        "findings": [one.as_dict() for one in report.findings],
    }


def _progress(event: RunEvent) -> str | None:
    """Return what an event of a run says to somebody who waits for its end."""
    told = {
        "context": "Asks the model",
        "mode": f"Works in mode {event.data.get('name')}",
        "tool_call": f"Calls {event.data.get('name')}",
        "complete": "Has answered",
    }
    return told.get(event.name)
