"""The agents the service runs with: the built-in ones, or those of the operator's file."""

from workflow_agent.assistant.tools.registry import TOOL_NAMES, WRITING_TOOLS
from workflow_agent.conversations.agents import ROSTER, KnownTools, Roster, parse_roster
from workflow_agent.errors import InvalidInput, Misconfigured
from workflow_agent.main.extensions import extensions_of
from workflow_agent.settings import Settings


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
    if settings.agents_file is None:
        return {name: agent.model_copy(update={"max_iterations": most}) for name, agent in ROSTER.items()}
    path = settings.agents_file
    try:
        # Few operators have such a file, and YAML takes a while to import.
        from workflow_agent.workflows.formats.text import read_text  # noqa: PLC0415 - see above

        text = path.read_text(encoding="utf-8")
        listed = read_text(text, what="list of agents")
        return parse_roster(listed, max_iterations=most, tools=known)
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(f"The agents file {str(path)!r} cannot be read: {error}.") from error
    except InvalidInput as error:
        problems = "".join(f"\n  {one.pointer}: {one.message}" for one in error.problems)
        raise Misconfigured(f"The agents file {str(path)!r} cannot be used: {error.message}{problems}") from error
