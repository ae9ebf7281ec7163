"""Where the parts of a request stand, so that what a provider has cached of the last one is used again."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, cast

from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.messages import (
    CachePoint,
    InstructionPart,
    ModelMessage,
    ModelRequest,
    SystemPromptPart,
    ToolAvailabilityDeltaPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.settings import ModelSettings, ToolOrOutput, merge_model_settings
from pydantic_ai.tools import ToolDefinition

from workflow_agent.assistant.compaction.text import OPENING
from workflow_agent.assistant.context import READ_ONLY_MODES, WorkflowContext
from workflow_agent.assistant.record import BETWEEN_PARTS, joined
from workflow_agent.assistant.tools import registry
from workflow_agent.conversations.agents import MODES, WRITING, AgentProfile, Mode
from workflow_agent.conversations.document import AgentReply, UserMessage

PromptLayout = Literal["auto", "stable_prefix", "plain"]
_KNOWN_TO_CACHE = "https://api.openai.com/"
_CALLED_BY_ONE = registry.LISTED_TOOLS | registry.RARE_TOOLS


def has_stable_prefix(model: object, layout: PromptLayout) -> bool:
    """Say whether requests to a model keep their beginning: all tools first, instructions last.

    By itself only at the address of a provider that takes system messages and allowed tools anywhere in a
    conversation; servers that merely speak its protocol often refuse both.
    """
    if isinstance(model, FallbackModel):
        return all(has_stable_prefix(one, layout) for one in model.models)
    address = str(getattr(model, "base_url", None) or "")
    return bool(address) and layout == "stable_prefix" if layout != "auto" else address.startswith(_KNOWN_TO_CACHE)


@dataclass(frozen=True)
class OfferByMode:
    """Decides which tools a request offers: those that write only where writing is what was asked for."""

    definitions: Mapping[str, ToolDefinition]
    """Of all own tools."""
    layout: PromptLayout = "auto"
    writing: frozenset[str] = registry.WRITING_TOOLS
    """The names of those that change workflows."""

    def names(
        self, mode: Mode, agent: AgentProfile | None = None, idle: frozenset[str] = frozenset()
    ) -> frozenset[str]:
        """Return the names of the tools of a mode, or those of them that an agent has, without idle ones."""
        of_mode = frozenset(self.definitions) - (self.writing if mode in READ_ONLY_MODES else frozenset()) - idle
        if agent is None:
            return of_mode
        its_own = of_mode if agent.tools is None else of_mode & frozenset(agent.tools)
        return its_own if agent.mode is None else its_own - {registry.SWITCH_MODE}

    def texts(self, mode: Mode) -> tuple[str, ...]:
        """Return what a request tells of a mode's tools."""
        return self._texts(self.names(mode))

    def callable_names(self, deps: WorkflowContext, model: object) -> frozenset[str]:
        """Return the names of the tools that a request of a run to a model tells of, in whichever form.

        Tools come first, so another list would begin everything anew. Where its beginning is to last, those of
        all modes; elsewhere those that the modes of the conversation's turns need. What the mode does not have is
        refused when called.
        """
        modes = frozenset(MODES) if self.is_stable(model) else modes_sent(deps, model)
        return frozenset[str]().union(*(self.names(mode, deps.profile, deps.idle_tools) for mode in modes))

    def sent(self, deps: WorkflowContext, model: object) -> tuple[str, ...]:
        """Return what a request of a run to a model tells of tools."""
        names = self.callable_names(deps, model)
        if getattr(model, "base_url", None) is None:
            return tuple(self._alone[name] for name in sorted(names))
        return self._texts(names)

    def packed(self, tools: Sequence[ToolDefinition]) -> list[ToolDefinition]:
        """Return tools as a request carries them: those that few turns need in one, the rare ones not at all."""
        listed = [one for one in tools if one.name in registry.LISTED_TOOLS]
        others = [one for one in tools if one.name not in _CALLED_BY_ONE]
        packed = [registry.use_tool(self._lines[one.name] for one in listed)] if len(others) < len(tools) else []
        return [*packed, *others]

    def rare_lines(self, names: Collection[str]) -> str:
        """Return what the facts of a turn tell of tools."""
        lines = "\n".join(self._lines[name] for name in sorted(registry.RARE_TOOLS & frozenset(names)))
        return f"Tools for `{registry.USE_TOOL}`:\n{lines}" if lines else ""

    def is_stable(self, model: object) -> bool:
        """Say whether requests to a model keep their beginning."""
        return has_stable_prefix(model, self.layout)

    def _texts(self, names: Collection[str]) -> tuple[str, ...]:
        tools = self.packed([tool for name, tool in self.definitions.items() if name in names])
        return (*(self._alone.get(one.name) or registry.definition_text(one) for one in tools), self.rare_lines(names))

    @cached_property
    def _alone(self) -> Mapping[str, str]:
        """What each tool weighs where it is not packed. All of them are the same for every request."""
        return {name: registry.definition_text(tool) for name, tool in self.definitions.items()}

    @cached_property
    def _lines(self) -> Mapping[str, str]:
        return {name: registry.line_of(tool) for name, tool in self.definitions.items() if name in _CALLED_BY_ONE}

    def check(self, tool: str, ctx: RunContext[Any]) -> None:
        """Refuse a tool that the mode, or the agent, does not have, whatever the provider let the model call.

        Raises:
            ModelRetry: Says which tools there are.
        """
        mode: Mode = ctx.deps.progress.mode.name
        names = self.names(mode, ctx.deps.profile)
        if tool not in self.definitions or tool in names:
            return
        why = f"in mode {mode!r}, which changes nothing"
        if tool in self.names(mode):
            why = f"to agent {ctx.deps.agent!r}"
        raise ModelRetry(f"{tool!r} is not available {why}. Available: {', '.join(sorted(names))}.")


