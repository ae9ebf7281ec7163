"""What processes left in the database that died before they could need it."""

from workflow_agent.storage.postgres.database import Database
from workflow_agent.storage.postgres.row_security import change_of_all_tenants

_LEFTOVERS = (
    # A content is kept before the conversation that refers to it: of a younger one that may be to come.
    """DELETE FROM conversation_blob AS one WHERE at < clock_timestamp() - interval '1 hour' AND NOT EXISTS
        (SELECT FROM conversation WHERE tenant = one.tenant AND id = one.conversation_id)""",
    # The message of an interrupted run may be sent again, and what the model said is not asked for twice.
    """DELETE FROM run_step AS one WHERE at < clock_timestamp() - interval '1 day' AND NOT EXISTS
        (SELECT FROM conversation WHERE tenant = one.tenant AND id = one.conversation_id AND run_id = one.run_id)""",
    "DELETE FROM lock WHERE until < clock_timestamp()",
)


async def swept(database: Database) -> int:
    """Remove what nobody can come to need; return how much."""
    return sum([len(await database.rows(change_of_all_tenants(statement))) for statement in _LEFTOVERS])
