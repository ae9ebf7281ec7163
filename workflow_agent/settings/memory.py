"""What is kept in the memory of the process."""

from workflow_agent.settings.parts import Count, Seconds


class InMemory:
    """Streams that ended, and caches."""

    stream_kept_seconds: Seconds = 600
    """How long the events of a finished run can be read again."""

    caches_enabled: bool = True
    """Whether parsed workflows, rendered context, plans, passages and summaries of artifacts are cached."""
    cache_ttl_seconds: Seconds = 300
    """How long a cache entry lives."""
    cache_max_entries: Count = 1_000
    """Entries in each cache of a tenant."""
