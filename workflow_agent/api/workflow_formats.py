"""Workflows in the formats of other tools: importing and exporting."""

from asyncio import to_thread
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Body, HTTPException, Query
from starlette.responses import Response

from workflow_agent.api.creation import create_once
from workflow_agent.api.documents import named
from workflow_agent.api.parameters import IdempotencyKey, Tenant, TheServices, WorkflowId, etag
from workflow_agent.api.replies import json_reply, replies
from workflow_agent.api.request_schemas import ImportRequest
from workflow_agent.api.routing import StrictRoute
from workflow_agent.api.workflows import BODY_PROBLEMS, free_id
from workflow_agent.domain.workflow import Workflow, workflow_document
from workflow_agent.formats import FORMATS, format_named, import_workflow
from workflow_agent.ports import Author, Change

router = APIRouter(prefix="/api/v1/workflows", tags=["workflows"], route_class=StrictRoute)


@router.post(
    "/import",
    operation_id="import_workflow",
    status_code=201,
    responses=replies("Import", *BODY_PROBLEMS, 409, status=201, headers=("ETag", "Location")),
)
async def import_document(
    body: Annotated[ImportRequest, Body()], services: TheServices, tenant: Tenant, key: IdempotencyKey
) -> Response:
    """Create a workflow from a document in another format, told by its content unless named."""
    format_, imported = await to_thread(import_workflow, body.text, body.format)
    wanted_id = await free_id(imported.workflow.name, services, tenant)

    async def create(workflow_id: str) -> Workflow:
        workflow = imported.workflow.model_copy(update={"id": workflow_id})
        return await services.workflows.create(tenant, workflow, Change(Author(), "imported"))

    made, replayed = await create_once(
        services.keys, tenant, key,
        request=["import", body.model_dump()],
        resource_id=wanted_id,
        create=create,
        find=lambda workflow_id: services.workflows.get(tenant, workflow_id),
    )  # fmt: skip
    headers = etag(made.version) | {"Location": f"{router.prefix}/{made.id}"} | replayed
    reply = {
        "workflow": workflow_document(made), "format": format_.name, "report": imported.report.as_dict()
    }  # fmt: skip
    return json_reply(reply, 201, headers)


@router.api_route("/import", methods=["GET", "PUT", "DELETE"], include_in_schema=False)
async def import_otherwise() -> Response:
    """Refuse the methods that a workflow has, before `import` is taken for the id of one."""
    raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED)


@router.get("/{workflow_id}/export", operation_id="export_workflow", responses=replies("Export", 404, 422))
async def export_workflow(
    workflow_id: WorkflowId,
    services: TheServices,
    tenant: Tenant,
    format: Annotated[  # noqa: A002 - the parameter's public name
        str,
        Query(description="The format to write.", json_schema_extra={"enum": list(FORMATS)}, max_length=40),
    ] = "json",
) -> Response:
    """Write a workflow in another format, with a report of what did not fit."""
    chosen = format_named(format)
    workflow = await services.workflows.get(tenant, workflow_id)
    exported = await to_thread(chosen.write, workflow)
    return json_reply(
        {
            "workflow": named(workflow), "format": chosen.name, "media_type": chosen.media_type,
            "file_name": f"{workflow.id}.{chosen.extension}", "text": exported.text,
            "report": exported.report.as_dict(),
        }
    )  # fmt: skip
