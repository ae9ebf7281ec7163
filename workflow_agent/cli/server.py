"""`serve`, `mcp`, `migrate-database`, `move` and `verify`: the server, and the data at rest."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workflow_agent.cli.context import AsJson, CommandFailed, DataDir, Wiring, chosen_settings, wiring_of
from workflow_agent.cli.output import print_json
from workflow_agent.settings import Settings, refuse_open_binding, without_effect

if TYPE_CHECKING:
    from workflow_agent.storage.files.verification.workflows import Finding

Database = Annotated[
    str | None,
    typer.Option(help="A PostgreSQL database in place of files, as postgresql://…; `embedded` starts one, to try."),
]


def move(
    context: typer.Context,
    source: Annotated[str, typer.Option("--from", help="The data directory or PostgreSQL database to move from.")],
    target: Annotated[str, typer.Option("--to", help="The PostgreSQL database or data directory to move to.")],
) -> None:
    """Move what a tenant keeps between a data directory and a database.

    Conversations, workflows with all versions, what is known of people,
    previews, webhooks and idempotency keys; each is read back, and its
    digest compared. Stop the server first. What is moved from stays as it
    is; done again, the command goes on where it stopped.

    Examples:
      workflow-agent move --from data --to postgresql://db/workflows
      workflow-agent move --from postgresql://db/workflows --to data

    Exit codes: 0 done, 1 when something cannot be read, or is there with
    another content.
    """
    typer.echo(wiring_of(context).move(_store_at(source), _store_at(target)))


def _store_at(place: str) -> Settings:
    """Return settings for what is kept at a place: a directory, or a database by its address."""
    if place == "embedded" or "://" in place:
        return chosen_settings(database_url=place)
    return chosen_settings(data_dir=Path(place)).model_copy(update={"database_url": None})


def migrate_database(
    context: typer.Context,
    database: Database = None,
    row_security: Annotated[
        bool | None,
        typer.Option(help="Whether PostgreSQL itself keeps tenants apart; once no host of a release before is left."),
    ] = None,
) -> None:
    """Bring the schema of a database up to date.

    A server does that by itself when it starts; where its user may not
    change the schema, run this before, as one who may. The release before
    goes on working meanwhile. Row-level security is on in a new database;
    in an older one, switch it on once no host of a release before is left.

    Examples:
      workflow-agent migrate-database --database postgresql://db/workflows
      workflow-agent migrate-database --database postgresql://db/workflows \\
        --row-security

    Exit codes: 0 done, 1 when the database does not answer or refuses, 78
    when none is named.
    """
    made = wiring_of(context).migrate_database(chosen_settings(database_url=database), row_security)
    typer.echo(f"{made} migrations were made." if made else "The schema is up to date.")


Host = Annotated[
    str | None,
    typer.Option(help="Address to listen on; any but a loopback address needs an API key (default 127.0.0.1)."),
]
Port = Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one (default 8000).")]
Workers = Annotated[
    int | None, typer.Option(help="Processes that serve the port side by side, about one a processor core (default 1).")
]
Model = Annotated[
    str | None, typer.Option(help="A model such as openai:gpt-5.2, or offline, which needs no provider (the default).")
]
Samples = Annotated[bool | None, typer.Option("--samples", help="Give a new data directory the sample workflows.")]


def serve(
    context: typer.Context,
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    model: Model = None,
    samples: Samples = None,
    workers: Workers = None,
    database: Database = None,
) -> None:
    """Run the server until it is told to stop.

    Options win over the environment (WORKFLOW_AGENT_PORT, …), which wins
    over the defaults; `workflow-agent settings` shows them all.

    Examples:
      workflow-agent serve
      workflow-agent serve --port 9000 --data-dir ~/workflows
      workflow-agent serve --workers 4
      WORKFLOW_AGENT_MODEL=openai:gpt-5.2 workflow-agent serve
      workflow-agent serve --database embedded

    Exit codes: 0 after a stop, 1 when the address or the data cannot be
    used, 78 when a setting cannot work.
    """
    chosen = chosen_settings(
        host=host, port=port, data_dir=data_dir, model=model, samples=samples, workers=workers, database_url=database
    )
    refuse_open_binding(chosen)
    for one in without_effect(chosen):
        typer.echo(f"workflow-agent: {one}", err=True)
    wiring_of(context).serve(chosen)


def mcp(context: typer.Context, data_dir: DataDir = None, model: Model = None, samples: Samples = None) -> None:
    """Serve MCP over standard input and output.

    A program that speaks MCP starts this command. It works on the data
    directory itself, beside servers on the same directory; a running
    server answers at /mcp. docs/mcp.md shows how to connect clients.

    Examples:
      workflow-agent mcp
      workflow-agent mcp --data-dir ~/workflows
    """
    wiring_of(context).speak_mcp(chosen_settings(data_dir=data_dir, model=model, samples=samples))


EXIT_DAMAGED = 1
EXIT_REFUSED = 3
Repair = Annotated[bool, typer.Option("--repair", help="Set right what needs no guessing; the server must be stopped.")]


def verify(context: typer.Context, repair: Repair = False, data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """Look over a data directory or a database: digests, references, versions.

    The database is the one that WORKFLOW_AGENT_DATABASE_URL names.

    Without --repair nothing is written. With it, what needs no guessing is
    set right and nothing else is touched. While a server writes, a file may
    look left over that is not: stop it for a certain answer.

    Examples:
      workflow-agent verify
      workflow-agent verify --repair --data-dir ~/workflows
      workflow-agent verify --json | jq '.findings[].kind'

    What a killed process leaves is told as left over: nothing is wrong with it.

    Exit codes: 0 nothing is wrong (any more), 1 something is, 3 nothing was
    looked at, because the directory is not there or --repair found a
    running server, 78 when a setting cannot work.
    """
    settings = chosen_settings(data_dir=data_dir)
    if data_dir is not None:
        settings = settings.model_copy(update={"database_url": None})
    wiring = wiring_of(context)
    _refuse(wiring, settings, repair=repair)
    mended, left = wiring.verify(settings, repair)
    if as_json:
        print_json({"repaired": [one.as_dict() for one in mended], "findings": [one.as_dict() for one in left]})
    else:
        _print_findings(mended, left)
    raise typer.Exit(0 if all(one.is_leftover for one in left) else EXIT_DAMAGED)


def _refuse(wiring: Wiring, settings: Settings, *, repair: bool) -> None:
    root, why = settings.data_dir, None
    if settings.database_url is not None:
        why = "in a database nothing is repaired: restore it from a backup." if repair else None
    elif not root.is_dir():
        why = f"there is no directory {str(root)!r}. Name it with --data-dir."
    elif repair and (owners := wiring.running(root)):
        why = f"a server works on {str(root)!r} (process {', '.join(owners)}). Stop it, then repair."
    if why is not None:
        raise CommandFailed(why, EXIT_REFUSED)


def _print_findings(mended: "Sequence[Finding]", left: "Sequence[Finding]") -> None:
    for one in mended:
        typer.echo(f"repaired  {one.kind}  {one.path}\n          {one.message}")
    for one in left:
        hint = " (--repair sets it right)" if one.mend is not None else ""
        typer.echo(
            f"{'left over' if one.is_leftover else 'damaged  '} {one.kind}  {one.path}\n          {one.message}{hint}"
        )
    wrong = sum(not one.is_leftover for one in left)
    also = f", {len(left) - wrong} left over" if len(left) > wrong else ""
    typer.echo(f"{len(mended)} repaired, {wrong} left{also}." if mended else f"{wrong or 'Nothing'} wrong{also}.")
