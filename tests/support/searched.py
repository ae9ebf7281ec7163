"""A small catalogue to search in, and what a search found in it."""

from typing import Any

from tests.support.in_memory import InMemoryWorkflowCatalog
from workflow_agent.storage.files.search.index import indexed
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.search import Indexed
from workflow_agent.workflows.store import Author, Change, SearchAnswer, WorkflowHead

TENANT = "acme"
STORED = Change(Author(), "created")


def described(workflow_id: str, name: str, *steps: str | dict[str, Any], **fields: Any) -> Workflow:
    """Return a workflow; a step is its name or its fields."""
    listed = [step if isinstance(step, dict) else {"name": step} for step in steps or ("Begin",)]
    numbered = [{"id": f"s{at}", **step} for at, step in enumerate(listed)]
    return parse_workflow({"id": workflow_id, "name": name, "steps": numbered, **fields})


def head_of(workflow: Workflow) -> WorkflowHead:
    """Return which content a workflow has."""
    return WorkflowHead(workflow.version, workflow.updated_at)


def entered(workflow: Workflow) -> Indexed:
    """Return a workflow as the index takes it in."""
    return indexed(workflow, head_of(workflow))


WORKFLOWS = (
    described(
        "wf_expense_approval",
        "Expense approval",
        {"name": "Submit claim", "type": "human", "assignee": "employee"},
        {"name": "Manager decides", "type": "human", "assignee": "manager", "escalate_to": "cfo"},
        {"name": "Pay out", "uses": "payments.transfer", "with": {"account": "treasury"}},
        aliases=["travel costs"],
        tags=["Finance"],
        description="An employee claims money spent on the road and gets it back.",
        triggers=[{"type": "manual"}],
    ),
    described(
        "wf_invoice_payment",
        "Supplier invoice payment",
        {"name": "Match with purchase order", "uses": "sap.match"},
        {"name": "Announce", "uses": "slack.post_message"},
        tags=["finance"],
        triggers=[{"type": "schedule", "cron": "0 9 * * 1", "timezone": "UTC"}],
    ),
    described(
        "wf_employee_onboarding",
        "Employee onboarding",
        {"name": "Prepare equipment", "type": "fork"},
        {"name": "Create accounts", "uses": "okta.create_user"},
        aliases=["joiners"],
        tags=["hr"],
        triggers=[{"type": "event", "event": "bamboohr.contract_signed"}],
    ),
    described(
        "wf_leave_request",
        "Leave request",
        {"name": "Check balance", "assignee": "manager", "type": "human"},
        tags=["hr"],
        triggers=[{"type": "webhook", "path": "/hooks/leave", "method": "POST"}],
    ),
    described(
        "wf_nightly_load",
        "Warehouse load",
        "Copy tables",
        "Check rows",
        triggers=[{"type": "schedule", "cron": "30 2 * * *"}, {"type": "schedule", "every": "PT6H"}],
    ),
    described("wf_release", "Release pipeline", "Build", "Deploy to production", tags=["engineering"]),
)


async def filled_catalog() -> InMemoryWorkflowCatalog:
    """Return a catalogue of WORKFLOWS, the last of them changed last."""
    catalog = InMemoryWorkflowCatalog()
    for workflow in WORKFLOWS:
        await catalog.create(TENANT, workflow, STORED)
    return catalog


def ids(answer: SearchAnswer) -> list[str]:
    """Return the ids of the hits, best first."""
    return [hit.id for hit in answer.hits]
