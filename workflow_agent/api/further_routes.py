"""The routes that a server can listen without: see `late_routes`."""

from collections.abc import Sequence

from fastapi import APIRouter

from workflow_agent.api import (
    artifacts,
    bundles,
    catalogue,
    compactions,
    conversation_events,
    conversations,
    forks,
    frontends,
    history,
    message_search,
    openai,
    telemetry,
    turns,
    workflow_changes,
    workflow_formats,
    workflow_views,
    workflows,
)

FURTHER: Sequence[APIRouter] = (
    bundles.router, conversations.router,
    conversation_events.router, history.router, turns.router, artifacts.router, compactions.router,
    message_search.router,
    forks.router,
    workflow_formats.router, workflow_views.router, workflows.router, workflow_changes.router,
    catalogue.router, telemetry.router, *openai.ROUTERS, *frontends.ROUTERS,
)  # fmt: skip
ELSEWHERE_DESCRIBED: Sequence[APIRouter] = (*openai.ROUTERS, *frontends.ROUTERS)
"""Those that our OpenAPI document leaves out, because others describe them."""
