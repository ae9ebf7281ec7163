"""`migrate-database`: what concerns a database in place of files."""

from typing import Annotated

import typer

from workflow_agent.cli.context import wiring_of
from workflow_agent.cli.exits import or_exit
from workflow_agent.cli.options import chosen_settings

Database = Annotated[
    str | None,
    typer.Option(
        help="A PostgreSQL database in place of files, as postgresql://…; `embedded` starts one, to try."
    ),
]


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
