"""Running small Python programs that a model wrote, where they can do no harm.

The programs run in Monty, a Python interpreter without access to anything, in worker processes that limits
bound and that are killed where these fail. Whatever comes out of a worker is text: a value that refers to one
small list many times over would fill this process's memory on its way from object to object, while turned
into text inside the worker it meets the worker's limits.
"""

import ast
import asyncio
import contextlib
import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic_monty import (
    AsyncFunctionSnapshot,
    AsyncFutureSnapshot,
    AsyncMonty,
    AsyncMontySession,
    AsyncNameLookupSnapshot,
    MontyComplete,
    MontyError,
    MontySyntaxError,
    ResourceLimits,
)
from pydantic_monty import AsyncSnapshot as Step


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program came to."""

    result: Any
    """Plain JSON data, or the `repr` of what is none."""
    printed: str


class ProgramFailed(Exception):
    """A program did not come to its end; the message says why, in words for whom wrote it."""

    def __init__(self, error_type: str, message: str, *, hit_a_limit: bool) -> None:
        super().__init__(message)
        self.error_type = error_type
        self.message = message
        self.hit_a_limit = hit_a_limit
        """Whether it took more than it may, rather than being wrong."""


AS_TEXT = """\
import json as RESULT_json
try:
    RESULT_text = 'json:' + RESULT_json.dumps(RESULT)
except:
    RESULT_text = f'repr:{RESULT!r}'
