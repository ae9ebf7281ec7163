"""The MCP server of a tenant: its tools, resources and prompts."""

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError, UnexpectedToolError
from mcp.server.mcpserver.prompts.base import Prompt
from mcp.server.mcpserver.tools.base import Tool
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, ToolAnnotations
from pydantic import Field, ValidationError
from typing_extensions import override

from workflow_agent.api.dependencies import ModeCard, Services
from workflow_agent.api.mcp.tools import WorkflowTools
from workflow_agent.api.native.service import ABOUT
from workflow_agent.assistant.tools.parameters import brief_schema
from workflow_agent.errors import InvalidInput, NotFound, Problem, WorkflowAgentError
from workflow_agent.workflows.model.parser import problems_of
from workflow_agent.workflows.model.workflow import workflow_document

_SAID = {"index", "type", "author", "at", "content"}
_MOST_EVENTS = 500
_MOST_PROBLEMS = 10
_INSTRUCTIONS = (
    "Workflows of this service: search and read them, create and edit them, analyse, draw, import and export "
    "them. Edits are typed and make a new version; preview=true shows them first. ask_assistant talks to the "
    "service's own assistant."
)


class ToldServer(MCPServer[Any]):
    """A server that tells a name it does not know as invalid parameters, with what there is."""

    @override
    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None) -> Any:
        _known("tool", name, [one.name for one in await self.list_tools()])
        return await super().call_tool(name, arguments, context)

    @override
    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> Any:
        takes = {one.name: [argument.name for argument in one.arguments or ()] for one in await self.list_prompts()}
        _known("prompt", name, list(takes))
        for argument in arguments or ():
            _known(f"argument of {name}", argument, takes[name])
        return await super().get_prompt(name, arguments, context)

    @override
    async def read_resource(self, uri: Any, context: Context[Any, Any] | None = None) -> Any:
        try:
            return await super().read_resource(uri, context)
        except ResourceNotFoundError as error:
            listed = "resources/list and resources/templates/list say what can be read."
            raise ResourceNotFoundError(f"{str(error).rstrip('.')}. {listed}") from error


def _known(what: str, name: str, valid: Sequence[str]) -> None:
    """Refuse a name that is not known, and tell those that are."""
    if name not in valid:
        message = f"There is no {what} {name[:60]!r}. Valid: {', '.join(valid)}."
        raise MCPError(code=INVALID_PARAMS, message=message, data={"valid": list(valid)})


def mcp_server(services: Services, version: str) -> MCPServer[Any]:
    """Return the server over the services of one tenant, for any transport."""
    server = ToldServer(
        "workflow_agent",
        title="Workflows",
        version=version,
        instructions=_INSTRUCTIONS,
        tools=list(tools_of(services)),
        log_level="WARNING",
    )
    _add_resources(server, services)
    for card in services.modes:
        server.add_prompt(_prompt(card))
    return server


def http_sessions(services: Services, version: str, max_body_bytes: int) -> StreamableHTTPSessionManager:
    """Return what answers the server's requests over HTTP, each by itself."""
    server = mcp_server(services, version)
    server.streamable_http_app(
        stateless_http=True,
        max_request_body_size=max_body_bytes,
        # Host, Origin and key were checked before the request came here.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return server.session_manager


_READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
_CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False)
_TALKS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True)
"""The assistant asks a model's provider, and other MCP servers where there are some."""


class ToldTool(Tool):
    """A tool that tells what is wrong in one form, a code and a sentence, in the words of the other ways in."""

    @override
    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        # One that is not known may be what the caller relies on: `dry_run` of a change that `preview` shows first.
        unknown = [f"- {name[:60]} is no argument of it" for name in arguments.keys() - self.parameters["properties"]]
        try:
            if unknown:
                self.fn_metadata.arg_model.model_validate(arguments)
                raise ToolError(self._refusal(unknown))
            return await super().run(arguments, context, convert_result)
        except (ToolError, ValidationError) as error:
            cause = error if isinstance(error, ValidationError) else error.__cause__
            if isinstance(cause, WorkflowAgentError):
                raise ToolError(_told(cause)) from cause
            if isinstance(error, UnexpectedToolError):
                message = f"internal_error: {self.name} failed, not by what it was given. The server's log says why."
                raise UnexpectedToolError(message) from cause
            if not isinstance(cause, ValidationError):
                # The SDK puts a head before what the tool said.
                raise cause if isinstance(cause, ToolError) else error from None
            problems = problems_of(cause, arguments)[:_MOST_PROBLEMS]
            lines = [f"- {one.pointer[1:]} {one.message}{_valid(one)}" for one in problems]
            raise ToolError(self._refusal([*lines, *unknown])) from error

    def _refusal(self, lines: list[str]) -> str:
        known: dict[str, dict[str, Any]] = self.parameters["properties"]
        needed = self.parameters.get("required", ())
        takes = "; ".join(
            f"{name}{' (needed)' if name in needed else ''}: {one['description']}" for name, one in known.items()
        )
        return "\n".join([f"invalid_input: {self.name} cannot be called so.", *lines, f"It takes {takes}."])


