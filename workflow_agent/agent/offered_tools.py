"""The tools that a request offers, put together once for each choice of them."""

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from workflow_agent.agent.layout import OfferByMode

ToolsByName = dict[str, ToolsetTool[Any]]


@dataclass
class OfferedTools(WrapperToolset[Any]):
    """Offers those of the wrapped tools that the mode and the agent of a run have.

    The wrapped tools are the same for every run; asking them at each request, as the framework does,
    takes a tenth of a turn.
    """

    offer: OfferByMode
    made: dict[int, ToolsByName] = field(repr=False)
    """All tools, by how often one may be called again; those of one run serve the next."""

    async def get_tools(self, ctx: RunContext[Any]) -> ToolsByName:
        """Return the tools to offer now; the mode may have changed since the last request."""
        mode, agent = ctx.deps.progress.mode.name, ctx.deps.profile
        ctx.deps.evidence.measured("tools", *self.offer.sent(mode, ctx.model, agent))
        made = self.made.get(ctx.max_retries)
        if made is None:
            made = {
                name: _without_return_schema(tool) for name, tool in (await super().get_tools(ctx)).items()
            }
            self.made[ctx.max_retries] = made
        if self.offer.is_stable(ctx.model):
            return made
        names = self.offer.names(mode, agent)
        return {name: tool for name, tool in made.items() if name in names}


def _without_return_schema(tool: ToolsetTool[Any]) -> ToolsetTool[Any]:
    """Return a tool as models get it: the framework takes the schema away each time it finds one."""
    return replace(tool, tool_def=replace(tool.tool_def, return_schema=None))
