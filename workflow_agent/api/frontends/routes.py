"""The same turns in the words of front-end toolkits: Vercel's AI SDK and AG-UI.

Pydantic AI writes both protocols; it is given a run's events as those of its own agent.
"""

from workflow_agent.api.frontends import ag_ui, vercel

ROUTERS = (vercel.router, ag_ui.router)

__all__ = ["ROUTERS"]
