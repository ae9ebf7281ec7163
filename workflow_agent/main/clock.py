"""The time, as everything in the service reads it."""

from datetime import UTC, datetime


def now() -> datetime:
    """Return the time as precisely as it is stored, so that what is kept in memory equals what is on disk."""
    precise = datetime.now(UTC)
    return precise.replace(microsecond=precise.microsecond // 1_000 * 1_000)
