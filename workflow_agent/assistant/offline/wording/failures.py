"""How a tool that failed or is missing is told to the person."""

import re

from workflow_agent.assistant.offline.lexicon import word_set

_TRIED = {
    "list_workflows": "list the workflows",
    "search_workflows": "search the workflows",
    "get_workflow": "open that workflow",
    "create_workflow": "create the workflow",
    "edit_workflow": "make that change",
    "undo_change": "undo that",
    "validate_workflow": "validate the workflow",
    "analyze_workflow": "analyse the workflow",
    "draw_diagram": "draw the diagram",
    "compare_versions": "compare the versions",
    "import_workflow": "import that",
    "export_workflow": "export the workflow",
    "copy_workflow": "copy the workflow",
    "compare_workflows": "compare the workflows",
    "list_changes": "list the changes",
    "fix_findings": "fix the findings",
    "delete_workflow": "delete the workflow",
    "apply_preview": "do that",
    "search_history": "search the conversation",
    "get_turn": "look that turn up",
}
_WRITES = word_set("failures.writes")
_MOST_CHARS = 600
_MODE_CHOSEN = re.compile(r"\bthe (request|conversation|agent) set the mode to '(\w+)'")
_WAYS_OUT = {
    "request": "the mode is set to {mode}, which changes nothing. Set it to auto and say it again.",
    "conversation": ("this conversation is set to {mode}, which changes nothing. Set it to auto and say it again."),
    "agent": "I only do {mode}, which changes nothing. Ask another agent.",
}
_REFUSED = re.compile(r"^Edit \d+ \(\w+\) was refused: ")


def describe_failure(tool: str, message: str, *, offered: bool) -> str:
    """Return what was tried, what the tool said, and that nothing changed where that matters."""
    tried = _TRIED.get(tool, f"use {tool}")
    said = _REFUSED.sub("", " ".join(message.split()))[:_MOST_CHARS]
    unchanged = " Nothing was changed." if tool in _WRITES and "Nothing was changed" not in said else ""
    if not offered and (plainly := _why_not_here(said)):
        return f"I can't {tried}: {plainly}{unchanged}"
    if not offered:
        why = f" Switching mode was refused: {said}" if said else " The tool for it is not available to me here."
        return f"I can't {tried} right now.{why}{unchanged}"
    why = said or "no reason was given."
    ended = "." if unchanged and not why.endswith((".", "!", "?")) else ""
    return f"I tried to {tried}, but it didn't work: {why}{ended}{unchanged}"


def _why_not_here(said: str) -> str:
    """Return what stands in the way of a change, and what to do; empty where a tool did not say that."""
    chosen = _MODE_CHOSEN.search(said)
    if chosen is not None:
        return _WAYS_OUT[chosen[1]].format(mode=chosen[2])
    if "the message asks a question" in said:
        return 'I took that for a question. If it was an order, say it as one, like "add a legal review".'
    return ""