@dataclass(frozen=True, slots=True)
class Modules:
    """The prompt modules by mode, and the shapes of what modes that write make."""

    prompts: Mapping[Mode, str]
    shapes: str

    def told(self, mode: Mode, before: Collection[Mode] = ()) -> str:
        """Return what a mode is told where others were told before: the shapes stand once."""
        is_new = mode in WRITING and WRITING.isdisjoint(before)
        return f"{self.prompts[mode]}\n\n{self.shapes}" if is_new else self.prompts[mode]

    def of(self, modes: Collection[Mode]) -> list[str]:
        """Return the texts of several modes."""
        listed = sorted(modes)
        return [self.told(mode, listed[:at]) for at, mode in enumerate(listed)]


def laid_out(
    offer: OfferByMode, modules: Modules, ctx: RunContext[WorkflowContext], request_context: ModelRequestContext
) -> ModelRequestContext:
    """Lay a request out so that it begins as the one before did.

    What changes from turn to turn stands in the newest user message, and each prompt module before the first
    turn in view that needed it; the first one stands before the record of earlier turns, which every compaction
    writes anew. Where the provider takes system messages anywhere, modules are such, and of all tools those of
    the mode are allowed; elsewhere the first module and the record are the one system message, and others are
    framed in what the user said. A model without an address caches nothing.
    """
    if ctx.model.base_url is None:
        return request_context
    told = ctx.deps.evidence.latest_instructions
    parameters = request_context.model_request_parameters
    rare = offer.rare_lines([one.name for one in parameters.function_tools])
    tools = offer.packed(parameters.function_tools)
    parameters = replace(parameters, function_tools=tools, introduced_tool_names=set[str]())
    lasting = [one for one in told if one.is_lasting]
    facts = BETWEEN_PARTS.join(filter(None, [joined(one for one in told if not one.is_lasting), rare]))
    # What the tools are is told by the tools.
    by_one = registry.called_by_one(request_context.messages, _CALLED_BY_ONE)
    messages = [_without_announcements(one) for one in by_one]
    messages = with_facts(messages, facts, is_kept=is_anthropic(ctx.model))
    roster = joined(one for one in lasting if one.section == "memory")
    others = [one for one in lasting if one.section not in ("prompt_module", "memory")]
    is_stable = offer.is_stable(ctx.model)
    messages, earlier = _without_earlier_turns(messages)
    if is_stable and others:
        messages = with_system_last(messages, joined(others))
    messages, sent = with_modules(messages, modules, ctx.deps, are_framed=not is_stable)
    ctx.deps.evidence.measured("prompt_module", *sent)
    beside = [] if is_stable else [one.text for one in others]
    leading = BETWEEN_PARTS.join(filter(None, [*sent[:1], roster, *beside, *earlier]))
    if not is_stable:
        request_context.messages = [_framed(one) for one in messages]
        request_context.model_request_parameters = replace(
            parameters, instruction_parts=[InstructionPart(content=leading)]
        )
        return request_context
    request_context.messages = [ModelRequest(parts=[SystemPromptPart(leading)]), *messages]
    foreign = {one.name for one in parameters.function_tools if one.name not in offer.definitions}
    of_mode = offer.names(ctx.deps.progress.mode.name, ctx.deps.profile, ctx.deps.idle_tools)
    allowed = {one.name for one in tools} & (foreign | of_mode | {registry.USE_TOOL})
    request_context.model_request_parameters = replace(parameters, instruction_parts=[])
    request_context.model_settings = merge_model_settings(
        request_context.model_settings, ModelSettings(tool_choice=ToolOrOutput(sorted(allowed)))
    )
    return request_context


