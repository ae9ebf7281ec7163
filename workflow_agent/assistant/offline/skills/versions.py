"""Skills around versions: which there are, how it was, undo, redo, restore, delete, and the yes they wait for."""

import re
from collections.abc import Generator, Sequence
from typing import Any

from workflow_agent.assistant.offline.clauses import counts, is_aside, phrase_at
from workflow_agent.assistant.offline.patterns import Request, number_of
from workflow_agent.assistant.offline.skills.comparing import EVER, told_change
from workflow_agent.assistant.offline.skills.targets import ask_which, is_pronoun, read_workflow, which_workflow
from workflow_agent.assistant.offline.tokens import Token, read_tokens
from workflow_agent.assistant.offline.turn.focus import deleted_here, deleted_last, focus, last_changed
from workflow_agent.assistant.offline.turn.outcome import Call, JsonObject, Reply, Skill, Suggestion, saying
from workflow_agent.assistant.offline.turn.reading import Turn, WorkflowRef
from workflow_agent.assistant.offline.wording import bulleted, counted, identified, show_text
from workflow_agent.workflows.model.parser import parse_workflow

_MOST_VERSIONS = 20
_MOST_UNDO_CHARS = 200
_MOST_CHANGES = 100
_MOST_UNDONE = 20


def versions(turn: Turn, request: Request) -> Skill:
    """List the versions of a workflow, newest first, with what made each."""
    ref = yield from which_workflow(turn, request.slots.get("workflow"))
    result = yield Call("list_changes", {"workflow": ref.id, "since": EVER, "limit": _MOST_VERSIONS})
    changes: list[JsonObject] = result["changes"]
    if not changes:
        return Reply(f"No version of **{ref.name}** is recorded.")
    more = result["total"] - len(changes)
    lines = [told_change(change) for change in changes] + ([f"- … and {more} older"] if more > 0 else [])
    head = f"**{changes[0]['workflow']['name']}** has {counted(result['total'], 'version')}, newest first:"
    say = f'Say "show version {changes[-1]["version"]}" to see one, or "go back to" it.'
    return Reply("\n\n".join([head, "\n".join(lines), say]) if len(changes) > 1 else "\n\n".join([head, *lines]))


def show_before(turn: Turn, request: Request) -> Skill:
    """Show a workflow as it was before its last change."""
    now = yield from read_workflow(turn, request.slots.get("workflow"))
    if now.version <= 1:
        return Reply(f"**{now.name}** is as it was created: nothing came before version {now.version}.")
    result = yield Call("get_workflow", {"workflow": now.id, "version": now.version - 1})
    before = parse_workflow(result["workflow"])
    compared = yield Call(
        "compare_versions", {"workflow": now.id, "from_version": now.version - 1, "to_version": now.version}
    )
    lines = bulleted(compared["changes"])
    since = f"\n\nSince then, in version {now.version}:\n\n{lines}" if lines else ""
    return Reply(f"Before the last change, in version {before.version}:\n\n{show_text(before)}{since}")


def is_gone(turn: Turn, _: Request) -> Skill:
    """Say whether the workflow that was to be deleted is, from what was done and what can still be read."""
    gone = deleted_here(turn)
    waiting = turn.facts.pending
    if gone and waiting is None:
        return Reply(
            f"**{gone[0].name}** (`{gone[0].id}`) is deleted: it is no longer among the workflows. "
            "Whoever runs this server can bring it back, as deleted workflows are kept aside."
        )
    workflow = yield from read_workflow(turn, waiting.id if waiting else None)
    asked = " Deleting it still waits for your yes." if waiting and waiting.id == workflow.id else ""
    return Reply(f"**{workflow.name}** (`{workflow.id}`) is still there, at version {workflow.version}.{asked}")


def read_undo(text: str) -> Request | None:
    """Return the request of an order to take changes back, or to do them again; None for any other."""
    said = read_tokens(text[:_MOST_UNDO_CHARS])
    # "Take it back, the rules do not allow that".
    cut = next((at for at, t in enumerate(said) if at and t.text in (",", ";", ".")), len(said))
    one = not any(t.is_("and") or t.text in (",", ";") for t in said[cut + 1 :])
    cut = cut if one and is_aside(said[cut + 1 :]) else len(said)
    tokens = [t for t in said[:cut] if t.kind in ("word", "number", "quoted")]
    kinds: set[str] = set()
    at = 0
    while at < len(tokens):
        end, found = phrase_at(tokens, at, "undo.tsv") if tokens[at].kind == "word" else (at, [])
        kinds |= set(found)
        if not found and (tokens[at].kind == "quoted" or (counts(tokens[at]) and tokens[at].value is None)):
            return None
        at = max(end, at + 1)
    if {"cancel", "changed"} <= kinds and not any(t.is_("step", "task", "thing", "one") for t in tokens):
        # "Scrap that change" takes it back; "scrap that step" removes one.
        kinds.add("undo")
    number = next((str(int(t.value)) for t in tokens if t.value is not None and t.kind == "number"), None)
    if "version" in kinds and number is not None and kinds & {"undo", "to"}:
        return Request("restore", {"n": number}, text)
    several = next((int(t.value) for t in tokens if t.value and 2 <= t.value < _MOST_UNDONE and _counts_changes(t)), 0)
    of_steps = any(t.is_("step", "task", "retry", "attempt") for t in tokens)
    counted = number is None or ("changed" in kinds and any(t.is_("last") for t in tokens))
    if several and "undo" in kinds and "first" not in kinds and counted and not of_steps:
        return Request("undo_several", {"n": str(several)}, text)
    if number is not None or not kinds & {"undo", "redo"}:
        return None
    kind = "redo" if "redo" in kinds else "restore_first" if "first" in kinds else "undo"
    return Request(kind, {}, text)


