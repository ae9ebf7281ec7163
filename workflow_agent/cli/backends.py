"""Giving a command its backend, and the workflow that a person names."""

import functools
import inspect
import re
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from difflib import SequenceMatcher
from pathlib import Path
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar

import typer

from workflow_agent.cli import Command
from workflow_agent.cli.context import (
    EXIT_NOT_FOUND,
    EXIT_USAGE,
    Backend,
    CommandFailed,
    FindWorkflows,
    Listed,
    Wiring,
    chosen_settings,
    wiring_of,
)
from workflow_agent.settings import Settings

Own = ParamSpec("Own")
Reached = TypeVar("Reached")
_PANEL = "Where"
DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="Work on this data directory (default data).", rich_help_panel=_PANEL)
]
Url = Annotated[
    str | None,
    typer.Option(
        "--url", metavar="URL", help="Ask this server instead; or set WORKFLOW_AGENT_URL.", rich_help_panel=_PANEL
    ),
]
ApiKey = Annotated[
    str | None,
    typer.Option(
        "--api-key", metavar="KEY", help="The server's key; better set WORKFLOW_AGENT_API_KEY.", rich_help_panel=_PANEL
    ),
]
_OPTIONS = {"data_dir": DataDir, "url": Url, "api_key": ApiKey}
_ADDED = [
    inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
    *(
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in _OPTIONS.items()
    ),
]
"""What every command with a backend takes beside its own."""


def with_backend(*, makes: bool = False) -> Callable[[Callable[Concatenate[Backend, Own], None]], Callable[..., None]]:
    """Return what gives a command `--data-dir`, `--url` and `--api-key`, and the backend they name.

    One that `makes` may begin a data directory; the others want one that is there.
    """
    return _given(functools.partial(_backend, makes=makes))


def command(
    group: typer.Typer, name: str, panel: str | None = None, *, makes: bool = False
) -> Callable[[Callable[Concatenate[Backend, Own], None]], Callable[..., None]]:
    """Return what makes a function a command of a group, in a section of its help, as `with_backend` says."""

    def added(function: Callable[Concatenate[Backend, Own], None]) -> Callable[..., None]:
        return group.command(name, cls=Command, rich_help_panel=panel)(with_backend(makes=makes)(function))

    return added


def with_listing(command: Callable[Concatenate[FindWorkflows, Own], None]) -> Callable[..., None]:
    """Return a command that has the same options, and finds the workflows of the place they name."""
    return _given(_listing)(command)


def _given(
    reached: Callable[[Wiring, Settings], AbstractContextManager[Reached]],
) -> Callable[[Callable[Concatenate[Reached, Own], None]], Callable[..., None]]:
    def wrapped(command: Callable[Concatenate[Reached, Own], None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**given: Any) -> None:
            context, data_dir, url, api_key = (given.pop(one.name) for one in _ADDED)
            with reached(wiring_of(context), settings_of(data_dir, url, api_key)) as place:
                command(place, **given)  # pyright: ignore[reportCallIssue] - as its signature says

        own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
        parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own] + _ADDED
        # Typer reads the signature to learn a command's arguments and options.
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] - functions may have one
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return wrapped


def settings_of(data_dir: Path | None, url: str | None, api_key: str | None) -> Settings:
    """Return the settings that a command's options and the environment make; `url` is None for a directory."""
    if data_dir is not None and url is not None:
        raise CommandFailed("--data-dir and --url name two places; give one of them.", EXIT_USAGE)
    chosen = chosen_settings(data_dir=data_dir, url=url, api_key=api_key)
    # A directory that was asked for wins over a server that the environment names.
    return chosen.model_copy(update={"url": None}) if data_dir is not None else chosen


def on_server(settings: Settings) -> AbstractContextManager[Backend]:
    """Return the server that the settings name, to be opened."""
    # Imported here, because help texts and refusals should not wait for an HTTP client.
    from workflow_agent.cli.http_backend import server_backend  # noqa: PLC0415 - see above

    key = settings.api_key.get_secret_value() if settings.api_key else None
    return server_backend(str(settings.url), key)


