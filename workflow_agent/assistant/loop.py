"""One run of the agent: requests to the model, and the tool calls it asks for, until it answers.

The parts are Pydantic AI's public ones: its `ToolManager` validates calls, counts retries and words them for
the model. What this module decides by itself, its words to the model among it, is held to `Agent.run` by
tests/assistant/test_loop_differential.py (ADR-0050).
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, Literal, TypeVar, cast

from opentelemetry.trace import StatusCode
from pydantic_ai import RunContext, ToolDenied, ToolReturn, direct, exceptions
from pydantic_ai.capabilities import AbstractCapability, CombinedCapability, Instrumentation
from pydantic_ai.messages import (
    CompactionPart,
    InstructionPart,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestAttempt,
    ModelRequestPart,
    ModelResponse,
    ModelResponseStreamEvent,
    NativeToolCallPart,
    PartDeltaEvent,
    PartStartEvent,
    RetryFeedbackCause,
    RetryFeedbackPart,
    RetryInfo,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ToolAvailabilityDeltaPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
    repair_messages,
)
from pydantic_ai.models import Model, ModelRequestContext, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tool_manager import ToolManager, ValidatedToolCall
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset
from pydantic_ai.usage import RequestUsage, RunUsage, UsageLimits

from workflow_agent.assistant.providers import price_of
from workflow_agent.assistant.retry_after import until

Deps = TypeVar("Deps")
Validator = Callable[[RunContext[Deps], str], Awaitable[str]]
"""Returns the answer to use; raises ModelRetry where the model is to mend it."""
Ended = tuple[ToolReturnPart, Sequence[Any] | str | None]
"""What a call came to, and what the tool shows the model beside it."""
_NO_DEFERRAL = (
    "A deferred tool call was present, but `DeferredToolRequests` is not among output types. To resolve "
    "this, add `DeferredToolRequests` to the list of output types for this agent, or use a "
    "`HandleDeferredToolCalls` capability to handle deferred tool calls inline."
)


@dataclass(frozen=True, slots=True)
class Asking:
    """A request is about to be sent."""

    messages: Sequence[ModelMessage]
    """All of the run so far, the request last."""
    model: Model


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run came to."""

    text: str
    response: ModelResponse
    """The one it was made from, with its `finish_reason`."""


LoopEvent = Asking | ModelResponseStreamEvent | ModelResponse | ToolReturnPart | Answer
"""What happens in a run: a request, its response in pieces and whole, what each call came to, the answer."""
Layout = Callable[[RunContext[Deps], ModelRequestContext], ModelRequestContext]


