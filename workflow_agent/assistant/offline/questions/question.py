"""What the words of a question mean in the workflow: steps, people, ends, cases and amounts."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from workflow_agent.assistant.offline.lexicon import entry_of, nearest, word_set
from workflow_agent.assistant.offline.nlu.encoder import step_encoder
from workflow_agent.assistant.offline.nlu.tagging import step_words, words_of
from workflow_agent.assistant.offline.questions.reading import Asked
from workflow_agent.assistant.offline.questions.steps import is_named
from workflow_agent.assistant.offline.references import (
    PRONOUNS,
    Candidate,
    Steps,
    akin,
    content_of,
    families,
    phrase_of,
    stems,
)
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.walks import WAYS_THROUGH, holds
from workflow_agent.assistant.offline.wording import condition_of, denies, in_walking_order, is_bad_outcome, roles_of
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

Words = Sequence[Token]
_NEGATING = ("un", "in", "im", "dis", "non", "ir", "not")
_MOST_MEANT = 3
"""Steps that words may mean; more are no answer."""
_SURE, _LIKELY, _MAYBE = 0.95, 0.8, 0.2
"""How probable it must be that words mean a step: by itself, where most of them are its own, and to be offered."""
_BY_FAMILY, _BY_SPELLING, _BY_ROLE = 0.7, 0.9, 0.6
"""How much a word that is only of the same family, mistyped, or of who does it, is worth beside the same word."""


class Unmeant(Exception):
    """Words of a question that mean nothing in the workflow, or several things."""

    def __init__(self, said: str, phrase: str = "", candidates: Sequence[Candidate] = ()) -> None:
        super().__init__(said)
        self.phrase = phrase
        """By which an answer settles which step they mean; empty where they tell a case."""
        self.candidates = tuple(candidates)


@dataclass
class Question:
    """A question about one workflow, with what its words were taken for."""

    workflow: Workflow
    steps: Steps
    asked: Asked
    taken: dict[str, str] = field(default_factory=dict[str, str])
    """Words that were taken for a step by what they mean, and no name: the step's name."""

    # ---- steps

    def meant(self, *roles: str) -> list[Step]:
        """Return the steps that the words in some slots mean; none where no slot is filled.

        Raises:
            Unmeant: Words mean no step.
        """
        found = [step for words in self.asked.words(*roles) for step in self._meant(words)]
        return list({step.id: step for step in found}.values())

    def tasks(self, *roles: str) -> list[Step]:
        """Return the same of steps in which something is done; people named there stand for their steps."""
        found: list[Step] = []
        for words in self.asked.words(*roles):
            who = self.role(words) or (self._alike_role(words) if words in self.asked.words("who") else None)
            found += roles_of(self.workflow)[who] if who is not None else self._worked_on(words)
        done = [step for step in found if step.type not in WAYS_THROUGH]
        return list({step.id: step for step in done or found}.values())

    def _worked_on(self, words: Words) -> list[Step]:
        """Return the steps that words mean; of a decision and the only work with all the words, the work."""
        found = self._meant(words)
        if len(found) != 1 or found[0].type != "decision":
            return found
        said = [t.lower for t in _naming(words) if t.is_content]
        names = [(s, content_of(s.name)) for s in self.work() if s.type != "decision"]
        done = [s for s, name in names if said and all(any(akin(word, one) for one in name) for word in said)]
        return done if len(done) == 1 else found

    def _meant(self, words: Words) -> list[Step]:
        if not any(t.is_content for t in words) and any(t.lower in PRONOUNS for t in words):
            last = self.workflow.step(self.steps.last or "")
            if last is not None:
                return [last]
        wide, said = _naming(self.asked.wider(tuple(words))), _naming(words)
        if len(exact := self.steps.fits(wide)) == 1:
            return exact
        found = self.steps.fits(said)
        if 0 < len(found) <= (1 if wide != said else _MOST_MEANT):
            return found
        return self._alike(wide, found)

    def _alike(self, words: Words, some: Sequence[Step]) -> list[Step]:
        """Return the step that words most probably mean, of some or of all."""
        names = [step for step in some or self.workflow.steps if step.type not in ("fork", "join")]
        told = step_encoder().probabilities(words_of(words), [step_words(step) for step in names])
        ranked = sorted(zip(names, told, strict=True), key=lambda one: -one[1])
        step, likely = ranked[0]
        near = _nearly(words, self.work())
        if likely > (_LIKELY if step in near else _SURE):
            self.taken[" ".join(t.text for t in words)] = step.name
            return [step]
        if 0 < len(some) <= _MOST_MEANT:
            return list(some)
        offered = [Candidate(step.id, step.name) for step, likely in ranked[:_MOST_MEANT] if likely > _MAYBE]
        raise Unmeant(" ".join(t.text for t in words), phrase_of(words), offered)

    def goals(self, role: str = "goal") -> list[Step]:
        """Return what is reached: an end that some of the words name, or the steps that they mean.

        Raises:
            Unmeant: Words mean no step.
        """
        return [one for words in self.asked.words(role) for one in (self._ends(words) or self._meant(words))]

    def _ends(self, words: Words) -> list[Step]:
        """Return the one end that some of the words name; "hired" is not "Not hired"."""
        no = any(t.has("neg") for t in words)
        own = content_of(self.workflow.name)
        said = [t for t in words if t.is_content and t.lower not in own]
        ends = [s for s in self.workflow.steps if s.type == "end"]
        found = [s for s in ends if any(akin(t.lower, one) for t in said for one in content_of(s.name))]
        found = [s for s in found if denies(s.name) == no] if len(found) > 1 else found
        return found if len(found) == 1 else []

    def work(self) -> list[Step]:
        """Return the steps in which something is done, in walking order."""
        return [step for step in in_walking_order(self.workflow) if step.type not in WAYS_THROUGH]

    def named(self, role: str, words: Words) -> str:
        """Return words as they are told again: the name of the step that they mean, in quotes, else themselves."""
        said = " ".join(t.text for t in words)
        if role not in ("step", "goal", "from", "to"):
            return said
        try:
            found = self._meant(words)
        except Unmeant:
            found = []
        return f'"{found[0].name if len(found) == 1 else said}"'

    # ---- people

    def role(self, words: Words) -> str | None:
        """Return the assignee that words name, none of them left over."""
        said = [t for t in words if t.is_content]
        roles = roles_of(self.workflow)
        ranked: list[tuple[int, str]] = []
        for who in roles:
            about = content_of(who.replace("_", " "))
            names_it = bool(about) and any(akin(t.lower, about[-1]) or t.lower in about for t in said)
            if names_it and all(any(_is_called(t.lower, one) for one in about) for t in said):
                ranked.append((len(about), who))
        # "The editor" is not the assistant editor, where both are there.
        return min(ranked)[1] if ranked else None

    def _alike_role(self, words: Words) -> str | None:
        """Return the only assignee of whom a word is said: "the call guy" of the on-call engineer."""
        said = [t.lower for t in words if t.is_content]
        found = [
            who
            for who in roles_of(self.workflow)
            if any(akin(word, one) for word in said for one in content_of(who.replace("_", " ").replace("-", " ")))
        ]
        if len(found) != 1:
            return None
        self.taken[" ".join(t.text for t in words)] = found[0]
        return found[0]

    def escalated(self, words: Words) -> list[Step]:
        """Return the steps that go to somebody when they are late."""
        said = [t for t in words if t.is_content]
        return [s for s in self.workflow.steps if said and s.escalate_to and is_named(s.escalate_to, said)]

    # ---- cases

    def amounts(self) -> list[Transition]:
        """Return the ways that the number of a question takes, by the conditions with numbers."""
        words = [t for one in self.asked.words("value", "case") for t in one]
        numbers = [t for one in self.asked.words("value") for t in one if t.value is not None]
        if len(numbers) != 1 or any(t.among("question.counted") for t in words):
            return []
        over = any(t.is_("over", "above", "more", "exceed") for t in words)
        under = any(t.is_("under", "below", "less", "fewer") for t in words)
        # "Over 1000" is more than 1000, if by little.
        value = (numbers[0].value or 0.0) + (0.01 if over else -0.01 if under else 0.0)
        found: dict[str, list[Transition]] = {}
        for step in self.workflow.steps:
            ways = self.workflow.outgoing(step.id)
            told = [holds(e.when.text, value) if e.when and e.when.text else None for e in ways]
            taken = [e for e, one in zip(ways, told, strict=True) if one]
            if not taken and any(one is not None for one in told):
                taken = [e for e in ways if e.type == "default" or not e.when]
            if taken:
                found[step.id] = taken
        about = {one: self._about(one) for one in found}
        said = [t.lower for t in words if t.is_content]
        mine = [one for one, told in about.items() if any(akin(word, w) for word in said for w in told)]
        return [edge for one in mine or found for edge in found[one]]

    def _about(self, step_id: str) -> list[str]:
        """Return the content words of a step's name and of the cases where ways part there."""
        step = self.workflow.step(step_id)
        cases = [word for e in self.workflow.outgoing(step_id) for word in content_of(condition_of(e))]
        return [*content_of(step.name if step else ""), *cases]

    def cases(self) -> list[Transition]:
        """Return the ways whose case the words say; "not", or a word for the opposite, means the other ways there.

        A case that is said only as good or bad ("if the board says no") is looked for where the words name a step.

        Raises:
            Unmeant: No way has such a case.
        """
        words = [t for one in self.asked.words("case", "step", "who") for t in one]
        no = [t for t in words if t.has("neg") or t.is_("nobody", "no")]
        said = [t for t in words if t not in no and not t.among("inquiry.saying") and (t.is_content or t.has("adj"))]
        lacks = any(t.among("question.lacking") for t in said)
        scored = [(edge, *one) for edge in self.workflow.transitions if (one := self._scored(edge, said))]
        top = max((score for _, score, _ in scored), default=0)
        found: list[Transition] = []
        for edge, score, is_opposite in scored:
            if score == top:
                # "Not there" is missing; "not missing" is there.
                same = _lacks(condition_of(edge)) == (bool(no) != (is_opposite != lacks))
                found += [edge] if same else [e for e in self._decided(edge.from_) if e is not edge]
        if not found:
            found = self._by_outcome(said, is_bad=bool(no))
        else:
            verdicts = word_set("bad") | word_set("good")
            found = self._of_verdict(found, [t for t in said if t.lower in verdicts], is_denied=bool(no))
        if not found:
            raise Unmeant(" ".join(t.text for t in words))
        return list({edge.id: edge for edge in found}.values())

    def _scored(self, edge: Transition, said: Words) -> tuple[int, bool] | None:
        """Return how many words say a way's case or its step, and whether as its opposite; None where none does."""
        if edge.type == "error":
            return None
        case, source = content_of(condition_of(edge)), self.workflow.step(edge.from_)
        around = [*content_of(source.name), *content_of(source.assignee or "")] if source else []
        hits = [t for t in said if any(akin(t.lower, one) for one in case)]
        opposed = [t for t in said if t not in hits and any(_is_opposite(t.lower, one) for one in case)]
        near = [t for t in said if t not in hits and any(akin(t.lower, one) for one in around)]
        return (3 * len(hits or opposed) + 2 * len(near), not hits) if hits or opposed else None

    def _of_verdict(self, found: list[Transition], verdicts: Words, *, is_denied: bool) -> list[Transition]:
        """Return the ways of those found that a word for good or bad means: "if the checksum is wrong"."""
        verdicts = [t for t in verdicts if not self._is_there(t, found)]
        if not verdicts:
            return found
        is_bad = any(t.lower in word_set("bad") for t in verdicts) != is_denied
        if len(found) == 1:
            return [] if is_bad and not is_denied else found
        sources = {edge.from_ for edge in found}
        step = self.workflow.step(sources.pop())
        return self.of_outcome(step, is_bad=is_bad) if step is not None and not sources else []

    def _is_there(self, token: Token, ways: Sequence[Transition]) -> bool:
        """Say whether a word is said where some ways part or lead, and not of another step alone."""
        steps = [s for e in ways for one in (e.from_, e.to) if (s := self.workflow.step(one))]
        texts = [self.workflow.name, *(text for s in steps for text in (s.name, s.assignee or "", s.uses or ""))]
        texts += [condition_of(e) for way in ways for e in self.workflow.outgoing(way.from_)]
        said = {word for text in texts for word in content_of(text.replace("_", " ").replace(".", " "))}
        return any(akin(token.lower, word) or _is_opposite(token.lower, word) for word in said)

    def _by_outcome(self, said: Words, *, is_bad: bool) -> list[Transition]:
        """Return the ways of the good or the bad outcome, at the steps that words name or where only one step has."""
        words = [t for t in said if t.among("bad") or t.among("good")]
        if not words and not is_bad:
            return []
        bad = is_bad or any(t.lower in word_set("bad") for t in words)
        rest = [t for t in said if t not in words]
        known = vocabulary_of(self.workflow)
        mine = [t for t in rest if not stems(t.lower).isdisjoint(known)]
        named = [
            s
            for s in self.workflow.steps
            if any(akin(t.lower, w) for t in mine for w in [*content_of(s.name), *content_of(s.assignee or "")])
            and all(self._is_there(t, self.workflow.outgoing(s.id)) for t in mine)
        ]
        if not named and mine:
            return []
        found = [ways for s in named or self.workflow.steps if (ways := self.of_outcome(s, is_bad=bad))]
        return [edge for ways in found for edge in ways] if len(found) == 1 or named else []

    def of_outcome(self, step: Step, *, is_bad: bool) -> list[Transition]:
        """Return the ways on from a step whose case is a good outcome, or a bad one; else those beside the other."""
        ways = self._decided(step.id)
        told = [(e, is_bad_outcome(condition_of(e))) for e in ways]
        mine = [e for e, bad in told if bad is is_bad]
        theirs = [e for e, bad in told if bad is not None and bad is not is_bad]
        if mine or not theirs or len(ways) < 2:
            return mine
        return [e for e in ways if e not in theirs]

    def _decided(self, step_id: str) -> list[Transition]:
        return [e for e in self.workflow.outgoing(step_id) if e.type != "error"]


