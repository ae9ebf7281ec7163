"""The context records of the latest turns, for those who ask without a database."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from workflow_agent.domain.values import JsonObject

_KEPT_RECORDS = 1_000


@dataclass(slots=True)
class RecentContexts:
    """The context records of the latest turns of this process, newest last."""

    records: deque[JsonObject] = field(default_factory=lambda: deque(maxlen=_KEPT_RECORDS))

    def add(self, record: JsonObject) -> None:
        """Keep a turn's record; the oldest goes when there are too many."""
        self.records.append(record)

    def latest(self, limit: int) -> Sequence[JsonObject]:
        """Return up to `limit` records, newest first."""
        return list(self.records)[: -limit - 1 : -1]
