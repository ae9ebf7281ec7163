"""The edits of one message while they are worked out, each on the workflow as the ones before it left it."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.people import is_somebody, written
from workflow_agent.assistant.offline.references import PRONOUNS, Candidate, Steps, StepUnclear, phrase_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens, text_of
from workflow_agent.assistant.offline.turn.outcome import REFUSED, JsonObject
from workflow_agent.errors import InvalidInput
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.parser import slug, unique_id
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

WHOLE = frozenset({"workflow", "process", "flow", "procedure", "pipeline"})
JOINS = (",", "and", "&", "plus", "+", "/", ";")
_HUMAN = word_set("plan.human")
SERVICES: Final = {
    "email": "email.send",
    "e-mail": "email.send",
    "mail": "email.send",
    "slack": "slack.post_message",
    "sms": "sms.send",
}
"""What sends a message of each kind."""


class NotRead(Exception):
    """Words are no order that can be read; the text says why, where that is known."""


class Asked(Exception):
    """An order lacks something that only the person knows."""

    def __init__(self, question: str, before: str = "", after: str = "") -> None:
        super().__init__(question)
        self.question, self.before, self.after = question, before, after


@dataclass(slots=True)
class Plan:
    """The edits so far and the workflow as they leave it."""

    text: str
    """The message, for the words as they were written."""
    workflow: Workflow
    steps: Steps
    edits: list[JsonObject] = field(default_factory=list[JsonObject])
    unread: list[str] = field(default_factory=list[str])
    """Words that belong to nothing understood."""
    notes: list[str] = field(default_factory=list[str])
    """What was decided without being said: each makes the change a preview."""
    guesses: list[str] = field(default_factory=list[str])
    """What was decided without being said, and is told beside the change where that is probable enough."""
    asides: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    """What is told beside the order and orders nothing, with where it stands in the message."""
    reasons: list[str] = field(default_factory=list[str])
    """Those of them that were taken for why the order is given."""
    likened: dict[str, tuple[str, float]] = field(default_factory=dict[str, tuple[str, float]])
    """Words that were taken for a step by what they mean, and no name: the step's name, and how probable it is."""
    told: list[str] = field(default_factory=list[str])
    """What was decided without being said and is told beside the change, as it is most probably right."""
    slotted: set[int] = field(default_factory=set[int])
    """Where words begin that fill a slot of the order, and do not say what is ordered."""

    def do(self, *edits: JsonObject) -> None:
        """Add edits and apply them, so that what follows is read against the result.

        Raises:
            NotRead: The workflow refuses them; the text says why.
        """
        try:
            self.workflow = apply_edits(self.workflow, parse_edits(list(edits))).workflow
        except InvalidInput as refused:
            raise NotRead(REFUSED.sub("", str(refused))) from refused
        timed = {str(edit["step"]) for edit in self.edits if edit["op"] == "set_timeout" and edit["timeout"]}
        if any(
            edit["op"] == "set_timeout" and edit["timeout"] is None and str(edit["step"]) in timed for edit in edits
        ):
            # "A deadline of 3 days and no deadline".
            raise NotRead("it would get a time and none")
        again = {(edit["op"], str(edit.get("step"))) for edit in edits if edit["op"] in ("set_timeout", "set_assignee")}
        # "It takes 4 days, make it 2": the later value counts.
        kept = [edit for edit in self.edits if (edit["op"], str(edit.get("step"))) not in again]
        self.edits = [*kept, *edits]
        last = self.steps.last
        for edit in edits:
            last = step_of(edit) or cast("str | None", edit.get("from")) or last
        self.steps = Steps(self.workflow, self.steps.chosen, last)

    def said(self, tokens: Sequence[Token]) -> str:
        """Return words as they were written; a single quoted one without its quotes."""
        if len(tokens) == 1:
            return tokens[0].text
        gaps = (self.text[one.end : other.start] for one, other in itertools.pairwise(tokens))
        if any(char.isalnum() for gap in gaps for char in gap):
            # Words were taken out of the middle: a place, or who does it.
            return " ".join(t.text for t in tokens)
        return text_of(tokens, self.text)

    def going_on(self, words: str) -> str:
        """Return the message with words behind it in place of its end mark, for an answer to go on with."""
        return f"{self.text.rstrip(' .!?')}{words} "

    def without_reasons(self, tokens: Sequence[Token]) -> Tokens:
        """Return the tokens of the message without what was taken for why it is ordered, and without slots."""
        beside = [range(*self.asides[reason]) for reason in self.reasons]
        return tuple(t for t in tokens if t.start not in self.slotted and not any(t.start in one for one in beside))

    def fits(self, tokens: Sequence[Token]) -> list[Step]:
        """Return the steps that words may mean, all of them: none, one, or those that fit equally well."""
        words = [t for t in tokens if not t.has("aux", "neg") and t.kind != "punct"] or list(tokens)
        if any(t.is_content for t in words):
            words = [t for t in words if t.lower not in PRONOUNS or t.kind == "quoted"]
        return self._likely(words, self.steps.fits(words)) if words else []

    def _likely(self, words: Sequence[Token], some: list[Step]) -> list[Step]:
        """Return of several steps the one that is no mere error path, or whose first word is said."""
        if len(some) < 2:
            return some
        flow = [
            s
            for s in some
            if s.id == self.workflow.start or any(e.type != "error" for e in self.workflow.incoming(s.id))
        ]
        some = flow if len(flow) == 1 else some
        said = {t.lower for t in words} | {t.lemma for t in words}
        heads = [s for s in some if {t.lower for t in read_tokens(s.name)[:1]} & said]
        return heads if len(heads) == 1 else some

    def step(self, tokens: Sequence[Token]) -> Step:
        """Return the one step that words mean.

        Raises:
            StepUnclear: None or several are meant.
            NotRead: It is the one spoken of, and nothing was.
        """
        if not any(t.is_content for t in tokens) and any(t.lower in PRONOUNS for t in tokens):
            spoken = self.workflow.step(self.steps.last or "")
            if spoken is None:
                raise NotRead
            return spoken
        found = self.fits(tokens)
        if len(found) != 1:
            raise StepUnclear(phrase_of(tokens) if tokens else "", [Candidate(s.id, s.name) for s in found])
        return found[0]

    def maybe(self, tokens: Sequence[Token]) -> Step | None:
        """Return the one step that words mean, or None where it is none, or may be several."""
        try:
            return self.step(tokens) if tokens else None
        except (StepUnclear, NotRead):
            return None

    def new_id(self, name: str) -> str:
        """Return a free id made from a name."""
        return unique_id(slug(name), [step.id for step in self.workflow.steps])

    def approval_by(self, who: str) -> JsonObject:
        """Return a new step in which somebody approves."""
        said = next((t.text for t in read_tokens(self.text) if t.lower == who and t.text.isupper()), who)
        return self.draft_named(f"{titled(said.replace('_', ' '))} approval", who) | {"type": "human", "assignee": who}

    def draft_named(self, name: str, who: str | None = None) -> JsonObject:
        """Return a new step with a name; who does it may follow from the name: "Legal review"."""
        tokens = [t for t in read_tokens(name) if t.kind == "word"]
        lemmas = {t.lemma for t in tokens} | {t.lower for t in tokens}
        is_human = not lemmas.isdisjoint(_HUMAN)
        if who is None and len(tokens) > 1 and is_human and is_somebody(self.workflow, tokens[:1]):
            who = written(self.workflow, (tokens[0],)) if not tokens[0].text.isupper() else tokens[0].text
            who = who if who.isupper() else who.lower()
        draft: JsonObject = {"id": self.new_id(name), "name": name, "type": "human" if who or is_human else "action"}
        service = next((service for word, service in SERVICES.items() if word in lemmas), None)
        if who is not None:
            return draft | {"assignee": who}
        return draft | ({"type": "action", "uses": service} if service else {})


def step_of(edit: JsonObject) -> str | None:
    """Return the id of the step that an edit is about, or of the one that it makes."""
    named: Any = edit.get("with") or edit.get("step")
    return cast("JsonObject", named)["id"] if isinstance(named, dict) else named


def taken_for(said: str, name: str) -> str:
    """Return that words were taken for a step."""
    return f"I took “{said}” for **{name}**"


def titled(name: str) -> str:
    """Return a name with a capital in front, without marks around it."""
    text = " ".join(name.split()).strip(" ,.;:!?")
    return text[:1].upper() + text[1:]


def listed(tokens: Sequence[Token]) -> list[Tokens]:
    """Return the items of "a, b and c"."""
    items: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind != "quoted" and (token.is_(*JOINS) or token.text in JOINS):
            items.append([])
        else:
            items[-1].append(token)
    return [tuple(item) for item in items if any(t.kind != "punct" for t in item)]
