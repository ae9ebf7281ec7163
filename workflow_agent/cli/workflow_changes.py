"""`workflows edit|rename|copy|delete|undo|restore|import|export`: what changes them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from workflow_agent.cli.backends import Which, command, workflow_id_of
from workflow_agent.cli.context import EXIT_FAILED, EXIT_USAGE, AsJson, Backend, CommandFailed, Output, Yes
from workflow_agent.cli.output import (
    confirm_or_refuse,
    print_json,
    print_note,
    print_text,
    progress,
    read_text,
    write_or_print,
)
from workflow_agent.cli.workflows import CHANGING, print_changes, workflows

__all__ = ["workflows"]
_OF_ONE = ("id", "version", "created_at", "updated_at", "aliases")
"""What of a workflow is not its copy's."""


@command(workflows, "edit", CHANGING)
def edit_workflow(
    backend: Backend,
    workflow: Which,
    edits: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="JSON with a list of edits; - reads standard input.")
    ] = None,
    op: Annotated[
        list[str] | None, typer.Option("--op", metavar="JSON", help="One edit as JSON; may come often.")
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Make the change, as a new version.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what edits would do to a workflow; with --apply do it.

    All edits are applied or none. docs/edits.md has every operation.

    Examples:
      workflow-agent workflows edit wf_expense_approval edits.json
      workflow-agent workflows edit wf_expense_approval edits.json --apply
      workflow-agent workflows edit wf_expense_approval \\
        --op '{"op": "rename_workflow", "name": "Expenses"}'
      cat edits.json |
        workflow-agent workflows edit wf_expense_approval - --json
    """
    asked = _edits(edits, op or [])
    path = f"/workflows/{workflow_id_of(backend, workflow)}/edits"
    report = backend.post(path, {"edits": asked}, dry_run=not apply)
    if as_json:
        print_json(report)
        return
    print_changes(report["changes"])
    for one in report["findings"]:
        print_text(f"New {one['severity']}: {one['message']}")
    version = report["workflow"]["version"]
    print_note(f"Done: it is version {version} now." if apply else "Nothing was changed; --apply makes this change.")


@command(workflows, "rename", CHANGING)
def rename_workflow(
    backend: Backend,
    workflow: Which,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its new name; the id stays.")],
) -> None:
    """Give a workflow another name.

    Example:
      workflow-agent workflows rename wf_expense_approval "Expenses"
    """
    path = f"/workflows/{workflow_id_of(backend, workflow)}/edits"
    report = backend.post(path, {"edits": [{"op": "rename_workflow", "name": name}]})
    print_changes(report["changes"])


@command(workflows, "copy", CHANGING)
def copy_workflow(
    backend: Backend,
    workflow: Which,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The copy's name.")] = None,
) -> None:
    """Make a workflow like another, and print its id.

    Examples:
      workflow-agent workflows copy wf_expense_approval
      workflow-agent workflows copy wf_expense_approval "Travel expenses"
    """
    document = backend.get(f"/workflows/{workflow_id_of(backend, workflow)}")
    kept = {key: value for key, value in document.items() if key not in _OF_ONE}
    made = backend.post("/workflows", {**kept, "name": name or f"Copy of {document['name']}"})
    print_text(made["id"])


@command(workflows, "delete", CHANGING)
def delete_workflow(backend: Backend, workflow: Which, yes: Yes = False) -> None:
    """Delete a workflow with all its versions.

    Example:
      workflow-agent workflows delete wf_expense_approval --yes
    """
    document = backend.get(f"/workflows/{workflow_id_of(backend, workflow)}")
    confirm_or_refuse(f"Delete {document['name']!r} with all its versions?", is_sure=yes)
    backend.change("DELETE", f"/workflows/{document['id']}", version=document["version"])
    print_note(f"{document['name']} ({document['id']}) is gone.")


@command(workflows, "undo", CHANGING)
def undo_change(backend: Backend, workflow: Which) -> None:
    """Take the last change of a workflow back, as a new version.

    Example:
      workflow-agent workflows undo wf_expense_approval
    """
    workflow_id = workflow_id_of(backend, workflow)
    newest = backend.get(f"/workflows/{workflow_id}")["version"]
    if newest == 1:
        raise CommandFailed(f"{workflow_id} has one version only: there is no change to take back.")
    _restore(backend, workflow_id, newest - 1)


@command(workflows, "restore", CHANGING)
def restore_version(
    backend: Backend,
    workflow: Which,
    version: Annotated[int, typer.Argument(metavar="VERSION", min=1, help="The version to go back to.")],
) -> None:
    """Make an old version the newest again; nothing of the history is lost.

    Example:
      workflow-agent workflows restore wf_expense_approval 1
    """
    _restore(backend, workflow_id_of(backend, workflow), version)


@command(workflows, "publish", CHANGING)
def publish_workflow(
    backend: Backend,
    workflow: Which,
    version: Annotated[int | None, typer.Argument(metavar="VERSION", min=1, help="The newest, unless given.")] = None,
    by: Annotated[str, typer.Option("--by", help="Who publishes.")] = "user",
) -> None:
    """Publish a version of a workflow; later changes are a draft.

    Example:
      workflow-agent workflows publish wf_expense_approval --by ana
    """
    path = f"/workflows/{workflow_id_of(backend, workflow)}/publish"
    made = backend.post(path, {"version": version, "by": by})
    print_note(f"Version {made['version']} of {made['workflow_id']} is published.")


def _restore(backend: Backend, workflow_id: str, version: int) -> None:
    report = backend.post(f"/workflows/{workflow_id}/versions/{version}/restore")
    print_changes(report["changes"])
    print_note(f"Done: version {report['workflow']['version']} is as version {version} was.")


def _edits(file: Path | None, ops: Sequence[str]) -> list[Any]:
    if (file is None) == (not ops):
        raise CommandFailed("Give the edits in a file (- is standard input), or each with --op.", EXIT_USAGE)
    if file is None:
        return [_json(one, "--op") for one in ops]
    found = _json(read_text(file), str(file))
    if isinstance(found, dict):
        found = found.get("edits", [found])  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] - JSON
    if not isinstance(found, list) or not found:
        raise CommandFailed(f"{str(file)!r} holds no list of edits.", EXIT_USAGE)
    return found  # pyright: ignore[reportUnknownVariableType] - JSON


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise CommandFailed(f"{what} is not JSON: {error}, in {text[:60]!r}.", EXIT_USAGE) from error


@command(workflows, "import", CHANGING, makes=True)
def import_workflows(
    backend: Backend,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Documents; - reads standard input.")],
    form: Annotated[
        str | None, typer.Option("--format", help="The format, such as asl; told by content unless given.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create workflows from documents of other tools.

    Reads Amazon States Language, Serverless Workflow, GitHub Actions, Argo,
    n8n, BPMN, Camunda, Arazzo, Airflow's dag-factory, Kestra, Mermaid, DOT,
    state machines and our own JSON and YAML. Prints the id of each workflow;
    what was lost goes to standard error.

    Examples:
      workflow-agent workflows import machine.json
      cat machine.json | workflow-agent workflows import - --format asl
      workflow-agent workflows import machine.json pipeline.yaml --json
    """
    made: list[Any] = []
    failed: list[str] = []
    with progress("Importing", len(files)) as one_more:
        for file in files:
            try:
                made.append(backend.post("/workflows/import", {"text": read_text(file), "format": form}))
            except CommandFailed as error:
                failed.append(f"{file}: {error.message}")
                if len(files) == 1:
                    raise
            one_more()
    if as_json:
        print_json(made)
    else:
        for report in made:
            _print_import(report)
    if failed:
        raise CommandFailed("\n  ".join([f"{len(failed)} of {len(files)} were not imported:", *failed]), EXIT_FAILED)


def _print_import(report: Any) -> None:
    for one in report.get("documents", [{"workflow": report["workflow"], "report": report["report"]}]):
        if one["workflow"] is not None:
            print_text(one["workflow"]["id"])
        if one["report"] is not None:
            print_losses(one["report"])
        for problem in one.get("problems", ()):
            print_note(f"  not imported: {problem['message']}")


def print_losses(report: Any) -> None:
    """Tell what a document of another tool could not keep."""
    for lost in report["lost"]:
        print_note(f"  lost: {lost['where']}: {lost['what']}")


@command(workflows, "export", CHANGING)
def export_workflow(
    backend: Backend,
    workflow: Which,
    form: Annotated[str, typer.Option("--format", help="Such as json, yaml, asl, bpmn or argo.")] = "json",
    output: Output = None,
) -> None:
    """Write a workflow in a format of another tool.

    What does not fit there is said on standard error.

    Examples:
      workflow-agent workflows export wf_expense_approval --format asl
      workflow-agent workflows export wf_expense_approval \\
        --format bpmn -o expense.bpmn
    """
    written = backend.get(f"/workflows/{workflow_id_of(backend, workflow)}/export", format=form)
    write_or_print(written["text"], output)
    print_losses(written["report"])
