"""Skills that take workflows in, give them out, and copy them."""

import re
from functools import cache

from workflow_agent.assistant.offline.lexicon import data_rows
from workflow_agent.assistant.offline.request import Request, sentence_case, unquoted
from workflow_agent.assistant.offline.skills.targets import is_pronoun, which_workflow
from workflow_agent.assistant.offline.turn.outcome import Call, Completion, JsonObject, Reply, Skill
from workflow_agent.assistant.offline.turn.reading import Turn
from workflow_agent.assistant.offline.wording import FENCES, counted, joined

_MOST_LINES = 5
_MOST_EXPORTED = 12
_ARTICLE = re.compile(r"^(?:an?|the|our|my) ", re.IGNORECASE)


def import_document(_: Turn, request: Request) -> Skill:
    """Import the document in the message."""
    named = {"name": request.slots["name"]} if "name" in request.slots else {}
    result = yield Call("import_workflow", named)
    workflow = result["workflow"]
    head = (
        f"Done: I imported **{workflow['name']}** (`{workflow['id']}`) from {result['title']}, "
        f"with {counted(len(result['steps']), 'step')}."
    )
    steps = "\n".join(f"{at}. **{step['name']}** (`{step['id']}`)" for at, step in enumerate(result["steps"], 1))
    return Reply("\n\n".join([head, steps, *_notes(result, "what was read")]))


def _notes(result: JsonObject, what: str) -> list[str]:
    """Return what a conversion lost and kept aside, in words."""
    lost, kept = result["lost"], result["kept"]
    told: list[str] = []
    if lost["total"]:
        shown = "\n".join(f"- {note}" for note in lost["notes"][:_MOST_LINES])
        more = f"\n- … and {lost['total'] - _MOST_LINES} more" if lost["total"] > _MOST_LINES else ""
        told.append(f"{sentence_case(counted(lost['total'], 'thing'))} did not fit:\n\n{shown}{more}")
    if kept["total"]:
        told.append(f"{sentence_case(counted(kept['total'], 'detail'))} that only that format has, I keep as it is.")
    return told or [f"Nothing of {what} was lost."]


def export(turn: Turn, request: Request) -> Skill:
    """Give a workflow out in a format."""
    chosen = format_in(request.text)
    if chosen is None:
        formats = joined([f"`{name}`" for name in _formats()])
        return Reply(f"As what shall I export it? I know {formats}.", Completion(f"{request.text.rstrip(' .?!')} as "))
    ref = yield from which_workflow(turn, request.slots.get("workflow"))
    result = yield Call("export_workflow", {"workflow": ref.id, "format": chosen})
    fence = FENCES.get(result["file_name"].rpartition(".")[2], "")
    block = f"```{fence}\n{result['text'].strip()}\n```"
    text = f"Here is **{result['workflow']['name']}** as {result['title']}:\n\n{block}"
    return Reply("\n\n".join([text, *_notes(result, "the workflow")]))


@cache
def _formats() -> dict[str, tuple[str, ...]]:
    return {name: tuple(phrases.split("|")) for name, phrases in data_rows("formats.tsv")}


def format_in(text: str) -> str | None:
    """Return the format that a phrase ends with or names last, by any of its usual names."""
    plain = text.lower()
    found = [
        (match.end(), len(phrase), name)
        for name, phrases in _formats().items()
        for phrase in phrases
        for match in re.finditer(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", plain)
    ]
    return max(found, default=(0, 0, None), key=lambda one: (one[1], one[0]))[2]


def copy(turn: Turn, request: Request) -> Skill:
    """Copy a workflow under another name."""
    phrase = request.slots.get("workflow")
    ref = yield from which_workflow(turn, None if phrase is None or is_pronoun(phrase) else phrase)
    result = yield Call("get_workflow", {"workflow": ref.id})
    original = result["workflow"]["name"]
    result = yield Call("copy_workflow", {"workflow": ref.id, "name": _name_of_copy(request, original)})
    workflow = result["workflow"]
    return Reply(
        f"Done: I copied **{original}** as **{workflow['name']}** (`{workflow['id']}`), with "
        f"{counted(len(result['steps']), 'step')}. Tell me what should be different in it."
    )


def _name_of_copy(request: Request, original: str) -> str:
    if "name" in request.slots:
        return sentence_case(unquoted(_ARTICLE.sub("", request.slots["name"])))
    if "topic" in request.slots:
        return f"{original} for {unquoted(request.slots['topic'])}"
    return f"{original} (copy)"


def is_format(text: str) -> bool:
    """Say whether a phrase is a format and nothing else."""
    plain = (
        unquoted(_ARTICLE.sub("", text.lower().strip()))
        .removesuffix(" file")
        .removesuffix(" format")
        .removesuffix(" definition")
        .strip()
    )
    return any(plain == phrase for phrases in _formats().values() for phrase in phrases)


def export_all(_: Turn, request: Request) -> Skill:
    """Give every workflow out: in the native format, unless another is named."""
    chosen = format_in(request.text) or "yaml"
    listed = yield Call("list_workflows", {"limit": _MOST_EXPORTED})
    if not listed["workflows"]:
        return Reply("There are no workflows to export.")
    blocks: list[str] = []
    for item in listed["workflows"]:
        result = yield Call("export_workflow", {"workflow": item["id"], "format": chosen})
        fence = FENCES.get(result["file_name"].rpartition(".")[2], "")
        blocks.append(f"**{item['name']}** (`{result['file_name']}`):\n\n```{fence}\n{result['text'].strip()}\n```")
    more = listed["total"] - len(blocks)
    rest = (
        f"\n\n{counted(more, 'more workflow')} would be too long here; over the API, "
        "`/api/v1/workflows/…/export` gives each."
        if more > 0
        else ""
    )
    return Reply(f"Here are {counted(len(blocks), 'workflow')} as {chosen}:\n\n" + "\n\n".join(blocks) + rest)
