"""What the offline model does next: everything that its rules are, behind one function."""

from collections.abc import Callable, Sequence

from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import ModelRequestParameters

from workflow_agent.assistant.offline.answering import Answering
from workflow_agent.assistant.offline.summing_up import is_summary, summary_of
from workflow_agent.assistant.offline.turn.outcome import Call
from workflow_agent.assistant.offline.turn.reading import read_turn
from workflow_agent.values.stored import JsonObject

Reply = str | Sequence[tuple[str, JsonObject]]
"""A text, or tools and their arguments."""
Replying = Callable[[Sequence[ModelMessage], str, ModelRequestParameters], Reply]
"""Gives the reply to messages, under instructions, with what a request offers."""


def replying_of() -> Replying:
    """Return what replies by the rules."""
    answering = Answering()

    def reply(messages: Sequence[ModelMessage], instructions: str, parameters: ModelRequestParameters) -> Reply:
        for output in parameters.output_tools:
            if is_summary(output.parameters_json_schema):
                return [(output.name, summary_of(messages))]
        tools = frozenset(tool.name for tool in parameters.declared_function_tools)
        outcome = answering.next_of(read_turn(messages, instructions, tools))
        if not isinstance(outcome, Call):
            return outcome.text
        return [(call.tool, dict(call.args)) for call in (outcome, *outcome.beside)]

    return reply
