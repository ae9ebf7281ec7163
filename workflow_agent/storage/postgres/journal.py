"""The steps of runs under way, on PostgreSQL: whichever host goes on with a run finds them."""

import logging
from collections.abc import Iterable
from itertools import takewhile

import orjson
from pydantic import ValidationError
from pydantic_core import to_json
from typing_extensions import override

from workflow_agent.conversations.call_history import CallRecord
from workflow_agent.conversations.iterations import Iteration
from workflow_agent.conversations.message_records import conversation_of_run
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.store import LeftBehind, RunJournal
from workflow_agent.errors import StorageFailed
from workflow_agent.storage.postgres.database import Database, change_of_tenant, of_tenant

_log = logging.getLogger(__name__)
# Once another attempt has begun, nothing more is kept of this one: the other has read what there is. The save
# that ends a run removes its steps, so none are kept after it.
_KEEP = change_of_tenant("""
WITH talk AS (SELECT run_id, fence FROM conversation WHERE tenant = $1 AND id = $2 FOR SHARE)
INSERT INTO run_step AS known SELECT $1, $2, $3, $4, $5, $6, $7
WHERE NOT EXISTS (SELECT FROM talk WHERE run_id IS DISTINCT FROM $3 OR fence <> $4)
ON CONFLICT (tenant, conversation_id, run_id, fence, number)
DO UPDATE SET body = excluded.body, response = coalesce(excluded.response, known.response)""")
_LEFT = of_tenant("""SELECT fence, number, body, response FROM run_step
WHERE tenant = $1 AND conversation_id = $2 AND run_id = $3 AND fence <= $4 ORDER BY number, fence DESC""")


class PostgresRunJournal(RunJournal):
    """Keeps each step of a run in a row; the save that ends the run removes them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    async def keep(
        self, tenant: str, run: Run, iteration: Iteration, calls: Iterable[CallRecord], response: bytes | None = None
    ) -> None:
        kept = {
            "iteration": orjson.Fragment(to_json(iteration, by_alias=True)),
            "calls": [orjson.Fragment(to_json(call, by_alias=True)) for call in calls],
        }
        try:
            values = (iteration.number, orjson.dumps(kept), response)
            await self._database.rows(_KEEP, *_key(tenant, run), *values)
        except StorageFailed:
            _log.warning("the step of a run was not kept", extra={"run_id": run.run_id}, exc_info=True)

    @override
    async def left_by(self, tenant: str, run: Run) -> LeftBehind:
        steps: list[Iteration] = []
        calls: list[CallRecord] = []
        said: dict[int, bytes | None] = {}
        rows = await self._database.rows(_LEFT, *_key(tenant, run))
        for row in rows:
            # An attempt that died before it came so far kept less than the one before, whose steps it was at.
            said[row["number"]] = said.get(row["number"]) or row["response"]
        for row in (row for row in rows if row["fence"] == run.fence):
            entry = orjson.loads(row["body"])
            try:
                steps.append(Iteration.model_validate(entry["iteration"]))
                calls = [CallRecord.model_validate(call) for call in entry["calls"]]
            except ValidationError:
                # Of another release; what was done before it still counts.
                break
        responses = takewhile(lambda one: one is not None, said.values())
        return LeftBehind(tuple(steps), tuple(calls), responses=tuple(filter(None, responses)))

    @override
    async def forget(self, tenant: str, run: Run) -> None:
        """Do nothing: the save that ends a run removes its steps."""


def _key(tenant: str, run: Run) -> tuple[str, str, str, int]:
    return tenant, conversation_of_run(run.run_id), run.run_id, run.fence
