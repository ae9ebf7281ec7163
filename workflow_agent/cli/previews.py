"""`previews`: changes that wait for somebody's word."""

from typing import Annotated, Any

import typer

from workflow_agent.cli import group
from workflow_agent.cli.backends import command
from workflow_agent.cli.context import AsJson, Backend
from workflow_agent.cli.output import print_listed, print_note
from workflow_agent.cli.workflows import print_changes

previews = group("previews")
Which = Annotated[str, typer.Argument(metavar="PREVIEW", help="An id such as pv_1f2e3d4c5b6a.")]
By = Annotated[str, typer.Option("--by", help="Who decides.")]
_TITLES = ("id", "state", "workflow", "asked by", "until", "what")


@command(previews, "list")
def list_previews(
    backend: Backend,
    every: Annotated[bool, typer.Option("--all", help="Also those that were decided or have expired.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the changes that wait for a decision, the newest first.

    Examples:
      workflow-agent previews list
      workflow-agent previews list --all --json
    """
    found = backend.get("/previews", state="all" if every else None)["items"]
    print_listed(found, _TITLES, map(_row, found), "Nothing waits for a decision.", as_json=as_json, is_cut=True)


def _row(one: Any) -> tuple[object, ...]:
    preview = one["preview"]
    what = "; ".join(preview["changes"])
    return preview["id"], one["state"], preview["workflow_id"], one["asked_by"], one["expires_at"], what


@command(previews, "apply")
def apply_preview(backend: Backend, preview: Which, by: By = "user") -> None:
    """Make a change that waits.

    Example:
      workflow-agent previews apply pv_1f2e3d4c5b6a --by ana
    """
    _decide(backend, preview, "apply", by)


@command(previews, "reject")
def reject_preview(backend: Backend, preview: Which, by: By = "user") -> None:
    """Turn a change that waits down; nothing is changed.

    Example:
      workflow-agent previews reject pv_1f2e3d4c5b6a
    """
    _decide(backend, preview, "reject", by)


def _decide(backend: Backend, preview: str, decision: str, by: str) -> None:
    made = backend.post(f"/previews/{preview}", {"decision": decision, "by": by})
    if made["state"] == "applied":
        print_changes(made["preview"]["changes"])
    version = f": version {made['made_version']}" if made["made_version"] else ""
    print_note(f"{made['preview']['workflow_name']} · {made['state']}{version}")
