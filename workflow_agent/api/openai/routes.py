"""The same turns in OpenAI's words, under `/v1`: models, chat completions, responses and conversations.

Shapes follow OpenAI's published API description; what it cannot say goes into headers of our own.
"""

from workflow_agent.api.openai import completions, conversations, items, models, responses

ROUTERS = (models.router, completions.router, responses.router, conversations.router, items.router)

__all__ = ["ROUTERS"]
