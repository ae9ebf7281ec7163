"""`migrate-database` and `move`: what concerns a database in place of files."""

from pathlib import Path
from typing import Annotated

import typer

from workflow_agent.cli.context import chosen_settings, or_exit, wiring_of
from workflow_agent.settings import Settings

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
    typer.echo(or_exit(lambda: wiring_of(context).move(_store_at(source), _store_at(target))))


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

    \b
      workflow-agent migrate-database --database postgresql://db/workflows \\
        --row-security

    Exit codes: 0 done, 1 when the database does not answer or refuses, 78
    when none is named.
    """
    chosen = chosen_settings(database_url=database)
    made = or_exit(lambda: wiring_of(context).migrate_database(chosen, row_security))
    typer.echo(f"{made} migrations were made." if made else "The schema is up to date.")
