"""Skills that tell which versions a workflow has, and how it was before."""

from workflow_agent.agent.offline.intents.reading import Request
from workflow_agent.agent.offline.skills.comparing import EVER, told_change
from workflow_agent.agent.offline.skills.focus import read_workflow, which_workflow
from workflow_agent.agent.offline.turn.outcome import Call, JsonObject, Reply, Skill
from workflow_agent.agent.offline.turn.reading import Turn
from workflow_agent.agent.offline.wording.lists import counted
from workflow_agent.agent.offline.wording.workflow import show_text
from workflow_agent.domain.workflow_parsing import parse_workflow

_MOST_VERSIONS = 20


def versions(turn: Turn, request: Request) -> Skill:
    """List the versions of a workflow, newest first, with what made each."""
    ref = yield from which_workflow(turn, request.slots.get("workflow"))
    wanted = {"workflow": ref.id, "since": EVER, "limit": _MOST_VERSIONS}
    result = yield Call("list_changes", wanted)
    changes: list[JsonObject] = result["changes"]
    if not changes:
        return Reply(f"No version of **{ref.name}** is recorded.")
    more = result["total"] - len(changes)
    lines = [told_change(change) for change in changes] + ([f"- … and {more} older"] if more > 0 else [])
    head = f"**{changes[0]['workflow']['name']}** has {counted(result['total'], 'version')}, newest first:"
    say = f'Say "show version {changes[-1]["version"]}" to see one, or "go back to" it.'
    return Reply(
        "\n\n".join([head, "\n".join(lines), say]) if len(changes) > 1 else "\n\n".join([head, *lines])
    )


def show_before(turn: Turn, request: Request) -> Skill:
    """Show a workflow as it was before its last change."""
    now = yield from read_workflow(turn, request.slots.get("workflow"))
    if now.version <= 1:
        return Reply(f"**{now.name}** is as it was created: nothing came before version {now.version}.")
    result = yield Call("get_workflow", {"workflow": now.id, "version": now.version - 1})
    before = parse_workflow(result["workflow"])
    compared = yield Call("compare_versions", {"workflow": now.id, "from_version": now.version - 1,
                                               "to_version": now.version})  # fmt: skip
    lines = "\n".join(f"- {line}" for line in compared["changes"])
    since = f"\n\nSince then, in version {now.version}:\n\n{lines}" if lines else ""
    return Reply(f"Before the last change, in version {before.version}:\n\n{show_text(before)}{since}")
