"""Skills around a change already made: the same again, undo, restore."""

import re
from collections.abc import Sequence
from typing import Any

from workflow_agent.agent.offline.intents.numbers import number_of
from workflow_agent.agent.offline.intents.reading import Request
from workflow_agent.agent.offline.intents.text import core_of
from workflow_agent.agent.offline.skills.asking import ask_which
from workflow_agent.agent.offline.skills.changes import apply_edits, unclear_step
from workflow_agent.agent.offline.skills.comparing import EVER
from workflow_agent.agent.offline.skills.confirming import is_preview, previewed
from workflow_agent.agent.offline.skills.focus import is_pronoun, read_workflow, which_workflow
from workflow_agent.agent.offline.skills.steps import StepFinder, StepUnclear
from workflow_agent.agent.offline.turn.facts import WorkflowRef
from workflow_agent.agent.offline.turn.focus import deleted_last, last_changed, last_edits
from workflow_agent.agent.offline.turn.outcome import Call, Candidate, JsonObject, Reply, Skill, Suggestion
from workflow_agent.agent.offline.turn.reading import Turn
from workflow_agent.domain.workflow import Workflow


def same(turn: Turn, request: Request) -> Skill:
    """Do to another step what was just done to one: "the same for the legal review"."""
    workflow = yield from read_workflow(turn, None, to_change=True)
    repeated = [
        edit for edit in last_edits(turn) if isinstance(edit.get("step"), str) and edit["op"] in _REPEATABLE
    ]
    if not repeated:
        return Reply(
            "I see no change just before this that I could repeat. Tell me in full what to do, and to "
            "which step."
        )
    done = {edit["step"] for edit in repeated}
    phrase = request.slots.get("step", "")
    try:
        step = (
            StepFinder.of(workflow, chosen=turn.chosen).find(phrase) if phrase else _other_of(workflow, done)
        )
    except StepUnclear as unclear:
        return unclear_step(turn, workflow, unclear)
    edits = [{**edit, "step": step} for edit in repeated]
    return (yield from apply_edits(Candidate(workflow.id, workflow.name), edits))


def _other_of(workflow: Workflow, done: set[str]) -> str:
    """Return the one step that resembles the step just changed, as in "and the other review"."""
    changed = [step for step in workflow.steps if step.id in done]
    alike = [
        step
        for step in workflow.steps
        if step.id not in done and any(step.type == c.type == "human" for c in changed)
    ]
    if len(alike) == 1:
        return alike[0].id
    raise StepUnclear("the other one", [Candidate(step.id, step.name) for step in alike])


_REPEATABLE = frozenset({
    "set_timeout", "set_retry", "set_assignee", "set_permission", "remove_step", "update_step",
    "add_error_path", "wrap_in_approval",
})  # fmt: skip


def undo(turn: Turn, request: Request) -> Skill:
    """Take the last change back, or return to a version; say what it would be where that is only asked."""
    phrase = request.slots.get("workflow")
    is_named = "" in turn.chosen or not (phrase is None or is_pronoun(phrase))
    gone = None if is_named or request.kind == "restore" else deleted_last(turn)
    if gone is not None:
        # What came before it is not what "that" means, and may be of another workflow.
        return Reply(
            f"The last change was that **{gone.name}** (`{gone.id}`) was deleted, and I can't undo that. "
            "Whoever runs this server can bring it back: deleted workflows are kept aside. To take back the "
            "last change of another workflow, name it."
        )
    ref = yield from which_workflow(turn, phrase, to_change=True)
    changed = None if is_named else last_changed(turn)
    if changed is not None and changed.id != ref.id:
        return ask_which(turn, "", "Which workflow do you mean?", (changed, ref))
    if request.meaning != "order" or _IS_POSSIBLE.match(core_of(turn.text).whole):
        return (yield from _undo_weighed(ref, request))
    wanted: dict[str, Any] = {"workflow": ref.id}
    if request.kind == "restore":
        wanted["to_version"] = number_of(request.slots.get("n", "1")) or 1
    result = yield Call("undo_change", wanted)
    if is_preview(result):
        return previewed(result)
    workflow = result["workflow"]
    lines = "\n".join(f"- {line}" for line in result["changes"])
    restored, now = result["restored_version"], workflow["version"]
    text = f"Done: **{workflow['name']}** is back to how it was in version {restored} (now version {now})."
    return Reply(f"{text}\n\n{lines}" if lines else text)


def _undo_weighed(ref: WorkflowRef, request: Request) -> Skill:
    """Say what an undo would take back, and offer it."""
    if request.kind == "restore":
        version = number_of(request.slots.get("n", "1")) or 1
        return Reply(
            f"Yes, **{ref.name}** can go back to any version. Nothing is changed yet. "
            f"Shall I restore version {version}?",
            Suggestion(f"restore version {version}"),
        )
    wanted = {"workflow": ref.id, "since": EVER, "limit": _MOST_CHANGES}
    listed = (yield Call("list_changes", wanted))["changes"]
    change = _next_to_undo(listed)
    if change is None:
        return Reply(f"**{ref.name}** is as it was created: there is no change to undo.")
    lines = "\n".join(f"- {line}" for line in change["changes"])
    return Reply(
        f"Yes. This would be taken back, which made version {change['version']} of "
        f"**{change['workflow']['name']}**:\n\n{lines}\n\nNothing is changed yet. Shall I undo it?",
        Suggestion("undo that"),
    )


def _next_to_undo(changes: Sequence[JsonObject]) -> JsonObject | None:
    """Return the newest change that no undo took back; None where there is none among them."""
    by_version = {change["version"]: change for change in changes}
    version = max(by_version, default=0)
    while version > 1 and (change := by_version.get(version)):
        restored = _RESTORED.fullmatch(change["action"])
        if restored is None:
            return change
        version = int(restored[1])
    return None


_IS_POSSIBLE = re.compile(r"(?:can|could|may|might) (?:i|we|one)\b", re.IGNORECASE)
"""Elsewhere "can we" asks for a change; whoever asks it of an undo may only want to know."""
_MOST_CHANGES = 100
_RESTORED = re.compile(r"restored version (\d+)")
