"""What clients may send, and how long they are waited for."""

from workflow_agent.settings.parts import Count, Seconds


class Requests:
    """Limits of requests and connections."""

    max_body_bytes: Count = 10_485_760
    """The largest request body."""
    max_body_depth: Count = 64
    """The deepest nesting of a JSON body."""
    max_body_values: Count = 250_000
    """Values in a JSON body, keys not counted."""
    max_object_members: Count = 5_000
    """Members of one JSON object in a body."""
    max_head_bytes: Count = 65_536
    """The largest request line and headers together."""
    max_connections: Count = 1_000
    """Open connections; further ones are answered 503."""
    head_deadline_seconds: Seconds = 10
    """How long a client may take to send the request line and headers."""
    body_deadline_seconds: Seconds = 30
    """How long a client may take to send the body."""
    keep_alive_seconds: Count = 15
    """How long an idle connection is kept."""
    heartbeat_seconds: Seconds = 15
    """How often an idle event stream sends a comment."""
    shutdown_grace_seconds: Seconds = 20
    """How long running replies may take to finish when the server stops."""
    idempotency_kept_hours: Count = 168
    """How long the idempotency key of a created conversation or workflow is remembered."""
