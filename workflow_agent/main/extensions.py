"""What packages outside the tree bring: tools, agents, formats and models."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any

from workflow_agent.assistant.providers import ModelFactory
from workflow_agent.assistant.tools.registry import TOOL_NAMES
from workflow_agent.conversations.agents import AgentProfile
from workflow_agent.errors import Misconfigured
from workflow_agent.settings import Settings
from workflow_agent.workflows.formats import FORMATS

GROUP = "workflow_agent.extensions"


@dataclass(frozen=True, slots=True)
class Extensions:
    """What all of them bring together."""

    tools: tuple[Callable[..., Any], ...] = ()
    writing: frozenset[str] = frozenset()
    """The names of those tools that change workflows."""
    agents: tuple[AgentProfile, ...] = ()
    models: Mapping[str, ModelFactory] = field(default_factory=dict[str, ModelFactory])


def extensions_of(settings: Settings) -> Extensions:
    """Return what installed packages name as entry points, and what the modules bring that the settings name.

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
