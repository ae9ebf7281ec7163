"""Reading how a step is tried again: how often, how far apart, and how the pauses grow."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workflow_agent.agent.offline.intents.grammar import Table, matches
from workflow_agent.agent.offline.intents.numbers import number_of
from workflow_agent.agent.offline.turn.drafting import Drafting

_GROWS = re.compile(
    r",? (?:and |with |using |and with )(?:an? )?(exponential|linear|fixed|constant) back-?off$",
    re.IGNORECASE,
)
_USUAL_ATTEMPTS = 3


def growing_retries(clause: str, tables: Sequence[Table]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the readings as a retry of a clause that ends with how its pauses grow."""
    grows = _GROWS.search(clause)
    if grows is None:
        return
    for table in tables:
        for kind, slots in matches(clause[: grows.start()], table):
            if kind == "retry":
                yield kind, slots | {"backoff": grows[1]}


def read_retry(slots: Mapping[str, str], drafting: Drafting) -> dict[str, Any] | None:
    """Return what phrases say of a retry; None where they make none."""
    backoff = slots.get("backoff", "").lower()
    attempts = number_of(slots["n"]) if "n" in slots else _USUAL_ATTEMPTS
    if attempts is None or attempts < 1:
        return None
    # Who speaks of the pauses alone leaves the number as it is.
    retry: dict[str, Any] = {} if backoff and "n" not in slots else {"max_attempts": attempts}
    if backoff:
        retry["backoff"] = "fixed" if backoff == "constant" else backoff
    if "interval" in slots:
        interval = drafting.parse_duration(slots["interval"])
        if interval is None:
            return None
        retry["interval"] = interval
    return {"retry": retry}