def _without_announcements(message: ModelMessage) -> ModelMessage:
    if not isinstance(message, ModelRequest):
        return message
    parts = [one for one in message.parts if not isinstance(one, ToolAvailabilityDeltaPart)]
    return message if len(parts) == len(message.parts) else replace(message, parts=parts)


def _framed(message: ModelMessage) -> ModelMessage:
    """Return a message with what would be a system message framed in the user's words that follow it."""
    if not isinstance(message, ModelRequest):
        return message
    texts = [one.content for one in message.parts if isinstance(one, SystemPromptPart)]
    if not texts:
        return message
    text = "\n\n".join(texts)
    parts = [one for one in message.parts if not isinstance(one, SystemPromptPart)]
    at = next((place for place, one in enumerate(parts) if isinstance(one, UserPromptPart)), None)
    if at is None:
        return replace(message, parts=[*parts, UserPromptPart(_in_frame(text))])
    return _with_framed(replace(message, parts=parts), at, text)


def _in_frame(text: str) -> str:
    return f"<{_MODULE}>\n{text}\n</{_MODULE}>"


def _without_earlier_turns(messages: Sequence[ModelMessage]) -> tuple[list[ModelMessage], list[str]]:
    """Return the messages without the record of earlier turns that they begin with, and its text if there is one."""
    match messages:
        case [ModelRequest(parts=[SystemPromptPart(content=text), *rest]) as first, *others] if text.startswith(
            OPENING
        ):
            return [*([replace(first, parts=rest)] if rest else []), *others], [text]
        case _:
            return list(messages), []


def with_facts(messages: Sequence[ModelMessage], facts: str, *, is_kept: bool = False) -> list[ModelMessage]:
    """Return the messages with the facts of the turn behind the newest thing the user said.

    The words before them are in the next turn's request as well, without the facts.
    """
    changed = list(messages)
    at, place = _newest_prompt(changed)
    if at is None or not facts:
        return changed
    request = cast("ModelRequest", changed[at])
    prompt = cast("UserPromptPart", request.parts[place])
    mark = [CachePoint()] if is_kept else []
    frame = f"<{_FACTS}>\n{facts}\n</{_FACTS}>"
    said = prompt.content
    content = f"{said}\n\n{frame}" if isinstance(said, str) and not is_kept else [*_listed(said), *mark, frame]
    parts = [*request.parts[:place], replace(prompt, content=content), *request.parts[place + 1 :]]
    changed[at] = replace(request, parts=parts)
    return changed


def _listed(said: str | Sequence[UserContent]) -> Sequence[UserContent]:
    return [said] if isinstance(said, str) else said


def with_system_last(messages: Sequence[ModelMessage], text: str) -> list[ModelMessage]:
    """Return the messages with a system message right before the newest thing the user said.

    There, and not at the very end: the requests of one run then share what comes before them.
    """
    changed = list(messages)
    at, place = _newest_prompt(changed)
    if at is not None:
        changed[at] = _with_system(cast("ModelRequest", changed[at]), place, text)
    return changed


