"""A process that appends messages: `python -m tests.support.append_messages <data> <author> <count>`."""

import asyncio
import sys
from pathlib import Path

from tests.support.stored import saying
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles


async def append(data: Path, author: str, number: int) -> None:
    store = JsonConversationStore(DurableFiles(data))
    for n in range(number):
        await store.update("acme", "invoice-1", lambda one, n=n: saying(one, f"{author} {n}"))


if __name__ == "__main__":
    asyncio.run(append(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
