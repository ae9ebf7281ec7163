"""`workflows`: looking at workflows; those that change some are in `workflow_changes`."""

from typing import Annotated, Any, Literal

import typer

from workflow_agent.cli import Command, group
from workflow_agent.cli.backends import Which, command, with_listing, workflow_id_of
from workflow_agent.cli.context import AsJson, Backend, FindWorkflows, Limit, Output
from workflow_agent.cli.output import (
    print_facts,
    print_json,
    print_listed,
    print_markdown,
    print_note,
    print_rows,
    write_or_print,
)
from workflow_agent.cli.simulation import simulate_workflow

workflows = group("workflows")
LOOKING = "Look"
CHANGING = "Change"
_TITLES = ("id", "version", "steps", "name", "description")


def _row(one: Any) -> tuple[object, ...]:
    return (one["id"], one["version"], one["step_count"], one["name"], one["description"])


@workflows.command("list", cls=Command, rich_help_panel=LOOKING)
@with_listing
def list_workflows(
    find: FindWorkflows,
    tag: Annotated[str | None, typer.Option(help="Only those with this tag.")] = None,
    trigger: Annotated[str | None, typer.Option(help="Only those started so, such as schedule.")] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List workflows, the latest change first.

    In a pipe: id, version, steps, name and description, with tabs between.

    Examples:
      workflow-agent workflows list
      workflow-agent workflows list --trigger schedule --json
    """
    found = find("", limit, tag=tag, trigger=trigger)
    print_listed(found, _TITLES, map(_row, found), "There are no such workflows.", as_json=as_json, is_cut=True)


@workflows.command("search", cls=Command, rich_help_panel=LOOKING)
@with_listing
def search_workflows(
    find: FindWorkflows,
    words: Annotated[list[str], typer.Argument(help="What it is about, in any words.")],
    limit: Limit = 10,
    as_json: AsJson = False,
) -> None:
    """Find workflows by what they are about, the best match first.

    Examples:
      workflow-agent workflows search who approves expenses
      workflow-agent workflows search invoices --limit 3 --json
    """
    found = find(" ".join(words), limit)
    print_listed(found, _TITLES, map(_row, found), "Nothing was found; try other words.", as_json=as_json, is_cut=True)


@command(workflows, "show", LOOKING)
def show_workflow(
    backend: Backend,
    workflow: Which,
    version: Annotated[int | None, typer.Option(min=1, help="This version instead of the newest.")] = None,
    versions: Annotated[bool, typer.Option("--versions", help="List its versions instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a workflow: its steps and where each leads.

    Examples:
      workflow-agent workflows show wf_expense_approval
      workflow-agent workflows show "Expense approval" --version 1
      workflow-agent workflows show wf_expense_approval --json
    """
    workflow_id = workflow_id_of(backend, workflow)
    if versions:
        found = backend.get(f"/workflows/{workflow_id}/versions")["items"]
        rows = ((one["version"], one["at"], one["action"], "; ".join(one["summary"])) for one in found)
        print_listed(found, ("version", "at", "how", "what"), rows, "It has no versions.", as_json=as_json)
        return
    path = f"/workflows/{workflow_id}"
    document = backend.get(path) if version is None else backend.get(f"{path}/versions/{version}")["document"]
    if as_json:
        print_json(document)
    else:
        _show(document)


def _show(document: Any) -> None:
    facts = {
        "name": document["name"],
        "id": document["id"],
        "version": document["version"],
        "description": document.get("description"),
        "tags": ", ".join(document.get("tags", ())),
    }
    print_facts(facts)
    leads: dict[str, list[str]] = {}
    for one in document["transitions"]:
        when = one["when"].get("text") if one.get("when") else None
        leads.setdefault(one["from"], []).append(f"{one['to']} ({when})" if when else one["to"])
    rows = (
        (one["id"], one["type"], one.get("assignee") or one.get("uses"), ", ".join(leads.get(one["id"], ())))
        for one in document["steps"]
    )
    print_rows(("step", "type", "by", "leads to"), rows, "It has no steps.")


@command(workflows, "diagram", LOOKING)
def draw_workflow(
    backend: Backend,
    workflow: Which,
    form: Annotated[Literal["mermaid", "dot", "svg"], typer.Option("--format", help="The language.")] = ("mermaid"),
    findings: Annotated[bool, typer.Option("--findings", help="Mark what the analysis finds.")] = False,
    changes: Annotated[bool, typer.Option("--changes", help="Highlight the last change.")] = False,
    lanes: Annotated[bool, typer.Option("--lanes", help="Put an SVG's steps into lanes by role.")] = False,
    output: Output = None,
) -> None:
    """Draw a workflow as Mermaid, DOT or SVG.

    Examples:
      workflow-agent workflows diagram wf_expense_approval
      workflow-agent workflows diagram wf_expense_approval \\
        --format svg --lanes -o expense.svg
      workflow-agent workflows diagram wf_expense_approval --findings --changes
    """
    path = f"/workflows/{workflow_id_of(backend, workflow)}/diagram"
    drawn = backend.get(path, format=form, findings=findings, changes=changes, lanes=lanes)
    write_or_print(drawn["diagram"], output)


command(workflows, "simulate", LOOKING)(simulate_workflow)


@command(workflows, "analyse", LOOKING)
def analyse_workflow(backend: Backend, workflow: Which, as_json: AsJson = False) -> None:
    """Find what can go wrong in a workflow, the most severe first.

    Examples:
      workflow-agent workflows analyse wf_expense_approval
      workflow-agent workflows analyse wf_expense_approval --json
    """
    report = backend.get(f"/workflows/{workflow_id_of(backend, workflow)}/analysis")
    if as_json:
        print_json(report)
        return
    rows = ((one["severity"], one["rule"], one["message"]) for one in report["findings"])
    print_rows(("severity", "rule", "what"), rows, "Nothing was found that could go wrong.")
    proof = report["proof"]
    runs = [" > ".join(one["path"]) for one in proof["counterexamples"] if one["path"]]
    taken = "; ".join(proof["assumptions"])
    print_facts({"proof": proof["in_words"], "run that shows it": ", ".join(runs) or None, "given that": taken or None})


workflows.command("analyze", cls=Command, hidden=True)(analyse_workflow)


@command(workflows, "diff", LOOKING)
def compare_versions(
    backend: Backend,
    workflow: Which,
    before: Annotated[
        int | None, typer.Argument(metavar="FROM", min=1, help="The one before TO, unless given.")
    ] = None,
    after: Annotated[int | None, typer.Argument(metavar="TO", min=1, help="The newest, unless given.")] = None,
    from_: Annotated[int | None, typer.Option("--from", min=1, help="FROM, by name.")] = None,
    to: Annotated[int | None, typer.Option("--to", min=1, help="TO, by name.")] = None,
    as_json: AsJson = False,
) -> None:
    """Tell what changed between two versions.

    Examples:
      workflow-agent workflows diff wf_expense_approval
      workflow-agent workflows diff wf_expense_approval 1 2
      workflow-agent workflows diff wf_expense_approval --from 1 --to 2 --json
    """
    path = f"/workflows/{workflow_id_of(backend, workflow)}/diff"
    report = backend.get(path, from_=before or from_, to=after or to)
    if as_json:
        print_json(report)
        return
    print_note(f"{report['workflow']['name']}, version {report['from_version']} to {report['to_version']}:")
    print_changes(report["changes"])


def print_changes(changes: list[str]) -> None:
    """Print what changed, one line each."""
    if not changes:
        print_note("Nothing changed.")
        return
    print_markdown("\n".join(f"- {one}" for one in changes))
