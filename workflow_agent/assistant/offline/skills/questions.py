"""Questions: about the workflow at hand from its graph, about the catalogue from what its tools list."""

from collections.abc import Generator, Sequence
from typing import Any

from workflow_agent.assistant.offline.clauses import counts
from workflow_agent.assistant.offline.inquiry import answered
from workflow_agent.assistant.offline.references import Steps
from workflow_agent.assistant.offline.skills import catalogue, changing
from workflow_agent.assistant.offline.skills.talk import spoken
from workflow_agent.assistant.offline.skills.targets import read_workflow
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.focus import focus, last_told
from workflow_agent.assistant.offline.turn.outcome import Call, Reply, Skill
from workflow_agent.assistant.offline.turn.reading import Turn
from workflow_agent.assistant.offline.wording.lists import clipped, joined
from workflow_agent.workflows.model.workflow import Workflow

_WHOLE = frozenset({"workflow", "process", "flow", "procedure", "pipeline"})
_MOST_READ = 25
_MOST_CHARS = 600


def answer(turn: Turn, text: str, otherwise: Skill | None = None) -> Skill:
    """Answer a question, for what of it was understood, and name the rest; deny only what was read wholly."""
    tokens = read_tokens(text[:_MOST_CHARS])
    if catalogue.is_about_all(tokens, is_open=focus(turn) is not None):
        return (yield from catalogue.answer(tuple(t for t in tokens if t.kind != "punct")))
    if focus(turn) is None and "" not in turn.chosen and _is_off_topic(tokens):
        if otherwise is not None:
            return (yield from otherwise)
        return (yield from _looked_up(tokens))
    workflow, rest = yield from _target(turn, tokens, text)
    asked = tuple(t for t in rest if t.kind != "punct")
    steps = Steps(workflow, turn.chosen, last_told(turn))
    told, left = answered(workflow, asked, steps)
    if told is None and otherwise is not None and focus(turn) is None:
        return (yield from otherwise)
    if told is None and (parts := _parted(asked)):
        answers = [answered(workflow, part, steps)[0] for part in parts]
        if all(answers):
            told = "\n\n".join(filter(None, answers))
    return _not_understood(workflow, left) if told is None else Reply(told)


def _parted(tokens: Tokens) -> list[Tokens]:
    """Return two questions in one: "who packs it and who hands it over?"."""
    for at in range(2, len(tokens) - 2):
        if tokens[at].is_("and") and tokens[at + 1].has("wh"):
            return [tokens[:at], tokens[at + 1 :]]
    return []


def _looked_up(tokens: Tokens) -> Generator[Call, Any, Reply]:
    """Look the words of a question up where no workflow is at hand; what nothing has is off the topic."""
    words = [t for t in tokens if counts(t) and not t.among("questions.looked_up.any")]
    sent = [t for t in tokens if t.is_("email", "slack")] or words
    if not sent:
        return Reply(spoken()["off_topic"])
    query = " ".join(t.text for t in sent)[:300]
    hits = (yield Call("search_workflows", {"query": query, "limit": 5}))["hits"]
    if not hits:
        return Reply(spoken()["off_topic"])
    lines = "\n".join(f"{at}. **{hit['name']}** (`{hit['id']}`)" for at, hit in enumerate(hits, 1))
    return Reply(f"No workflow is open. These come close, best first:\n\n{lines}\n\nWhich one do you mean?")


def _not_understood(workflow: Workflow, left: Sequence[Token]) -> Reply:
    words = f" (not {joined([f'“{clipped(t.text, 40)}”' for t in left[:5]])})" if left and len(left) < 6 else ""
    step = next((s for s in workflow.steps if s.type != "end" and s.id != workflow.start), workflow.steps[0])
    return Reply(
        f"I did not understand that question about **{workflow.name}**{words}, so I do not answer it.\n"
        f"You can ask, for example, “what happens after {step.name.rstrip('?')}?” or “who does what?”."
    )


def _target(turn: Turn, tokens: Tokens, text: str) -> Generator[Call, Any, tuple[Workflow, Tokens]]:
    """Return the workflow that a question is about, and the question without the words that say so."""
    at_hand = focus(turn)
    rest, name = changing.named_whole(tokens)
    if name and not all(t.lower in ("this", "that", "whole", "entire") or not counts(t) for t in name):
        phrase = text[name[0].start : name[-1].end]
        mine = at_hand is not None and all(t.lower in at_hand.name.casefold() for t in name if counts(t))
        return (yield from read_workflow(turn, None if mine else phrase)), rest
    listed = (yield Call("list_workflows", {"limit": 100}))["workflows"]
    for item in listed:
        for called in (item["name"], *item.get("aliases", ())):
            found = changing.without_mention(tokens, called)
            if found is not None:
                return (yield from read_workflow(turn, item["id"])), found
    return (yield from read_workflow(turn, None)), tokens


def _is_off_topic(tokens: Tokens) -> bool:
    return not any(t.lemma in _WHOLE or t.lemma in ("step", "it", "approve", "approval") for t in tokens)
