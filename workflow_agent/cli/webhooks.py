"""`webhooks`: which addresses are told of events."""

from typing import Annotated
from urllib.parse import quote

import typer

from workflow_agent.cli import group
from workflow_agent.cli.backends import command
from workflow_agent.cli.context import EXIT_FAILED, AsJson, Backend, CommandFailed
from workflow_agent.cli.output import print_listed, print_note, print_text

webhooks = group("webhooks")
WebhookId = Annotated[str, typer.Argument(metavar="ID", help="An id, as `list` shows it.")]


@command(webhooks, "list")
def list_webhooks(backend: Backend, as_json: AsJson = False) -> None:
    """List the addresses that are told of events, the oldest first.

    Example:
      workflow-agent webhooks list --url http://127.0.0.1:8000
    """
    items = backend.get("/webhooks")["items"]
    rows = ((one["id"], one["url"], ", ".join(one["events"]), one["waiting"]) for one in items)
    titles = ("id", "address", "events", "not taken yet")
    print_listed(items, titles, rows, "Nobody is told of events.", as_json=as_json)


@command(webhooks, "add")
def add_webhook(
    backend: Backend,
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="At a host that the server allows.")],
    events: Annotated[
        list[str] | None, typer.Option("--event", help="Only these, such as workflow.changed; else all.")
    ] = None,
) -> None:
    """Tell an address of events, and print the key that they are signed with.

    The key is shown only now. Hosts are allowed with
    WORKFLOW_AGENT_WEBHOOK_HOSTS.

    Example:
      workflow-agent webhooks add https://example.org/told \\
        --event workflow.changed --url http://127.0.0.1:8000
    """
    made = backend.post("/webhooks", {"url": address, "events": events or []})
    print_note(f"{made['id']} is told from now on. Its key, which is shown only now:")
    print_text(made["key"])


@command(webhooks, "test")
def test_webhook(backend: Backend, webhook: WebhookId) -> None:
    """Send an address one event now, and say whether it was taken.

    Example:
      workflow-agent webhooks test wh_3f0a9c21b7de
    """
    sent = backend.post(f"/webhooks/{quote(webhook, safe='')}/test", {})
    if not sent["is_taken"]:
        raise CommandFailed(f"The event was not taken: {sent['problem']}.", EXIT_FAILED)
    print_note(f"The event was taken in {sent['duration_ms']} ms.")


@command(webhooks, "remove")
def remove_webhook(backend: Backend, webhook: WebhookId) -> None:
    """Tell an address no more.

    Example:
      workflow-agent webhooks remove wh_3f0a9c21b7de
    """
    backend.change("DELETE", f"/webhooks/{quote(webhook, safe='')}")
    print_note(f"{webhook} is told no more.")
