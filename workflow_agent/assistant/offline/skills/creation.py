"""Making a workflow of a description: created, or shown first where something certain was not drawn."""

from collections.abc import Mapping
from typing import Any

from workflow_agent.assistant.offline.answers import answered
from workflow_agent.assistant.offline.drafting.description import Drafted
from workflow_agent.assistant.offline.references import Steps
from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.assistant.offline.turn.outcome import (
    Call,
    Candidate,
    Completion,
    JsonObject,
    Reply,
    Skill,
    Suggestion,
    fixes_offered,
)
from workflow_agent.assistant.offline.wording import clipped, counted, describe_findings, joined, shall_i_fix
from workflow_agent.workflows.edits.drafts import parse_draft, workflow_from_draft

_EXAMPLE = (
    '"When an employee submits an expense, the manager approves or rejects it. If approved, '
    'finance pays; otherwise the employee is told."'
)
_NO_WORK = frozenset({"end", "decision", "fork", "join", "loop"})
_MOST_UNREAD = 12
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
    steps = [step["name"] for step in draft.arguments["steps"] if step.get("type") not in _NO_WORK]
    if not is_confirmed and (draft.undrawn or len(draft.unread) > _MOST_UNREAD):
        shown = "\n".join(f"{at}. {name}" for at, name in enumerate(steps[:20], 1))
        return Reply(
            f"I understood {counted(len(steps), 'step')}:\n\n{shown}\n\n{_left(draft)}\n\nNothing is "
            "made yet. Shall I make it like that?",
            Suggestion(MADE_ANYWAY + text),
        )
    result = yield Call("create_workflow", draft.arguments)
    return _created(result, draft)


def offer(text: str, draft: Drafted) -> Skill:
    """Offer to make a workflow of what reads like work, where nobody asked for one."""
    yield from ()
    steps = [step["name"] for step in draft.arguments["steps"] if step.get("type") not in _NO_WORK]
    return Reply(
        f"That reads like work in {counted(len(steps), 'step')}: "
        f"{joined([f'**{name}**' for name in steps[:8]])}. "
        "Nothing is made yet. Shall I make a workflow of it?",
        Suggestion(f"Create a workflow: {text}"),
    )


def tell_of(draft: Drafted, question: str, offer: Suggestion) -> Skill:
    """Answer a question from a draft that waits for a yes, as far as it was understood; the offer stays open."""
    yield from ()
    workflow = workflow_from_draft(parse_draft(draft.arguments), "wf_preview")
    asked = tuple(token for token in read_tokens(question) if token.kind != "punct")
    told, _ = answered(workflow, asked, Steps(workflow))
    waits = "Nothing is made yet: say yes to make it, or tell me what is different."
    return Reply(f"{told}\n\n{waits}" if told else waits, offer)


def _left(draft: Drafted) -> str:
    told = [f"I could not draw: {'; '.join(draft.undrawn)}."] if draft.undrawn else []
    if draft.unread:
        told.append(f"I did not use: {joined([f'“{clipped(word, 60)}”' for word in draft.unread[:12]])}.")
    return " ".join(told)


def _created(result: JsonObject, draft: Drafted) -> Reply:
    workflow, steps = result["workflow"], result["steps"]
    ends = sum(step["type"] == "end" for step in steps)
    size = counted(len(steps) - ends, "step") + (f" and {counted(ends, 'end')}" if ends else "")
    made = f"I created **{workflow['name']}** (`{workflow['id']}`) with {size}"
    head = f"{made}, not of all you wrote. {_left(draft)}" if draft.unread or draft.undrawn else f"Done: {made}."
    parts = [head, "\n".join(_step_lines(steps, result["transitions"]))]
    if draft.name is None:
        parts.append('What shall it be called? Say, for example, "call it Order handling".')
    findings: list[JsonObject] = result.get("findings") or []
    found = [item for item in findings if item["severity"] != "info"]
    if found:
        parts.append(f"Worth a look:\n\n{describe_findings(found)}")
    offered = fixes_offered(Candidate(workflow["id"], workflow["name"]), found)
    if offered:
        parts.append(shall_i_fix(found))
    return Reply("\n\n".join(parts), offered)


def _step_lines(steps: list[JsonObject], transitions: list[JsonObject]) -> list[str]:
    names = {step["id"]: step["name"] for step in steps}
    loops = {step["id"] for step in steps if step["type"] == "loop"}
    lines: list[str] = []
    for at, step in enumerate((step for step in steps if step["type"] != "end"), 1):
        who = f": {step['assignee']}" if step.get("assignee") else ""
        ways = [_way(edge, names) for edge in transitions if edge["from"] == step["id"]]
        inside = " (inside the loop)" if step.get("parent") in loops else ""
        lines.append(
            f"{at}. **{step['name']}** (`{step['id']}`){inside}{who}" + (f" → {'; '.join(ways)}" if ways else "")
        )
    return lines


def _way(edge: JsonObject, names: dict[str, str]) -> str:
    target = str(names.get(edge["to"], edge["to"]))
    when = _condition(edge.get("when"))
    if edge.get("type") == "error":
        return f"on error {target}"
    if edge.get("type") == "default":
        return f"otherwise {target}"
    return f"if {when}: {target}" if when else target


def _condition(when: str | Mapping[str, Any] | None) -> str:
    """Return a transition's condition in words, whichever way the tool tells it."""
    if when is None:
        return ""
    if isinstance(when, str):
        return when
    return str(when.get("text") or when.get("expression") or "")
