"""The second wall between tenants: PostgreSQL shows a statement the rows of the tenant that it names, no others."""

_NAMED = "OFFSET 0 * length(set_config('workflow_agent.tenant', {tenant}, true))"
"""Names the tenant in the statement itself: no trip more, and nothing stays on a connection that others use next.

The server evaluates an OFFSET before it asks for the first row, whatever the plan: the policies are looked at then.
"""


def of_tenant(select: str) -> str:
    """Return a SELECT that sees the rows of the tenant that is its first value, also in what it changes on the way."""
    return f"{select}\n{_NAMED.format(tenant='$1')}"


def change_of_tenant(change: str) -> str:
    """Return an INSERT, UPDATE or DELETE on the rows of the tenant that is its first value; it gives a row for each."""
    return of_tenant(f"WITH done AS ({change} RETURNING 1) SELECT 1 FROM done")


def of_all_tenants(select: str) -> str:
    """Return a SELECT that sees the rows of all tenants: for work that is nobody's."""
    everybody = _NAMED.format(tenant="'*'")
    return f"{select}\n{everybody}"


def change_of_all_tenants(change: str) -> str:
    """Return an INSERT, UPDATE or DELETE on the rows of all tenants; it gives a row for each."""
    return of_all_tenants(f"WITH done AS ({change} RETURNING 1) SELECT 1 FROM done")
