"""No test may reach a provider; what a test needs of one is a local stub."""

from hypothesis import settings
from pydantic_ai import models

models.ALLOW_MODEL_REQUESTS = False
# A machine that is busy with something else must not fail a property; searching deeper is a benchmark's job.
settings.register_profile("suite", deadline=None, max_examples=50)
settings.load_profile("suite")
