"""`evals`: cases for evaluations, made of what people thought of replies."""

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any
from urllib.parse import quote

import typer

from workflow_agent.cli.backends import with_backend
from workflow_agent.cli.exits import EXIT_CODES, EXIT_NOT_FOUND, CommandFailed
from workflow_agent.cli.help_texts import Command, Group
from workflow_agent.cli.output import print_note
from workflow_agent.cli.ports import Backend

evals = typer.Typer(
    name="evals",
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Make evaluation cases of what people thought of replies.",
    epilog=EXIT_CODES,
)
_ESSENTIALS = ("window_tokens", "budget_tokens", "used_tokens", "level", "strategy", "breakdown", "turns", "compaction")
_CHANGES = ("created", "modified", "deleted")


class Rated(StrEnum):
    """Which rating to look for."""

    UP = "up"
    DOWN = "down"


@evals.callback()
def about() -> None:
    """Make evaluation cases of what people thought of replies."""


@evals.command("from-conversations", cls=Command)
@with_backend()
def from_conversations(
    backend: Backend, rated: Annotated[Rated | None, typer.Option(help="Only replies that were rated so.")] = None
) -> None:
    """Print each rated turn as an evaluation case, one JSON object a line.

    A case has the message, what the model's window held in figures, the
    reply, its rating and note, and the versions of the workflows it dealt
    with before and after. Notes and messages are people's own words.

    Examples:

      workflow-agent evals from-conversations > cases.jsonl

      workflow-agent evals from-conversations --rated down
    """
    made = 0
    for summary in backend.pages("/conversations"):
        for case in _cases(backend, summary["id"], rated):
            typer.echo(json.dumps(case, ensure_ascii=False))
            made += 1
    print_note(f"Cases: {made}.")


def _cases(backend: Backend, conversation_id: str, rated: Rated | None) -> Iterator[dict[str, Any]]:
    path = f"/conversations/{quote(conversation_id, safe='')}"
    given = backend.get(path)["feedback"]
    wanted = {key: one for key, one in given.items() if rated is None or one["rating"] == rated.value}
    for event_id, feedback in sorted(wanted.items(), key=lambda one: one[1]["turn"]):
        turn = backend.get(f"{path}/turns/{feedback['turn']}")
        reply = next(one for one in turn["replies"] if one["id"] == event_id)
        context = reply["context"]
        yield {
            "conversation_id": conversation_id,
            "turn": feedback["turn"],
            "run_id": reply["run_id"],
            "message": turn["message"]["content"],
            "options": turn["message"]["options"],
            "context": {name: context[name] for name in _ESSENTIALS if name in context},
            "agent": reply["author"],
            "mode": reply["mode"]["name"],
            "model": reply["model"],
            "reply": reply["content"],
            "finish_reason": reply["finish_reason"],
            "tools_used": reply["tools_used"],
            "workflows": [_versions(backend, reply["run_id"], one) for one in reply["workflows_touched"]],
            "rating": feedback["rating"],
            "note": feedback["note"],
            "rated_at": feedback["at"],
        }


def _versions(backend: Backend, run_id: str, touch: Mapping[str, Any]) -> dict[str, Any]:
    """Return what became of a workflow in a run; a version is null where there was none, or none is kept."""
    before, after = touch["version"], touch["version"]
    if touch["change"] in _CHANGES:
        by_run = _versions_by(backend, run_id, touch["id"])
        before = (min(by_run) - 1 or None) if by_run else None
        after = None if touch["change"] == "deleted" else after
    return {
        "id": touch["id"],
        "name": touch["name"],
        "change": touch["change"],
        "version_before": before,
        "version_after": after,
    }


def _versions_by(backend: Backend, run_id: str, workflow_id: str) -> list[int]:
    """Return the versions of a workflow that a run made; none where the workflow is gone."""
    try:
        versions = backend.get(f"/workflows/{quote(workflow_id, safe='')}/versions")["items"]
    except CommandFailed as error:
        if error.exit_code != EXIT_NOT_FOUND:
            raise
        return []
    return [one["version"] for one in versions if one["author"].get("run_id") == run_id]
