"""An attempt that everybody took for dead goes on: what it still writes is refused."""

import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from anyio import to_thread
from pydantic_ai.messages import ModelMessage, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from tests.support.scripted import Streaming
from tests.support.server import serving
from workflow_agent.settings import Settings

WORKFLOW = {"name": "Expenses", "steps": [{"id": "submit", "name": "Submit"}]}
EDIT = '{"workflow": "wf_expenses", "edits": [{"op": "add_step", "step": {"name": "%s"}}]}'


def editing(step: str, before: Callable[[], object] = lambda: None) -> FunctionModel:
    """Return a model that adds a step, once what is to come before that is over."""

    async def answer(messages: Sequence[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        if any(isinstance(part, ToolReturnPart) for part in messages[-1].parts):
            yield "Added."
            return
        await to_thread.run_sync(before)
        yield {1: DeltaToolCall("edit_workflow", EDIT % step, tool_call_id="call_1")}

    return Streaming(stream_function=answer)


@pytest.mark.files
def test_a_paused_attempt_that_goes_on_changes_nothing(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, samples=False)
    begun, let = threading.Event(), threading.Event()

    def pause() -> None:
        begun.set()
        let.wait(20)

    message = {"message": "add a finance check", "conversation_id": "talk", "mode": "modification"}

    def send(client: httpx.Client) -> httpx.Response:
        return client.post("/api/v1/chat", json=message, headers={"Idempotency-Key": "k"})

    with serving(settings, editing("Late check", pause)) as there, there.client() as first:
        first.post("/api/v1/workflows", json=WORKFLOW).raise_for_status()
        first.post("/api/v1/conversations", json={"id": "talk"}).raise_for_status()
        with ThreadPoolExecutor() as threads:
            late = threads.submit(send, first)
            assert begun.wait(20)
            # As a file system does that lost touch with a host: its lock is nobody's any more.
            for lock in (tmp_path / ".owners").glob("*.lock"):
                lock.unlink()
            with serving(settings, editing("Finance check")) as here, here.client() as second:
                taken_over = send(second)
                let.set()
                refused = late.result()
                stored = second.get("/api/v1/workflows/wf_expenses").json()
                history = second.get("/api/v1/conversations/talk/history").json()

    assert taken_over.status_code == 200, taken_over.text
    assert (refused.status_code, refused.json()["code"]) == (409, "stale_run")
    assert [step["name"] for step in stored["steps"]] == ["Submit", "Finance check"]
    assert stored["version"] == 2
    assert [event["type"] for event in history["items"]] == ["user_message", "agent_reply"]
