"""What an operator adds or names: modules of extensions, agents, models, and tools of other MCP servers."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pydantic_ai.models import Model

from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.assistant.providers import (
    OFFLINE,
    OPENAI_PROTOCOL,
    ModelConfig,
    ModelFactory,
    Models,
    Provider,
    build_model,
    with_fallback,
)
from workflow_agent.assistant.tools.registry import TOOL_NAMES, WRITING_TOOLS
from workflow_agent.conversations.agents import ROSTER, AgentProfile, KnownTools, Roster, parse_roster
from workflow_agent.errors import InvalidInput, Misconfigured
from workflow_agent.settings import ModelAccess, Settings
from workflow_agent.workflows.formats import FORMATS
from workflow_agent.workflows.formats.text import read_text

if TYPE_CHECKING:
    from workflow_agent.assistant.foreign_tools import ForeignTools


GROUP = "workflow_agent.extensions"


@dataclass(frozen=True, slots=True)
class Extensions:
    """What all extensions contribute."""

    tools: tuple[Callable[..., Any], ...] = ()
    writing: frozenset[str] = frozenset()
    """The names of those tools that change workflows."""
    agents: tuple[AgentProfile, ...] = ()
    models: Mapping[str, ModelFactory] = field(default_factory=dict[str, ModelFactory])


def extensions_of(settings: Settings) -> Extensions:
    """Return the contributions of installed entry points and of the modules that the settings name.

    Such a module has any of `TOOLS`, `WRITING_TOOLS` (names of them), `AGENTS`, `MODELS` and `FORMATS`.

    Raises:
        Misconfigured: One of them cannot be loaded, or brings a tool whose name is taken.
    """
    return _of(tuple(dict.fromkeys((*_installed(), *settings.extensions))))


@cache
def _installed() -> tuple[str, ...]:
    return tuple(place.value for place in entry_points(group=GROUP))


@cache
def _of(places: tuple[str, ...]) -> Extensions:
    modules = [_module(place) for place in places]
    tools = tuple(_all(modules, "TOOLS"))
    names = [tool.__name__ for tool in tools]
    if taken := sorted({name for name in names if name in TOOL_NAMES or names.count(name) > 1}):
        raise Misconfigured(f"Extensions bring tools whose names are taken: {', '.join(taken)}. Rename them.")
    for module in modules:
        for name, kind in getattr(module, "FORMATS", {}).items():
            FORMATS.add(name, kind)
    models = {name: made for module in modules for name, made in getattr(module, "MODELS", {}).items()}
    writing = frozenset(_all(modules, "WRITING_TOOLS"))
    return Extensions(tools, writing, tuple(_all(modules, "AGENTS")), models)


def _module(place: str) -> ModuleType:
    try:
        return EntryPoint(place, place, GROUP).load()
    except (ImportError, AttributeError) as error:
        raise Misconfigured(
            f"The extension {place[:100]!r} cannot be loaded: {error}. Mend the package that brings it, or "
            "remove it; WORKFLOW_AGENT_EXTENSIONS names modules that can be imported."
        ) from error


def _all(modules: Iterable[ModuleType], name: str) -> Iterable[Any]:
    return (one for module in modules for one in getattr(module, name, ()))


def foreign_tools_of(settings: Settings) -> "ForeignTools | None":
    """Return the tools of the servers in the file; None where no file is named. No server is asked yet.

    Raises:
        Misconfigured: The file cannot be used, or the SDK is not installed.
    """
    path = settings.mcp_servers_file
    if path is None:
        return None
    try:
        # An extra, which takes a second to import.
        from workflow_agent.assistant.foreign_tools import ForeignTools, servers_in  # noqa: PLC0415 - see above
    except ImportError as error:
        raise Misconfigured(
            f"{str(path)!r} names MCP servers, and MCP is not installed. Install 'workflow-agent[mcp]'."
        ) from error
    timeout = settings.mcp_timeout_seconds
    return ForeignTools(servers_in(path, timeout), timeout, settings.mcp_result_chars)


def roster_of(settings: Settings) -> Roster:
    """Return the agents, the default one first; those of extensions last, where their names are not taken.

    Raises:
        Misconfigured: The file cannot be used; names everything that is wrong with it.
    """
    extensions = extensions_of(settings)
    known = KnownTools(TOOL_NAMES | {tool.__name__ for tool in extensions.tools}, WRITING_TOOLS | extensions.writing)
    listed = _listed(settings, known)
    return {**listed, **{one.name: one for one in extensions.agents if one.name not in listed}}


def _listed(settings: Settings, known: KnownTools) -> Roster:
    most = settings.max_model_requests
    path = settings.agents_file
    if path is None:
        return {name: agent.model_copy(update={"max_iterations": most}) for name, agent in ROSTER.items()}
    try:
        listed = read_text(path.read_text(encoding="utf-8"), what="list of agents")
        return parse_roster(listed, max_iterations=most, tools=known)
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(f"The agents file {str(path)!r} cannot be read: {error}.") from error
    except InvalidInput as error:
        problems = "".join(f"\n  {one.pointer}: {one.message}" for one in error.problems)
        raise Misconfigured(f"The agents file {str(path)!r} cannot be used: {error.message}{problems}") from error


def model_config_of(settings: Settings, request_model: str) -> ModelConfig:
    """Return which model does what, for a request that a model answers."""
    own = settings.models.get(request_model)
    address = own.base_url if own else settings.model_base_url
    return ModelConfig.from_request(
        request_model,
        context_planner=settings.context_planner_model,
        summarizer=settings.summarizer_model,
        is_own_server=address is not None,
    )


def models_of(settings: Settings, roster: Roster) -> Models:
    """Return the models that the settings and the agents name."""
    own = extensions_of(settings).models

    def made(name: str, beside: str | None = None) -> Model:
        if name in own:
            return own[name]()
        return build_model(name, _provider_of(settings, name, beside), OfflineModel)

    by_name: dict[str, Model] = {OFFLINE: OfflineModel()}
    named = (agent.model for agent in roster.values())
    for name in (settings.fallback_model, settings.model, *named):
        if name is not None and name not in by_name:
            by_name[name] = made(name)
    fallback = by_name[settings.fallback_model] if settings.fallback_model else None
    by_name[settings.model] = with_fallback(by_name[settings.model], fallback)
    configs = [model_config_of(settings, name) for name in by_name]
    aside = {
        name: config.primary
        for config in configs
        for name in (config.context_planner, config.summarizer)
        if name not in (None, OFFLINE)
    }
    return Models(
        settings.model,
        by_name,
        window_tokens=settings.model_window_tokens,
        aside={name: by_name.get(name) or made(name, primary) for name, primary in sorted(aside.items())},
        with_key=partial(_with_key, settings) if settings.request_keys else None,
    )


def _with_key(settings: Settings, name: str, key: str) -> Model:
    """Return a model for one request, which brings its key."""
    return build_model(name, replace(_provider_of(settings, name), api_key=key), OfflineModel)


def _provider_of(settings: Settings, name: str, beside: str | None = None) -> Provider:
    """Return how to reach a model: its own settings, or those for all models with OpenAI's protocol.

    With a key for the model `beside`, for which it works, it is reached as that one, if they share a provider.
    """
    if beside is not None and name not in settings.models and beside.partition(":")[0] == name.partition(":")[0]:
        return _provider_of(settings, beside)
    own = settings.models.get(name, ModelAccess())
    is_shared = name not in settings.models and name.partition(":")[0] in OPENAI_PROTOCOL
    key = settings.model_api_key if is_shared else own.api_key
    return Provider(
        base_url=settings.model_base_url if is_shared else own.base_url,
        api_key=key.get_secret_value() if key else None,
        timeout_seconds=own.timeout_seconds or settings.model_timeout_seconds,
        max_retries=(own.attempts or settings.model_attempts) - 1,
    )
