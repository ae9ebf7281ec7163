"""The agent's own loop beside the framework's: the same script, and what both of them make of it.

Each script is what a model says, step by step. It runs twice, through `Agent.run` and through the loop, with
the same tools; what the model was sent, the messages, the usage and the outcome must be equal.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

import pytest
from pydantic_ai import Agent, FunctionToolset, ModelRetry, RunContext, ToolFailed, ToolReturn, capture_run_messages
from pydantic_ai.exceptions import AgentRunError, ApprovalRequired, CallDeferred, UserError
from pydantic_ai.messages import (
    FinishReason,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import Tool, ToolDefinition, ToolDenied
from pydantic_ai.usage import RunUsage, UsageLimits
from typing_extensions import override

from tests.support.scripted import Streaming
from workflow_agent.assistant.loop import AgentLoop, Answer, LoopRun

TOOL_SECONDS, RUN_SECONDS = 0.005, 0.1
TOOL_RETRIES, OUTPUT_RETRIES = 2, 1
HISTORY: tuple[ModelMessage, ...] = (
    ModelRequest(parts=[UserPromptPart("before")]),
    ModelResponse(parts=[ToolCallPart("add", {"one": 1, "other": 1}, "old")]),
    ModelRequest(parts=[ToolReturnPart("add", 2, "old")]),
    ModelResponse(parts=[TextPart("Two.")]),
)


class Broken(Exception):
    """What a tool or a model raises of its own."""


class Cancel:
    """Stands in a script where the run is cancelled in the middle of a response."""


class Hang:
    """Stands in a script where the model says nothing more."""


Piece = str | tuple[str, str] | tuple[str, str, str] | Cancel | Hang | Exception
"""Text, a thought (`"thinks", text`), or a call (name, arguments, id)."""


@dataclass(frozen=True)
class Step:
    """One response of the model."""

    pieces: tuple[Piece, ...]
    finish: FinishReason | None = None
    state: Literal["complete", "suspended"] = "complete"


@dataclass
class Case:
    """What the model says, and how the run is bounded."""

    steps: tuple[Step, ...]
    limits: UsageLimits = field(default_factory=UsageLimits)
    timeout: float | None = None
    history: tuple[ModelMessage, ...] = ()
    refused: tuple[str, ...] = ()
    """Answers that the output validator does not take."""


@dataclass
class Deps:
    """What the tools of a run share with it."""

    task: asyncio.Task[Any] | None = None
    refused: tuple[str, ...] = ()
    has_more: bool = False
    tried: int = 0


def call(name: str, number: int = 1, arguments: str = "{}") -> tuple[str, str, str]:
    """Return a call, by a number that makes it one of its own."""
    return name, arguments, f"{name}_{number}"


ADD = '{"one": 1, "other": 2}'
SAYS: dict[str, Step] = {
    "says": Step(("It is ", "done", ".")),
    "says nothing": Step(("",)),
    "says blanks": Step((" \n ",)),
    "thinks": Step((("thinks", "Hm."),)),
    "thinks and says": Step((("thinks", "Hm."), "Done.")),
    "adds": Step((call("add", 1, ADD),)),
    "adds in pieces": Step(((*call("add", 1, ADD[:9]),), ("", ADD[9:], "add_1"))),
    "adds twice": Step((call("add", 1, ADD), call("add", 2, ADD))),
    "says and adds": Step(("Let me see.", call("add", 3, ADD))),
    "unknown tool": Step((call("nothing"),)),
    "malformed": Step((call("add", 1, '{"one": 1'),)),
    "wrong types": Step((call("add", 1, '{"one": "x", "other": []}'),)),
    "retried": Step((call("refuses"),)),
    "retried once": Step((call("refuses_once"),)),
    "failed": Step((call("fails"), call("add", 1, ADD))),
    "times out": Step((call("sleeps"),)),
    "shows": Step((call("shows"), call("add", 2, ADD))),
    "denied": Step((call("denies"),)),
    "in order": Step((call("slow", 1), call("alone", 2), call("quick", 3), call("slow", 4))),
    "parallel": Step((call("slow", 1), call("quick", 2), call("retries_late", 3))),
    "same id": Step((call("add", 1, ADD), call("add", 1, ADD))),
    "reveals": Step((call("reveals"),)),
}
ENDS: dict[str, Step] = {
    "tool breaks": Step((call("slow", 1), call("breaks", 2), call("quick", 3))),
    "cancelled in a tool": Step((call("quick", 1), call("cancels", 2), call("slow", 3))),
    "cancelled in a stream": Step(("So far ", Cancel())),
    "cancelled at once": Step((Cancel(), "never")),
    "stream breaks": Step(("So far ", Broken("cut"))),
    "stream breaks at once": Step((Broken("cut"),)),
    "approval": Step((call("approved"), call("add", 1, ADD))),
    "approval, wrong": Step((call("approved", 1, '{"more": 1}'),)),
    "asks for approval": Step((call("asks"), call("quick", 2))),
    "defers": Step((call("defers"), call("quick", 2))),
    "nested": Step((call("nested_return"),)),
    "too long": Step(("",), "length"),
    "thought too long": Step((("thinks", "Hm."),), "length"),
    "text too long": Step(("It is",), "length"),
    "call too long": Step((call("add", 1, '{"one": 1'),), "length"),
    "unknown, too long": Step((call("nothing", 1, '{"one": 1'),), "length"),
    "filtered": Step(("",), "content_filter"),
    "filtered text": Step(("It is",), "content_filter"),
}


class Scripted:
    """A model that says what its script says, as a stream."""

    def __init__(self, steps: Sequence[Step], deps: Deps) -> None:
        self.steps, self.deps, self.asked = steps, deps, list[Any]()

    def model(self) -> Model:
        """Return it as a model."""
        return Finishing(Streaming(stream_function=self.streamed, model_name="scripted"), self)

    @property
    def step(self) -> Step:
        """Return the step that is under way; after the script it goes on saying one thing."""
        at = len(self.asked) - 1
        return self.steps[at] if at < len(self.steps) else Step(("The end.",))

    async def streamed(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        """Say the next step."""
        self.asked.append((plain(messages), [one.name for one in info.function_tools], info.instructions))
        for index, piece in enumerate(self.step.pieces):
            match piece:
                case Cancel():
                    assert self.deps.task is not None
                    self.deps.task.cancel()
                    await asyncio.sleep(1)
                case Hang():
                    await asyncio.sleep(9)
                case Exception():
                    raise piece
                case str():
                    yield piece
                case ("thinks", text):
                    yield {index: DeltaThinkingPart(content=text)}
                case (name, arguments, call_id):
                    at = index if name else index - 1
                    yield {at: DeltaToolCall(name or None, arguments, tool_call_id=call_id if name else None)}


class Finishing(WrapperModel):
    """A model whose responses say why they ended."""

    def __init__(self, wrapped: Model, script: Scripted) -> None:
        super().__init__(wrapped)
        self.script = script

    @override
    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        response = await self.wrapped.request(messages, model_settings, model_request_parameters)
        response.finish_reason = self.script.step.finish
        response.state = self.script.step.state
        return response

    @override
    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        async with self.wrapped.request_stream(messages, model_settings, model_request_parameters) as streamed:
            streamed.finish_reason = self.script.step.finish
            streamed.state = self.script.step.state
            yield streamed


async def add(one: int, other: int) -> int:
    return one + other


async def refuses() -> None:
    raise ModelRetry("Not like this.")


async def refuses_once(ctx: RunContext[Deps]) -> str:
    ctx.deps.tried += 1
    if ctx.deps.tried == 1:
        raise ModelRetry("Once more.")
    return f"now, after {ctx.retry} of {ctx.max_retries}"


async def fails() -> None:
    raise ToolFailed("It is closed.")


async def breaks() -> None:
    raise Broken("inside")


async def sleeps() -> None:
    await asyncio.sleep(9)


async def slow() -> str:
    await asyncio.sleep(TOOL_SECONDS)
    return "slow"


async def quick() -> str:
    return "quick"


async def alone() -> str:
    return "alone"


async def retries_late() -> None:
    await asyncio.sleep(0)
    raise ModelRetry("Too late.")


async def hangs() -> None:
    await asyncio.sleep(9)


async def shows() -> ToolReturn[str]:
    return ToolReturn("shown", content=["Look: ", "here."], metadata={"kept": 1})


async def nested_return() -> list[Any]:
    return [ToolReturn("inside")]


async def denies() -> Any:
    return ToolDenied("Not today.")


async def cancels(ctx: RunContext[Deps]) -> None:
    assert ctx.deps.task is not None
    await asyncio.sleep(0)
    ctx.deps.task.cancel()
    await asyncio.sleep(9)


async def approved() -> str:
    return "never"


async def asks() -> None:
    raise ApprovalRequired


async def defers() -> None:
    raise CallDeferred


async def reveals(ctx: RunContext[Deps]) -> str:
    ctx.deps.has_more = True
    return "there is more"


async def only_then(ctx: RunContext[Deps], definition: ToolDefinition) -> ToolDefinition | None:
    return definition if ctx.deps.has_more else None


async def more() -> str:
    return "more"


TOOLS = FunctionToolset[Deps](
    [
        add,
        refuses,
        refuses_once,
        fails,
        breaks,
        slow,
        quick,
        retries_late,
        shows,
        nested_return,
        denies,
        cancels,
        asks,
        defers,
        reveals,
        Tool(sleeps, timeout=0.001),
        Tool(hangs, timeout=9),
        Tool(alone, sequential=True),
        Tool(approved, requires_approval=True),
        Tool(more, prepare=only_then),
    ],
    max_retries=TOOL_RETRIES,
    timeout=0.2,
)


async def instructed(ctx: RunContext[Deps]) -> str:
    """Return instructions that tell one request from another."""
    return f"Request {ctx.run_step}, tries {ctx.retry} of {ctx.max_retries}, {ctx.usage.requests} before."


def plain(messages: Sequence[ModelMessage]) -> list[Any]:
    """Return messages without their times."""
    dumped: list[dict[str, Any]] = ModelMessagesTypeAdapter.dump_python(list(messages), mode="json")
    for message in dumped:
        message.pop("timestamp", None)
        for part in message["parts"]:
            part.pop("timestamp", None)
    # Where a response breaks before anything came, the framework keeps an empty one, and the loop none.
    return [one for one in dumped if one["kind"] == "request" or one["parts"] or one["state"] != "interrupted"]


def told(error: BaseException) -> tuple[Any, ...]:
    """Return what an error says, and what it came from."""
    cause = error.__cause__
    said = "\n".join(line for line in str(error).splitlines() if '"timestamp"' not in line)
    return type(error).__name__, said, type(cause).__name__ if cause else None, str(cause)


@dataclass
class Came:
    """What a run came to."""

    outcome: Any
    messages: list[Any]
    usage: RunUsage
    asked: list[Any]


async def checked(ctx: RunContext[Deps], text: str) -> str:
    """Return an answer as the validator of both takes it."""
    if text.strip() in ctx.deps.refused:
        raise ModelRetry(f"Not {text!r}: {ctx.retry} of {ctx.max_retries}.")
    return text.upper()


async def drain(_: RunContext[Deps], events: Any) -> None:
    """Take the framework's events, which makes it stream."""
    async for _event in events:
        pass


