"""The composition root: joins the command line, the settings and the service."""

from workflow_agent.cli import cli
from workflow_agent.settings import Settings


def run() -> None:
    """Run the command line."""
    cli(obj=_serve)


def _serve(settings: Settings) -> None:
    # Here, because it takes seconds that help texts and refusals should not wait for.
    from workflow_agent.main.serving import serve  # noqa: PLC0415

    serve(settings)
