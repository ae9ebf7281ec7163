"""The skill that answers questions about the inside of a workflow, from its document."""

from collections.abc import Generator, Iterator
from typing import Any

from workflow_agent.agent.offline.intents.grammar import matches, phrase_table
from workflow_agent.agent.offline.intents.mentions import mention_splits
from workflow_agent.agent.offline.intents.off_topic import is_off_topic
from workflow_agent.agent.offline.intents.reading import Request
from workflow_agent.agent.offline.intents.stems import phrase_score
from workflow_agent.agent.offline.skills.answers import Inquiry, nothing_about
from workflow_agent.agent.offline.skills.answers_facts import ANSWERS
from workflow_agent.agent.offline.skills.asking import ask_which
from workflow_agent.agent.offline.skills.focus import (
    bare_name,
    is_pronoun,
    names_workflow,
    read_workflow,
)
from workflow_agent.agent.offline.skills.talk import spoken
from workflow_agent.agent.offline.turn.facts import WorkflowRef
from workflow_agent.agent.offline.turn.focus import focus, last_told
from workflow_agent.agent.offline.turn.outcome import Answered, Call, Reply, Skill
from workflow_agent.agent.offline.turn.reading import Turn

_SURE = 0.7
_AHEAD = 1.3
"""How much better than the next the best hit must be to be taken without asking."""


def inside(turn: Turn, request: Request) -> Skill:
    """Answer a question about a workflow's inside, with step ids as evidence."""
    phrase = yield from _workflow_phrase(turn, request)
    workflow = yield from read_workflow(turn, phrase)
    last = last_told(turn)
    for kind, slots in (*_without_name(request.text, workflow.name), *request.questions):
        answer = ANSWERS[kind](Inquiry(workflow, request.text, slots, last))
        if answer is not None:
            return Reply(answer)
    if is_off_topic(request.text):
        return Reply(f"I find nothing in **{workflow.name}** about that, and workflows are all I know about.")
    return Reply(nothing_about(workflow, request.text))


def _without_name(text: str, name: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield what a question asks apart from the workflow it names: "who approves in the expense approval"."""
    for rest, _ in mention_splits(text, [name]):
        yield from matches(rest, phrase_table("inside"))


def _workflow_phrase(turn: Turn, request: Request) -> Generator[Call, Any, str | None]:
    """Return the name of the workflow a question is about, looked for when none is at hand."""
    named = request.slots.get("workflow")
    at_hand = focus(turn) is not None or "" in turn.chosen
    if named and at_hand and not is_pronoun(named) and not names_workflow(turn, named):
        return (yield from _searched(named))
    if named or at_hand:
        return named
    result = yield Call("search_workflows", {"query": request.text, "limit": 5})
    hits = result["hits"]
    if not hits and is_off_topic(request.text):
        raise Answered(Reply(spoken()["off_topic"]))
    if not hits:
        return None
    if len(hits) == 1 or hits[0]["score"] > hits[1]["score"] * _AHEAD:
        return hits[0]["id"]
    refs = [WorkflowRef(hit["id"], hit["name"]) for hit in hits]
    raise Answered(ask_which(turn, "", "Which workflow is that about?", refs))


def _searched(phrase: str) -> Generator[Call, Any, str | None]:
    """Return the id of the workflow a phrase names, or None when it names something else."""
    result = yield Call("search_workflows", {"query": bare_name(phrase), "limit": 5})
    fitting = [hit["id"] for hit in result["hits"] if phrase_score(bare_name(phrase), [hit["name"]]) >= _SURE]
    return fitting[0] if fitting else None
