"""`workflows edit|import|export`: what changes workflows, or takes them in and out."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from workflow_agent.cli.backend import Backend
from workflow_agent.cli.documents import read_text, write_or_print
from workflow_agent.cli.leaving import EXIT_FAILED, EXIT_USAGE, CommandFailed
from workflow_agent.cli.naming import workflow_id_of
from workflow_agent.cli.options import AsJson
from workflow_agent.cli.printing import print_json, print_note, print_text, progress
from workflow_agent.cli.reaching import with_backend
from workflow_agent.cli.workflows import CHANGING, Which, command, print_changes, workflows

__all__ = ["workflows"]


@command("edit", CHANGING)
@with_backend()
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

    \b
      workflow-agent workflows edit wf_expense_approval \\
        --op '{"op": "rename_workflow", "name": "Expenses"}'

    \b
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
    print_note(
        f"Done: it is version {version} now." if apply else
        "Nothing was changed; --apply makes this change."
    )  # fmt: skip


def _edits(file: Path | None, ops: Sequence[str]) -> list[Any]:
    if (file is None) == (not ops):
        raise CommandFailed("Give the edits in a file (- is standard input), or each with --op.", EXIT_USAGE)
    if file is None:
        return [_json(one, "--op") for one in ops]
    found = _json(read_text(file), str(file))
    found = found.get("edits", [found]) if isinstance(found, dict) else found  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] - JSON
    if not isinstance(found, list) or not found:
        raise CommandFailed(f"{str(file)!r} holds no list of edits.", EXIT_USAGE)
    return found  # pyright: ignore[reportUnknownVariableType] - JSON


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise CommandFailed(f"{what} is not JSON: {error}, in {text[:60]!r}.", EXIT_USAGE) from error


@command("import", CHANGING)
@with_backend(makes=True)
def import_workflows(
    backend: Backend,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Documents; - reads standard input.")
    ],
    form: Annotated[
        str | None, typer.Option("--format", help="The format, such as asl; told by content unless given.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create workflows from documents of other tools.

    Reads Amazon States Language, Serverless Workflow, GitHub Actions, Argo,
    n8n, BPMN, Arazzo, Airflow's dag-factory and our own JSON and YAML. Prints
    the id of each workflow; what was lost goes to standard error.

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
        raise CommandFailed(
            "\n  ".join([f"{len(failed)} of {len(files)} were not imported:", *failed]), EXIT_FAILED
        )


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


@command("export", CHANGING)
@with_backend()
def export_workflow(
    backend: Backend,
    workflow: Which,
    form: Annotated[str, typer.Option("--format", help="Such as json, yaml, asl, bpmn or argo.")] = "json",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write this file.")] = None,
) -> None:
    """Write a workflow in a format of another tool.

    What does not fit there is said on standard error.

    Examples:

      workflow-agent workflows export wf_expense_approval --format asl

    \b
      workflow-agent workflows export wf_expense_approval \\
        --format bpmn -o expense.bpmn
    """
    written = backend.get(f"/workflows/{workflow_id_of(backend, workflow)}/export", format=form)
    write_or_print(written["text"], output)
    print_losses(written["report"])
