"""The embedding model that the settings name."""

from typing import TYPE_CHECKING

from workflow_agent.domain.errors import Misconfigured
from workflow_agent.settings import Settings

if TYPE_CHECKING:
    from pydantic_ai import Embedder


def embedder_of(settings: Settings) -> "Embedder | None":
    """Return what makes vectors; None where no model is named.

    Raises:
        Misconfigured: The model cannot be used.
    """
    name = settings.embedding_model
    if name is None:
        return None
    # Here, because most servers and all commands on the files do without, and it takes a second.
    from pydantic_ai import Embedder  # noqa: PLC0415 - see above
    from pydantic_ai.exceptions import UserError  # noqa: PLC0415 - see above

    try:
        return Embedder(name)
    except (UserError, ImportError, ValueError) as error:
        raise Misconfigured(f"Embedding model {name[:100]!r} cannot be used: {error}") from error
