"""The whole application on a data directory, its model behind HTTP at a provider that does as a test says."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
from pydantic_ai import models

from tests.support.provider import Answer, CallsTools, ProviderStub, Says, provider_stub
from workflow_agent.main.composition import build
from workflow_agent.settings import load_settings

JsonObject = dict[str, Any]
WORKFLOW = "wf_expense_approval"


@dataclass
class Provided:
    """A client of the application, and the provider that it asks."""

    client: httpx.AsyncClient
    provider: ProviderStub
    root: Path
    conversation_id: str | None = None

    def will(self, *answers: Answer) -> None:
        """Let the provider answer the next requests so."""
        self.provider.answers.extend(answers)

    def will_look_it_up(self, said: str = "That.") -> None:
        """Let the model read the workflow and say something about it."""
        self.will(CallsTools([("get_workflow", f'{{"workflow": "{WORKFLOW}"}}')]), Says([said]))

    async def post(self, message: str, **wanted: Any) -> httpx.Response:
        """Send a message to the conversation, the first of which begins it."""
        key = wanted.pop("key", None)
        headers = wanted.pop("headers", {}) | ({"Idempotency-Key": key} if key else {})
        body = {"message": message, "conversation_id": self.conversation_id, **wanted}
        answer = await self.client.post("/api/v1/chat", json=body, headers=headers)
        self.conversation_id = answer.json().get("conversation_id", self.conversation_id)
        return answer

    async def say(self, message: str, **wanted: Any) -> JsonObject:
        """Send a message and return its reply."""
        answer = await self.post(message, **wanted)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def workflow(self) -> JsonObject:
        """Return the workflow as it is stored."""
        return (await self.client.get(f"/api/v1/workflows/{WORKFLOW}")).json()

    def results_sent(self, request: int = -1) -> list[tuple[str, str]]:
        """Return the tool results that a request held: the ids of their calls, and the texts."""
        messages = self.provider.requests[request]["messages"]
        return [(one["tool_call_id"], one["content"]) for one in messages if one["role"] == "tool"]

    def blobs(self) -> list[Path]:
        """Return the files of large contents."""
        return sorted(self.root.glob("*/conversations/*.archive/blobs/*"))


@asynccontextmanager
async def provided(
    root: Path, *answers: Answer, model: str = "openai:stub-1", **settings: Any
) -> AsyncIterator[Provided]:
    """Serve the application with a workflow in its data directory, for as long as the block lasts."""
    async with provider_stub(*answers) as stub:
        chosen = {"model_base_url": stub.base_url, "model_api_key": "sk-secret", "model_attempts": 1, **settings}
        with models.override_allow_model_requests(True):
            application = build(load_settings(data_dir=root, model=model, **chosen))
            transport = httpx.ASGITransport(application.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=30) as client:
                made = await client.post("/api/v1/workflows", json=expense_approval())
                assert made.status_code in (201, 409), made.text
                yield Provided(client, stub, root)
            application.close()


def expense_approval() -> JsonObject:
    """Return a workflow whose full text is too large to stay in a conversation's file."""
    steps = [
        {
            "id": f"review_{n}",
            "name": f"Review {n}",
            "type": "human",
            "assignee": f"reviewer of group {n}",
            "description": f"The {n}. of those who look at the claim and say whether it may be paid.",
        }
        for n in range(12)
    ]
    ends = [{"id": "paid", "name": "Paid", "type": "end", "outcome": "ok"}]
    names = [step["id"] for step in (*steps, *ends)]
    joined = [{"from": one, "to": other} for one, other in pairwise(names)]
    return {"id": WORKFLOW, "name": "Expense approval", "steps": [*steps, *ends], "transitions": joined}
