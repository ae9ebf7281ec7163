"""The routes that a server can listen without: see `app`."""

from collections.abc import Sequence

from fastapi import APIRouter

from workflow_agent.api.frontends import ag_ui, vercel
from workflow_agent.api.mcp import route as mcp
from workflow_agent.api.native import (
    approvals,
    artifacts,
    bundles,
    catalogue,
    compactions,
    conversations,
    forks,
    history,
    memory,
    message_search,
    telemetry,
    turns,
    webhooks,
    workflows,
)
from workflow_agent.api.native import changes as workflow_changes
from workflow_agent.api.native import events as conversation_events
from workflow_agent.api.native import formats as workflow_formats
from workflow_agent.api.native import views as workflow_views
from workflow_agent.api.openai import completions, items, models, responses
from workflow_agent.api.openai import conversations as openai_conversations

FURTHER: Sequence[APIRouter] = (
    bundles.router,
    conversations.router,
    conversation_events.router,
    history.router,
    turns.router,
    artifacts.router,
    compactions.router,
    message_search.router,
    memory.router,
    forks.router,
    workflow_formats.router,
    workflow_views.router,
    workflows.router,
    approvals.router,
    webhooks.router,
    workflow_changes.router,
    catalogue.router,
    telemetry.router,
    models.router,
    completions.router,
    responses.router,
    openai_conversations.router,
    items.router,
    vercel.router,
    ag_ui.router,
    mcp.router,
)
