"""The skill that says whether a workflow is deleted, from what was done and what can still be read."""

from collections.abc import Generator
from typing import Any

from workflow_agent.agent.offline.intents.reading import Request
from workflow_agent.agent.offline.skills.answers import Inquiry, all_named
from workflow_agent.agent.offline.skills.focus import (
    is_pronoun,
    names_workflow,
    read_workflow,
    which_workflow,
)
from workflow_agent.agent.offline.turn.facts import WorkflowRef
from workflow_agent.agent.offline.turn.focus import deleted_here, focus, last_edits
from workflow_agent.agent.offline.turn.outcome import Call, Reply, Skill, ToolFailure
from workflow_agent.agent.offline.turn.reading import Turn
from workflow_agent.agent.offline.wording.lists import clipped, joined


def is_gone(turn: Turn, request: Request) -> Skill:
    """Say whether a workflow, or a step of the one at hand, is still there."""
    if (told := (yield from _of_step(turn, request))) is not None:
        return told
    ref = _meant(turn, request.slots.get("workflow"))
    if ref is None:
        ref = yield from which_workflow(turn, request.slots.get("workflow"))
    try:
        result = yield Call("get_workflow", {"workflow": ref.id})
        found = result["workflow"]
    except ToolFailure as failure:
        if not failure.offered:
            raise
        found = None
    if found is None or found["id"] != ref.id:
        return Reply(
            f"**{ref.name}** (`{ref.id}`) is deleted: it is no longer among the workflows. Whoever runs this "
            "server can bring it back, as deleted workflows are kept aside."
        )
    waiting = turn.facts.pending
    asked = " Deleting it still waits for your yes." if waiting and waiting.id == ref.id else ""
    return Reply(
        f"**{found['name']}** (`{found['id']}`) is still there, at version {found['version']}.{asked}"
    )


def _of_step(turn: Turn, request: Request) -> Generator[Call, Any, Reply | None]:
    """Return whether a step is there that is named or was just removed; None for a workflow."""
    phrase = request.slots.get("workflow")
    is_named = phrase is not None and not is_pronoun(phrase)
    removed = [edit["step"] for edit in last_edits(turn) if edit.get("op") == "remove_step"]
    if focus(turn) is None or (is_named and (_meant(turn, phrase) or names_workflow(turn, phrase or ""))):
        return None
    if not is_named and not removed:
        return None
    workflow = yield from read_workflow(turn, None)
    meant = [workflow.step(step_id) for step_id in removed]
    found = (
        Inquiry(workflow, request.text, {}, None).steps(phrase or "")
        if is_named
        else list(filter(None, meant))
    )
    name = clipped(phrase or "", 80) if is_named else joined([f"`{step_id}`" for step_id in removed])
    if found:
        return Reply(f"**{workflow.name}** (version {workflow.version}) still has {all_named(found)}.")
    return Reply(f"**{workflow.name}** (version {workflow.version}) has no {name.removeprefix('the ')} now.")


def _meant(turn: Turn, phrase: str | None) -> WorkflowRef | None:
    """Return the workflow just deleted that "it" means, or that goes by a name; None for any other."""
    gone = deleted_here(turn)
    if phrase is not None and not is_pronoun(phrase):
        return next((ref for ref in gone if ref.name.lower() == phrase.lower().removeprefix("the ")), None)
    waiting = turn.facts.pending
    return waiting or next(iter(gone), None) or focus(turn)
