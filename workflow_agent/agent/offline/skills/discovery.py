"""Skills that find, list and show workflows."""

import re
from collections.abc import Generator, Sequence
from typing import Any

from workflow_agent.agent.offline.intents.languages import is_other_language
from workflow_agent.agent.offline.intents.numbers import number_of, unquoted
from workflow_agent.agent.offline.intents.off_topic import is_off_topic
from workflow_agent.agent.offline.intents.reading import Request
from workflow_agent.agent.offline.intents.stems import phrase_score
from workflow_agent.agent.offline.skills.answers import Inquiry
from workflow_agent.agent.offline.skills.answers_facts import ANSWERS
from workflow_agent.agent.offline.skills.asking import not_found
from workflow_agent.agent.offline.skills.focus import (
    is_pronoun,
    names_workflow,
    read_workflow,
    which_workflow,
)
from workflow_agent.agent.offline.skills.talk import spoken
from workflow_agent.agent.offline.turn.focus import focus, last_step
from workflow_agent.agent.offline.turn.outcome import (
    Call,
    Candidate,
    Choice,
    JsonObject,
    Reply,
    Skill,
    Suggestion,
)
from workflow_agent.agent.offline.turn.reading import Turn
from workflow_agent.agent.offline.wording.lists import clipped, counted, joined
from workflow_agent.agent.offline.wording.workflow import FENCES, explain_text, show_text
from workflow_agent.domain.diagram import DIAGRAM_FORMATS

_MOST_LISTED = 100
_SURELY_A_STEP = 0.8
_FILLER = re.compile(
    r"^(?:(?:that|which|who|where|for|about|with|to|do|does|can|is|are|deal(?:s|ing)? with|handl(?:es?|"
    r"ing)|have to do with|"
    r"(?:has|having) (?:something )?to do with|we (?:use|have) (?:for|to)|something|anything|the|a|an|our|"
    r"all|any|us|of ours|of them|"
    r"called|named|workflows?|process(?:es)?)\s+)+",
    re.IGNORECASE,
)
_TRIGGER_TYPES = {
    "schedule": re.compile(r"\b(?:schedul\w*|every|daily|weekly|monthly|hourly|each|monday|tuesday|"
                           r"wednesday|thursday|friday|saturday|"
                           r"sunday|nightly|timed|recurring|clock|morning|night|week|month|day|hour|weekdays?|weekends?|tomorrow|today)\b"),
    "webhook": re.compile(r"\b(?:webhooks?|http|api)\b"),
    "manual": re.compile(r"\b(?:manual(?:ly)?|by hand|on demand)\b"),
    "event": re.compile(r"\b(?:events?|event-driven|when|on|as soon as|arrives?|after)\b"),
}  # fmt: skip


_DIAGRAMS = {"dot": "dot|graphviz", "svg": "svg"}


def find(turn: Turn, request: Request) -> Skill:
    """Search by what somebody remembers of a workflow."""
    query = unquoted(_FILLER.sub("", request.slots.get("query", request.text)) or request.text)[:300]
    result = yield Call("search_workflows", {"query": query, "limit": 5})
    hits: list[JsonObject] = result["hits"]
    if not hits and is_other_language(turn.text):
        return Reply(spoken()["other_language"])
    if not hits and request.meaning == "question" and is_off_topic(request.text):
        return Reply(spoken()["off_topic"])
    if not hits:
        return not_found(query, result.get("suggestions") or [])
    if len(hits) == 1:
        return Reply(
            f"That would be {_hit(hits[0])}\n\nShall I open it?", Suggestion(f"show {hits[0]['id']}")
        )
    lines = "\n".join(f"{at}. {_hit(hit)}" for at, hit in enumerate(hits, 1))
    candidates = tuple(Candidate(hit["id"], hit["name"]) for hit in hits)
    text = f"These fit {query!r}, best first:\n\n{lines}\n\nWhich one shall I open?"
    return Reply(text, Choice("show that one", "that one", candidates))


def _hit(hit: JsonObject) -> str:
    about = f": {clipped(hit['description'], 160)}" if hit.get("description") else ""
    return f"**{hit['name']}** (`{hit['id']}`){about}"


def list_all(_turn: Turn, _request: Request) -> Skill:
    """List every workflow."""
    result = yield Call("list_workflows", {"limit": _MOST_LISTED})
    return _listing(result["workflows"], result["total"], "")


def list_tagged(_: Turn, request: Request) -> Skill:
    """List the workflows with a tag; without one so tagged, look for the word."""
    tag = unquoted(request.slots["tag"]).lower()
    result = yield Call("list_workflows", {"tag": tag, "limit": _MOST_LISTED})
    if result["workflows"]:
        return _listing(result["workflows"], result["total"], f" tagged {tag!r}")
    found = yield Call("search_workflows", {"query": tag, "limit": 5})
    if not found["hits"]:
        return Reply(f"No workflow is tagged {tag!r}, and none matches the word either.")
    lines = "\n".join(f"{at}. {_hit(hit)}" for at, hit in enumerate(found["hits"], 1))
    return Reply(f"No workflow is tagged {tag!r}. These match the word:\n\n{lines}")


