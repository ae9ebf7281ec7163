"""The edits of one message while they are worked out, each on the workflow as the ones before it left it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from workflow_agent.assistant.offline.clauses import counts, is_actor_word, roles
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.references import FRAME_WORDS, PRONOUNS, Steps, StepUnclear, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens, text_of
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.errors import InvalidInput
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.parser import slug, unique_id
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

WHOLE = frozenset({"workflow", "process", "flow", "procedure", "pipeline"})
JOINS = (",", "and", "&", "plus", "+", "/", ";")
_MOST_NAME_WORDS = 9
_MOST_ROLE_WORDS = 5
_NO_ROLE = word_set("plan.no_role")
_HUMAN = word_set("plan.human")
_REFUSED = re.compile(r"^Edit \d+ \(\w+\) was refused: ")
_SERVICES = {
    "email": "email.send",
    "e-mail": "email.send",
    "mail": "email.send",
    "slack": "slack.post_message",
    "sms": "sms.send",
}
_FIXED = ("end", "fork", "join", "decision")
"""Steps that have no value of their own."""


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
    kept: list[str] = field(default_factory=list[str])
    """Ids of steps that must stay."""
    is_also: bool = False
    """Whether the clause at hand says "also" or "too"."""
    is_after: bool = False
    """Whether the clause at hand tells what comes after the time that was just set."""
    superseded: list[JsonObject] = field(default_factory=list[JsonObject])
    """Edits that a later one of the same message took the place of."""
    resolved: dict[object, Step | StepUnclear] = field(default_factory=dict[object, Step | StepUnclear])
    """What words were found to mean, while the workflow stays as it is."""
    tries: int = 0
    """How many clauses were tried."""
    topic: list[str] = field(default_factory=list[str])
    """Ids of the steps that words before were about: "them"."""
    weighed: bool = False
    """Whether the message only asks what a change would be."""

    def do(self, *edits: JsonObject) -> None:
        """Add edits and apply them, so that what follows is read against the result.

        Raises:
            NotRead: The workflow refuses them; the text says why.
        """
        try:
            self.workflow = apply_edits(self.workflow, parse_edits(list(edits))).workflow
        except InvalidInput as refused:
            raise NotRead(_REFUSED.sub("", str(refused))) from refused
        self.edits += edits
        self.resolved.clear()
        last = self.steps.last
        for edit in edits:
            named: Any = edit.get("step", edit.get("from"))
            last = cast("JsonObject", named)["id"] if isinstance(named, dict) else named or last
        self.steps = Steps(self.workflow, self.steps.chosen, last)

    def said(self, tokens: Sequence[Token]) -> str:
        """Return words as they were written; a single quoted one without its quotes."""
        return tokens[0].text if len(tokens) == 1 else text_of(tokens, self.text)

    def step(self, tokens: Sequence[Token], *, valued: bool = False, with_ends: bool = True) -> Step:
        """Return the step that words mean, all of them.

        Args:
            tokens: What it is called.
            valued: Whether it is to get a value, which a decision or an end has not.
            with_ends: Whether an end may be meant.

        Raises:
            StepUnclear: None or several are meant.
        """
        said = tuple((t.kind, t.lower, t.possessive) for t in tokens)
        key = (id(self.steps), self.steps.last, valued, with_ends, said)
        if key not in self.resolved:
            try:
                self.resolved[key] = self._step(tokens, valued=valued, with_ends=with_ends)
            except StepUnclear as unclear:
                self.resolved[key] = unclear
        found = self.resolved[key]
        if isinstance(found, StepUnclear):
            raise found
        return found

    def _step(self, tokens: Sequence[Token], *, valued: bool, with_ends: bool) -> Step:
        words = [t for t in tokens if not t.has("aux", "neg") and t.kind != "punct"] or list(tokens)
        if any(t.is_content for t in words):
            words = [t for t in words if t.lower not in PRONOUNS or t.kind == "quoted"]
        try:
            found = self.steps.find(words, with_ends=with_ends)
            if valued and found.type in _FIXED:
                raise StepUnclear(found.name)
            return found
        except StepUnclear as unclear:
            some = [s for one in unclear.candidates if (s := self.workflow.step(one.id))]
            some = [s for s in some if not valued or s.type not in _FIXED]
            main = [
                s
                for s in some
                if any(e.type != "error" for e in self.workflow.incoming(s.id)) or s.id == self.workflow.start
            ]
            some = main if len(main) == 1 else some
            if len(some) > 1:
                first = {t.lower for t in words} | {t.lemma for t in words}
                heads = [s for s in some if {t.lower for t in read_tokens(s.name)[:1]} & first]
                some = heads if len(heads) == 1 else some
            if len(some) != 1:
                raise
            return some[0]

    def maybe(self, tokens: Sequence[Token], *, valued: bool = False) -> Step | None:
        """Return the step that words mean, or None where it is none, or may be several."""
        try:
            return self.step(tokens, valued=valued) if tokens else None
        except StepUnclear:
            return None

    def steps_in(self, tokens: Sequence[Token], *, valued: bool = False) -> list[Step]:
        """Return the steps of a list: "draft, review and publish"; "both reviews" are all that fit.

        Raises:
            StepUnclear: One of them is none, or may be several.
        """
        if self.topic and tokens and all(t.lower in PRONOUNS or t.is_("both", "two") for t in tokens):
            return [step for one in self.topic if (step := self.workflow.step(one))]
        pieces = listed(tokens)
        if len(pieces) > 1 and (whole := self.maybe(tokens, valued=valued)) and self.steps.is_named(tokens):
            return [whole]
        found: list[Step] = []
        for piece in pieces:
            try:
                found.append(self.step([t for t in piece if not t.is_("both")] or piece, valued=valued))
            except StepUnclear as several:
                if len(pieces) > 1 or len(several.candidates) != 2 or not any(t.is_("both", "all") for t in tokens):
                    raise
                found += [step for one in several.candidates if (step := self.workflow.step(one.id))]
        return found

    def is_role(self, tokens: Sequence[Token]) -> bool:
        """Say whether words name who does something: a known assignee, or a word for people."""
        words = [t for t in tokens if t.is_content and t.kind != "number"]
        if not words or any(t.text == "->" for t in tokens):
            return False
        if len(words) > _MOST_ROLE_WORDS or any(t.has("aux", "neg", "conj") for t in tokens):
            return False
        known = {one for s in self.workflow.steps if s.assignee for one in content_of(s.assignee.replace("_", " "))}
        if any(
            t.kind == "quoted" or (t.entry.verb and t.entry.form == "ing" and t.lower not in roles())
            for t in words[-1:]
        ):
            return False
        inner = [at for at, t in enumerate(tokens) if t.has("det") and any(one.is_content for one in tokens[:at])]
        if (
            inner
            or not tokens[-1].is_content
            or any(
                t.has("verb") and not t.has("noun", "adj") and t.entry.form != "ing" and not is_actor_word(t)
                for t in words
            )
        ):
            return False
        people = (content_of(s.assignee.replace("_", " ")) for s in self.workflow.steps if s.assignee)
        heads = {one[-1] for one in people if one}
        if words[-1].lower in heads:
            return True
        tail = [i for i, t in enumerate(words) if t.start < next((p.start for p in tokens if p.is_("of")), 1 << 30)]
        return is_actor_word(words[tail[-1] if tail else -1]) or all(
            t.lower in known or t.lemma in known for t in words
        )

    def role(self, tokens: Sequence[Token]) -> str:
        """Return who is meant by words, as an assignee is written.

        Raises:
            NotRead: The words name nobody.
        """
        if any(t.text in ("->", ":", "=") for t in tokens):
            raise NotRead
        words = [t for t in tokens if t.kind != "punct"]
        while len(words) > 1 and (words[0].has("det") or words[0].is_("only", "now")):
            words.pop(0)
        while len(words) > 1 and words[-1].among("plan.behind"):
            words.pop()
        content = [t for t in words if t.is_content]
        if not content or len(content) > _MOST_ROLE_WORDS or any(t.lower in _NO_ROLE for t in words):
            raise NotRead
        if any(t.has("aux", "neg", "conj", "wh", "pron", "filler") or t.kind == "number" for t in words) or content[
            -1
        ].is_("gone", "time"):
            raise NotRead
        if content[-1].among("plan.no_agent"):
            raise NotRead
        led = words[0].has("prep", "part") and not words[0].is_("on")
        if led or any(t.has("prep") and not t.is_("of", "in", "for", "on") for t in words):
            raise NotRead
        said = " ".join(t.text for t in words)
        known = {one.casefold(): one for s in self.workflow.steps for one in (s.assignee, s.escalate_to) if one}
        plain = said.casefold()
        titled = said.isupper() or words[0].kind == "quoted" or all(t.text[:1].isupper() for t in words)
        return known.get(plain) or known.get(plain.replace(" ", "_")) or (said if titled else said.lower())

    def new_id(self, name: str) -> str:
        """Return a free id made from a name."""
        return unique_id(slug(name), [step.id for step in self.workflow.steps])

    def draft(self, tokens: Sequence[Token], who: str | None = None) -> JsonObject:
        """Return the new step that words name, with an id.

        Raises:
            NotRead: They are no name for a step.
        """
        words = [t for t in tokens if t.kind not in ("bullet", "break")]
        while words and words[-1].kind == "punct":
            words.pop()
        quoted = [t for t in words if t.kind == "quoted"]
        if len(quoted) == 1 and len(words) > 1 and not any(counts(t) for t in words if t is not quoted[0]):
            words = quoted
        if (
            not any(t.is_content for t in words)
            or len(words) > _MOST_NAME_WORDS
            or any(t.kind == "punct" and t.text not in "-/'&%" for t in words)
            or (
                all(t.lower in PRONOUNS or t.lemma in FRAME_WORDS for t in words if t.kind != "quoted" or not words)
                and not quoted
            )
        ):
            raise NotRead
        name = self.said(words)
        if " - " in name:
            raise NotRead
        return self.draft_named(name if len(words) == 1 and quoted else titled(name), who)

    def draft_named(self, name: str, who: str | None = None) -> JsonObject:
        """Return a new step with a name; who does it may follow from the name: "Legal review"."""
        tokens = [t for t in read_tokens(name) if t.kind == "word"]
        lemmas = {t.lemma for t in tokens} | {t.lower for t in tokens}
        is_human = not lemmas.isdisjoint(_HUMAN)
        known = {(step.assignee or "").casefold() for step in self.workflow.steps}
        names = bool(tokens) and (is_actor_word(tokens[0]) or tokens[0].lower in known)
        if who is None and len(tokens) > 1 and is_human and names:
            who = tokens[0].text if tokens[0].text.isupper() and len(tokens[0].text) < 5 else tokens[0].lower
        draft: JsonObject = {"id": self.new_id(name), "name": name, "type": "human" if who or is_human else "action"}
        service = next((service for word, service in _SERVICES.items() if word in lemmas), None)
        if who is not None:
            return draft | {"assignee": who}
        return draft | ({"type": "action", "uses": service} if service else {})


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


def at_end(plan: Plan) -> JsonObject:
    """Return the place behind the last step that does something and leads to a good end.

    Raises:
        Asked: There is more than one.
    """
    all_ends = [s for s in plan.workflow.steps if s.type == "end"]
    ends = [s for s in all_ends if s.outcome in (None, "ok")] or all_ends
    if len(ends) == 1 and plan.workflow.incoming(ends[0].id):
        return {"before": ends[0].id}
    last = [s for s in plan.workflow.steps if s.type != "end" and not plan.workflow.outgoing(s.id)]
    if len(last) == 1:
        return {"after": last[0].id}
    if ends:
        return {"before": ends[0].id}
    raise Asked("There is more than one end. Where does it go?")
