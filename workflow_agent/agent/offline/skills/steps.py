"""Finding the step of a workflow that a phrase means."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workflow_agent.agent.offline.intents.numbers import listed, number_of, ordinal_of, unquoted
from workflow_agent.agent.offline.intents.stems import content_words, phrase_score, stem
from workflow_agent.agent.offline.turn.outcome import Candidate
from workflow_agent.domain.workflow import Step, Workflow

PRONOUNS = frozenset({
    "it", "that", "this", "that one", "this one", "them", "that step", "this step", "the step", "the new one",
    "the new step", "the same step", "the one", "the same one", "the step you added",
    "the step you just added",     "the one you added", "the one you just added", "the last one you added",
})  # fmt: skip
_NUMBERED = re.compile(r"(?:the )?(?:(?:step|number|no\.?|#|task|stage)\s*#?)+\s*(\d{1,3}|[a-z]+)")
_ORDINAL = re.compile(
    r"(?:the )?(?:very )?(\w+?)(?:st|nd|rd|th)?(?: (?:step|one|task|stage|thing|box|node))?"
)
_LAST = re.compile(
    r"(?:the )?(?:very )?(second to last|last but one|second-to-last|penultimate|last|final|"
    r"latest)(?: (?:step|one|task|stage|thing))?"
)
_KINDS = {
    "human": "human",
    "manual": "human",
    "automatic": "action",
    "automated": "action",
    "waiting": "wait",
}
_EVERY = re.compile(
    rf"(?:every|each|all)(?: of)?(?: the)?(?: single)?(?: ({'|'.join(_KINDS)}))? (?:step|task|action)s?"
)
_PASSIVE = re.compile(
    r"(?<=\w) (?:(?:has|have|had|is|are|was|were|gets?|got)|'s|'ve)"
    r"(?: been| being| already)* (\w+(?:ed|en|t|d|n))$",
    re.IGNORECASE,
)
_TURN_OF = re.compile(
    r"(?:the |our )?([\w ]{2,40}?) (?:sees?|saw|gets?|got|reads?|review(?:s|ed)?|handled?s?|does|do|did|"
    r"approved?s?|sign(?:s|ed)?|decided?s?|check(?:s|ed)?|starts?|begins?|receives?|"
    r"look(?:s|ed)? at|works? on|has|have|"
    r"takes?|finish(?:es|ed)?|is done|are done)"
    r"(?: (?:it|this|that|them|on it|with it|over))?",
    re.IGNORECASE,
)
_OVER = re.compile(
    r" (?:has |have |is |are |was |were )?(?:passed|finished|done|completed?|over|ready|through)$"
)
"""Says only that a step is behind one."""
_BEFORE_LAST = frozenset({"second to last", "last but one", "second-to-last", "penultimate"})
_NEAR = 0.04
"""Scores closer than this are equally good."""
_FAR = 0.15
"""How much better an end must fit than any work, to be meant."""
_GOOD = 0.5
_SURELY = 0.8


class StepUnclear(Exception):
    """A phrase means several steps equally well, or none (no candidates)."""

    def __init__(self, phrase: str, candidates: Iterable[Candidate] = ()) -> None:
        super().__init__(phrase)
        self.phrase = phrase
        self.candidates = tuple(candidates)


@dataclass(frozen=True)
class Known:
    """What can be said about a step to mean it."""

    id: str
    name: str
    assignee: str = ""
    type: str = "action"
    marks: tuple[str, ...] = ()
    """Other words for it: what it uses, what may be done in it."""


@dataclass
class StepFinder:
    """Finds steps by id, name, number, role or likeness; remembers the last one found, for "it"."""

    steps: list[Known]
    last: str | None = None
    chosen: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the person already settled: a phrase, and the step it means."""

    @classmethod
    def of(
        cls, workflow: Workflow, *, last: str | None = None, chosen: Mapping[str, str] | None = None
    ) -> "StepFinder":
        """Return a finder over the steps of a workflow."""
        known = [_known(workflow, step) for step in workflow.steps]
        return cls(known, last if workflow.step(last or "") else None, chosen or {})

    def find(self, phrase: str) -> str:
        """Return the id of the step a phrase means.

        Raises:
            StepUnclear: Several fit equally well, or none does.
        """
        found = self._pinned(phrase) or self._likely(phrase)
        self.last = found
        return found

    def find_all(self, phrase: str) -> list[str]:
        """Return the ids of the steps a phrase like "A, B and C" or "every human step" means."""
        if match := _EVERY.fullmatch(unquoted(phrase).lower()):
            return [step.id for step in self.steps if _is_of(step, match[1])]
        try:
            return [self.find(phrase)]
        except StepUnclear as unclear:
            parts = listed(phrase)
            if len(parts) < 2 or (unclear.candidates and not all(content_words(part) for part in parts)):
                raise
        return [self.find(part) for part in parts]

    def is_surely(self, step_id: str, phrase: str) -> bool:
        """Say whether a phrase that tells what is done is a step's own name in other forms."""
        step = next(one for one in self.steps if one.id == step_id)
        names = [step.name, step.id.replace("_", " ")]
        return unquoted(phrase).lower() in PRONOUNS or phrase_score(phrase, names) >= _SURELY

    def _pinned(self, phrase: str) -> str | None:
        """Return the step a phrase names exactly: settled before, an id, a name, a pronoun, a number."""
        wanted = unquoted(phrase).lower()
        if phrase.lower() in self.chosen and any(s.id == self.chosen[phrase.lower()] for s in self.steps):
            return self.chosen[phrase.lower()]
        bare = re.sub(r"^(?:the|our|my|that|this) |(?: step| task| stage)$", "", wanted)
        for step in self.steps:
            if wanted in (step.id, step.name.lower()) or bare == step.name.lower():
                return self._only_one_named(step, phrase)
        for step in self.steps:
            if bare == step.id and not self._fits_another(step, bare):
                return step.id
        if wanted in PRONOUNS and self.last:
            return self.last
        return self._numbered(wanted)

    def _sharing(self, phrase: str) -> list[Known]:
        """Return the steps whose names all hold a phrase: an id that is the phrase decides nothing there."""
        words = set(content_words(phrase))
        sharing = [step for step in self.steps if words <= set(content_words(step.name))]
        return sharing if len(sharing) > 1 else []

    def _fits_another(self, step: Known, phrase: str) -> bool:
        """Say whether "the review", which is a step's id, is part of another step's name as well."""
        return any(phrase_score(phrase, [other.name]) >= _GOOD for other in self.steps if other is not step)

    def _only_one_named(self, step: Known, phrase: str) -> str:
        same = [other for other in self.steps if other.name.lower() == step.name.lower()]
        if len(same) > 1 and unquoted(phrase).lower() != step.id:
            raise StepUnclear(phrase, _candidates(same))
        return step.id

    def _numbered(self, wanted: str) -> str | None:
        work = [step for step in self.steps if step.type != "end"]
        if (match := _LAST.fullmatch(wanted)) and work:
            return work[-2 if match[1] in _BEFORE_LAST and len(work) > 1 else -1].id
        number = None
        if match := _NUMBERED.fullmatch(wanted):
            number = number_of(match[1])
        elif match := _ORDINAL.fullmatch(wanted):
            number = ordinal_of(match[1]) or ordinal_of(wanted.removeprefix("the ").split(" ")[0])
        return work[number - 1].id if number and number <= len(work) else None

    def _likely(self, phrase: str) -> str:
        wanted = unquoted(phrase)
        shared = self._sharing(wanted)
        for related in (False, True):
            scored = [
                (phrase_score(wanted, _names(step, related, by_id=step not in shared), related=related), step)
                for step in self.steps
            ]
            best = max((score for score, _ in scored), default=0.0)
            if best >= _GOOD:
                # "before paying" means the step that pays, not the end called Paid.
                work = max((score for score, step in scored if step.type != "end"), default=0.0)
                best = work if work >= max(_GOOD, best - _FAR) else best
                close = [step for score, step in scored if score >= best - _NEAR]
                close = [step for step in close if step.type != "end"] or close
                if len(close) == 1:
                    return close[0].id
                raise StepUnclear(phrase, _candidates(close))
        over = _OVER.sub("", phrase)
        return self._by_who(phrase) or (self.find(over) if over != phrase else self._done(phrase))

    def _by_who(self, phrase: str) -> str | None:
        """Return the only step of whom a clause says that it is their turn: "the manager sees it"."""
        match = _TURN_OF.fullmatch(unquoted(phrase))
        who = content_words(match[1]) if match else []
        theirs = [one.id for one in self.steps if one.assignee and who and content_words(one.assignee) == who]
        return theirs[0] if len(theirs) == 1 else None

    def _done(self, phrase: str) -> str:
        """Return the step that a clause says is done, by its verb alone: "the parcel has been booked"."""
        match = _PASSIVE.search(unquoted(phrase))
        verb = stem(match[1].lower()) if match else ""
        found = [one for one in self.steps if verb and one.type != "end" and _verb_of(one) == verb]
        if len(found) == 1:
            return found[0].id
        raise StepUnclear(phrase, _candidates(found))


def _verb_of(step: Known) -> str:
    return stem(content_words(step.name)[0])


def _known(workflow: Workflow, step: Step) -> Known:
    marks = [step.uses or "", step.description or "", step.event or ""]
    marks += [edge.action or "" for edge in workflow.outgoing(step.id)]
    return Known(step.id, step.name, step.assignee or "", step.type, tuple(mark for mark in marks if mark))


def _is_of(step: Known, kind: str | None) -> bool:
    return step.type != "end" and (kind is None or step.type == _KINDS[kind])


def _names(step: Known, related: bool, *, by_id: bool) -> list[str]:
    owned = [f"{step.assignee} {step.name}", step.assignee] if step.assignee else []
    ids = [step.id.replace("_", " ")] if by_id else []
    return [step.name, *ids, *owned, *(step.marks if related else ())]


def _candidates(steps: Iterable[Known]) -> list[Candidate]:
    return [Candidate(step.id, step.name) for step in steps]
