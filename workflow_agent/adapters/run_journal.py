"""The journal of a run under way, one line a step, beside the conversation's file."""

import asyncio
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError
from typing_extensions import override

from workflow_agent.adapters.data_paths import tenant_directory
from workflow_agent.domain.call_history import CallRecord
from workflow_agent.domain.iterations import Iteration
from workflow_agent.domain.runs import Run
from workflow_agent.domain.turns import LeftBehind, conversation_of_run
from workflow_agent.ports import RunJournal

_log = logging.getLogger(__name__)


class JsonlRunJournal(RunJournal):
    """Keeps each attempt at a run in `<conversation id>.run-<fence>.jsonl` until its end is stored.

    Lines are appended without waiting for the disk: they are there to outlive the process, and whatever a
    crash of the machine takes of them was not acknowledged to anybody.

    Args:
        root: The data directory.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    @override
    async def keep(self, tenant: str, run: Run, iteration: Iteration, calls: Iterable[CallRecord]) -> None:
        line = orjson.dumps(
            {
                "run_id": run.run_id,
                "iteration": iteration.model_dump(mode="json"),
                "calls": [call.model_dump(mode="json") for call in calls],
            },
            option=orjson.OPT_APPEND_NEWLINE,
        )
        try:
            await asyncio.to_thread(_append, self._path(tenant, run), line)
        except OSError:
            _log.warning("the step of a run was not kept", extra={"run_id": run.run_id}, exc_info=True)

    @override
    def left_by(self, tenant: str, run: Run) -> LeftBehind:
        steps: dict[int, Iteration] = {}
        calls: list[CallRecord] = []
        for entry in self._entries(tenant, run):
            try:
                step = Iteration.model_validate(entry["iteration"])
                calls = [CallRecord.model_validate(call) for call in entry["calls"]]
            except (ValidationError, LookupError, TypeError):
                break
            steps[step.number] = step
        return LeftBehind(tuple(steps.values()), tuple(calls))

    def _entries(self, tenant: str, run: Run) -> Iterable[Any]:
        try:
            lines = self._path(tenant, run).read_bytes().splitlines()
        except OSError:
            return
        for line in lines:
            try:
                entry: Any = orjson.loads(line)
            except orjson.JSONDecodeError:
                # The last line of a killed process may be half a line.
                return
            if isinstance(entry, dict) and entry.get("run_id") == run.run_id:  # pyright: ignore[reportUnknownMemberType] - JSON of any shape
                yield entry

    @override
    async def forget(self, tenant: str, run: Run) -> None:
        try:
            await asyncio.to_thread(self._path(tenant, run).unlink, missing_ok=True)
        except OSError:
            _log.warning("a run's journal was not removed", extra={"run_id": run.run_id}, exc_info=True)

    def _path(self, tenant: str, run: Run) -> Path:
        directory = tenant_directory(self._root, tenant) / "conversations"
        return directory / f"{conversation_of_run(run.run_id)}.run-{run.fence}.jsonl"


def _append(path: Path, line: bytes) -> None:
    with path.open("ab") as file:
        file.write(line)
    # Conversations are nobody else's to read.
    path.chmod(0o600)
