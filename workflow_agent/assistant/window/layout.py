"""Where the parts of a request stand, so that what a provider has cached of the last one is used again."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    SystemPromptPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.settings import ModelSettings, ToolOrOutput, merge_model_settings

from workflow_agent.assistant.context import READ_ONLY_MODES
from workflow_agent.assistant.tools.registry import EXAMINING_TOOLS, SWITCH_MODE, WRITING_TOOLS
from workflow_agent.conversations.agents import AgentProfile
from workflow_agent.conversations.modes import Mode

PromptLayout = Literal["auto", "stable_prefix", "plain"]
_KNOWN_TO_CACHE = "https://api.openai.com/"


def has_stable_prefix(model: object, layout: PromptLayout) -> bool:
    """Say whether requests to a model keep their beginning: all tools first, instructions last.

    By itself only at the address of a provider that takes system messages and allowed tools anywhere in a
    conversation; servers that merely speak its protocol often refuse both.
    """
    if layout != "auto":
        return layout == "stable_prefix"
    if isinstance(model, FallbackModel):
        return all(has_stable_prefix(one, layout) for one in model.models)
    return str(getattr(model, "base_url", None) or "").startswith(_KNOWN_TO_CACHE)


@dataclass(frozen=True, slots=True)
class OfferByMode:
    """Decides which tools a request offers: those that write only where writing is what was asked for."""

    definitions: Mapping[str, str]
    """What each tool weighs in a request, as text."""
    layout: PromptLayout = "auto"

    def names(
        self, mode: Mode, agent: AgentProfile | None = None, idle: frozenset[str] = frozenset()
    ) -> frozenset[str]:
        """Return the names of the tools of a mode, or those of them that an agent has, without idle ones."""
        given = frozenset(agent.tools or ()) if agent else frozenset[str]()
        others = WRITING_TOOLS if mode in READ_ONLY_MODES else EXAMINING_TOOLS - given
        of_mode = frozenset(self.definitions) - others - idle
        if agent is None:
            return of_mode
        its_own = of_mode if agent.tools is None else of_mode & given
        return its_own if agent.mode is None else its_own - {SWITCH_MODE}

    def chars(self, mode: Mode) -> int:
        """Return how long the definitions of a mode's tools are."""
        return sum(map(len, self.texts(mode)))

    def texts(self, mode: Mode) -> tuple[str, ...]:
        """Return the definitions of a mode's tools."""
        return self._texts(self.names(mode))

    def sent(
        self,
        mode: Mode,
        model: object,
        agent: AgentProfile | None = None,
        idle: frozenset[str] = frozenset(),
    ) -> tuple[str, ...]:
        """Return the definitions that a request to a model carries."""
        return self._texts(self.definitions if self.is_stable(model) else self.names(mode, agent, idle))

    def is_stable(self, model: object) -> bool:
        """Say whether requests to a model keep their beginning."""
        return has_stable_prefix(model, self.layout)

    def _texts(self, names: Collection[str]) -> tuple[str, ...]:
        return tuple(self.definitions[name] for name in sorted(names))

    def check(self, tool: str, ctx: RunContext[Any]) -> None:
        """Refuse a tool that the mode, or the agent, does not have, whatever the provider let the model call.

        Raises:
            ModelRetry: Says which tools there are.
        """
        mode: Mode = ctx.deps.progress.mode.name
        names = self.names(mode, ctx.deps.profile)
        if tool not in self.definitions or tool in names:
            return
        why = f"in mode {mode!r}; `switch_mode` first"
        if tool in self.names(mode):
            why = f"to agent {ctx.deps.agent!r}"
        elif mode in READ_ONLY_MODES:
            why = f"in mode {mode!r}, which changes nothing"
        raise ModelRetry(f"{tool!r} is not available {why}. Available: {', '.join(sorted(names))}.")


def laid_out(
    offer: OfferByMode, ctx: RunContext[Any], request_context: ModelRequestContext
) -> ModelRequestContext:
    """Lay a request out, where the model profits from it.

    The instructions go behind the history, and of all tools those of the mode are allowed.
    """
    if not offer.is_stable(ctx.model):
        return request_context
    parameters = request_context.model_request_parameters
    told = InstructionPart.join(parameters.instruction_parts or [])
    if told:
        request_context.messages = with_instructions_last(request_context.messages, told)
        request_context.model_request_parameters = replace(parameters, instruction_parts=[])
    allowed = ToolOrOutput(
        sorted(offer.names(ctx.deps.progress.mode.name, ctx.deps.profile, ctx.deps.idle_tools))
    )
    request_context.model_settings = merge_model_settings(
        request_context.model_settings, ModelSettings(tool_choice=allowed)
    )
    return request_context


def with_instructions_last(messages: Sequence[ModelMessage], told: str) -> list[ModelMessage]:
    """Return the messages with instructions right before the newest thing the user said.

    There, and not at the very end: the requests of one run then share what comes before them.
    """
    changed = list(messages)
    for at in reversed(range(len(changed))):
        message = changed[at]
        if not isinstance(message, ModelRequest):
            continue
        places = [number for number, part in enumerate(message.parts) if isinstance(part, UserPromptPart)]
        if places:
            parts = list(message.parts)
            parts.insert(places[-1], SystemPromptPart(told))
            changed[at] = replace(message, parts=parts)
            break
    return changed


_ANTHROPIC = "anthropic"


def is_anthropic(model: object) -> bool:
    """Say whether requests may go to Anthropic, which caches only what is marked."""
    if isinstance(model, FallbackModel):
        return any(map(is_anthropic, model.models))
    return isinstance(model, Model) and model.system == _ANTHROPIC


def marked(ctx: RunContext[Any], request_context: ModelRequestContext) -> ModelRequestContext:
    """Mark the tools, and the whole request where the run is likely to go on after it.

    What is kept costs a quarter more when it is written and a tenth when it is read (ADR-0017). A run that
    only talks makes one request, and the next turn's instructions differ: there the tools alone come again.
    """
    if not is_anthropic(ctx.model):
        return request_context
    goes_on = ctx.deps.progress.mode.name != "general" or ctx.run_step > 1
    marks = {"anthropic_cache_tool_definitions": True} | ({"anthropic_cache": True} if goes_on else {})
    request_context.model_settings = merge_model_settings(
        request_context.model_settings, cast("ModelSettings", marks)
    )
    return request_context
