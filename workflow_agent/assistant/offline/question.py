"""A question about one workflow: of what its words speak, and which steps, people and cases they mean."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from workflow_agent.assistant.offline.clauses import counts, phrases_of
from workflow_agent.assistant.offline.lexicon import entry_of, nearest, word_set
from workflow_agent.assistant.offline.references import PRONOUNS, Steps, StepUnclear, akin, content_of, families, stems
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.assistant.offline.walks import WAYS_THROUGH, holds
from workflow_agent.assistant.offline.wording import condition_of, denies, in_walking_order, is_bad_outcome, roles_of
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

Words = Sequence[Token]
_NEGATING = ("un", "in", "im", "dis", "non", "ir", "not")
_IN_FRONT = 4
"""Places at the front where "show" and "tell me" ask for something."""
_MOST_WORDS = 12
"""More words are no step's name."""
_MOST_MEANT = 3
"""Steps that a part of a name may mean; more are no answer."""
_BY_FAMILY, _BY_SPELLING, _BY_ROLE = 0.7, 0.9, 0.6
"""How much a word that is only of the same family, mistyped, or of who does it, is worth beside the same word."""


@dataclass
class Question:
    """A question about one workflow: its tokens, where they speak of which topic, and which a reading has used."""

    workflow: Workflow
    tokens: Tokens
    steps: Steps
    topics: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    used: set[int] = field(default_factory=set[int])
    """Where the tokens stand that the reading tried has used."""
    left: list[Token] = field(default_factory=list[Token])
    """Those that stand with used ones and add nothing that the workflow has; they are named."""

    def __post_init__(self) -> None:
        self.topics = topics_of(self.tokens, self.steps.mask(self.tokens))
        spans = {at for start, found in durations_in(self.tokens) for at in range(start, found.end)}
        numbers = {at for at, token in enumerate(self.tokens) if token.kind == "number"} - spans
        self.topics |= {key: found for key, found in (("span", spans), ("amount", numbers)) if found}

    def begin(self, topics: Iterable[str]) -> None:
        """Start a reading: forget what another one used, and use the words of some topics."""
        self.used, self.left = set(), []
        self.has(*topics)

    def has(self, *topics: str) -> bool:
        """Say whether the question speaks of one of some topics, whose words are then used."""
        found = set[int]().union(*(self.topics.get(topic, ()) for topic in topics))
        self.used |= found
        return bool(found)

    def speaks_of(self, *topics: str) -> bool:
        """Say whether the question speaks of one of some topics, used or not."""
        return any(topic in self.topics for topic in topics)

    def first(self, *topics: str) -> int:
        """Return where the first of some topics stands; behind everything where none does."""
        return min((at for topic in topics for at in self.topics.get(topic, ())), default=len(self.tokens))

    def rest(self, start: int = 0, end: int | None = None) -> list[Token]:
        """Return the words between two places that mean something and that nothing has used."""
        stop = len(self.tokens) if end is None else end
        return [
            token
            for at, token in enumerate(self.tokens[start:stop], start)
            if at not in self.used and (counts(token) or token.is_content)
        ]

    def use(self, words: Iterable[Token]) -> None:
        """Note that words are used."""
        starts = {token.start for token in words}
        self.used |= {at for at, token in enumerate(self.tokens) if token.start in starts}

    def unused(self) -> list[Token]:
        """Return the words that mean something and that the reading did not use."""
        filler, binding = self.topics.get("filler", set()), self._binding
        open_ = [
            token
            for at, token in enumerate(self.tokens)
            if at not in self.used and (at in binding or (at not in filler and (counts(token) or token.is_content)))
        ]
        return list(dict.fromkeys([*open_, *self.left]))

    def turns_on(self, words: Iterable[Token]) -> bool:
        """Say whether one of some words turns the question, so that no answer may leave it out."""
        starts = {self.tokens[at].start for at in self._binding}
        return any(t.start in starts or t.kind == "number" or t.among("inquiry.binding") for t in words)

    @cached_property
    def _binding(self) -> set[int]:
        return {at for topic in word_set("question.turning") for at in self.topics.get(topic, ())}

    def asks_yes_or_no(self) -> bool:
        """Say whether the question begins with its verb: "is there …", "does it …"."""
        return bool(self.tokens) and 0 in self.topics.get("is", ()) and not self.speaks_of("who")

    # ---- steps and people

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The roots of the words that the workflow has."""
        return vocabulary_of(self.workflow)

    def knows(self, token: Token) -> bool:
        """Say whether the workflow has a word somewhere."""
        return token.kind != "word" or not stems(token.lower).isdisjoint(self.vocabulary)

    def plain(self, words: Words) -> list[Token]:
        """Return words without those that say little in a question: "come", "happen", "do"."""
        filler = {self.tokens[at].start for at in self.topics.get("filler", ())}
        return [token for token in words if token.start not in filler]

    def meant(self, words: Words) -> list[Step]:
        """Return the steps that words mean, the words then used; those that the workflow has nowhere are left."""
        plain = self.plain(words)
        if len(words) > _MOST_WORDS or any(counts(token) and not token.is_content for token in plain):
            return []
        own = set(content_of(self.workflow.name))
        for said in (words, plain, [token for token in plain if token.lower not in own]):
            if found := self._found(said):
                self.use(words)
                return found
        return self._nearly(plain, words)

    def _found(self, words: Words) -> list[Step]:
        if not words:
            return []
        try:
            return [self.steps.find(words)]
        except StepUnclear as unclear:
            return [s for one in unclear.candidates if (s := self.workflow.step(one.id))]

    def _nearly(self, plain: Words, words: Words) -> list[Step]:
        """Return the steps that fit most of the words, a word the more the fewer steps have it."""
        fits = {token: {s.id: fit for s in self.work() if (fit := _fit(token, s))} for token in plain}
        totals: dict[str, float] = {}
        for hits in fits.values():
            for step_id, fit in hits.items():
                totals[step_id] = totals.get(step_id, 0.0) + fit / len(hits)
        best = [one for one, total in totals.items() if total > max(totals.values()) - 0.05]
        steps = [step for one in best if (step := self.workflow.step(one)) is not None]
        gone = [token for token, hits in fits.items() if not set(best) & set(hits)]
        said = [token for token in plain if token not in gone]
        if not 0 < len(steps) <= _MOST_MEANT or len(gone) > len(said) or self.turns_on(gone):
            return []
        if gone and not all(_covers(said, step) and any(_fit(t, step) >= _BY_SPELLING for t in said) for step in steps):
            return []
        self.left += [token for token in gone if token not in self.left]
        self.use(words)
        return steps

    def role(self, words: Words) -> str | None:
        """Return the assignee that words name, none of them left over; they are then used."""
        said = [token for token in self.plain(words) if token.is_content]
        own, roles = set(content_of(self.workflow.name)), roles_of(self.workflow)
        if {token.lower for token in said} <= own and not {token.lower for token in said} & set(roles):
            return None
        ranked: list[tuple[int, str]] = []
        for who in roles:
            about = content_of(who.replace("_", " "))
            names_it = any(akin(token.lower, about[-1]) or token.lower in about for token in said)
            if about and names_it and all(any(akin(token.lower, one) for one in about) for token in said):
                ranked.append((len(about), who))
        if not ranked:
            return None
        self.use(said)
        # "The editor" is not the assistant editor, where both are there.
        return min(ranked)[1]

    def role_and_steps(self, words: Words) -> tuple[str | None, list[Step]]:
        """Return who words name and which steps beside, wherever the two part: "does the clerk print the form"."""
        words = self.plain(words)[:_MOST_WORDS]
        for cut in (*range(1, len(words)), *range(-1, -len(words), -1)):
            one, other = words[:cut], words[cut:]
            who, about = (self.role(one), self.meant(other)) if cut > 0 else (self.role(other), self.meant(one))
            if who is not None and about:
                return who, about
        return None, []

    def slots(self, words: Words) -> list[Step]:
        """Return the steps that words mean, by their names or by who does them; no ends."""
        if (who := self.role(words)) is not None:
            return roles_of(self.workflow)[who]
        return [step for step in self.meant(words) if step.type != "end"]

    def tasks(self, words: Words) -> list[Step]:
        """Return the steps that words mean in which something is done."""
        return [step for step in self.slots(words) if step.type not in WAYS_THROUGH]

    def goals(self, words: Words) -> list[Step]:
        """Return what words say that is reached: an end that some of them name, or the steps that they mean."""
        ends = self.ends(words)
        if len(ends) != 1:
            return self.meant(words)
        self.left += [t for t in self.plain(words) if not self.knows(t) and t not in self.left]
        self.use(words)
        return ends

    def ends(self, words: Words) -> list[Step]:
        """Return the ends that some of the words name; "hired" is not "Not hired"."""
        no = any(t.has("neg") for t in words)
        found = [
            s
            for s in self.workflow.steps
            if s.type == "end" and any(akin(t.lower, one) for t in self.plain(words) for one in content_of(s.name))
        ]
        return [s for s in found if denies(s.name) == no] if len(found) > 1 else found

    def pointed(self, words: Words) -> list[Step]:
        """Return the steps that words mean; without words the one that "it" means."""
        if self.plain(words):
            return self.slots(words) or self.meant(words)
        last = self.workflow.step(self.steps.last) if self.steps.last else None
        refers = any(token.lower in PRONOUNS for token in self.tokens)
        return [last] if last is not None and refers else []

    def is_whole(self, words: Words) -> bool:
        """Say whether words mean the workflow itself, or nothing; they are then used."""
        own = [*content_of(self.workflow.name), *(w for a in self.workflow.aliases for w in content_of(a))]
        said = self.plain(words)
        if any(not any(akin(t.lower, w) for w in own) and not t.among("question.whole") for t in said):
            return False
        self.use(said)
        return True

    def work(self) -> list[Step]:
        """Return the steps in which something is done, in walking order."""
        return [step for step in in_walking_order(self.workflow) if step.type not in WAYS_THROUGH]

    # ---- cases

    def amounts(self) -> list[Transition]:
        """Return the ways that the one number of a question takes, by the conditions with numbers."""
        numbers = [token for token in self.tokens if token.kind == "number"]
        if len(numbers) != 1:
            return []
        # "Over 1000" is more than 1000, if by little.
        beside = 0.01 if self.has("longer") else -0.01 if self.has("shorter") else 0.0
        value = (numbers[0].value or 0.0) + beside
        found: list[Transition] = []
        for step in self.workflow.steps:
            ways = self.workflow.outgoing(step.id)
            told = [holds(e.when.text, value) if e.when and e.when.text else None for e in ways]
            taken = [e for e, one in zip(ways, told, strict=True) if one]
            if not taken and any(one is not None for one in told):
                taken = [e for e in ways if e.type == "default" or not e.when]
            found += taken
        known = {w for e in self.workflow.transitions for w in content_of(condition_of(e))}
        known |= set(content_of(self.workflow.name))
        mine = [t for t in self.rest() if t.among("set.money") or any(akin(t.lower, w) for w in known)]
        self.use([*numbers, *mine])
        return found

    def cases(self, words: Words, *, needs_step: bool = False) -> list[Transition]:
        """Return the ways whose case words say; "not", or a word for the opposite, means the other ways there.

        A case that is said only as good or bad ("if the board says no") is looked for where the words name a step.
        """
        no = [t for t in words if t.has("neg") or t.is_("nobody", "no")]
        told = {word for edge in self.workflow.transitions for word in content_of(condition_of(edge))}
        kept = [*self.plain(words), *(t for t in words if any(akin(t.lower, word) for word in told))]
        said = [t for t in words if t in kept and t not in no and not t.among("inquiry.saying")]
        scored = [(edge, *one) for edge in self.workflow.transitions if (one := self._scored(edge, said))]
        top = max((score for _, score, _ in scored), default=0)
        best = [(edge, is_opposite) for edge, score, is_opposite in scored if score == top]
        found: list[Transition] = []
        for edge, is_opposite in best:
            same = denies(condition_of(edge)) == (bool(no) != is_opposite)
            found += [edge] if same else [e for e in self._decided(edge.from_) if e is not edge]
        verdicts = word_set("bad") | word_set("good")
        if not found:
            found = self._by_outcome(said, is_bad=bool(no), needs_step=needs_step)
        else:
            found = self._of_verdict(found, [t for t in said if t.lower in verdicts], is_denied=bool(no))
        own = [word for edge, _ in best for word in content_of(condition_of(edge))]
        gone = [t for t in said if not self.knows(t) and t.lower not in verdicts]
        gone = [t for t in gone if not any(_is_opposite(t.lower, word) for word in own)]
        # "The expert accepts" is no case of where the clerk accepts.
        acts = any(t.entry.form == "s" and t.lower in verdicts for t in said)
        if acts and any(self.knows(t) and not self._is_there(t, found) for t in said):
            return []
        if not found or any(t.kind == "number" for t in said) or len(gone) > 1:
            return []
        self.left += [t for t in gone if t not in self.left]
        self.use([*no, *words])
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

    def _by_outcome(self, said: Words, *, is_bad: bool, needs_step: bool) -> list[Transition]:
        """Return the ways of the good or the bad outcome, at the steps that words name or where only one step has."""
        words = [t for t in said if t.among("bad") or t.among("good")]
        if not words and not is_bad:
            return []
        bad = is_bad or any(t.lower in word_set("bad") for t in words)
        rest = [t for t in said if t not in words]
        named = [
            s
            for s in self.workflow.steps
            if rest
            and any(akin(t.lower, w) for t in rest for w in [*content_of(s.name), *content_of(s.assignee or "")])
            and all(self._is_there(t, self.workflow.outgoing(s.id)) for t in rest if self.knows(t))
        ]
        if not named and (needs_step or any(self.knows(t) and not t.among("question.whole") for t in rest)):
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


def _covers(words: Words, step: Step) -> bool:
    """Say whether words are half of a step's name, or say who does it: with less it would be a guess."""
    name = content_of(step.name)
    said = [one for one in name if any(akin(t.lower, one) for t in words)]
    return 2 * len(said) >= len(name) or not said


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


def topics_of(tokens: Tokens, names: frozenset[int] = frozenset()) -> dict[str, set[int]]:
    """Return where tokens speak of which topic of a question; none inside names."""
    found: dict[str, set[int]] = {}
    table = phrases_of("asks.tsv")
    for at, token in enumerate(tokens):
        for key in {token.lower, token.lemma, token.entry.verb or ""} if at not in names else ():
            for words, topic in table.get(key, ()):
                said = tokens[at : at + len(words)]
                if len(said) == len(words) and all(
                    word in (one.lower, one.lemma, one.entry.verb) for one, word in zip(said, words, strict=True)
                ):
                    # "Tell me", "show" ask only in front: "who is told?" does not.
                    key_of = "what" if topic == "ask" and at < _IN_FRONT else topic
                    found.setdefault(key_of, set()).update(range(at, at + len(words)))
        if token.is_("when", "whenever") and at not in names:
            # "When is it done?" asks; "when it is done" tells a case.
            asks = at + 1 < len(tokens) and tokens[at + 1].has("aux")
            found.setdefault("when" if asks else "if", set()).add(at)
    return found
