"""What a run may take, and who there is to run."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from workflow_agent.settings.parts import Count, Seconds


class Runs:
    """Time, requests and programs of a run, and the agents."""

    run_timeout_seconds: Seconds = 180
    """How long one run may take, all its model requests and tools together."""
    tool_timeout_seconds: Seconds = 30
    """How long one tool call may take."""
    agents_file: Path | None = None
    """A JSON or YAML file with the agents there are, in place of the five built-in ones: a list `agents` of
    `name`, `description`, and optionally `mode`, `tools`, `model` and `max_iterations`. One is named
    `assistant`."""
    max_model_requests: Count = 10
    """Model requests in one run, of an agent that does not say."""
    max_handoffs: Count = 4
    """How often agents may hand the conversation on before the user says something again."""
    program_seconds: Seconds = 2
    """How long a program that the model wrote may compute."""
    program_memory_bytes: Annotated[int, Field(ge=1_048_576)] = 67_108_864
    """Memory of such a program."""
    program_recursion_depth: Count = 200
    """How deep its functions may call each other."""
    program_sleep_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.5
    """How long it may sleep altogether."""
    program_output_chars: Count = 10_000
    """Characters it may print, and characters of its result."""
    program_calls: Count = 200
    """How often it may ask for something outside itself."""
    program_processes: Count = 2
    """Processes that run such programs; they start with the first one."""
