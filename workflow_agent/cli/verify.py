"""`verify`: look a data directory over, and mend what can be mended without guessing."""

import json
from collections.abc import Sequence
from typing import Annotated

import typer

from workflow_agent.cli.context import AsJson, DataDir, Wiring, chosen_settings, or_exit, wiring_of
from workflow_agent.settings import Settings
from workflow_agent.storage.files.verification.workflows import Finding

EXIT_DAMAGED = 1
EXIT_REFUSED = 3

Repair = Annotated[bool, typer.Option("--repair", help="Set right what needs no guessing; the server must be stopped.")]


def verify(context: typer.Context, repair: Repair = False, data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """Look over a data directory or a database: digests, references, versions.

    The database is the one that WORKFLOW_AGENT_DATABASE_URL names.

    Without --repair nothing is written. With it, what needs no guessing is
    set right and nothing else is touched. While a server writes, a file may
    look left over that is not: stop it for a certain answer.

    Examples:

      workflow-agent verify

      workflow-agent verify --repair --data-dir ~/workflows

      workflow-agent verify --json | jq '.findings[].kind'

    What a killed process leaves is told as left over: nothing is wrong with it.

    Exit codes: 0 nothing is wrong (any more), 1 something is, 3 nothing was
    looked at, because the directory is not there or --repair found a
    running server, 78 when a setting cannot work.
    """
    settings = chosen_settings(data_dir=data_dir)
    if data_dir is not None:
        settings = settings.model_copy(update={"database_url": None})
    wiring = wiring_of(context)
    _refuse(wiring, settings, repair=repair)
    mended, left = or_exit(lambda: wiring.verify(settings, repair))
    if as_json:
        shown = {"repaired": [one.as_dict() for one in mended], "findings": [one.as_dict() for one in left]}
        typer.echo(json.dumps(shown, indent=2, ensure_ascii=False))
    else:
        _print(mended, left)
    raise typer.Exit(0 if all(one.is_leftover for one in left) else EXIT_DAMAGED)


def _refuse(wiring: Wiring, settings: Settings, *, repair: bool) -> None:
    root, why = settings.data_dir, None
    if settings.database_url is not None:
        why = "in a database nothing is repaired: restore it from a backup." if repair else None
    elif not root.is_dir():
        why = f"there is no directory {str(root)!r}. Name it with --data-dir."
    elif repair and (owners := wiring.running(root)):
        why = f"a server works on {str(root)!r} (process {', '.join(owners)}). Stop it, then repair."
    if why is not None:
        typer.echo(f"workflow-agent: {why}", err=True)
        raise typer.Exit(EXIT_REFUSED)


def _print(mended: Sequence[Finding], left: Sequence[Finding]) -> None:
    for one in mended:
        typer.echo(f"repaired  {one.kind}  {one.path}\n          {one.message}")
    for one in left:
        hint = " (--repair sets it right)" if one.mend is not None else ""
        typer.echo(
            f"{'left over' if one.is_leftover else 'damaged  '} {one.kind}  {one.path}\n          {one.message}{hint}"
        )
    wrong = sum(not one.is_leftover for one in left)
    also = f", {len(left) - wrong} left over" if len(left) > wrong else ""
    typer.echo(f"{len(mended)} repaired, {wrong} left{also}." if mended else f"{wrong or 'Nothing'} wrong{also}.")
