"""The whole service, built but not yet listening: how it starts, ends, and answers other processes."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from fastapi import FastAPI

from workflow_agent.api.services import Services
from workflow_agent.chat.elsewhere import answer_about
from workflow_agent.domain.values import JsonObject
from workflow_agent.main.collecting import importing
from workflow_agent.main.resources import samples
from workflow_agent.main.stores import Stores
from workflow_agent.settings import Settings
from workflow_agent.telemetry import families_of

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Application:
    """The whole service, built but not yet listening."""

    app: FastAPI
    services: Services
    stores: Stores
    settings: Settings
    late: Sequence[Callable[[], None]] = ()
    """Reads what the server listens without; whoever needs any of it before that waits for it."""

    async def prepare(self) -> None:
        """Clear up after dead processes, and bring the samples where they are wanted."""
        swept = await asyncio.to_thread(self.stores.files.sweep)
        old_keys = await self.stores.keys.sweep(self.settings.tenant)
        interrupted = await self.services.chat.recover()
        seeded = (
            await self.stores.workflows.seed(self.settings.tenant, samples()) if self.settings.samples else 0
        )
        _log.info("prepared", extra={
            "temporary_files_removed": len(swept), "old_keys_removed": old_keys,
            "conversations_with_interrupted_runs": interrupted, "samples_added": seeded,
        })  # fmt: skip

    async def listen(self) -> None:
        """Answer other processes on the same data, until `finish`."""
        await self.stores.others.listen(self.answer)

    async def catch_up(self) -> None:
        """Read what the server listens without, beside the first requests."""
        await asyncio.to_thread(self._read_late)

    def _read_late(self) -> None:
        with importing():
            for read in self.late:
                read()

    async def answer(self, question: JsonObject) -> AsyncGenerator[JsonObject]:
        """Yield what another process asks of this one; nothing where it asks something unknown."""
        match question.get("ask"):
            case "metrics":
                yield await asyncio.to_thread(families_of, self.services.telemetry.registry)
            case "caches":
                yield {"caches": self.services.caches()}
            case "contexts":
                yield {"contexts": list(self.services.telemetry.recent.latest(int(question["limit"])))}
            case _:
                async with aclosing(answer_about(self.services.chat.live, question)) as told:
                    async for piece in told:
                        yield piece

    async def finish(self) -> None:
        """Tell open streams, let runs end or mark them, and store what is not stored yet."""
        await self.services.chat.shut_down(self.settings.shutdown_grace_seconds)
        await self.stores.others.close()
        await self.stores.memory.settle()
        await self.services.chat.worker.runner.sandbox.close()

    def close(self) -> None:
        """Let go of files and locks."""
        self.stores.search.close()
        self.stores.owners.close()
        self.services.telemetry.stop()
