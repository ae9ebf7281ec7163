"""Looking over what a tenant keeps, in a data directory or in a database."""

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TypeVar, get_args

from workflow_agent.errors import CorruptDocument
from workflow_agent.main.move import holdings_of
from workflow_agent.settings import Settings
from workflow_agent.storage.files.holdings import FileHoldings
from workflow_agent.storage.files.verification.directory import repair_directory, verify_directory
from workflow_agent.storage.files.verification.workflows import Finding
from workflow_agent.storage.holdings import Holdings
from workflow_agent.workflows.records import RecordKind

_AT_A_TIME = 100
"""Conversations of a database that lie on the disk together while they are looked over."""
T = TypeVar("T")


def verified(settings: Settings, *, repair: bool) -> tuple[Sequence[Finding], Sequence[Finding]]:
    """Return what was set right, and what is still wrong; in a database nothing is set right.

    Raises:
        StorageFailed: The database does not answer, or a file cannot be read or written.
    """
    if settings.database_url is not None:
        return (), asyncio.run(_of_database(settings))
    root = settings.data_dir
    return repair_directory(root) if repair else ((), verify_directory(root))


async def _of_database(settings: Settings) -> Sequence[Finding]:
    """Return what is wrong in a database: conversations and workflows are looked over as the files they would be."""
    holdings = await holdings_of(settings)
    try:
        with tempfile.TemporaryDirectory(prefix="workflow-agent-verify-") as folder:
            scratch = FileHoldings(Path(folder), settings.tenant, settings.max_remembered_references)
            found = [
                *await _copied("workflows", await holdings.workflow_ids(), holdings.workflow, scratch.take_workflow),
                *await _small_documents(holdings),
            ]
            ids = iter(await holdings.conversation_ids())
            batch = list(islice(ids, _AT_A_TIME))
            found += await asyncio.to_thread(verify_directory, Path(folder))
            while batch:
                found += await _copied("conversations", batch, holdings.conversation, scratch.take_conversation)
                found += await asyncio.to_thread(verify_directory, Path(folder))
                await asyncio.to_thread(shutil.rmtree, Path(folder) / settings.tenant / "conversations", True)
                batch = list(islice(ids, _AT_A_TIME))
    finally:
        await holdings.close()
    # Workflows are looked at with each batch. Nobody can mend the copies.
    return list({(one.kind, one.path): replace(one, mend=None) for one in found}.values())


async def _copied(
    folder: str, ids: Iterable[str], read: Callable[[str], Awaitable[T | None]], take: Callable[[T], Awaitable[None]]
) -> list[Finding]:
    """Copy what can be read; return what cannot."""
    found: list[Finding] = []
    for one in ids:
        try:
            held = await read(one)
        except CorruptDocument as error:
            found.append(Finding("unreadable_document", f"{folder}/{one}", error.message))
        else:
            if held is not None:
                await take(held)
    return found


async def _small_documents(holdings: Holdings) -> list[Finding]:
    found: list[Finding] = []
    for name, read in (("people", holdings.people), ("keys", holdings.keys)):
        try:
            await read()
        except (CorruptDocument, ValueError) as error:
            found.append(Finding("unreadable_document", name, str(error)))
    for kind in get_args(RecordKind):
        try:
            await holdings.records(kind)
        except (CorruptDocument, ValueError) as error:
            found.append(Finding("unreadable_document", kind, str(error)))
    return found
