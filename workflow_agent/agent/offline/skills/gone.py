"""The skill that says whether a workflow is deleted, from what was done and what can still be read."""

from workflow_agent.agent.offline.intents.reading import Request
from workflow_agent.agent.offline.skills.focus import is_pronoun, which_workflow
from workflow_agent.agent.offline.turn.facts import WorkflowRef
from workflow_agent.agent.offline.turn.focus import deleted_here, focus
from workflow_agent.agent.offline.turn.outcome import Call, Reply, Skill, ToolFailure
from workflow_agent.agent.offline.turn.reading import Turn


def is_gone(turn: Turn, request: Request) -> Skill:
    """Say whether a workflow is still there."""
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


def _meant(turn: Turn, phrase: str | None) -> WorkflowRef | None:
    """Return the workflow just deleted that "it" means, or that goes by a name; None for any other."""
    gone = deleted_here(turn)
    if phrase is not None and not is_pronoun(phrase):
        return next((ref for ref in gone if ref.name.lower() == phrase.lower().removeprefix("the ")), None)
    waiting = turn.facts.pending
    return waiting or next(iter(gone), None) or focus(turn)