@dataclass(frozen=True)
class AgentLoop(Generic[Deps]):
    """What all runs of an agent have in common."""

    name: str
    toolset: AbstractToolset[Deps]
    instructions: Callable[[RunContext[Deps]], Awaitable[str]]
    """Asked for each request."""
    lay_out: Layout[Deps] = lambda _, request: request
    """Gives a request the form in which the model gets it."""
    taken: Callable[[ModelResponse], ModelResponse] = lambda response: response
    """Gives a response the form in which the run has it."""
    validators: Sequence[Validator[Deps]] = ()
    capabilities: Sequence[AbstractCapability[Deps]] = ()
    """Of each, what it has to do around a tool call."""
    way_to: Callable[[str, RunContext[Deps]], str] = lambda _tool, _ctx: ""
    """Says how the model is to call what it called by a name that no tool has; empty where there is no way."""
    tool_retries: int = 1
    output_retries: int = 1
    instrumentation: InstrumentationSettings | None = None
    """Where spans are taken; without it none are begun."""

    @asynccontextmanager
    async def run(
        self,
        prompt: str | Sequence[UserContent],
        *,
        deps: Deps,
        model: Model,
        history: Sequence[ModelMessage] = (),
        limits: UsageLimits | None = None,
        timeout_seconds: float | None = None,
        run_id: str,
        conversation_id: str,
        recorded: Sequence[ModelResponse] = (),
        is_streamed: bool = True,
    ) -> AsyncGenerator["LoopRun[Deps]"]:
        """Yield a run, to be driven by taking its events inside the block.

        What the model said in an earlier attempt at the run takes the place of as many requests. Responses come
        in pieces as the model makes them; where nobody sees them come, they are asked for whole (ADR-0099).

        Raises:
            RunTimedOut: It took longer than allowed, whatever it was at.
        """
        messages = list(history)
        began, limits = len(messages), limits or UsageLimits()
        deadline = None if timeout_seconds is None else datetime.now(UTC) + timedelta(seconds=timeout_seconds)
        ctx = RunContext(
            deps=deps,
            model=model,
            usage=RunUsage(),
            usage_limits=limits,
            deadline=deadline,
            prompt=prompt,
            messages=messages,
            run_id=run_id,
            conversation_id=conversation_id,
        )
        toolset = await self.toolset.for_run(ctx)
        manager = ToolManager(toolset, await self._around_calls(ctx), default_max_retries=self.tool_retries)
        timer = asyncio.timeout(timeout_seconds)
        run = LoopRun(self, ctx, model, limits, manager, deque(recorded), is_streamed)
        try:
            async with timer, toolset:
                with self._span(ctx):
                    yield run
        except TimeoutError as error:
            if not timer.expired():
                raise
            raise exceptions.RunTimedOut(
                "The agent run timed out.",
                messages=messages,
                new_message_index=began,
                usage=ctx.usage,
                metadata=None,
                run_id=run_id,
                conversation_id=conversation_id,
            ) from error.__cause__
        finally:
            # It and its context hold each other, and with them the conversation, until garbage is collected.
            run.manager.ctx = None

    async def _around_calls(self, ctx: RunContext[Deps]) -> AbstractCapability[Deps] | None:
        observed = [Instrumentation(settings=self.instrumentation)] if self.instrumentation else []
        around = [*observed, *self.capabilities]
        if len(around) > 1:
            return await CombinedCapability(around).for_run(ctx)
        return around[0] if around else None

    @contextmanager
    def _span(self, ctx: RunContext[Deps]) -> Generator[None]:
        settings = self.instrumentation
        if settings is None:
            yield
            return
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": self.name,
            "gen_ai.agent.call.id": ctx.run_id or "",
            "gen_ai.conversation.id": ctx.conversation_id or "",
        }
        with settings.tracer.start_as_current_span(
            f"invoke_agent {self.name}", attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield
            except Exception as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(StatusCode.ERROR)
                raise
            finally:
                span.set_attributes(settings.aggregated_usage_attributes(ctx.usage))


@dataclass(slots=True)
class LoopRun(Generic[Deps]):
    """One run as it stands; after an error its messages and usage are those up to there."""

    loop: AgentLoop[Deps]
    ctx: RunContext[Deps]
    model: Model
    limits: UsageLimits
    manager: ToolManager[Deps]
    recorded: deque[ModelResponse]
    """What the model said before, and is not asked for again."""
    is_streamed: bool
    _retries_used: int = 0
    _established: frozenset[str] | None = None
    """The tools of the first request; a later one that is not among them is announced to the model."""
    _announced: set[str] = field(default_factory=set[str])

    @property
    def messages(self) -> list[ModelMessage]:
        """Return the history and what the run has added."""
        return self.ctx.messages

    @property
    def usage(self) -> RunUsage:
        """Return what the run took so far."""
        return self.ctx.usage

    async def events(self) -> AsyncGenerator[LoopEvent]:
        """Yield what happens, as it happens; the last is the answer.

        Raises:
            AgentRunError, FallbackExceptionGroup, UserError: As `Agent.run` does, for the same reasons.
        """
        parts: list[ModelRequestPart] = [UserPromptPart(self.ctx.prompt or "")]
        while True:
            asked = await self._asked(parts)
            yield Asking(self.messages, self.model)
            response = ModelResponse([])
            replied = self._responded if self.is_streamed and not self.recorded else self._replied
            async with aclosing(replied(asked)) as pieces:
                async for piece in pieces:
                    response = piece if isinstance(piece, ModelResponse) else response
                    yield piece
            parts = []
            if response.tool_calls:
                async with aclosing(self._called(response.tool_calls, parts)) as results:
                    async for result in results:
                        yield result
                continue
            answer = await self._answer(response)
            if isinstance(answer, Answer):
                yield answer
                return
            parts = [answer]

    async def _replied(self, asked: ModelRequestContext) -> AsyncGenerator[ModelResponseStreamEvent | ModelResponse]:
        """Yield a response that is there at once, part by part, then whole: of the model, or of an earlier attempt."""
        said = self.recorded.popleft() if self.recorded else await self._whole(asked)
        for index, part in enumerate(said.parts):
            yield PartStartEvent(index=index, part=part)
        yield self._taken(said)

    async def _whole(self, asked: ModelRequestContext) -> ModelResponse:
        with until(self.ctx.deadline):
            sent = self._laid_out(asked)
            response = await direct.model_request(
                sent.model,
                sent.messages,
                model_settings=sent.model_settings,
                model_request_parameters=sent.model_request_parameters,
                instrument=self.loop.instrumentation or False,
            )
        return self.loop.taken(response)

    async def _responded(self, asked: ModelRequestContext) -> AsyncGenerator[ModelResponseStreamEvent | ModelResponse]:
        """Yield a response in pieces, then whole; of the next model where a stream breaks before a word."""
        is_limited = self.limits.has_token_limits()
        failed: list[ModelRequestAttempt] = []
        while True:
            streamed, has_spoken, began_at = None, False, datetime.now(UTC)
            try:
                async with self._streamed(asked) as streamed:
                    async for piece in streamed:
                        if is_limited:
                            self._check_tokens(self.usage + streamed.usage, streamed.usage.input_tokens)
                        has_spoken = has_spoken or _speaks(piece)
                        yield piece
            except exceptions.ModelAPIError as error:
                others = _models_after(asked.model, streamed)
                if has_spoken or streamed is None or not others:
                    raise
                if isinstance(self.messages[-1], ModelResponse):
                    self.messages.pop()
                told = f"{type(error).__name__}: {error}"
                took = datetime.now(UTC) - began_at
                attempt = ModelRequestAttempt(
                    model_name=streamed.model_name, outcome="error", error=told, timestamp=began_at, duration=took
                )
                failed.append(attempt)
                asked = replace(asked, model=FallbackModel(others[0], *others[1:]))
                continue
            # Only now: a model that falls back says at the end who answered.
            response = self.loop.taken(streamed.get())
            if failed:
                response.failed_attempts = [*failed, *(response.failed_attempts or ())]
            yield self._taken(response)
            return

    def _request(self, parts: Sequence[ModelRequestPart], **how: Any) -> ModelRequest:
        return ModelRequest(
            parts=list(parts),
            run_id=self.ctx.run_id,
            conversation_id=self.ctx.conversation_id,
            timestamp=datetime.now(UTC),
            **how,
        )

    async def _asked(self, parts: Sequence[ModelRequestPart]) -> ModelRequestContext:
        """Return the next request, which the messages then end with."""
        request = self._request(parts)
        self.messages.append(request)
        step, retries = self.ctx.run_step + 1, self.loop.tool_retries
        self.ctx = replace(self.ctx, run_step=step, retry=self._retries_used, max_retries=retries)
        self.manager = await self.manager.for_run_step(self.ctx)
        told = await self._instructions()
        request.instructions = InstructionPart.join(told) if told else None
        tools = self.manager.tool_defs
        introduced = self._introduced(tools)
        if announced := [name for name in introduced if name not in self._announced]:
            request.parts = [*request.parts, ToolAvailabilityDeltaPart(tools_added=announced)]
            self._announced.update(announced)
        self.limits.check_before_request(self.usage)
        return ModelRequestContext(
            model=self.model,
            messages=self.messages,
            model_settings=self.model.settings or ModelSettings(),
            model_request_parameters=ModelRequestParameters(
                function_tools=tools, instruction_parts=told or None, introduced_tool_names=set(introduced)
            ),
        )

    async def _instructions(self) -> list[InstructionPart]:
        found = await self.manager.toolset.get_instructions(self.ctx)
        of_tools = [found] if found is None or isinstance(found, str | InstructionPart) else found
        told = [await self.loop.instructions(self.ctx), *of_tools]
        parts = [InstructionPart(content=one, dynamic=True) if isinstance(one, str) else one for one in told if one]
        return InstructionPart.sorted(parts)

    def _introduced(self, tools: Sequence[ToolDefinition]) -> list[str]:
        names = [tool.name for tool in tools if not tool.defer_loading]
        if self._established is None or self._established.isdisjoint(names):
            self._established = (self._established or frozenset()).union(names)
        return [name for name in names if name not in self._established]

    def _laid_out(self, asked: ModelRequestContext) -> ModelRequestContext:
        """Return a request as the model gets it; the messages of the run stay as they are."""
        # A copy, because laying it out changes it.
        sent = self.loop.lay_out(self.ctx, replace(asked))
        cleaned = repair_messages(sent.messages)
        prepared = sent.model.prepare_messages(cleaned, sent.model_request_parameters)
        sent.messages = prepared if prepared is cleaned else repair_messages(prepared)
        self.ctx.model_settings = sent.model_settings = sent.model_settings or None
        return sent

    @asynccontextmanager
    async def _streamed(self, asked: ModelRequestContext) -> AsyncGenerator[StreamedResponse]:
        sent = self._laid_out(asked)
        request = direct.model_request_stream(
            sent.model,
            sent.messages,
            model_settings=sent.model_settings,
            model_request_parameters=sent.model_request_parameters,
            instrument=self.loop.instrumentation or False,
        )
        async with AsyncExitStack() as opened:
            with until(self.ctx.deadline):
                streamed = await opened.enter_async_context(request)
            try:
                yield streamed
            except BaseException:
                # Nobody waits for the rest of it; what there is of it is paid for.
                response = replace(self.loop.taken(streamed.get()), state="interrupted")
                self._count(response, requests=1 if response.parts else 0)
                raise

    def _taken(self, response: ModelResponse) -> ModelResponse:
        self._count(response)
        try:
            self._check_tokens(self.usage, response.usage.input_tokens)
            self.limits.check_cost(self.usage, warn_if_cost_unavailable=False)
        except exceptions.UsageLimitExceeded:
            self.messages[-1] = replace(response, state="interrupted")
            raise
        if response.state == "suspended":
            raise exceptions.UnexpectedModelBehavior(
                f"Model {response.model_name!r} suspended its response, which runs here do not continue. "
                "Turn off background mode and the provider's own tools in the model's settings."
            )
        return response

    def _count(self, response: ModelResponse, requests: int = 1) -> None:
        """Add a response to the messages, and what it took to the usage."""
        response.run_id, response.conversation_id = self.ctx.run_id, self.ctx.conversation_id
        response.usage = _counted(response.usage)
        if response.usage.cost is None:
            response.usage.cost = price_of(response)
        self.usage.requests += requests
        for taken in (response.usage, *(failed.usage for failed in response.failed_attempts or ())):
            if taken is not None:
                self.usage.incr(taken)
        self.messages.append(response)

    def _check_tokens(self, used: RunUsage, of_request: int) -> None:
        self.limits.check_tokens(used)
        self.limits.check_per_request_input_tokens(of_request)

    async def _called(
        self, calls: Sequence[ToolCallPart], parts: list[ModelRequestPart]
    ) -> AsyncGenerator[ToolReturnPart]:
        """Yield what the calls come to as they end; `parts` are theirs in the order they were asked for."""
        tools = [self.manager.get_tool_def(call.tool_name) for call in calls]
        later = [call for call, tool in zip(calls, tools, strict=True) if tool is not None and tool.defer]
        now = [call for call, tool in zip(calls, tools, strict=True) if tool is None or not tool.defer]
        ended: dict[int, Ended] = {}
        deferred: list[ToolCallPart] = []
        try:
            self._check_calls(now)
            validated = [await self._validated(call) for call in now]
            try:
                for segment in self._segments(now):
                    async with aclosing(self._executed(segment, validated, ended, deferred)) as results:
                        async for result in results:
                            yield result
            finally:
                in_order = [ended[index] for index in sorted(ended)]
                parts.extend(part for part, _ in in_order)
                parts.extend(UserPromptPart(shown) for _, shown in in_order if shown)
            for call in later:
                if (one := await self._validated(call)).args_valid:
                    deferred.append(call)
                else:
                    parts.append((await self._result(one))[0])
            if deferred:
                raise exceptions.UserError(_NO_DEFERRAL)
        except BaseException:
            # Says to whoever goes on from here that the other calls are never answered.
            self.messages.append(self._request(parts, state="interrupted"))
            raise

    def _check_calls(self, calls: Sequence[ToolCallPart]) -> None:
        if calls and self.limits.tool_calls_limit is not None:
            projected = copy(self.usage)
            projected.tool_calls += len(calls)
            self.limits.check_before_tool_call(projected)
        ids = Counter(call.tool_call_id for call in calls)
        if repeated := [one for one, count in ids.items() if count > 1]:
            raise exceptions.UnexpectedModelBehavior(
                f"Function tool calls must have unique `tool_call_id` values; duplicate `tool_call_id`s: {repeated}"
            )

    async def _validated(self, call: ToolCallPart) -> ValidatedToolCall[Deps]:
        try:
            return await self.manager.validate_tool_call(call)
        except exceptions.UnexpectedModelBehavior:
            self._check_incomplete()
            raise

    def _segments(self, calls: Sequence[ToolCallPart]) -> list[list[int]]:
        """Return what runs at the same time, by position: a sequential tool runs alone."""
        segments: list[list[int]] = []
        is_joinable, in_turn = False, self.manager.get_parallel_execution_mode() == "sequential"
        for index, call in enumerate(calls):
            alone = in_turn or self.manager.is_sequential(call)
            if is_joinable and not alone:
                segments[-1].append(index)
            else:
                segments.append([index])
            is_joinable = not alone
        return segments

    async def _executed(
        self,
        segment: Sequence[int],
        validated: Sequence[ValidatedToolCall[Deps]],
        ended: dict[int, Ended],
        deferred: list[ToolCallPart],
    ) -> AsyncGenerator[ToolReturnPart]:
        """Yield the results of calls that run at the same time, as they end."""
        tasks = {asyncio.create_task(self._result(validated[index])): index for index in segment}
        waiting = set(tasks)
        try:
            while waiting:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    try:
                        ended[tasks[task]] = result = task.result()
                    except (exceptions.CallDeferred, exceptions.ApprovalRequired):
                        deferred.append(validated[tasks[task]].call)
                    else:
                        yield result[0]
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            # One that ended while another failed is not to be made again by whoever goes on from here.
            whole = (task for task in tasks if task.done() and not task.cancelled() and not task.exception())
            ended.update({tasks[task]: task.result() for task in whole})

    async def _result(self, validated: ValidatedToolCall[Deps]) -> Ended:
        call = validated.call
        try:
            value = await self.manager.execute_tool_call(validated)
        except exceptions.ToolRetryError as error:
            # One that answers a call, because there is a call.
            return self._with_way(cast("ToolReturnPart", error.tool_retry)), None
        except exceptions.ToolFailedError as error:
            return error.tool_failed, None
        except exceptions.RunCancelled as error:
            told = f"The sub-agent run was cancelled: {error}"
            return ToolReturnPart(call.tool_name, told, call.tool_call_id, outcome="failed"), None
        return _returned(call, value)

    def _with_way(self, told: ToolReturnPart) -> ToolReturnPart:
        """Return a refusal, of a tool that was not offered with the way to it."""
        if told.tool_name in (self.manager.tools or ()):
            return told
        way = self.loop.way_to(told.tool_name, self.manager.ctx or self.ctx)
        return replace(told, content=f"{told.content} {way}.") if way else told

    async def _answer(self, response: ModelResponse) -> Answer | RetryFeedbackPart:
        """Return the answer that a response without calls is, or what the model is asked to mend.

        Raises:
            UnexpectedModelBehavior: It was asked often enough, or asking again would not help.
        """
        if all(_says_nothing(part) for part in response.parts):
            _check_finish(response, self._most_tokens())
        text = _text_of(response)
        if not text:
            told = "Please return text or call a tool." if self.manager.tools else "Please return text."
            return self._feedback(told, "no_output")
        if not self.loop.validators:
            return Answer(text, response)
        base, most = self.manager.ctx or self.ctx, self.loop.output_retries
        ctx = replace(base, retry=self._retries_used, max_retries=most)
        try:
            for validate in self.loop.validators:
                text = await validate(ctx, text)
        except exceptions.ModelRetry as error:
            return self._feedback(error.message, "model_retry")
        return Answer(text, response)

    def _feedback(self, told: str, cause: Literal["no_output", "model_retry"]) -> RetryFeedbackPart:
        self._retries_used += 1
        most = self.loop.output_retries
        info = RetryInfo[RetryFeedbackCause](cause=cause, attempt=self._retries_used, max_retries=most)
        feedback = RetryFeedbackPart(content=told, retry=info)
        if self._retries_used > most:
            self._check_incomplete()
            message = f"Exceeded maximum output retries ({most})"
            raise exceptions.UnexpectedModelBehavior(message) from exceptions.ToolRetryError(feedback)
        return feedback

    def _check_incomplete(self) -> None:
        """Say so where it was the token limit that cut the latest call off."""
        last = self.messages[-1]
        if not isinstance(last, ModelResponse) or last.finish_reason != "length" or not last.parts:
            return
        if isinstance(call := last.parts[-1], ToolCallPart):
            try:
                call.args_as_dict(raise_if_invalid=True)
            except (ValueError, AssertionError) as error:
                what = "while generating a tool call, resulting in incomplete arguments"
                raise exceptions.IncompleteToolCall(_too_long(what, self._most_tokens())) from error

    def _most_tokens(self) -> object:
        return (self.ctx.model_settings or {}).get("max_tokens") or "provider default"


def _returned(call: ToolCallPart, value: object) -> Ended:
    """Return a tool's value as the model gets it."""
    if isinstance(value, ToolDenied):
        return ToolReturnPart(call.tool_name, value.message, call.tool_call_id, outcome="denied"), None
    if isinstance(value, list) and any(isinstance(one, ToolReturn) for one in cast("list[object]", value)):
        raise exceptions.UserError(
            f"The return value of tool {call.tool_name!r} contains invalid nested `ToolReturn` objects. "
            "`ToolReturn` should be used directly."
        )
    given = cast("ToolReturn[Any]", value if isinstance(value, ToolReturn) else ToolReturn(cast("Any", value)))
    part = ToolReturnPart(call.tool_name, given.return_value, call.tool_call_id, metadata=given.metadata)
    return part, given.content or None


def _speaks(piece: ModelResponseStreamEvent) -> bool:
    """Say whether a piece of a response is seen by whoever waits for it."""
    match piece:
        case PartStartEvent(part=TextPart(content=text)) | PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            return bool(text.strip())
        case _:
            return False


def _models_after(model: Model, streamed: StreamedResponse | None) -> Sequence[Model]:
    """Return the models to ask when the one that streams has failed."""
    if not isinstance(model, FallbackModel) or streamed is None:
        return ()
    names = [one.model_name for one in model.models]
    at = names.index(streamed.model_name) if streamed.model_name in names else 0
    return model.models[at + 1 :]


def _counted(usage: RequestUsage) -> RequestUsage:
    """Return what a provider counted; less than nothing is no count, and no metric takes it."""
    below = {name: 0 for name, count in vars(usage).items() if isinstance(count, int) and count < 0}
    return replace(usage, **below) if below else usage


def _says_nothing(part: object) -> bool:
    return isinstance(part, ThinkingPart) or (isinstance(part, TextPart) and not part.content)


def _text_of(response: ModelResponse) -> str:
    """Return the text of a response; text before a call of the provider's own counts where none follows."""
    text = before = compacted = ""
    for part in response.parts:
        if isinstance(part, TextPart):
            text += part.content
        elif isinstance(part, NativeToolCallPart):
            before, text = text or before, ""
        elif isinstance(part, CompactionPart):
            compacted += part.content or ""
    return text or before or compacted


def _check_finish(response: ModelResponse, most_tokens: object) -> None:
    """Raise where a response says nothing for a reason that asking again does not change."""
    if response.finish_reason == "length":
        raise exceptions.UnexpectedModelBehavior(_too_long("before any response was generated", most_tokens))
    if response.finish_reason == "content_filter":
        details = response.provider_details or {}
        message = "Content filter triggered."
        if reason := details.get("finish_reason"):
            message = f"Content filter triggered. Finish reason: '{reason}'"
        elif reason := details.get("block_reason"):
            message = f"Content filter triggered. Block reason: '{reason}'"
        elif refusal := details.get("refusal"):
            message = f"Content filter triggered. Refusal: {refusal!r}"
        raise exceptions.ContentFilterError(message, body=ModelMessagesTypeAdapter.dump_json([response]).decode())


def _too_long(what: str, most_tokens: object) -> str:
    return (
        f"Model token limit ({most_tokens}) exceeded {what}. Increase the `max_tokens` model setting, or "
        "simplify the prompt to result in a shorter response that will fit within the limit."
    )