def _told(error: WorkflowAgentError) -> str:
    """Return an error with its code and, where it has them, each problem with what would be valid."""
    problems = error.problems[:_MOST_PROBLEMS] if isinstance(error, InvalidInput) else ()
    lines = [f"- {one.pointer}: {one.message}{_valid(one)}" for one in problems]
    return "\n".join([f"{error.code}: {error.message}", *lines])


def _valid(problem: Problem) -> str:
    return f" (valid: {', '.join(problem.valid)})" if problem.valid else ""


def tools_of(services: Services) -> Sequence[Tool]:
    """Return every tool with its annotations."""
    own = WorkflowTools(services)
    listed: Mapping[Callable[..., Any], ToolAnnotations] = {
        own.search_workflows: _READS,
        own.get_workflow: _READS,
        own.create_workflow: _ADDS,
        own.edit_workflow: _CHANGES,
        own.analyze_workflow: _READS,
        own.draw_diagram: _READS,
        own.import_workflow: _ADDS,
        own.export_workflow: _READS,
        own.list_versions: _READS,
        own.restore_version: _CHANGES,
        own.ask_assistant: _TALKS,
    }
    tools = [
        ToldTool.from_function(function, annotations=annotations, structured_output=False)
        for function, annotations in listed.items()
    ]
    return [tool.model_copy(update={"parameters": brief_schema(tool.parameters)}) for tool in tools]


def _prompt(card: ModeCard) -> Prompt:
    async def spoken(request: Annotated[str, Field(description="what is to be done, in plain words")] = "") -> str:
        return f"{card.prompt}\n\n{request}".strip()

    return Prompt.from_function(spoken, name=card.name, description=ABOUT[card.name])


def _add_resources(server: MCPServer[Any], services: Services) -> None:
    add = partial(server.resource, mime_type="application/json")

    @add("workflow-agent://workflows", name="workflows", description="Every workflow: id, name, version.")
    async def all_workflows() -> str:
        known = await services.workflows.all(services.tenant)
        return _text([{"id": one.id, "name": one.name, "version": one.version} for one in known])

    @add("workflow-agent://workflows/{workflow_id}", name="workflow", description="A workflow, whole.")
    async def one_workflow(workflow_id: str) -> str:
        with _found():
            return _text(workflow_document(await services.use_cases.at(workflow_id)))

    @add("workflow-agent://conversations", name="conversations", description="The newest conversations.")
    async def newest_conversations() -> str:
        page = await services.conversations.page(services.tenant, limit=200)
        return _text([{"id": one.id, "title": one.title, "turns": one.turns} for one in page.items])

    @add(
        "workflow-agent://conversations/{conversation_id}",
        name="conversation",
        description=f"What was said in a conversation, the last {_MOST_EVENTS} events.",
    )
    async def one_conversation(conversation_id: str) -> str:
        with _found():
            past = await services.past(conversation_id)
        stretch = await past.events(None, _MOST_EVENTS, newest_first=True)
        head = {"id": past.conversation.id, "title": past.conversation.title, "phase": past.conversation.phase}
        return _text(
            {**head, "events": [event.model_dump(mode="json", include=_SAID) for event in reversed(stretch.items)]}
        )


@contextmanager
def _found() -> Generator[None]:
    """Tell what is not there as a client expects it."""
    try:
        yield
    except (NotFound, InvalidInput) as error:
        raise ResourceNotFoundError(error.message) from error


def _text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)