AGENT = Agent(
    None,
    deps_type=Deps,
    toolsets=[TOOLS],
    instructions=instructed,
    retries={"tools": TOOL_RETRIES, "output": OUTPUT_RETRIES},
)
AGENT.output_validator(checked)
LOOP = AgentLoop[Deps](
    "loop", TOOLS, instructed, validators=(checked,), tool_retries=TOOL_RETRIES, output_retries=OUTPUT_RETRIES
)


async def by_framework(case: Case, *, is_streamed: bool = True) -> Came:
    """Run a case through `Agent.run`."""
    deps, usage = Deps(refused=case.refused), RunUsage()
    script = Scripted(case.steps, deps)

    async def run() -> str:
        deps.task = asyncio.current_task()
        done = await AGENT.run(
            "go",
            deps=deps,
            model=script.model(),
            message_history=list(case.history),
            usage=usage,
            usage_limits=case.limits,
            timeout=case.timeout,
            run_id="run",
            conversation_id="talk",
            event_stream_handler=drain if is_streamed else None,
        )
        return done.output

    with capture_run_messages() as messages:
        outcome = await settled(run())
    return Came(outcome, plain(messages), usage, script.asked)


async def by_loop(case: Case, *, is_streamed: bool = True) -> Came:
    """Run a case through the loop."""
    deps = Deps(refused=case.refused)
    script = Scripted(case.steps, deps)
    runs: list[LoopRun[Deps]] = []

    async def run() -> str:
        deps.task = asyncio.current_task()
        async with LOOP.run(
            "go",
            deps=deps,
            model=script.model(),
            history=case.history,
            limits=case.limits,
            timeout_seconds=case.timeout,
            run_id="run",
            conversation_id="talk",
            is_streamed=is_streamed,
        ) as under_way:
            runs.append(under_way)
            async with aclosing(under_way.events()) as events:
                *_, last = [event async for event in events]
            assert isinstance(last, Answer)
            return last.text

    outcome = await settled(run())
    return Came(outcome, plain(runs[0].messages), runs[0].usage, script.asked)