def _lacks(case: str) -> bool:
    """Say whether a case is that something is not so, or not there."""
    return denies(case) or not word_set("question.lacking").isdisjoint(case.lower().split())


def _naming(words: Words) -> Words:
    """Return words without those that name nothing: "is", "it", "not", "exactly"."""
    kept = [t for t in words if t.kind != "punct" and not t.has("aux", "neg", "pron", "wh")]
    return [t for t in kept if not t.has("adv") or t.has("noun", "verb", "adj", "part")] or list(words)


def _is_called(said: str, name: str) -> bool:
    return akin(said, name) or (not entry_of(said).known and nearest(said, [name]) is not None)


def _nearly(words: Words, some: Sequence[Step]) -> list[Step]:
    """Return the steps that fit most of the words, a word the more the fewer steps have it."""
    fits = {t: {s.id: fit for s in some if (fit := _fit(t, s))} for t in words if t.is_content}
    totals: dict[str, float] = {}
    for hits in fits.values():
        for step_id, fit in hits.items():
            totals[step_id] = totals.get(step_id, 0.0) + fit / len(hits)
    return [step for step in some if totals.get(step.id, 0.0) > max(totals.values(), default=0.0) - 0.05]


def _fit(token: Token, step: Step) -> float:
    """Return how well a word names a step: as a word of its name, of the same family, mistyped, or of who does it."""
    name = content_of(step.name)
    if any(akin(token.lower, one) for one in name):
        return 1.0
    if nearest(token.lower, name) is not None:
        return _BY_SPELLING
    if any(not families(token.lower).isdisjoint(families(one)) for one in name):
        return _BY_FAMILY
    about = content_of(f"{step.assignee or ''} {step.uses or ''} {step.id}".replace("_", " ").replace(".", " "))
    return _BY_ROLE if any(akin(token.lower, one) for one in about) else 0.0


def _is_opposite(word: str, of: str) -> bool:
    """Say whether a word is another one with un- or the like in front: "unsuitable", "incomplete"."""
    return any(
        long.startswith(prefix) and len(long) > len(prefix) + 3 and akin(long.removeprefix(prefix), short)
        for long, short in ((word, of), (of, word))
        for prefix in _NEGATING
        if entry_of(long.removeprefix(prefix)).known
    )


def vocabulary_of(workflow: Workflow) -> frozenset[str]:
    """Return the roots of the words that a workflow has: in names, roles, services and conditions."""
    texts = [workflow.name, *workflow.aliases]
    texts += [t for s in workflow.steps for t in (s.name, s.assignee or "", s.escalate_to or "", s.uses or "")]
    texts += [condition_of(edge) for edge in workflow.transitions]
    words = (word for text in texts for word in content_of(text.replace("_", " ").replace(".", " ")))
    return frozenset(stem for word in words for stem in stems(word))
