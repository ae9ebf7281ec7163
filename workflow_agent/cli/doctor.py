"""`doctor`: whether everything is as it has to be, and what to do where it is not."""

import errno
import fcntl
import os
import shutil
import socket
import stat
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import typer
from rich.padding import Padding
from rich.text import Text

from workflow_agent.cli.backends import ApiKey, DataDir, Url, on_server
from workflow_agent.cli.context import (
    EXIT_FAILED,
    EXIT_MISCONFIGURED,
    AsJson,
    CommandFailed,
    Examined,
    Wiring,
    chosen_settings,
    wiring_of,
)
from workflow_agent.cli.output import console, counted, is_terminal, print_json, print_text
from workflow_agent.errors import WorkflowAgentError
from workflow_agent.settings import Settings, refuse_open_binding, without_effect

_SCARCE_BYTES = 1_073_741_824
_TOO_FEW_BYTES = 67_108_864
_CLOCK_SECONDS = 5
_EARLIEST = 1_735_689_600
"""The beginning of 2025: a clock before that was never set."""


def checkups(settings: Settings, wiring: Wiring) -> list[Examined]:
    """Return what all checks of this machine find, the configuration first."""
    root = settings.data_dir
    found = [_address(settings), _directory(root), _disk(root), _clock()]
    if settings.database_url is not None:
        found += wiring.examine_database(settings)
    elif root.is_dir() and found[1].level in ("ok", "warning"):
        found += [_locks(root, wiring.running), _written_times(root)]
    return [*found, _port(settings), _provider(settings, wiring.try_provider)]


def _address(settings: Settings) -> Examined:
    try:
        refuse_open_binding(settings)
    except WorkflowAgentError as error:
        return Examined("configuration", "misconfigured", error.message)
    count = counted(len(settings.callers), "API key is", "API keys are")
    keys = f"{count} set" if settings.needs_key else "no API key is needed"
    about = f"listens on {settings.host}; {keys}"
    if idle := without_effect(settings):
        return Examined("configuration", "warning", f"{about}. {' '.join(idle)}", "Correct or remove them.")
    return Examined("configuration", "ok", about)


def _directory(root: Path) -> Examined:
    found, where = partial(Examined, "data directory"), root.resolve()
    if not root.exists():
        there = _existing(where)
        if os.access(there, os.W_OK):
            return found("ok", f"{where} is not there yet; the first use makes it")
        advice = "Name another with WORKFLOW_AGENT_DATA_DIR, or give this user the right to write there."
        return found("misconfigured", f"{where} is not there, and {there} cannot be written to", advice)
    try:
        with tempfile.NamedTemporaryFile(dir=root, prefix=".doctor-") as file:
            file.write(b"written to see whether it can be")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        advice = f"Make it a directory of this user: chown {os.getuid()} {where}, chmod 700 {where}."
        return found("failed", f"{where} cannot be written to: {error.strerror}", advice)
    if root.stat().st_mode & (stat.S_IRGRP | stat.S_IWGRP | stat.S_IROTH | stat.S_IWOTH):
        advice = f"If conversations are nobody else's business: chmod 700 {where}."
        return found("warning", f"{where} can be read by other users of this machine", advice)
    return found("ok", f"{where} can be read and written")


def _existing(path: Path) -> Path:
    """Return a path, or the nearest directory above that is there."""
    return next(one for one in (path, *path.parents) if one.exists())


def _disk(root: Path) -> Examined:
    free = shutil.disk_usage(_existing(root.resolve())).free
    shown = f"{free / 2**30:.1f} GiB free"
    if free >= _SCARCE_BYTES:
        return Examined("disk", "ok", shown)
    level = "failed" if free < _TOO_FEW_BYTES else "warning"
    return Examined("disk", level, f"only {shown}", "Make room: a message that cannot be stored is refused.")


def _clock() -> Examined:
    now = time.time()
    shown = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(now))
    if now < _EARLIEST:
        return Examined("clock", "failed", f"it is {shown} here", "Set the clock; timedatectl shows its state.")
    return Examined("clock", "ok", f"it is {shown}")