f'{RESULT_text}'
"""
"""Gives the result as text. Only syntax is used that a program cannot have given another meaning."""


def wrapper(name: str, secret_name: str) -> str:
    """Return the function a program calls: it hands text to the host, whatever it is given.

    Its last line calls a name that only the host knows; a call of any other name is never looked into.
    """
    return f"def {name}(wanted):\n    return {secret_name}(f'{{wanted}}')\n"


def with_named_result(code: str, name: str) -> str:
    """Return a program that keeps the value of its last expression, every line where it was.

    Raises:
        ProgramFailed: It is not Python.
    """
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ProgramFailed("SyntaxError", f"This is not Python: {error}.", hit_a_limit=False) from error
    last = body[-1] if body else None
    if not isinstance(last, ast.Expr):
        return f"{name} = None\n{code}"
    lines = code.encode().splitlines(keepends=True)
    before = b"".join(lines[: last.lineno - 1]) + lines[last.lineno - 1][: last.col_offset]
    source = ast.get_source_segment(code, last) or "None"
    return f"{before.decode()}{name} = (\n{source}\n)"


_log = logging.getLogger(__name__)
HostFunction = Callable[[str], Awaitable[Any]]
"""What a program may call: takes one text, gives plain data; a LookupError comes up in the program."""
_LIMITS = frozenset({"TimeoutError", "MemoryError", "RecursionError"})
_SUSPENSIONS = "suspension limit"
_WIND_DOWN_SECONDS = 0.2
_CLOSING_SECONDS = 10.0
_MARGIN_SECONDS = 2.0
"""How much longer than a program may run this process waits before it kills the worker."""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """What one program may take."""

    duration_seconds: float = 2.0
    memory_bytes: int = 64 * 2**20
    recursion_depth: int = 200
    sleep_seconds: float = 0.5
    output_chars: int = 10_000
    """Of what is printed and of the result, each."""
    suspensions: int = 200
    """Calls of the functions it is given, and names it looks up outside itself."""
    processes: int = 2


@dataclass(slots=True)
class _Printed:
    """What a program prints, up to a limit."""

    limit_chars: int
    text: str = ""

    def __call__(self, stream: str, text: str) -> None:
        del stream
        if len(self.text) + len(text) > self.limit_chars:
            raise MemoryError(f"it printed more than {self.limit_chars} characters")
        self.text += text


@dataclass(slots=True)
class PythonSandbox:
    """Runs programs, each in a session of its own; its worker processes start with the first one."""

    limits: SandboxLimits = field(default_factory=SandboxLimits)
    _pool: AsyncMonty | None = None
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self, code: str, inputs: Mapping[str, Any], functions: Mapping[str, HostFunction]) -> Ran:
        """Return what a program's last expression gives, and what it printed.

        Inputs are plain data by the names the program knows them under; it changes only its copy. The names of
        functions are identifiers.

        Raises:
            ProgramFailed: It is wrong, or took more than it may.
        """
        secret = f"_{secrets.token_hex(16)}"
        program = with_named_result(code, f"{secret}_result")
        hosted = {f"{secret}_{name}": function for name, function in functions.items()}
        prelude = "\n".join(wrapper(name, f"{secret}_{name}") for name in functions)
        running = _Running(hosted, _Printed(self.limits.output_chars), self.limits.sleep_seconds)
        pool = await self._opened()
        try:
            async with pool.checkout(limits=self._resource_limits()) as session:
                await running.to_its_end(session, prelude)
                await running.to_its_end(session, program, dict(inputs))
                given = await running.to_its_end(session, AS_TEXT.replace("RESULT", f"{secret}_result"))
        except (MontyError, TimeoutError) as error:
            raise _failure(error) from error
        return Ran(self._result(str(given.output)), running.printed.text)

    def _resource_limits(self) -> ResourceLimits:
        return {
            "max_feed_duration_secs": self.limits.duration_seconds,
            "max_turn_duration_secs": self.limits.duration_seconds,
            "max_memory": self.limits.memory_bytes,
            "gc_interval": 10_000,
            "max_recursion_depth": self.limits.recursion_depth,
            "max_suspensions": self.limits.suspensions,
            "max_total_sleep_secs": self.limits.sleep_seconds,
        }

    def _result(self, text: str) -> Any:
        kind, _, content = text.partition(":")
        if len(content) > self.limits.output_chars:
            raise ProgramFailed(
                "ResultTooLarge",
                f"The result is {len(content)} characters long, more than {self.limits.output_chars}. "
                "Return a smaller one: count, slice or pick fields.",
                hit_a_limit=True,
            )
        # A number may have more digits than are read from text here; it stays the text it is.
        with contextlib.suppress(ValueError):
            return json.loads(content) if kind == "json" else content
        return content

    async def _opened(self) -> AsyncMonty:
        async with self._opening:
            if self._pool is None:
                wait = self.limits.duration_seconds + self.limits.sleep_seconds + _MARGIN_SECONDS
                pool = AsyncMonty(
                    min_processes=1,
                    max_processes=self.limits.processes,
                    request_timeout=wait,
                    checkout_timeout=wait * self.limits.processes,
                )
                self._pool = await pool.__aenter__()
            return self._pool

    async def close(self) -> None:
        """End the worker processes; the next program starts new ones."""
        pool, self._pool = self._pool, None
        if pool is not None:
            # Bounded: a server that stops must not wait for a pool whose processes have ended already.
            try:
                async with asyncio.timeout(_CLOSING_SECONDS):
                    await pool.__aexit__(None, None, None)
            except TimeoutError:
                _log.warning("The sandbox's processes did not end within %g s.", _CLOSING_SECONDS)
            # Its threads outlive the call by a little; the interpreter aborts when it ends before they do.
            await asyncio.sleep(_WIND_DOWN_SECONDS)


@dataclass(slots=True)
class _Running:
    """One program under way: what it may call, what it printed, and how long it slept."""

    functions: Mapping[str, HostFunction]
    printed: _Printed
    sleep_left_seconds: float

    async def to_its_end(
        self, session: AsyncMontySession, code: str, inputs: dict[str, Any] | None = None
    ) -> MontyComplete:
        """Return the end of a piece of code, having answered the calls it made on the way."""
        step: Step = await session.feed_start(code, inputs=inputs, print_callback=self.printed)
        while not isinstance(step, MontyComplete):
            step = await self._answered(step)
        return step

    async def _answered(self, step: Step) -> Step:
        match step:
            case AsyncFunctionSnapshot(is_os_function=True, function_name="system.sleep" | "system.async_sleep"):
                return await self._slept(step)
            case AsyncFunctionSnapshot(is_os_function=True) | AsyncFutureSnapshot():
                return await step.resume_auto()
            case AsyncFunctionSnapshot(function_name=name) if name in self.functions:
                return await _called(step, self.functions[name])
            case AsyncFunctionSnapshot(function_name=name):
                # Never its arguments: reading them may cost more memory than there is.
                return await step.resume({"exc_type": "NameError", "message": f"name {name!r} is not defined"})
            case AsyncNameLookupSnapshot():
                return await step.resume()
            case _:
                raise AssertionError(f"Monty paused for a reason that nothing is known of: {type(step)}.")

    async def _slept(self, step: AsyncFunctionSnapshot) -> Step:
        seconds = float(step.args[0])
        if not 0 <= seconds <= self.sleep_left_seconds:
            raise TimeoutError(f"It wanted to sleep {seconds:g} s; {self.sleep_left_seconds:g} s are left.")
        self.sleep_left_seconds -= seconds
        await asyncio.sleep(seconds)
        return await step.resume({"return_value": None})


async def _called(step: AsyncFunctionSnapshot, function: HostFunction) -> Step:
    try:
        given = await function(str(step.args[0]))
    except LookupError as error:
        return await step.resume({"exc_type": "LookupError", "message": str(error.args[0])})
    return await step.resume({"return_value": given})


def _failure(error: MontyError | TimeoutError) -> ProgramFailed:
    if isinstance(error, TimeoutError):
        return ProgramFailed("TimeoutError", str(error), hit_a_limit=True)
    if isinstance(error, MontySyntaxError):
        return ProgramFailed("SyntaxError", f"This is not Python: {error}.", hit_a_limit=False)
    kind = type(error.exception()).__name__
    said = str(error)[:500]
    hit = kind in _LIMITS or _SUSPENSIONS in said or not hasattr(error, "traceback")
    return ProgramFailed(kind, said, hit_a_limit=hit)