def list_triggered(_: Turn, request: Request) -> Skill:
    """List the workflows by what starts them: "what runs every Monday?"."""
    words = request.text.lower()
    kind = next((kind for kind, pattern in _TRIGGER_TYPES.items() if pattern.search(words)), None)
    wanted: dict[str, Any] = {"limit": _MOST_LISTED}
    result = yield Call("list_workflows", wanted if kind is None else {"trigger": kind, **wanted})
    when = request.slots.get("when", "")
    listed: list[JsonObject] = result["workflows"]
    telling = re.sub(
        r"\b(?:every|each|on|at|in|the|a|schedule|scheduled|automatically|by|itself|when|an|events?)\b",
        " ",
        when,
    ).strip()
    narrowed = [
        item for item in listed if any(phrase_score(telling, [text]) >= 0.5 for text in item["triggers"])
    ]
    if telling and not narrowed:
        others = f" These run on a {kind}:\n\n{_lines(listed)}" if listed and kind else ""
        return Reply(f"None of them starts {when}.{others}")
    shown = narrowed if telling else listed
    return _listing(shown, len(shown), f" starting {when}" if when else "")


def _listing(items: Sequence[JsonObject], total: int, which: str) -> Reply:
    if not items:
        return Reply(
            f"There are no workflows{which}{' yet. Describe one and I will build it' if not which else ''}."
        )
    verb = "is" if total == 1 else "are"
    more = f"\n\n… and {total - len(items)} more." if total > len(items) else ""
    return Reply(f"There {verb} {counted(total, 'workflow')}{which}:\n\n{_lines(items)}{more}")


def _lines(items: Sequence[JsonObject]) -> str:
    return "\n".join(f"{at}. {_listed(item)}" for at, item in enumerate(items, 1))


def _listed(item: JsonObject) -> str:
    facts = [counted(item["step_count"], "step")] if "step_count" in item else []
    facts += [joined(item["triggers"])] if item.get("triggers") else []
    about = f" {clipped(item['description'], 120)}" if item.get("description") else ""
    return f"**{item['name']}** (`{item['id']}`): {', '.join(facts)}.{about}"


def show(turn: Turn, request: Request) -> Skill:
    """Show a workflow's outline, of a version where one is named."""
    version = number_of(request.slots["n"]) if request.kind == "show_version" else None
    if (about := (yield from _step_at_hand(turn, request))) is not None:
        return about
    workflow = yield from read_workflow(turn, request.slots.get("workflow"), version)
    return Reply(show_text(workflow))


def explain(turn: Turn, request: Request) -> Skill:
    """Walk through a workflow in plain words."""
    if (about := (yield from _step_at_hand(turn, request))) is not None:
        return about
    if not turn.past and focus(turn) is None and is_pronoun(request.slots.get("workflow") or "it"):
        # "What is this?", said before anything else, asks about the service.
        return Reply(spoken()["help"])
    workflow = yield from read_workflow(turn, request.slots.get("workflow"))
    return Reply(explain_text(workflow))


def _step_at_hand(turn: Turn, request: Request) -> Generator[Call, Any, Reply | None]:
    """Return what "explain the review" tells when that is a step of the workflow at hand, or None."""
    phrase = request.slots.get("workflow")
    if phrase is None or is_pronoun(phrase) or names_workflow(turn, phrase) or focus(turn) is None:
        return None
    workflow = yield from read_workflow(turn, None)
    best = max(phrase_score(phrase, [step.name, step.id]) for step in workflow.steps)
    if best < _SURELY_A_STEP or phrase_score(phrase, [workflow.name, *workflow.aliases]) >= best:
        return None
    told = ANSWERS["step"](Inquiry(workflow, request.text, {"step": phrase}, last_step(turn)))
    return None if told is None else Reply(told)


def diagram(turn: Turn, request: Request) -> Skill:
    """Draw a workflow."""
    ref = yield from which_workflow(turn, request.slots.get("workflow"))
    words = request.text.lower()
    wanted = next((kind for kind, named in _DIAGRAMS.items() if re.search(rf"\b(?:{named})\b", words)), None)
    known = wanted if wanted in DIAGRAM_FORMATS else None
    result = yield Call("draw_diagram", {"workflow": ref.id, **({"format": known} if known else {})})
    name, kind = result["workflow"]["name"], result["format"]
    drawn = "a Mermaid flowchart" if kind == "mermaid" else kind.upper()
    instead = f"I cannot draw {wanted.upper()} here. " if wanted and not known else ""
    block = f"```{FENCES.get(kind, kind)}\n{result['diagram'].strip()}\n```"
    return Reply(f"{instead}Here is **{name}** as {drawn}:\n\n{block}")
