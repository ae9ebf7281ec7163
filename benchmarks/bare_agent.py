"""What the framework alone takes for the messages and the tool of a turn: nothing kept, nothing decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models import Model
from pydantic_ai.models.instrumented import InstrumentationSettings

from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.workflows.model.workflow import outline, workflow_document


@dataclass
class BareAgent:
    """An agent with one tool, which reads a workflow where the service reads it."""

    agent: Agent[None, str]
    instructions: str = ""

    async def answer(self, request: Sequence[ModelMessage]) -> str:
        """Answer the messages that the service sent first for a turn."""
        *history, last = request
        assert isinstance(last, ModelRequest)
        self.instructions = last.instructions or ""
        prompts = [part.content for part in last.parts if isinstance(part, UserPromptPart)]
        done = await self.agent.run(prompts[-1], message_history=history)
        return done.output


def build_bare(
    model: Model, workflows: JsonWorkflowCatalog, tenant: str, observed: InstrumentationSettings | None
) -> BareAgent:
    """Return the bare agent over the workflows of a service."""
    agent = Agent(model, capabilities=[Instrumentation(settings=observed)] if observed else [])
    bare = BareAgent(agent)

    # A coroutine: the framework would take another function to a thread.
    @agent.instructions
    async def instructions() -> str:
        return bare.instructions

    @agent.tool_plain
    async def get_workflow(workflow: str) -> dict[str, Any]:
        """Read a workflow."""
        found = await workflows.get(tenant, workflow)
        return {"workflow": workflow_document(found), "outline": outline(found)}

    return bare
