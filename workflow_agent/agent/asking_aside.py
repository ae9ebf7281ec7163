"""A question to a model beside the conversation: no tools, no history, one answer."""

import asyncio
from collections.abc import Callable
from decimal import Decimal
from typing import TypeVar

from pydantic_ai import Agent, AgentRunResultEvent, capture_run_messages
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import Model
from pydantic_ai.output import OutputSpec

from workflow_agent.agent.spending import price_of, usage_of
from workflow_agent.domain.usage import Usage

Answer = TypeVar("Answer")


async def ask_aside(
    model: Model,
    instructions: str,
    document: str,
    output: OutputSpec[Answer],
    *,
    timeout_seconds: float,
    spent: Callable[[Usage, Decimal | None], None],
) -> Answer:
    """Return a model's answer to one document, asked once.

    Args:
        model: Whom to ask.
        instructions: What to do with the document.
        document: Data, as text.
        output: The shape of the answer.
        timeout_seconds: For the answer.
        spent: Takes what each response took, also where the answer is of no use.

    Raises:
        AgentRunError, FallbackExceptionGroup, UserError: The model or its provider failed.
        TimeoutError: It took too long.
    """
    agent = Agent(model, output_type=output, instructions=instructions, retries=0)
    with capture_run_messages() as messages:
        try:
            async with asyncio.timeout(timeout_seconds), agent.run_stream_events(document) as events:
                async for event in events:
                    if isinstance(event, AgentRunResultEvent):
                        return event.result.output
        finally:
            for message in messages:
                # One that never began is no request that anybody is charged for.
                if isinstance(message, ModelResponse) and (message.parts or message.usage.has_values()):
                    spent(usage_of(message), price_of(message))
    raise ValueError("the model gave no answer")
