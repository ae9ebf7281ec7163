"""Skills around what waits for a yes: deleting, confirming, dropping."""

import re

from workflow_agent.assistant.offline.request import Request
from workflow_agent.assistant.offline.skills.targets import is_pronoun, which_workflow
from workflow_agent.assistant.offline.turn.focus import focus
from workflow_agent.assistant.offline.turn.outcome import Call, JsonObject, Reply, Skill
from workflow_agent.assistant.offline.turn.reading import Turn

_SEVERAL = re.compile(
    r"(?:flow|pipeline|procedure|lifecycle)s$|processes$|\ba |"
    r"\b(?:all|every|everything|whole \w+s|alle|alles|jeden)\b",
    re.IGNORECASE,
)


def delete_workflow(turn: Turn, request: Request) -> Skill:
    """Show that a workflow would be deleted, and ask."""
    phrase = request.slots.get("workflow")
    unnamed = phrase is None or is_pronoun(phrase)
    if unnamed and (focus(turn) is None or _SEVERAL.search(request.text)):
        return Reply("I delete one workflow at a time, once you name it and say yes to it. Which one?")
    ref = yield from which_workflow(turn, phrase, to_change=True)
    result = yield Call("delete_workflow", {"workflow": ref.id})
    return deletion(result)


def deletion(result: JsonObject) -> Reply:
    """Return what deleting means, and the question."""
    workflow = result["workflow"]
    meant = f"**{workflow['name']}** (`{workflow['id']}`, version {workflow['version']})"
    return Reply(f"That would delete {meant} with all its steps, and I could not undo it. Shall I do it?")


def confirm(_turn: Turn, _request: Request) -> Skill:
    """Make the change that the reply before showed."""
    result = yield Call("apply_preview", {})
    if deleted := result.get("deleted"):
        return Reply(f"Done: **{deleted['name']}** (`{deleted['id']}`) is deleted.")
    workflow = result["workflow"]
    restored = result.get("restored_version")
    back = f" and back to how it was in version {restored}" if restored else ""
    lines = "\n".join(f"- {line}" for line in result["changes"])
    return Reply(f"Done: **{workflow['name']}** is now version {workflow['version']}{back}.\n\n{lines}")


def drop(turn: Turn, _request: Request) -> Skill:
    """Say that what was shown is not done."""
    yield from ()
    waiting = turn.facts.pending
    return Reply(f"All right, nothing was changed{f' in **{waiting.name}**' if waiting else ''}.")


def previewed(result: JsonObject) -> Reply:
    """Return what a change would do, why it was not made at once, and the question."""
    workflow, reason = result["workflow"], result["reason"]
    meant = f"**{workflow['name']}** (`{workflow['id']}`, version {workflow['version']})"
    lines = "\n".join(f"- {line}" for line in result["changes"])
    return Reply(
        f"This is what would change in {meant}:\n\n{lines}\n\nNothing is done yet, because {reason}. Shall I do it?"
    )


def is_preview(result: JsonObject) -> bool:
    """Say whether a tool showed what it would do instead of doing it."""
    return result.get("applied") is False
