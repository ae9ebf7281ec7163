"""No test may reach a provider; what a test needs of one is a local stub."""

from pydantic_ai import models

models.ALLOW_MODEL_REQUESTS = False