def _counts_changes(token: Token) -> bool:
    return token.kind == "number" or token.is_("both", "two", "three", "four", "five")


def undo(turn: Turn, request: Request) -> Skill:
    """Take the last change back, or return to a version; say what it would be where that is only asked."""
    phrase = request.slots.get("workflow")
    is_named = "" in turn.chosen or not (phrase is None or is_pronoun(phrase))
    gone = None if is_named or request.kind.startswith("restore") else deleted_last(turn)
    if gone is not None:
        return Reply(
            f"The last change was that **{gone.name}** (`{gone.id}`) was deleted, and I can't undo that. "
            "Whoever runs this server can bring it back: deleted workflows are kept aside. To take back the "
            "last change of another workflow, name it."
        )
    ref = yield from which_workflow(turn, phrase, to_change=True)
    changed = None if is_named else last_changed(turn)
    if changed is not None and changed.id != ref.id:
        return ask_which(turn, "", "Which workflow do you mean?", (changed, ref))
    if request.meaning != "order":
        return (yield from _weighed(ref, request))
    wanted: dict[str, Any] = {"workflow": ref.id}
    if request.kind == "restore_first":
        wanted["to_version"] = 1
    elif request.kind == "restore":
        wanted["to_version"] = number_of(request.slots.get("n", "1")) or 1
    elif request.kind == "undo_several":
        now = yield from read_workflow(turn, ref.id)
        wanted["to_version"] = max(now.version - int(request.slots["n"]), 1)
    elif request.kind == "redo":
        version = yield from _before_undo(ref)
        if version is None:
            return Reply(f"There is nothing to redo: the last change of **{ref.name}** was no undo.")
        wanted["to_version"] = version
    result = yield Call("undo_change", wanted)
    if is_preview(result):
        return previewed(result)
    workflow = result["workflow"]
    lines = bulleted(result["changes"])
    restored, now = result["restored_version"], workflow["version"]
    text = f"Done: **{workflow['name']}** is back to how it was in version {restored} (now version {now})."
    return Reply(f"{text}\n\n{lines}" if lines else text)


def _before_undo(ref: WorkflowRef) -> Generator[Call, Any, int | None]:
    """Return the version that the last change, an undo, took back; None where it was no undo."""
    told = yield Call("list_changes", {"workflow": ref.id, "since": EVER, "limit": _MOST_CHANGES})
    listed: list[JsonObject] = told["changes"]
    newest = max(listed, key=lambda change: change["version"], default=None)
    if newest is None or not newest["action"].startswith("restored version "):
        return None
    return newest["version"] - 1


def _weighed(ref: WorkflowRef, request: Request) -> Skill:
    """Say what an undo would take back, and offer it."""
    if request.kind.startswith("restore"):
        version = number_of(request.slots.get("n", "1")) or 1
        return Reply(
            f"Yes, **{ref.name}** can go back to any version. Nothing is changed yet. Shall I restore "
            f"version {version}?",
            Suggestion(f"restore version {version}"),
        )
    listed = (yield Call("list_changes", {"workflow": ref.id, "since": EVER, "limit": _MOST_CHANGES}))["changes"]
    change = _next_to_undo(listed)
    if change is None:
        return Reply(f"**{ref.name}** is as it was created: there is no change to undo.")
    made = f"version {change['version']} of **{change['workflow']['name']}**"
    return Reply(
        f"Yes. This would be taken back, which made {made}:\n\n{bulleted(change['changes'])}\n\n"
        "Nothing is changed yet. Shall I undo it?",
        Suggestion("undo that"),
    )


def _next_to_undo(changes: Sequence[JsonObject]) -> JsonObject | None:
    """Return the newest change that no undo took back; None where there is none among them."""
    by_version = {change["version"]: change for change in changes}
    version = max(by_version, default=0)
    while version > 1 and (change := by_version.get(version)):
        if not change["action"].startswith("restored version "):
            return change
        version = int(change["action"].removeprefix("restored version "))
    return None


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
    return deletion((yield Call("delete_workflow", {"workflow": ref.id})))


def deletion(result: JsonObject) -> Reply:
    """Return what deleting means, and the question."""
    meant = identified(result["workflow"])
    return Reply(f"That would delete {meant} with all its steps, and I could not undo it. Shall I do it?")


def confirm(_turn: Turn, _request: Request) -> Skill:
    """Make the change that the reply before showed."""
    result = yield Call("apply_preview", {})
    if deleted := result.get("deleted"):
        return Reply(f"Done: **{deleted['name']}** (`{deleted['id']}`) is deleted.")
    workflow = result["workflow"]
    restored = result.get("restored_version")
    back = f" and back to how it was in version {restored}" if restored else ""
    done = f"Done: **{workflow['name']}** is now version {workflow['version']}{back}."
    return Reply(f"{done}\n\n{bulleted(result['changes'])}")


def drop(turn: Turn, _request: Request) -> Skill:
    """Say that what was shown is not done."""
    waiting = turn.facts.pending
    return saying(f"All right, nothing was changed{f' in **{waiting.name}**' if waiting else ''}.")


def previewed(result: JsonObject) -> Reply:
    """Return what a change would do, why it was not made at once, and the question."""
    changes = f"This is what would change in {identified(result['workflow'])}:\n\n{bulleted(result['changes'])}"
    return Reply(f"{changes}\n\nNothing is done yet, because {result['reason']}. Shall I do it?")


def is_preview(result: JsonObject) -> bool:
    """Say whether a tool showed what it would do instead of doing it."""
    return result.get("applied") is False
