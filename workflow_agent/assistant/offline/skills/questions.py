"""Questions: about the workflow at hand from its graph, about the catalogue from what its tools list."""

from collections.abc import Generator, Sequence
from typing import Any

from workflow_agent.assistant.offline.answers import answered
from workflow_agent.assistant.offline.clauses import counts
from workflow_agent.assistant.offline.inquiry import vocabulary_of
from workflow_agent.assistant.offline.references import PRONOUNS, Steps, mention_in
from workflow_agent.assistant.offline.skills import catalogue, changing
from workflow_agent.assistant.offline.skills.talk import spoken
from workflow_agent.assistant.offline.skills.targets import read_workflow
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.focus import focus, last_told
from workflow_agent.assistant.offline.turn.outcome import Call, Reply, Skill
from workflow_agent.assistant.offline.turn.reading import Turn
from workflow_agent.assistant.offline.wording import clipped, joined
from workflow_agent.workflows.model.workflow import Workflow

_MOST_CHARS = 600


def answer(turn: Turn, text: str, otherwise: Skill | None = None) -> Skill:
    """Answer a question, for what of it was understood, and name the rest; deny only what was read wholly."""
    tokens = read_tokens(text[:_MOST_CHARS])
    at_hand = focus(turn)
    if catalogue.is_about_all(tokens, is_open=at_hand is not None):
        return (yield from catalogue.answer(tokens, at_hand.id if at_hand else None))
    target = yield from _target(turn, tokens, text)
    if target is None:
        if otherwise is not None:
            return (yield from otherwise)
        return (yield from _looked_up(turn, tokens))
    workflow, rest = target
    asked = tuple(t for t in rest if t.kind != "punct")
    told, left = answered(workflow, asked, Steps(workflow, turn.chosen, last_told(turn)))
    if told is None:
        return _not_understood(workflow, left)
    about = f"\n\nThat is **{workflow.name}** (`{workflow.id}`)."
    return Reply(told if at_hand is None or at_hand.id == workflow.id or workflow.name in told else told + about)


def _looked_up(turn: Turn, tokens: Tokens) -> Skill:
    """Answer of all workflows where none is at hand; a question about "it" asks which one."""
    words = [t for t in tokens if counts(t) and t.kind != "punct" and not t.among("catalogue.said")]
    if any(t.lower in PRONOUNS - {"one"} or t.is_("step", "approve", "approval") for t in tokens):
        return (yield from _asked_which(turn))
    if not words and not any(t.is_("many", "have", "there") for t in tokens):
        return Reply(spoken()["off_topic"])
    listed = (yield Call("list_workflows", {"limit": 100}))["workflows"]
    chosen = yield from catalogue.chosen_by(words, listed)
    has_filter = catalogue.has_filter(tokens)
    if words and not has_filter and chosen is not None and len(chosen[0]) == 1 and not chosen[2]:
        workflow = yield from read_workflow(turn, chosen[0][0]["id"])
        told, _ = answered(workflow, tuple(t for t in tokens if t.kind != "punct"), Steps(workflow))
        if told is not None:
            return Reply(f"{told}\n\nThat is **{workflow.name}** (`{workflow.id}`).")
    reply = yield from catalogue.answer(tokens, None)
    return Reply(spoken()["off_topic"]) if reply.text.startswith("I can't tell") else reply


def _asked_which(turn: Turn) -> Skill:
    yield from read_workflow(turn, None)
    return Reply(spoken()["off_topic"])


def _not_understood(workflow: Workflow, left: Sequence[Token]) -> Reply:
    words = f" (not {joined([f'“{clipped(t.text, 40)}”' for t in left[:5]])})" if left and len(left) < 6 else ""
    step = next((s for s in workflow.steps if s.type != "end" and s.id != workflow.start), workflow.steps[0])
    return Reply(
        f"I did not understand that question about **{workflow.name}**{words}, so I do not answer it.\n"
        f"You can ask, for example, “what happens after {step.name.rstrip('?')}?” or “who does what?”."
    )


def _target(turn: Turn, tokens: Tokens, text: str) -> Generator[Call, Any, tuple[Workflow, Tokens] | None]:
    """Return the workflow that a question is about, and the question without the words that say so."""
    at_hand = focus(turn)
    rest, name = changing.named_whole(tokens)
    if name and not all(t.lower in ("this", "that", "whole", "entire") or not counts(t) for t in name):
        phrase = text[name[0].start : name[-1].end]
        mine = at_hand is not None and all(t.lower in at_hand.name.casefold() for t in name if counts(t))
        return (yield from read_workflow(turn, None if mine else phrase)), rest
    settled = "" in turn.chosen or at_hand is not None
    own = (yield from read_workflow(turn, None)) if settled else None
    listed = (yield Call("list_workflows", {"limit": 100}))["workflows"]
    known = vocabulary_of(own) if own is not None else frozenset[str]()
    found = mention_in(tokens, listed, known, own.id if own is not None else None)
    if found is not None:
        if own is not None and own.id == found[0]:
            return own, found[1]
        return (yield from read_workflow(turn, found[0])), found[1]
    if own is None and len(listed) == 1:
        return (yield from read_workflow(turn, listed[0]["id"])), tokens
    return (own, tokens) if own is not None else None
