"""`doctor`: whether everything is as it has to be, and what to do where it is not."""

from collections.abc import Sequence

import typer

from workflow_agent.cli.checkups import Finding, checkups
from workflow_agent.cli.leaving import EXIT_FAILED, EXIT_MISCONFIGURED, CommandFailed
from workflow_agent.cli.options import AsJson, chosen_settings
from workflow_agent.cli.printing import console, is_terminal, print_json, print_text
from workflow_agent.cli.reaching import ApiKey, DataDir, Url
from workflow_agent.cli.wiring import wiring_of
from workflow_agent.settings import Settings

_MARKS = {
    "ok": ("✓", "green"), "warning": ("!", "yellow"), "failed": ("✗", "red"), "misconfigured": ("✗", "red"),
}  # fmt: skip


def doctor(
    context: typer.Context,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    url: Url = None,
    api_key: ApiKey = None,
) -> None:
    """Look over configuration, data directory, disk, clock, port and model.

    Says what to do about what is wrong, and changes nothing. The model's
    provider is asked for its list of models, which costs nothing. With
    --url it looks at a server instead.

    Examples:

      workflow-agent doctor

      workflow-agent doctor --data-dir ~/workflows --json

      workflow-agent doctor --url http://127.0.0.1:8000

    Exit codes: 0 nothing is wrong, warnings aside, 1 something is, 78 a
    setting has to be mended.
    """
    settings = chosen_settings(data_dir=data_dir, url=url, api_key=api_key)
    is_remote = settings.url is not None and data_dir is None
    found = _of_server(settings) if is_remote else checkups(settings, wiring_of(context).try_provider)
    if as_json:
        print_json([one.as_dict() for one in found])
    else:
        for one in found:
            _print(one)
    raise typer.Exit(_exit_code(found))


def _exit_code(found: Sequence[Finding]) -> int:
    levels = {one.level for one in found}
    if "misconfigured" in levels:
        return EXIT_MISCONFIGURED
    return EXIT_FAILED if "failed" in levels else 0


def _print(one: Finding) -> None:
    if not is_terminal():
        print_text("\t".join(" ".join(part.split()) for part in one.as_dict().values()).rstrip("\t"))
        return
    from rich.padding import Padding  # noqa: PLC0415 - help texts need not wait for it
    from rich.text import Text  # noqa: PLC0415 - help texts need not wait for it

    mark, colour = _MARKS[one.level]
    screen = console()
    screen.print(Text.assemble((f"{mark} {one.check}", f"bold {colour}"), f"  {one.found}"))
    if one.advice:
        screen.print(Padding(one.advice, (0, 0, 0, 2)))


def _of_server(settings: Settings) -> list[Finding]:
    from workflow_agent.cli.http_backend import server_backend  # noqa: PLC0415 - help texts need not wait for it

    key = settings.api_key.get_secret_value() if settings.api_key else None
    try:
        with server_backend(settings.url or "", key) as backend:
            health = backend.root("/health")
            about = (
                f"workflow-agent {health['version']} answers at {settings.url}, with model {health['model']}"
            )
            found = [Finding("server", "ok", about)]
            backend.root("/ready")
            backend.get("/modes")
    except CommandFailed as error:
        level = "misconfigured" if error.exit_code == EXIT_MISCONFIGURED else "failed"
        return [Finding("server", level, error.message)]
    return [*found, Finding("work", "ok", "it takes requests, and reads its data")]
