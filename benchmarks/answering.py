"""Which model the evaluations ask: the offline one, or a real one where a key is set."""

from collections.abc import Sequence

from pydantic_ai.models import Model

from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.assistant.providers import OFFLINE, Provider, build_model

_ATTEMPTS = 3


def model_asked_for(arguments: Sequence[str]) -> Model:
    """Return the model after `--model`, or the offline one.

    Raises:
        Misconfigured: There is no such model, or its key is missing.
    """
    return build_model(name_asked_for(arguments), Provider(max_retries=_ATTEMPTS), OfflineModel)


def name_asked_for(arguments: Sequence[str]) -> str:
    """Return the name after `--model`."""
    return arguments[arguments.index("--model") + 1] if "--model" in arguments else OFFLINE
