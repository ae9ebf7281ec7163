"""Workflows in the formats of other tools: importing and exporting."""

from asyncio import to_thread
from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from workflow_agent.api.creation import create_workflow_once
from workflow_agent.api.dependencies import Actor, Flag, IdempotencyKey, Services, TheServices, WorkflowId, etag
from workflow_agent.api.native.request_shapes import ImportRequest
from workflow_agent.api.native.workflow_shapes import Export, Import
from workflow_agent.api.routes import Documented, answers, creates, json_reply, only_post, routes_at
from workflow_agent.assistant.tools.discovery import named
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.analysis import format_findings
from workflow_agent.workflows.formats import FORMATS, Part, format_named
from workflow_agent.workflows.formats.base import Imported
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

router = routes_at("/api/v1/workflows", "workflows")
_SHOWN: Documented = {200: {"model": Import, "description": "What would be created (`dry_run=true`)"}}


@router.post("/import", operation_id="import_workflow", **creates(Import, 409, other=_SHOWN))
async def import_document(
    body: ImportRequest, services: TheServices, key: IdempotencyKey, actor: Actor, dry_run: Flag = False
) -> Response:
    """Create a workflow from a document in another format, told by its content unless named.

    A text with several documents creates a workflow for each that is one, and says what became of each.
    With `dry_run=true` nothing is created (200): the reply shows what would be, with what would be lost.
    """
    parts = await services.use_cases.read_documents(body.text, body.format)
    if dry_run:
        return json_reply(_imported(parts, {part.number: part.imported.workflow for part in parts if part.imported}))
    made: dict[int, Workflow] = {}
    headers: dict[str, str] = {}
    for part in parts:
        if part.imported is not None:
            own_key = f"{key} document {part.number}" if key and made else key
            workflow, replayed = await _create(part, part.imported, body, services, own_key, actor)
            headers = headers or {"Location": f"{router.prefix}/{workflow.id}", **replayed, **etag(workflow)}
            made[part.number] = workflow
    reply = _imported(parts, made)
    if len(parts) == 1:
        del reply["documents"]
    return json_reply(reply, 201, headers)


async def _create(
    part: Part, imported: Imported, body: ImportRequest, services: Services, key: str | None, actor: str
) -> tuple[Workflow, dict[str, str]]:
    number = [part.number] if part.number > 1 else []
    workflow_id = await services.use_cases.free_id(imported.workflow.name)
    return await create_workflow_once(
        services.keys,
        key,
        ["import", body.model_dump(), *number],
        imported.workflow.model_copy(update={"id": workflow_id}),
        actor=actor,
        create=lambda named, by: services.use_cases.store_imported(named, part, by),
    )


def _imported(parts: Sequence[Part], workflows: Mapping[int, Workflow]) -> JsonObject:
    """Return the first of the workflows, which stand by the numbers of their documents, and what became of each."""
    documents = [_what_became_of(part, workflows.get(part.number)) for part in parts]
    first = next(one for one in documents if one["workflow"])
    workflow = workflows[first["document"]]
    return {
        "workflow": workflow_document(workflow),
        "format": first["format"],
        "report": first["report"],
        "findings": [one.as_dict() for one in format_findings(workflow)],
        "documents": documents,
    }


def _what_became_of(part: Part, workflow: Workflow | None) -> JsonObject:
    return {
        "document": part.number,
        "format": part.format.name if part.format else None,
        "workflow": named(workflow) if workflow else None,
        "report": part.imported.report.as_dict() if part.imported else None,
        "problems": [one.as_dict() for one in part.problems],
    }


only_post(router, "/import")


@router.get("/{workflow_id}/export", **answers(Export, 404, 422))
async def export_workflow(
    workflow_id: WorkflowId,
    services: TheServices,
    format: Annotated[
        str, Query(description="The format to write.", json_schema_extra={"enum": list(FORMATS)}, max_length=40)
    ] = "json",
) -> Response:
    """Write a workflow in another format, with a report of what did not fit."""
    chosen = format_named(format)
    workflow = await services.workflows.get(services.tenant, workflow_id)
    exported = await to_thread(chosen.write, workflow)
    written = {
        "workflow": named(workflow),
        "format": chosen.name,
        "media_type": chosen.media_type,
        "file_name": f"{workflow.id}.{chosen.extension}",
        "text": exported.text,
        "report": exported.report.as_dict(),
    }
    return json_reply(written)
