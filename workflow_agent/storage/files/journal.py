"""The journal of a run under way, one line a step, beside the conversation's file."""

import asyncio
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, cast

import orjson
from pydantic import ValidationError
from pydantic_core import to_json
from typing_extensions import override

from workflow_agent.conversations.call_history import CallRecord, mended_history
from workflow_agent.conversations.iterations import Iteration
from workflow_agent.conversations.message_records import conversation_of_run
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.store import LeftBehind, RunJournal
from workflow_agent.storage.files.file_system import read_plain_file, tenant_directory

_log = logging.getLogger(__name__)
_OPEN = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class JsonlRunJournal(RunJournal):
    """Keeps each attempt at a run in `<conversation id>.run-<fence>.jsonl` until its end is stored.

    Lines are appended without waiting for the disk: they are there to outlive the process, and whatever a
    crash of the machine takes of them was not acknowledged to anybody. So they are written where the run
    is, which takes a fifth of the time of a trip to a thread (ADR-0016).

    Args:
        root: The data directory.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    @override
    async def keep(
        self, tenant: str, run: Run, iteration: Iteration, calls: Iterable[CallRecord], response: bytes | None = None
    ) -> None:
        kept = {
            "run_id": run.run_id,
            "iteration": orjson.Fragment(to_json(iteration, by_alias=True)),
            "calls": [orjson.Fragment(to_json(call, by_alias=True)) for call in calls],
            **({} if response is None else {"response": orjson.Fragment(response)}),
        }
        try:
            _append(self._path(tenant, run), orjson.dumps(kept, option=orjson.OPT_APPEND_NEWLINE))
        except OSError:
            _log.warning("the step of a run was not kept", extra={"run_id": run.run_id}, exc_info=True)

    @override
    async def left_by(self, tenant: str, run: Run) -> LeftBehind:
        return await asyncio.to_thread(self._left_by, tenant, run)

    def _left_by(self, tenant: str, run: Run) -> LeftBehind:
        steps, calls, latest = self._kept(tenant, run)
        said = dict(latest)
        for earlier in _attempts_before(run):
            # An attempt that died before it came so far kept less than the one before, whose steps it was at.
            said = {**self._kept(tenant, earlier)[2], **said}
        responses = takewhile(lambda one: one is not None, (said.get(number) for number in range(1, len(said) + 1)))
        return LeftBehind(tuple(steps), tuple(calls), responses=tuple(filter(None, responses)))

    def _kept(self, tenant: str, run: Run) -> tuple[Iterable[Iteration], Iterable[CallRecord], Mapping[int, bytes]]:
        """Return the steps of an attempt, its records, and what the model said in which step."""
        steps: dict[int, Iteration] = {}
        calls: list[CallRecord] = []
        said: dict[int, bytes] = {}
        for entry in self._entries(tenant, run):
            try:
                step = Iteration.model_validate(entry["iteration"])
                calls = [CallRecord.model_validate(call) for call in entry["calls"]]
            except (ValidationError, LookupError, TypeError):
                break
            steps[step.number] = step
            if "response" in entry:
                said[step.number] = orjson.dumps(entry["response"])
        return steps.values(), calls, said

    def _entries(self, tenant: str, run: Run) -> Iterable[Any]:
        try:
            lines = read_plain_file(self._path(tenant, run)).splitlines()
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
            for attempt in (run, *_attempts_before(run)):
                self._path(tenant, attempt).unlink(missing_ok=True)
        except OSError:
            _log.warning("a run's journal was not removed", extra={"run_id": run.run_id}, exc_info=True)

    def _path(self, tenant: str, run: Run) -> Path:
        name = f"conversations/{conversation_of_run(run.run_id)}.run-{run.fence}.jsonl"
        return tenant_directory(self._root, tenant) / name


def _attempts_before(run: Run) -> Iterator[Run]:
    """Yield the attempts that may have kept something, the newest first: each took the next fence."""
    for back in range(1, run.attempt):
        yield run.model_copy(update={"fence": run.fence - back})


def _append(path: Path, line: bytes) -> None:
    # Conversations are nobody else's to read.
    fd = os.open(path, _OPEN, 0o600)
    try:
        os.write(fd, line)
    finally:
        os.close(fd)


def call_histories(root: Path) -> Iterator[Sequence[CallRecord]]:
    """Yield the call history of each conversation; files that hold none are passed over."""
    for path in sorted(root.glob("*/conversations/*.json")):
        try:
            plain: Any = orjson.loads(path.read_bytes())
        except (OSError, orjson.JSONDecodeError):
            continue
        if isinstance(plain, dict) and "calls" in plain:
            document = cast("dict[str, Any]", plain)
            records, _ = mended_history(document["calls"], str(document.get("updated_at", "")))
            yield tuple(CallRecord.model_validate(record) for record in records)
