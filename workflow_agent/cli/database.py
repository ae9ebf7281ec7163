"""`migrate-database` and `move`: what concerns a database in place of files."""

from pathlib import Path
from typing import Annotated

import typer

from workflow_agent.cli.context import wiring_of
from workflow_agent.cli.exits import or_exit
from workflow_agent.cli.options import chosen_settings

Database = Annotated[
    str | None,
    typer.Option(help="A PostgreSQL database in place of files, as postgresql://…; `embedded` starts one, to try."),
]


def move(
    context: typer.Context,
    source: Annotated[Path, typer.Option("--from", help="The data directory to move from.")],
    target: Annotated[str, typer.Option("--to", help="The PostgreSQL database to move to.")],
) -> None:
    """Move what a data directory keeps into a database.

    Conversations, workflows with all versions, what is known of people,
    previews, webhooks and idempotency keys; each is read back and compared.
    Stop the server first. The data directory stays as it is; done again,
    the command goes on where it stopped.

    Examples:

      workflow-agent move --from data --to postgresql://db/workflows

    Exit codes: 0 done, 1 when something cannot be read, or is there with
    another content.
    """
    chosen = chosen_settings(data_dir=source, database_url=target)
    typer.echo(or_exit(lambda: wiring_of(context).move(chosen)))


def migrate_database(context: typer.Context, database: Database = None) -> None:
    """Bring the schema of a database up to date.

    A server does that by itself when it starts; where its user may not
    change the schema, run this before, as one who may. The release before
    goes on working meanwhile.

    Examples:

      workflow-agent migrate-database --database postgresql://db/workflows

    Exit codes: 0 done, 1 when the database does not answer or refuses, 78
    when none is named.
    """
    chosen = chosen_settings(database_url=database)
    made = or_exit(lambda: wiring_of(context).migrate_database(chosen))
    typer.echo(f"{made} migrations were made." if made else "The schema is up to date.")
