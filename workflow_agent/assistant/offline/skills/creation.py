"""Making a workflow: of a description, of a document, as a copy; and giving one out as a document."""

import re
from functools import cache

from workflow_agent.assistant.offline.drafting.description import Drafted
from workflow_agent.assistant.offline.lexicon import data_rows
from workflow_agent.assistant.offline.patterns import Request, sentence_case, unquoted
from workflow_agent.assistant.offline.questions.answers import answered
from workflow_agent.assistant.offline.references import Steps
from workflow_agent.assistant.offline.skills.targets import is_pronoun, which_workflow
from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.assistant.offline.turn.outcome import (
    Call,
    Completion,
    JsonObject,
    Reply,
    Skill,
    Suggestion,
    saying,
    with_fixes,
)
from workflow_agent.assistant.offline.turn.reading import Turn
from workflow_agent.assistant.offline.wording import (
    FENCES,
    clipped,
    counted,
    describe_findings,
    joined,
    short_lines,
    starts_line,
)
from workflow_agent.workflows.edits.drafts import parse_draft, workflow_from_draft
from workflow_agent.workflows.model.workflow import Workflow

_EXAMPLE = (
    '"When an employee submits an expense, the manager approves or rejects it. If approved, '
    'finance pays; otherwise the employee is told."'
)
_NO_WORK = frozenset({"end", "decision", "fork", "join", "loop"})
_MOST_UNREAD = 12
_MOST_SHOWN = 40
"""Of a preview's steps."""
MADE_ANYWAY = "Make it as you understood it: "
"""What a yes to a preview of a new workflow says, in front of the description."""


def create(text: str, draft: Drafted | None, *, is_confirmed: bool) -> Skill:
    """Create the workflow of a draft, show it first, or ask for its steps where there is none."""
    if draft is None:
        return Reply(
            "Happy to build that. What are its steps, who does each, and what happens on yes and on no? "
            f"One sentence is enough, for example: {_EXAMPLE}",
            Completion(f"{text.strip(' .:;!?')[:500]}: "),
        )
    if not is_confirmed and (draft.undrawn or len(draft.unread) > _MOST_UNREAD):
        understood = _workflow_of(draft)
        told = [f"I understood {_size(understood)}:", *_shown(understood, most=_MOST_SHOWN), _left(draft)]
        told.append("Nothing is made yet. Shall I make it like that?")
        return Reply("\n\n".join(told), Suggestion(MADE_ANYWAY + text))
    return _created((yield Call("create_workflow", draft.arguments)), draft)


def offer(text: str, draft: Drafted) -> Skill:
    """Offer to make a workflow of what reads like work, where nobody asked for one."""
    steps = [step["name"] for step in draft.arguments["steps"] if step.get("type") not in _NO_WORK]
    return saying(
        f"That reads like work in {counted(len(steps), 'step')}: "
        f"{joined([f'**{name}**' for name in steps[:8]])}. "
        "Nothing is made yet. Shall I make a workflow of it?",
        Suggestion(f"Create a workflow: {text}"),
    )


def tell_of(draft: Drafted, question: str, offer: Suggestion) -> Skill:
    """Answer a question from a draft that waits for a yes, as far as it was understood; the offer stays open."""
    workflow = _workflow_of(draft)
    told = answered(workflow, read_tokens(question), Steps(workflow)).text()
    waits = "Nothing is made yet: say yes to make it, or tell me what is different."
    return saying(f"{told}\n\n{waits}" if told else waits, offer)


def _left(draft: Drafted) -> str:
    told = [f"I am not sure of, or did not draw: {'; '.join(draft.undrawn)}."] if draft.undrawn else []
    if draft.unread:
        told.append(f"I did not use: {joined([f'“{clipped(word, 60)}”' for word in draft.unread[:12]])}.")
    return " ".join(told)


def _workflow_of(draft: Drafted, workflow_id: str = "wf_preview") -> Workflow:
    return workflow_from_draft(parse_draft(draft.arguments), workflow_id)


def _size(workflow: Workflow) -> str:
    ends = sum(step.type == "end" for step in workflow.steps)
    return counted(len(workflow.steps) - ends, "step") + (f" and {counted(ends, 'end')}" if ends else "")


def _shown(workflow: Workflow, *, most: int | None = None) -> list[str]:
    """Return what starts a workflow, where somebody does not, and its steps, at most so many."""
    lines = short_lines(workflow)
    more = ["…"] if most is not None and len(lines) > most else []
    starts = any(trigger.type != "manual" for trigger in workflow.triggers)
    return [*([starts_line(workflow)] if starts else ()), "\n".join([*lines[:most], *more])]


def _created(result: JsonObject, draft: Drafted) -> Reply:
    workflow = _workflow_of(draft, result["workflow"]["id"])
    made = f"I created **{workflow.name}** (`{workflow.id}`) with {_size(workflow)}"
    head = f"{made}, not of all you wrote. {_left(draft)}" if draft.unread or draft.undrawn else f"Done: {made}."
    parts = [head, *_shown(workflow)]
    if draft.name is None:
        parts.append('What shall it be called? Say, for example, "call it Order handling".')
    found: list[JsonObject] = [item for item in result.get("findings") or () if item["severity"] != "info"]
    if found:
        parts.append(f"Worth a look:\n\n{describe_findings(found)}")
    return with_fixes("\n\n".join(parts), {"id": workflow.id, "name": workflow.name}, found)


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
    head = f"Here is **{result['workflow']['name']}** as {result['title']}:"
    return Reply("\n\n".join([head, _block(result), *_notes(result, "the workflow")]))


def _block(result: JsonObject) -> str:
    """Return an exported document, fenced."""
    fence = FENCES.get(result["file_name"].rpartition(".")[2], "")
    return f"```{fence}\n{result['text'].strip()}\n```"


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
    original = (yield Call("get_workflow", {"workflow": ref.id}))["workflow"]["name"]
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
    plain = unquoted(_ARTICLE.sub("", text.lower().strip()))
    for noun in (" file", " format", " definition"):
        plain = plain.removesuffix(noun)
    return any(plain.strip() in phrases for phrases in _formats().values())


def export_all(_: Turn, request: Request) -> Skill:
    """Give every workflow out: in the native format, unless another is named."""
    chosen = format_in(request.text) or "yaml"
    listed = yield Call("list_workflows", {"limit": _MOST_EXPORTED})
    if not listed["workflows"]:
        return Reply("There are no workflows to export.")
    blocks: list[str] = []
    for item in listed["workflows"]:
        result = yield Call("export_workflow", {"workflow": item["id"], "format": chosen})
        blocks.append(f"**{item['name']}** (`{result['file_name']}`):\n\n{_block(result)}")
    more = listed["total"] - len(blocks)
    rest = (
        f"\n\n{counted(more, 'more workflow')} would be too long here; over the API, "
        "`/api/v1/workflows/…/export` gives each."
        if more > 0
        else ""
    )
    return Reply(f"Here are {counted(len(blocks), 'workflow')} as {chosen}:\n\n" + "\n\n".join(blocks) + rest)