def with_modules(
    messages: Sequence[ModelMessage], modules: Modules, deps: WorkflowContext, *, are_framed: bool = False
) -> tuple[list[ModelMessage], list[str]]:
    """Return the messages with each module but the first before the turn in view that needs it, and all of them.

    They stand in system messages, or framed in what the user said.
    """
    changed, modes = list(messages), _modes_in_view(messages, deps)
    at, place = _newest_prompt(changed)
    sent: dict[Mode, str] = {}
    for number, prompt_at in _prompts(messages):
        is_newest = (number, prompt_at) == (at, place)
        mode = deps.progress.mode.name if is_newest else modes.get(number)
        if mode is None or mode in sent:
            continue
        request, text = cast("ModelRequest", changed[number]), modules.told(mode, sent)
        if sent and are_framed:
            changed[number] = _with_framed(request, prompt_at, text)
        elif sent:
            changed[number] = _with_system(request, _before_instructions(request, prompt_at), text)
        sent[mode] = text
    return changed, list(sent.values())


def _before_instructions(request: ModelRequest, prompt_at: int) -> int:
    """Return the place before a prompt and other instructions of its turn, which follow the module."""
    leads = prompt_at and isinstance(request.parts[prompt_at - 1], SystemPromptPart)
    return prompt_at - 1 if leads else prompt_at


def _with_framed(request: ModelRequest, at: int, module: str) -> ModelRequest:
    prompt = cast("UserPromptPart", request.parts[at])
    first, *others = _listed(prompt.content)
    framed = f"{_in_frame(module)}\n\n{first}"
    content = framed if isinstance(prompt.content, str) else [framed, *others]
    return replace(request, parts=[*request.parts[:at], replace(prompt, content=content), *request.parts[at + 1 :]])


def modes_sent(deps: WorkflowContext, model: object) -> frozenset[Mode]:
    """Return the modes whose modules and tools a request may carry: one where nothing is cached."""
    if getattr(model, "base_url", None) is None:
        return frozenset({deps.progress.mode.name})
    # Of all turns of the conversation: as many modules there may be in view.
    return frozenset({deps.progress.mode.name, *_modes_of_turns(deps).values()})


def _modes_of_turns(deps: WorkflowContext) -> dict[int, Mode]:
    replies = (one for one in deps.conversation.events if isinstance(one, AgentReply))
    return {one.turn: one.mode.name for one in replies if one.author == deps.agent}


def _modes_in_view(messages: Sequence[ModelMessage], deps: WorkflowContext) -> dict[int, Mode]:
    """Return the modes of earlier turns by the places of their messages, newest matched first."""
    modes, found = _modes_of_turns(deps), dict[int, Mode]()
    said = [one for one in deps.conversation.events if isinstance(one, UserMessage) and one.turn in modes]
    for at, place in reversed(list(_prompts(messages))):
        content = cast("UserPromptPart", messages[at].parts[place]).content
        turn = next((one.turn for one in reversed(said) if one.content == content), None)
        if turn is not None:
            found[at] = modes[turn]
            said = [one for one in said if one.turn < turn]
    return found


def _prompts(messages: Sequence[ModelMessage]) -> Iterator[tuple[int, int]]:
    """Yield where the user speaks: the number of the message, and of the part in it; the last of each."""
    for at, message in enumerate(messages):
        if isinstance(message, ModelRequest):
            places = [number for number, part in enumerate(message.parts) if isinstance(part, UserPromptPart)]
            if places:
                yield at, places[-1]


def _newest_prompt(messages: Sequence[ModelMessage]) -> tuple[int | None, int]:
    return next(iter(reversed(list(_prompts(messages)))), (None, 0))


def _with_system(request: ModelRequest, at: int, text: str) -> ModelRequest:
    return replace(request, parts=[*request.parts[:at], SystemPromptPart(text), *request.parts[at:]])


_FACTS = "turn_facts"
"""Frames what the service tells beside the user's words."""
_MODULE = "system"
"""Frames what the service instructs where it cannot be a system message, as the framework does."""
_ANTHROPIC = "anthropic"


def is_anthropic(model: object) -> bool:
    """Say whether requests may go to Anthropic, which caches only what is marked."""
    if isinstance(model, FallbackModel):
        return any(map(is_anthropic, model.models))
    return isinstance(model, Model) and model.system == _ANTHROPIC


def marked(ctx: RunContext[Any], request_context: ModelRequestContext) -> ModelRequestContext:
    """Mark the tools and the whole request, both of which the next one begins with (ADR-0066)."""
    if not is_anthropic(ctx.model):
        return request_context
    marks = {"anthropic_cache_tool_definitions": True, "anthropic_cache": True}
    request_context.model_settings = merge_model_settings(request_context.model_settings, cast("ModelSettings", marks))
    return request_context
