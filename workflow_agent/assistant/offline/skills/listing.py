"""Skills that find, list and show workflows."""

import re
from collections.abc import Generator, Sequence
from typing import Any

from workflow_agent.assistant.offline.references import Steps
from workflow_agent.assistant.offline.request import Request, number_of, phrase_score, unquoted
from workflow_agent.assistant.offline.skills.asking import not_found
from workflow_agent.assistant.offline.skills.talk import spoken
from workflow_agent.assistant.offline.skills.targets import (
    bare_name,
    is_pronoun,
    listed_workflow,
    names_workflow,
    read_workflow,
    which_workflow,
)
from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.assistant.offline.turn.focus import focus
from workflow_agent.assistant.offline.turn.outcome import Call, Candidate, Choice, JsonObject, Reply, Skill, Suggestion
from workflow_agent.assistant.offline.turn.reading import Turn
from workflow_agent.assistant.offline.wording.lists import clipped, counted, joined
from workflow_agent.assistant.offline.wording.workflow import FENCES, explain_text, show_text, told_step
from workflow_agent.workflows.diagrams.graph import DIAGRAM_FORMATS

_MOST_LISTED = 100
_DIAGRAMS = {"dot": "dot|graphviz", "svg": "svg"}
_ABOUT = re.compile(
    r"^(?:that|which|where|for|about|with|on|deals? with|handles?|has to do with|something to do with)\s+",
    re.IGNORECASE,
)


def find(_turn: Turn, request: Request) -> Skill:
    """Search by what somebody remembers of a workflow."""
    said = unquoted(_ABOUT.sub("", request.slots.get("query", request.text)))[:300]
    query = bare_name(said) or said
    result = yield Call("search_workflows", {"query": query, "limit": 5})
    hits: list[JsonObject] = result["hits"]
    if not hits:
        return not_found(query, result.get("suggestions") or [])
    if len(hits) == 1:
        return Reply(f"That would be {_hit(hits[0])}\n\nShall I open it?", Suggestion(f"show {hits[0]['id']}"))
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
    return listing(result["workflows"], result["total"], "")


def count_workflows(_turn: Turn, _request: Request) -> Skill:
    """Say how many workflows there are."""
    result = yield Call("list_workflows", {"limit": _MOST_LISTED})
    return listing(result["workflows"], result["total"], "")


def listing(items: Sequence[JsonObject], total: int, which: str) -> Reply:
    """Return a list of workflows, with what they have in common said in front."""
    if not items:
        return Reply(f"There are no workflows{which}{' yet. Describe one and I will build it' if not which else ''}.")
    verb = "is" if total == 1 else "are"
    more = f"\n\n… and {total - len(items)} more." if total > len(items) else ""
    lines = "\n".join(f"{at}. {_listed(item)}" for at, item in enumerate(items, 1))
    return Reply(f"There {verb} {counted(total, 'workflow')}{which}:\n\n{lines}{more}")


def _listed(item: JsonObject) -> str:
    facts = [counted(item["step_count"], "step")] if "step_count" in item else []
    facts += [joined(item["triggers"])] if item.get("triggers") else []
    about = f" {clipped(item['description'], 120)}" if item.get("description") else ""
    return f"**{item['name']}** (`{item['id']}`): {', '.join(facts)}.{about}"


def show(turn: Turn, request: Request) -> Skill:
    """Show a workflow's outline, of a version where one is named; or a step of the one at hand."""
    version = number_of(request.slots["n"]) if request.kind == "show_version" else None
    if version is None and (about := (yield from _step_at_hand(turn, request))) is not None:
        return about
    workflow = yield from read_workflow(turn, request.slots.get("workflow"), version)
    return Reply(show_text(workflow))


def explain(turn: Turn, request: Request) -> Skill:
    """Walk through a workflow in plain words."""
    if (about := (yield from _step_at_hand(turn, request))) is not None:
        return about
    if not turn.past and focus(turn) is None and is_pronoun(request.slots.get("workflow") or "it"):
        return Reply(spoken()["help"])
    workflow = yield from read_workflow(turn, request.slots.get("workflow"))
    return Reply(explain_text(workflow))


def _step_at_hand(turn: Turn, request: Request) -> Generator[Call, Any, Reply | None]:
    """Return what is known of a step that the phrase names in the workflow at hand, or None."""
    phrase = request.slots.get("workflow")
    if (
        phrase is None
        or is_pronoun(phrase)
        or names_workflow(turn, phrase)
        or focus(turn) is None
        or listed_workflow(turn, phrase)
    ):
        return None
    workflow = yield from read_workflow(turn, None)
    steps = Steps(workflow, turn.chosen)
    tokens = read_tokens(phrase)
    step = steps.maybe(tokens)
    if step is None or (not steps.is_named(tokens) and phrase_score(phrase, [workflow.name, *workflow.aliases]) > 0):
        return None
    return Reply(told_step(workflow, step))


def diagram(turn: Turn, request: Request) -> Skill:
    """Draw a workflow."""
    ref = yield from which_workflow(turn, request.slots.get("workflow"))
    words = request.text.lower()
    wanted = next((kind for kind, said in _DIAGRAMS.items() if re.search(rf"\b(?:{said})\b", words)), None)
    known = wanted if wanted in DIAGRAM_FORMATS else None
    result = yield Call("draw_diagram", {"workflow": ref.id, **({"format": known} if known else {})})
    name, kind = result["workflow"]["name"], result["format"]
    drawn = "a Mermaid flowchart" if kind == "mermaid" else kind.upper()
    instead = f"I cannot draw {wanted.upper()} here. " if wanted and not known else ""
    block = f"```{FENCES.get(kind, kind)}\n{result['diagram'].strip()}\n```"
    return Reply(f"{instead}Here is **{name}** as {drawn}:\n\n{block}")