def _backend(wiring: Wiring, settings: Settings, *, makes: bool) -> AbstractContextManager[Backend]:
    if settings.url is not None:
        return on_server(settings)
    if not makes:
        _want_directory(settings)
    return in_process(wiring, settings)


@contextmanager
def in_process(wiring: Wiring, settings: Settings) -> Generator[Backend]:
    """Give the service on a data directory, built in this process."""
    # Imported here, because help texts and refusals should not wait for an HTTP client.
    from workflow_agent.cli.http_backend import local_backend  # noqa: PLC0415 - see above

    with wiring.application(settings) as transport, local_backend(transport, "this process") as backend:
        yield backend


@contextmanager
def _listing(wiring: Wiring, settings: Settings) -> Generator[FindWorkflows]:
    # What else the service does when it starts, and another search than that of the words.
    needs_service = settings.samples or settings.embedding_model is not None
    if settings.url is None and not needs_service:
        _want_directory(settings)
        with wiring.open_workflows(settings) as find:
            yield find
        return
    with _backend(wiring, settings, makes=False) as backend:

        def found(words: str, limit: int, *, tag: str | None = None, trigger: str | None = None) -> Listed:
            return list(backend.pages("/workflows", limit, q=words or None, tag=tag, trigger=trigger))

        yield found


def get_if_there(backend: Backend, path: str) -> Any:
    """Return what is at a path; None where nothing is."""
    try:
        return backend.get(path)
    except CommandFailed as error:
        if error.exit_code != EXIT_NOT_FOUND:
            raise
        return None


def _want_directory(settings: Settings) -> None:
    if settings.database_url is None and not settings.data_dir.is_dir():
        raise CommandFailed(
            f"There is no data directory {str(settings.data_dir)!r}. Name one with --data-dir or "
            "WORKFLOW_AGENT_DATA_DIR; `workflow-agent chat` begins one.",
            EXIT_NOT_FOUND,
        )


_ALIKE = 0.6
_MOST_COMPLETED = 500
_ID = re.compile(r"wf_[a-z0-9_-]{1,61}")
"""As the domain has it; the domain itself takes long to load, and this is all that is wanted of it."""


def _is_alike(one: Mapping[str, Any], wanted: str) -> bool:
    """Say whether a workflow may be meant by what was written: most of its letters, in their order."""
    names = (one["id"].removeprefix("wf_").replace("_", " "), one["name"], *one.get("aliases", ()))
    return any(SequenceMatcher(None, wanted, name.casefold()).ratio() >= _ALIKE for name in names)


def workflow_ids(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the workflows whose id begins so, with their names, for the shell to complete; none where that fails."""
    given = {name: context.params.get(name) for name in _OPTIONS}
    try:
        with _listing(wiring_of(context), settings_of(**given)) as find:
            listed = find("", _MOST_COMPLETED)
    except (CommandFailed, typer.Exit):
        # A shell in the middle of a line is told nothing; the finished command will say what is wrong.
        return []
    return [(one["id"], one["name"]) for one in listed if one["id"].startswith((incomplete, f"wf_{incomplete}"))]


Which = Annotated[
    str,
    typer.Argument(
        metavar="WORKFLOW", help="An id such as wf_expense_approval, or a name.", autocompletion=workflow_ids
    ),
]


def workflow_id_of(backend: Backend, named: str) -> str:
    """Return the id of the workflow that an id, a name or an alias stands for; else tell those that come near."""
    if _ID.fullmatch(named):
        return named
    page: Mapping[str, Any] = backend.get("/workflows", q=named[:500], limit=20)
    wanted = named.casefold().strip()
    same = [one for one in page["items"] if wanted in map(str.casefold, (one["name"], *one["aliases"]))]
    if len(same) == 1:
        return same[0]["id"]
    near = same or [one for one in (*page["items"], *page["suggestions"]) if _is_alike(one, wanted)][:5]
    listed = "".join(f"\n  {one['id']}  {one['name']}" for one in near)
    hint = f" Did you mean:{listed}" if near else " `workflow-agent workflows list` shows what there is."
    what = "Several workflows are" if len(same) > 1 else "No workflow is"
    raise CommandFailed(f"{what} called {named[:100]!r}.{hint}", EXIT_NOT_FOUND)