def _written_times(root: Path) -> Examined:
    """Compare the clock with the times of what was written last: a clock that was set back disorders it."""
    newest = max((one.stat().st_mtime for one in root.glob("*/conversations/*.json")), default=0.0)
    ahead = newest - time.time()
    if ahead > _CLOCK_SECONDS:
        advice = "The clock was set back, or that of the disk's server differs; set both by NTP."
        return Examined("times", "warning", f"the latest conversation was changed {ahead:.0f} s in the future", advice)
    return Examined("times", "ok", "nothing was written in the future")


def _locks(root: Path, running_on: Callable[[Path], Sequence[str]]) -> Examined:
    advice = "Keep the data on a local disk: two writers could overwrite each other here."
    try:
        if not _excludes(root):
            return Examined("locks", "failed", "a lock does not keep a second one out", advice)
    except OSError as error:
        return Examined("locks", "failed", f"files cannot be locked: {error.strerror}", advice)
    running = running_on(root)
    servers = f"in use by process {', '.join(running)}" if running else "no other process uses the directory"
    return Examined("locks", "ok", f"they hold; {servers}")


def _excludes(root: Path) -> bool:
    with tempfile.NamedTemporaryFile(dir=root, prefix=".doctor-") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with Path(file.name).open("rb") as second:
            try:
                fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    return False


def _port(settings: Settings) -> Examined:
    host = settings.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    where = f"{settings.host} port {settings.port}"
    try:
        socket.create_server((host, settings.port), family=family).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            advice = "By a server that runs already, or by another program: choose with WORKFLOW_AGENT_PORT."
            return Examined("port", "warning", f"{where} is taken", advice)
        advice = "Choose with WORKFLOW_AGENT_HOST and WORKFLOW_AGENT_PORT."
        return Examined("port", "misconfigured", f"{where} cannot be listened on: {error.strerror}", advice)
    return Examined("port", "ok", f"{where} is free")


def _provider(settings: Settings, try_provider: Callable[[Settings], str]) -> Examined:
    try:
        return Examined("model", "ok", try_provider(settings))
    except WorkflowAgentError as error:
        advice = "Mend WORKFLOW_AGENT_MODEL and its key, or set it to offline, which needs no provider."
        return Examined("model", "misconfigured", error.message, advice)


_MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "failed": ("✗", "red"), "misconfigured": ("✗", "red")}


def doctor(
    context: typer.Context, as_json: AsJson = False, data_dir: DataDir = None, url: Url = None, api_key: ApiKey = None
) -> None:
    """Look over configuration, data, disk, clock, port and model.

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
    found = _of_server(settings) if is_remote else checkups(settings, wiring_of(context))
    if as_json:
        print_json([one._asdict() for one in found])
    else:
        for one in found:
            _print(one)
    levels = {one.level for one in found}
    if "misconfigured" in levels:
        raise typer.Exit(EXIT_MISCONFIGURED)
    raise typer.Exit(EXIT_FAILED if "failed" in levels else 0)


def _print(one: Examined) -> None:
    if not is_terminal():
        print_text("\t".join(" ".join(part.split()) for part in one).rstrip("\t"))
        return
    mark, colour = _MARKS[one.level]
    screen = console()
    screen.print(Text.assemble((f"{mark} {one.check}", f"bold {colour}"), f"  {one.found}"))
    if one.advice:
        screen.print(Padding(one.advice, (0, 0, 0, 2)))


def _of_server(settings: Settings) -> list[Examined]:
    try:
        with on_server(settings) as backend:
            health = backend.root("/health")
            about = f"workflow-agent {health['version']} answers at {settings.url}, with model {health['model']}"
            found = [Examined("server", "ok", about)]
            backend.root("/ready")
            backend.get("/modes")
    except CommandFailed as error:
        level = "misconfigured" if error.exit_code == EXIT_MISCONFIGURED else "failed"
        return [Examined("server", level, error.message)]
    return [*found, Examined("work", "ok", "it takes requests, and reads its data")]
