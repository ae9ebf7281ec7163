"""The edits of one message while they are worked out, each on the workflow as the ones before it left it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from workflow_agent.assistant.offline.clauses import Clause, Part, counts, is_actor_word, parted, roles
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.references import FRAME_WORDS, PRONOUNS, Steps, StepUnclear, content_of, phrase_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens, text_of
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.errors import InvalidInput
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.parser import slug, unique_id
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

_MOST_NAME_WORDS = 8
_BEHIND = word_set("plan.behind")
_NO_ROLE = word_set("plan.no_role")
_SERVICES = {
    "email": "email.send",
    "e-mail": "email.send",
    "mail": "email.send",
    "notification": None,
    "slack": "slack.post_message",
    "sms": "sms.send",
}
_HUMAN = word_set("plan.human")
_ARTICLES = word_set("plan.articles")


class NotRead(Exception):
    """A clause is no order that can be read; the text says what is missing, where that is known."""


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
    previous: Clause | None = None

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
        last = self.steps.last
        for edit in edits:
            named = edit.get("step", edit.get("from"))
            last = _id_of(named) or last
        self.steps = Steps(self.workflow, self.steps.chosen, last)

    def said(self, tokens: Sequence[Token]) -> str:
        """Return words as they were written; a single quoted one without its quotes."""
        if len(tokens) == 1:
            return tokens[0].text
        return text_of(tokens, self.text)

    def step(self, clause: Clause, tokens: Sequence[Token]) -> Step:
        """Return the step that words mean, all of them then read.

        Raises:
            StepUnclear: None or several are meant.
        """
        found = self.steps.find(tokens)
        clause.use(t for t in tokens if t.is_content or not counts(t))
        self.steps.last = found.id
        return found

    def steps_in(self, clause: Clause, tokens: Sequence[Token]) -> list[Step]:
        """Return the steps of a list: "draft, review and publish"; "both reviews" are all that fit.

        Raises:
            StepUnclear: One of them is none, or may be several.
        """
        whole = self.steps.maybe(tokens)
        if whole is not None and self.steps.is_named(tokens):
            clause.use(tokens)
            return [whole]
        pieces = listed(tokens)
        if len(pieces) == 1 and any(token.is_("both", "all") for token in tokens):
            try:
                return [self.step(clause, tokens)]
            except StepUnclear as several:
                if len(several.candidates) > 1:
                    clause.use(tokens)
                    return [step for one in several.candidates if (step := self.workflow.step(one.id))]
                raise
        return [self.step(clause, piece) for piece in pieces]

    def new_id(self, name: str) -> str:
        """Return a free id made from a name."""
        return unique_id(slug(name), [step.id for step in self.workflow.steps])

    def role(self, clause: Clause, tokens: Sequence[Token]) -> str:
        """Return who is meant by words, as an assignee is written.

        Raises:
            NotRead: The words name nobody.
        """
        words = [t for t in tokens if t.kind != "punct" and t.lower not in _ARTICLES]
        while len(words) > 1 and words[-1].lower in _BEHIND:
            words.pop()
        content = [t for t in words if t.is_content]
        if not content or len(content) > 4 or all(t.lower in _NO_ROLE for t in words):
            raise NotRead
        if any(t.kind == "punct" for t in tokens[:-1]) or any(t.is_("gone", "away", "leave") for t in words):
            raise NotRead
        clause.use(tokens)
        said = " ".join(t.text for t in words)
        known = {(s.assignee or "").casefold(): s.assignee for s in self.workflow.steps if s.assignee}
        return known.get(said.casefold()) or (
            said if said.isupper() or words[0].kind == "quoted" or _is_name(words) else said.lower()
        )

    def is_role(self, tokens: Sequence[Token]) -> bool:
        """Say whether words name who does something: a known assignee, or a word for people."""
        words = [t for t in tokens if t.is_content and t.kind != "number"]
        if not words or len(words) > 4:
            return False
        known = {one for s in self.workflow.steps if s.assignee for one in content_of(s.assignee)}
        if any(t.kind == "quoted" or (t.entry.verb and t.entry.form == "ing") for t in words):
            return False
        return is_actor_word(words[-1]) or all(w.lower in known for w in words)

    def draft(self, clause: Clause, tokens: Sequence[Token], who: str | None = None) -> JsonObject:
        """Return the new step that words name, with an id.

        Raises:
            NotRead: They are no name for a step.
        """
        name_tokens = self._name_in(clause, tokens)
        for at in range(1, min(4, len(name_tokens) - 1)) if who is None else ():
            verb = name_tokens[at]
            does = "s" in verb.entry.form.split()
            if does and self.is_role(name_tokens[:at]) and name_tokens[at + 1].has("det", "pron"):
                who = self.role(clause, name_tokens[:at])
                clause.use(tokens)
                return self.draft_named(_titled(f"{verb.entry.verb} {self.said(name_tokens[at + 1 :])}"), who)
        name = self.said(name_tokens)
        words = [t for t in name_tokens if t.kind != "punct"]
        if (
            not words
            or len(words) > _MOST_NAME_WORDS
            or not any(t.is_content or t.kind == "quoted" for t in words)
            or any(t.text == ":" for t in name_tokens)
        ):
            raise NotRead
        said = name_tokens if self.steps.is_named(name_tokens) else name_tokens[1:]
        meant = self.steps.maybe(said) if said else None
        if meant is not None and self.steps.is_named(said):
            self.notes.append(f"there is “{meant.name}” already, so that there would be two")
        clause.use(tokens)
        quoted = len(name_tokens) == 1 and name_tokens[0].kind == "quoted"
        name = name if quoted else _titled(name)
        return self.draft_named(name, who)

    def draft_named(self, name: str, who: str | None = None) -> JsonObject:
        """Return a new step with a name; who does it may follow from the name: "Legal review"."""
        tokens = [t for t in read_tokens(name) if t.kind == "word"]
        lemmas = {t.lemma for t in tokens} | {t.lower for t in tokens}
        if (
            who is None
            and len(tokens) > 1
            and (tokens[0].lower in roles() or self.is_role(tokens[:1]))
            and not lemmas.isdisjoint(_HUMAN)
        ):
            who = tokens[0].text if tokens[0].text.isupper() and len(tokens[0].text) < 5 else tokens[0].lower
        draft: JsonObject = {"id": self.new_id(name), "name": name, "type": "action"}
        service = next((service for word, service in _SERVICES.items() if word in lemmas and service), None)
        if who is not None:
            draft |= {"type": "human", "assignee": who}
        elif service is not None:
            draft["uses"] = service
        elif not lemmas.isdisjoint(_HUMAN):
            draft["type"] = "human"
        return draft

    def _name_in(self, clause: Clause, tokens: Sequence[Token]) -> Tokens:
        """Return the words that name a new step: the quoted ones, else all without article and "step"."""
        quoted = [t for t in tokens if t.kind == "quoted"]
        if len(quoted) == 1:
            clause.use(tokens[:0])
            others = [t for t in tokens if t.kind == "word" and t.is_content and t.lemma not in FRAME_WORDS]
            if others and not all(t.lower in _ARTICLES for t in others):
                raise NotRead
            clause.use(tokens)
            return (quoted[0],)
        kept = list(tokens)
        while kept and (kept[0].lower in _ARTICLES or kept[0].kind == "punct"):
            kept.pop(0)
        if len(kept) > 1 and kept[-1].lemma in ("step", "task", "stage", "activity", "node"):
            kept.pop()
        if len(kept) > 1 and kept[0].lemma in ("step", "task", "stage", "activity", "node"):
            kept.pop(0)
            while kept and (kept[0].kind == "punct" or kept[0].is_("to", "for", "that", "which", "where")):
                kept.pop(0)
        if kept and all(t.lower in PRONOUNS or t.lemma in FRAME_WORDS for t in kept):
            raise NotRead
        return tuple(kept)


def _id_of(named: Any) -> str | None:
    """Return the id of a step that an edit names, or brings along."""
    if isinstance(named, str):
        return named
    return cast("JsonObject", named)["id"] if isinstance(named, dict) else None


_REFUSED = re.compile(r"^Edit \d+ \(\w+\) was refused: ")


def _is_name(words: Sequence[Token]) -> bool:
    return all(word.text[:1].isupper() for word in words)


def _titled(name: str) -> str:
    text = " ".join(name.split()).strip(" ,.;:!?")
    return text[:1].upper() + text[1:]


def listed(tokens: Sequence[Token]) -> list[Tokens]:
    """Return the items of "a, b and c"."""
    items: list[list[Token]] = [[]]
    for token in tokens:
        if token.is_("and", "&", ",", "plus") or token.text in (",", "&", "+", "/"):
            items.append([])
        elif not (token.is_("both") and not items[-1]):
            items[-1].append(token)
    return [tuple(item) for item in items if item]


def place_of(plan: Plan, clause: Clause) -> JsonObject | None:
    """Return where a clause puts something, as the fields of an edit; None where it does not say.

    Raises:
        StepUnclear: The place names a step that is none, or may be several.
    """
    if (between := clause.part("between")) is not None:
        ends = listed(between.tokens)
        if len(ends) != 2:
            raise StepUnclear(phrase_of(between.tokens))
        clause.use_part(between)
        return {"between": [plan.step(clause, end).id for end in ends]}
    for part in clause.parts:
        if part.marker in ("before", "after"):
            anchor = _anchor(plan, clause, part)
            clause.use_part(part)
            return {part.marker: anchor.id}
    if (part := clause.part("start")) is not None:
        clause.use(part.mark)
        _of_whole(clause, part)
        return {"before": plan.workflow.start}
    if (part := clause.part("end")) is not None:
        clause.use(part.mark)
        _of_whole(clause, part)
        return at_end(plan)
    return None


def _of_whole(clause: Clause, part: Part) -> None:
    if all(not token.is_content or token.lemma in ("workflow", "process", "flow") for token in part.tokens):
        clause.use(part.tokens)


_DONE = word_set("plan.done")


def _anchor(plan: Plan, clause: Clause, part: Part) -> Step:
    """Return the step that a place names, also as "once the review is done" or "before we sign"."""
    tokens = list(part.tokens)
    while tokens and (tokens[-1].lemma in _DONE or (tokens[-1].is_("have", "has", "step") and len(tokens) > 1)):
        tokens.pop()
    while len(tokens) > 1 and tokens[0].lower in ("we", "they", "you", "it", "i", "the"):
        tokens.pop(0)
    tokens = (
        [t for t in tokens if not t.has("aux", "pron") or t.lower in PRONOUNS]
        if any(t.is_content for t in tokens)
        else tokens
    )
    clause.use(t for t in part.tokens if t.has("aux", "pron") or t.lemma in _DONE)
    words = tuple(tokens) or part.tokens
    if not words:
        return _other_side(plan, part.marker)
    if any(t.is_content for t in words) and any(t.lower in PRONOUNS for t in words):
        words = tuple(t for t in words if t.lower not in PRONOUNS)
    if [t.lower for t in words if t.kind == "word"] == ["start"] or [t.lower for t in words] == ["everything"]:
        clause.use(part.tokens)
        return next(s for s in plan.workflow.steps if s.id == plan.workflow.start)
    try:
        if (part.marker == "after" and not plan.steps.is_named(words)) or any(
            t.lower in ("is", "has", "been", "was") for t in part.tokens
        ):
            try:
                found = plan.steps.find(words, with_ends=False)
            except StepUnclear:
                return plan.step(clause, words)
            clause.use(words)
            return found
        return plan.step(clause, words)
    except StepUnclear as unclear:
        if unclear.candidates or len(words) < 2:
            raise
        found = [
            s for s in plan.workflow.steps if s.assignee and phrase_of(read_tokens(s.assignee)) == phrase_of(words)
        ]
        if len(found) == 1:
            clause.use(words)
            return found[0]
        raise


def _other_side(plan: Plan, marker: str) -> Step:
    """Return the neighbour that "make that after" means, said of the step spoken of last."""
    last = plan.steps.last or ""
    ways = (
        [e.to for e in plan.workflow.outgoing(last)]
        if marker == "after"
        else [e.from_ for e in plan.workflow.incoming(last)]
    )
    found = plan.workflow.step(ways[0]) if len(ways) == 1 else None
    if found is None:
        raise StepUnclear("")
    return found


def at_end(plan: Plan) -> JsonObject:
    """Return the place behind the last step that does something and leads to a good end.

    Raises:
        Asked: There is more than one.
    """
    ends = [s for s in plan.workflow.steps if s.type == "end" and s.outcome in (None, "ok")] or [
        s for s in plan.workflow.steps if s.type == "end"
    ]
    if ends:
        entering = {edge.from_ for end in ends[:1] for edge in plan.workflow.incoming(end.id)}
        if len(ends) == 1 and entering:
            return {"before": ends[0].id}
    last = [s for s in plan.workflow.steps if s.type != "end" and not plan.workflow.outgoing(s.id)]
    if len(last) == 1:
        return {"after": last[0].id}
    if ends:
        return {"before": ends[0].id}
    raise Asked("There is more than one end. Where does it go?")


def object_and_name(tokens: Sequence[Token], mask: frozenset[int]) -> tuple[Tokens, Tokens]:
    """Return what stands in front of "called" and the name behind it."""
    before, parts = parted(tokens, mask)
    named = next((part for part in parts if part.marker == "called"), None)
    return (before, named.tokens) if named else (tuple(tokens), ())
