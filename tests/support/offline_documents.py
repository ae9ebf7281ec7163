"""Workflows the offline model is talked to about in tests."""

from typing import Any

from workflow_agent.agent.offline.intents.stems import content_words, likeness
from workflow_agent.domain.triggers import describe_trigger
from workflow_agent.domain.workflow import Workflow
from workflow_agent.domain.workflow_parsing import parse_workflow

EXPENSE: dict[str, Any] = {
    "id": "wf_expense_approval",
    "name": "Expense approval",
    "version": 3,
    "description": "Employees hand in expenses and get their money back.",
    "aliases": ["expenses"],
    "tags": ["finance"],
    "triggers": [{"type": "event", "event": "expense.submitted"}],
    "steps": [
        {
            "id": "submit",
            "name": "Submit expense",
            "type": "human",
            "assignee": "employee",
            "form": {"fields": [{"key": "amount", "type": "number", "required": True}]},
        },
        {"id": "review", "name": "Manager review", "type": "human", "assignee": "manager", "timeout": "P2D"},
        {"id": "pay", "name": "Pay out", "type": "action", "uses": "payments.transfer", "timeout": "PT1M"},
        {"id": "paid", "name": "Paid", "type": "end", "outcome": "ok"},
        {"id": "rejected", "name": "Rejected", "type": "end", "outcome": "rejected"},
    ],
    "transitions": [
        {"from": "submit", "to": "review"},
        {
            "from": "review",
            "to": "pay",
            "type": "condition",
            "when": {"text": "approved"},
            "action": "approve",
        },
        {"from": "review", "to": "rejected", "type": "condition", "when": {"text": "rejected"}},
        {"from": "pay", "to": "paid"},
    ],
}
CONTRACT: dict[str, Any] = {
    "id": "wf_contract_signing",
    "name": "Contract signing",
    "description": "Contracts are drafted, checked and signed; the team hears of it on Slack.",
    "tags": ["legal"],
    "triggers": [{"type": "manual"}],
    "steps": [
        {"id": "draft", "name": "Draft contract", "type": "human", "assignee": "sales"},
        {"id": "legal_review", "name": "Legal review", "type": "human", "assignee": "legal"},
        {"id": "finance_review", "name": "Finance review", "type": "human", "assignee": "finance"},
        {"id": "sign", "name": "Sign contract", "type": "human", "assignee": "director"},
        {"id": "announce", "name": "Announce it", "type": "action", "uses": "slack.post_message"},
        {"id": "done", "name": "Done", "type": "end", "outcome": "ok"},
    ],
    "transitions": [
        {"from": "draft", "to": "legal_review"},
        {"from": "legal_review", "to": "finance_review"},
        {"from": "finance_review", "to": "sign"},
        {"from": "sign", "to": "announce"},
        {"from": "announce", "to": "done"},
    ],
}
REPORT: dict[str, Any] = {
    "id": "wf_weekly_report",
    "name": "Weekly report",
    "description": "Collects the sales numbers and mails invoices overdue to the board.",
    "tags": ["finance", "reporting"],
    "triggers": [{"type": "schedule", "cron": "0 9 * * 1"}],
    "steps": [
        {"id": "collect", "name": "Collect numbers", "type": "action", "uses": "warehouse.query"},
        {"id": "pause", "name": "Wait for late numbers", "type": "wait", "duration": "P1D"},
        {"id": "mail", "name": "Mail report", "type": "action", "uses": "email.send"},
    ],
    "transitions": [{"from": "collect", "to": "pause"}, {"from": "pause", "to": "mail"}],
}


LEAFLET: dict[str, Any] = {
    "id": "wf_leaflet",
    "name": "Leaflet",
    "steps": [
        {"id": "draft", "name": "Draft", "type": "human", "assignee": "writer"},
        {"id": "check", "name": "Check", "type": "human", "timeout": "P2D", "escalate_to": "the boss"},
        {"id": "rest", "name": "Rest", "type": "wait", "duration": "P1D"},
        {"id": "split", "name": "Split", "type": "fork"},
        {"id": "print", "name": "Print", "type": "action"},
        {
            "id": "mail",
            "name": "Mail",
            "uses": "email.send",
            "retry": {"max_attempts": 3, "interval": "PT10S"},
        },
    ],
    "transitions": [
        {"from": "draft", "to": "check"},
        {"from": "check", "to": "rest", "type": "condition", "when": {"text": "fine"}},
        {"from": "check", "to": "draft", "type": "default"},
        {"from": "rest", "to": "split"},
        {"from": "split", "to": "print"},
        {"from": "split", "to": "mail"},
        {"from": "mail", "to": "draft", "type": "error"},
    ],
    "automations": [
        {
            "id": "ping",
            "on": {"event": "entered", "to": "mail"},
            "effect": {"type": "slack", "with": {"to": "x"}},
        }
    ],
}


def workflows(*documents: dict[str, Any]) -> dict[str, list[Workflow]]:
    """Return a store of workflows, each with its versions, oldest first."""
    parsed = [parse_workflow(document) for document in documents]
    return {workflow.id: [workflow] for workflow in parsed}


def ref(workflow: Workflow) -> dict[str, Any]:
    return {"id": workflow.id, "name": workflow.name, "version": workflow.version}


def listed(workflow: Workflow) -> dict[str, Any]:
    return {
        **ref(workflow),
        "description": workflow.description,
        "tags": list(workflow.tags),
        "aliases": list(workflow.aliases),
        "step_count": len(workflow.steps),
        "triggers": [describe_trigger(trigger) for trigger in workflow.triggers],
    }


def relevance(query: str, workflow: Workflow) -> float:
    text = " ".join([workflow.name, workflow.description, *workflow.aliases, *workflow.tags,
                     *(f"{s.name} {s.uses or ''} {s.assignee or ''}" for s in workflow.steps)])  # fmt: skip
    words = content_words(text.replace(".", " "))
    wanted = content_words(query)
    return sum(max(likeness(w, word, related=False) for word in words) >= 0.8 for w in wanted) / len(wanted)