async def settled(run: Any) -> Any:
    """Return what a run answers, or what its error says."""
    task = asyncio.ensure_future(run)
    try:
        return await task
    except asyncio.CancelledError:
        return "cancelled"
    except (AgentRunError, UserError, Broken) as error:
        return told(error)


HANGS = {
    "in a tool": Step((call("quick", 1), call("hangs", 2), call("slow", 3))),
    "in a stream": Step(("So far ", Hang())),
    "at once": Step((Hang(),)),
}
LIMITS = {
    "one request": UsageLimits(request_limit=1),
    "no call": UsageLimits(tool_calls_limit=0),
    "one call": UsageLimits(tool_calls_limit=1),
    "few tokens": UsageLimits(output_tokens_limit=1),
    "few in all": UsageLimits(total_tokens_limit=53),
    "few in one": UsageLimits(per_request_input_tokens_limit=10),
}


def cases() -> list[Any]:
    """Return every pair of steps, every end after every kind of step, and each step under each limit.

    Most of the pairs go through the same lines: those count among the slow.
    """
    begins = [one for one in SAYS if one not in ("says", "says blanks", "thinks and says", "same id")]
    goes_on = ("says nothing", "adds", "unknown tool", "wrong types", "retried", "failed", "shows", "reveals")
    pairs = {f"{one}, {other}": Case((SAYS[one], SAYS[other])) for one, other in product(begins, goes_on)}
    made = {f"{one}, {end}": Case((SAYS[one], ENDS[end])) for end, one in product(ENDS, ("adds",))}
    made |= {end: Case((step,)) for end, step in ENDS.items()}
    made |= {
        f"{name}: {one}": Case((step, SAYS["adds"]), limit)
        for (name, limit), (one, step) in product(LIMITS.items(), SAYS.items())
        if one in ("says", "adds", "adds twice", "unknown tool", "retried", "in order")
    }
    made |= {
        f"refused: {one}": Case((step, SAYS["says"]), refused=("It is done.", "Done.")) for one, step in SAYS.items()
    }
    made |= {
        f"refused once: {one}": Case((SAYS["thinks and says"], step), refused=("Done.",)) for one, step in SAYS.items()
    }
    made |= {f"with a history: {one}": Case((step,), history=HISTORY) for one, step in {**SAYS, **ENDS}.items()}
    made |= {f"thrice: {one}": Case((step,) * 3) for one, step in SAYS.items()}
    made |= {f"run times out, {name}": Case((step,), timeout=RUN_SECONDS) for name, step in HANGS.items()}
    return [
        *(pytest.param(case, id=name, marks=pytest.mark.slow) for name, case in pairs.items()),
        *(pytest.param(case, id=name) for name, case in made.items()),
    ]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("is_streamed", [pytest.param(True, id="streamed"), pytest.param(False, id="whole")])
@pytest.mark.parametrize("case", cases())
async def test_the_loop_does_what_the_framework_does(case: Case, *, is_streamed: bool) -> None:
    theirs, ours = await by_framework(case, is_streamed=is_streamed), await by_loop(case, is_streamed=is_streamed)

    assert ours.outcome == theirs.outcome
    assert ours.messages == theirs.messages
    assert ours.usage == theirs.usage
    assert ours.asked == theirs.asked


def test_there_are_enough_scripts() -> None:
    assert len(cases()) >= 300


async def test_a_response_that_is_suspended_ends_the_run_with_what_to_do() -> None:
    came = await by_loop(Case((Step(("So far",), state="suspended"),)))

    assert came.outcome[0] == "UnexpectedModelBehavior"
    assert "Turn off background mode" in came.outcome[1]
    assert came.usage.requests == 1


async def test_the_answer_says_why_the_response_ended() -> None:
    deps = Deps()
    model = Scripted((Step(("It is",), "length"),), deps).model()

    async with LOOP.run("go", deps=deps, model=model, run_id="run", conversation_id="talk") as under_way:
        *_, last = [event async for event in under_way.events()]

    assert isinstance(last, Answer)
    assert (last.text, last.response.finish_reason) == ("IT IS", "length")
