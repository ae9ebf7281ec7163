"""Building the interpreter of programs that the model writes."""

from workflow_agent.agent.sandbox import PythonSandbox, SandboxLimits
from workflow_agent.settings import Settings


def sandbox_of(settings: Settings) -> PythonSandbox:
    """Return the interpreter with the limits that the settings say; it starts with its first program."""
    return PythonSandbox(
        SandboxLimits(
            duration_seconds=settings.program_seconds,
            memory_bytes=settings.program_memory_bytes,
            recursion_depth=settings.program_recursion_depth,
            sleep_seconds=settings.program_sleep_seconds,
            output_chars=settings.program_output_chars,
            suspensions=settings.program_calls,
            processes=settings.program_processes,
        )
    )
