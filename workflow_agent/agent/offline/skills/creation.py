"""The skill that makes a new workflow from a description."""

import re
from collections.abc import Mapping
from typing import Any

from workflow_agent.agent.offline.intents.reading import Request
from workflow_agent.agent.offline.intents.text import without_leading
from workflow_agent.agent.offline.skills.talk import spoken
from workflow_agent.agent.offline.turn.drafting import Drafted, Drafting
from workflow_agent.agent.offline.turn.offers import fixes_offered
from workflow_agent.agent.offline.turn.outcome import (
    Call,
    Candidate,
    Completion,
    JsonObject,
    Reply,
    Skill,
    Suggestion,
)
from workflow_agent.agent.offline.turn.reading import Turn
from workflow_agent.agent.offline.wording.changes import describe_findings, shall_i_fix
from workflow_agent.agent.offline.wording.lists import clipped, counted, joined

_EXAMPLE = (
    '"When an employee submits an expense, the manager approves or rejects it. If approved, finance pays; '
    "otherwise the "
    'employee is told."'
)
_NO_WORK = frozenset({"end", "decision", "fork", "join", "loop"})
_LEAST_STEPS = 2
_MOST_SHOWN = 8
_MOST_CHARS = 32_000
"""As long as a message to the service may be."""
_ASKED = re.compile(
    r"^(?:(?:create|build|make|design|draft|set up|write|develop|compose|define|generate|prepare|model|we|"
    r"i|need|want|require|would like|"
    r"'d like|could use|lack|me|us|to have|automate|come up with|put together)\s+)+",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:build|create|make|draft|model|design)(?: (?:this|the following|it|one))?\s*:\s*", re.IGNORECASE
)
_ENDINGS = re.compile(r"[\s.,:;!?]+$")


def create(turn: Turn, request: Request, drafting: Drafting) -> Skill:
    """Create the workflow a message describes, or ask for its steps when it only names one."""
    if request.meaning != "order":
        return Reply(f"I can build {_wanted(request)}. Shall I?", Suggestion(request.text))
    draft = drafting.draft_workflow(_LEAD.sub("", without_leading(turn.text[:_MOST_CHARS])))
    if draft is None:
        return Reply(
            f"Happy to build {_wanted(request)}. What are its steps, who does each, and "
            f"what happens on yes and on no? "
            f"One sentence is enough, for example: {_EXAMPLE}",
            Completion(f"{_ENDINGS.sub('', turn.text[:500])}: "),
        )
    result = yield Call("create_workflow", draft.arguments())
    return _created(result, draft)


def offer_to_create(turn: Turn, drafting: Drafting) -> Skill:
    """Offer to make a workflow of what reads like work, naming its steps; a yes makes it."""
    yield from ()
    draft = drafting.draft_workflow(without_leading(turn.text[:_MOST_CHARS]))
    drawn: list[JsonObject] = draft.arguments()["steps"] if draft else []
    steps = [step["name"] for step in drawn if step["type"] not in _NO_WORK]
    if len(steps) < _LEAST_STEPS:
        return Reply(spoken()["unknown"])
    shown = joined([f"**{name}**" for name in steps[:_MOST_SHOWN]])
    more = f" and {counted(len(steps) - _MOST_SHOWN, 'more')}" if len(steps) > _MOST_SHOWN else ""
    return Reply(
        f"That reads like work in {counted(len(steps), 'step')}: {shown}{more}. "
        "Nothing is made yet. Shall I make a workflow of it?",
        Suggestion(f"Create a workflow: {turn.text}"),
    )


def _wanted(request: Request) -> str:
    """Return what a request for a workflow names: "an onboarding process for suppliers"."""
    wanted = _ENDINGS.sub("", _ASKED.sub("", clipped(request.text, 120)))
    return wanted if " " in wanted else "that"


def _created(result: JsonObject, draft: Drafted) -> Reply:
    workflow, steps = result["workflow"], result["steps"]
    made = f"I created **{workflow['name']}** (`{workflow['id']}`) with {counted(len(steps), 'step')}"
    head = f"{made}, not of all you wrote. {' '.join(draft.left_out)}" if draft.left_out else f"Done: {made}."
    parts = [head, "\n".join(_step_lines(steps, result["transitions"]))]
    if draft.assumptions:
        parts.append("What I assumed:\n\n" + "\n".join(f"- {line}" for line in draft.assumptions))
    findings: list[JsonObject] = result.get("findings") or []
    found = [item for item in findings if item["severity"] != "info"]
    if found:
        parts.append(f"Worth a look:\n\n{describe_findings(found)}")
    offer = fixes_offered(Candidate(workflow["id"], workflow["name"]), found)
    if offer:
        parts.append(shall_i_fix(found))
    return Reply("\n\n".join(parts), offer)


def _step_lines(steps: list[JsonObject], transitions: list[JsonObject]) -> list[str]:
    names = {step["id"]: step["name"] for step in steps}
    loops = {step["id"] for step in steps if step["type"] == "loop"}
    lines: list[str] = []
    for at, step in enumerate((step for step in steps if step["type"] != "end"), 1):
        who = f": {step['assignee']}" if step.get("assignee") else ""
        ways = [_way(edge, names) for edge in transitions if edge["from"] == step["id"]]
        inside = " (inside the loop)" if step.get("parent") in loops else ""
        lines.append(
            f"{at}. **{step['name']}** (`{step['id']}`){inside}{who}"
            + (f" → {'; '.join(ways)}" if ways else "")
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
