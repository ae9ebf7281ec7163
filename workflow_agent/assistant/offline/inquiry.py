"""A question about one workflow: of what it speaks, which steps and cases it names, which words no answer used."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from workflow_agent.assistant.offline.clauses import counts, phrases_of
from workflow_agent.assistant.offline.lexicon import entry_of, word_set
from workflow_agent.assistant.offline.references import PRONOUNS, Steps, StepUnclear, akin, content_of, stems
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.assistant.offline.walks import WAYS_THROUGH, holds
from workflow_agent.assistant.offline.wording import condition_of, in_walking_order, roles_of
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

Words = Sequence[Token]
_BINDING = frozenset(
    [
        "before",
        "after",
        "between",
        "without",
        "always",
        "or",
        "else",
        "late",
        "fail",
        "loop",
        "longest",
        "not",
        "most",
        "again",
        "same",
        "amount",
        "night",
        "who",
        "lead",
        "self",
    ]
)
"""Topics that turn a question: a reading that leaves one out answers another question."""
_NEGATING = ("un", "in", "im", "dis", "non", "ir", "not")
_IN_FRONT = 4
"""Places at the front where "show" and "tell me" ask for something."""
_MOST_WORDS = 12
"""Words of which one may be left out to find a step; each is tried."""
_MOST_MEANT = 3
"""Steps that a part of a name may mean; more are no answer."""


@dataclass
class Question:
    """A question about one workflow: its tokens, and where they speak of which topic."""

    workflow: Workflow
    tokens: Tokens
    steps: Steps
    topics: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    read: set[int] = field(default_factory=set[int])
    """Where the tokens stand that the reading tried has used."""
    is_partial: bool = False
    """Whether words that the workflow has nowhere may be left out, to be named as not used."""
    left: list[Token] = field(default_factory=list[Token])
    """Those left out."""

    def __post_init__(self) -> None:
        self.topics = topics_of(self.tokens, self.steps.mask(self.tokens))
        spans = {at for start, found in durations_in(self.tokens) for at in range(start, found.end)}
        numbers = {at for at, token in enumerate(self.tokens) if token.kind == "number"} - spans
        self.topics |= {key: found for key, found in (("span", spans), ("amount", numbers)) if found}

    def begin(self, *, is_partial: bool) -> None:
        """Forget what a reading used that did not answer."""
        self.read, self.left, self.is_partial = set(), [], is_partial

    def has(self, *topics: str) -> bool:
        """Say whether the question speaks of one of some topics, whose words are then used."""
        found = set[int]().union(*(self.topics.get(topic, ()) for topic in topics))
        self.read |= found
        return bool(found)

    def speaks_of(self, *topics: str) -> bool:
        """Say whether the question speaks of one of some topics, used or not."""
        return any(topic in self.topics for topic in topics)

    def first(self, *topics: str) -> int:
        """Return where the first of some topics stands."""
        return min(at for topic in topics for at in self.topics.get(topic, ()))

    def rest(self, start: int = 0, end: int | None = None) -> list[Token]:
        """Return the words between two places that mean something and that no topic has used."""
        stop = len(self.tokens) if end is None else end
        return [
            token
            for at, token in enumerate(self.tokens[start:stop], start)
            if at not in self.read and (counts(token) or token.is_content or token.kind == "quoted")
        ]

    def use(self, words: Iterable[Token]) -> None:
        """Note that words are used."""
        starts = {token.start for token in words}
        self.read |= {at for at, token in enumerate(self.tokens) if token.start in starts}

    def is_read(self) -> bool:
        """Say whether every word that means something was used."""
        filler = self.topics.get("filler", set())
        left = [at for at, token in enumerate(self.tokens) if counts(token) or token.kind == "number"]
        binding = {at for topic in _BINDING for at in self.topics.get(topic, ())}
        return binding <= self.read and all(at in self.read or at in filler for at in left)

    # ---- what words mean

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        return vocabulary_of(self.workflow)

    def knows(self, token: Token) -> bool:
        """Say whether the workflow has a word somewhere."""
        return token.kind != "word" or not stems(token.lower).isdisjoint(self._vocabulary)

    def plain(self, words: Words) -> list[Token]:
        """Return words without those that say little in a question: "come", "happen", "do"."""
        filler = {self.tokens[at].start for at in self.topics.get("filler", ())}
        return [token for token in words if token.start not in filler]

    def meant(self, words: Words) -> list[Step]:
        """Return every step that words mean, none of them left over; they are then used."""
        if any(counts(token) and not token.is_content for token in words):
            return []
        plain = self.plain(words)
        own = set(content_of(self.workflow.name))
        for said in (words, plain, [token for token in plain if token.lower not in own]):
            if found := self._found(said):
                self.use(words)
                return found
        return self._nearly(plain, words) if self.is_partial else []

    def _nearly(self, plain: Words, words: Words) -> list[Step]:
        """Return the steps that words mean but for some that the workflow has nowhere, or but for one."""
        if len(plain) > _MOST_WORDS:
            return []
        known = [token for token in plain if self.knows(token)]
        found = self._found(known) if len(known) < len(plain) else []
        if not 0 < len(found) <= _MOST_MEANT:
            ways = [(one, self._found([t for t in known if t is not one])) for one in known] if len(known) > 1 else []
            single = [(one, steps[0]) for one, steps in ways if len(steps) == 1]
            if len({step.id for _, step in single}) != 1:
                return []
            known = [t for t in known if t is not single[0][0]]
            found = [single[0][1]]
        gone = [token for token in plain if token not in known]
        if gone and len(found) == 1 and not self._covers(known, found[0]):
            return []
        if any(t.among("inquiry.binding") or not t.is_content or t.kind != "word" for t in gone):
            return []
        self.left += [token for token in gone if token not in self.left]
        self.use(words)
        return found

    def _covers(self, words: Words, step: Step) -> bool:
        """Say whether words are half of a step's name, or say who does it: with less it would be a guess."""
        name = content_of(step.name)
        said = [one for one in name if any(akin(t.lower, one) for t in words)]
        return 2 * len(said) >= len(name) or not said

    def _found(self, words: Words) -> list[Step]:
        if not words:
            return []
        try:
            return [self.steps.find(words)]
        except StepUnclear as unclear:
            return [s for one in unclear.candidates if (s := self.workflow.step(one.id))]

    def role(self, words: Words) -> str | None:
        """Return the assignee that words name, none of them left over; they are then used."""
        said = [token for token in self.plain(words) if token.is_content]
        if {token.lower for token in said} <= set(content_of(self.workflow.name)):
            return None
        for who in roles_of(self.workflow):
            about = content_of(who.replace("_", " "))
            names_it = any(akin(token.lower, about[-1]) or token.lower in about for token in said)
            if names_it and all(any(akin(token.lower, one) for one in about) for token in said):
                self.use(said)
                return who
        return None

    def slots(self, words: Words) -> list[Step]:
        """Return the steps that words mean, by their names or by who does them; no ends."""
        who = self.role(words)
        found = [step for step in self.meant(words) if step.type != "end"] if who is None else []
        return found or (roles_of(self.workflow)[who] if who else [s for s in self.meant(words) if s.type != "end"])

    def goals(self, words: Words) -> list[Step]:
        """Return what words say that is reached: an end that some of them name, or the steps that they mean."""
        plain = self.plain(words)
        ends = self.ends(words)
        if len(ends) != 1:
            return self.meant(words)
        others = [t for t in plain if not self.knows(t)]
        if others and not self.is_partial:
            return []
        self.left += [t for t in others if t not in self.left]
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
        return [s for s in found if _denies(s.name) == no] if len(found) > 1 else found

    def pointed(self, words: Words) -> list[Step]:
        """Return the steps that words mean; without words the one that "it" means."""
        if self.plain(words):
            return self.slots(words)
        last = self.workflow.step(self.steps.last) if self.steps.last else None
        refers = any(token.lower in PRONOUNS for token in self.tokens)
        return [last] if last is not None and refers else []

    def is_whole(self, words: Words) -> bool:
        """Say whether words mean the workflow itself, or nothing."""
        own = [*content_of(self.workflow.name), "workflow", "process", "flow", "end", "start"]
        said = self.plain(words)
        if any(not any(akin(token.lower, one) for one in own) for token in said):
            return False
        self.use(said)
        return True

    def work(self) -> list[Step]:
        """Return the steps in which something is done."""
        return [step for step in in_walking_order(self.workflow) if step.type not in WAYS_THROUGH]

    def asks_yes_or_no(self) -> bool:
        """Say whether the question begins with its verb: "is there …", "does it …"."""
        return bool(self.tokens) and 0 in self.topics.get("is", ()) and not self.speaks_of("who")

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

        Every word must be known to the workflow, or is left out and named as that. A case that is said only as
        good or bad ("if the board says no") is looked for where the words name a step.
        """
        no = [t for t in words if t.has("neg") or t.is_("nobody", "no")]
        said = [t for t in self.plain(words) if t not in no and not t.among("inquiry.saying")]
        best, top = list[tuple[Transition, bool]](), 0
        for edge in self.workflow.transitions:
            if (scored := self._scored(edge, said)) is None or edge.type == "error":
                continue
            score, is_opposite = scored
            best = [*best, (edge, is_opposite)] if score == top else [(edge, is_opposite)] if score > top else best
            top = max(score, top)
        found: list[Transition] = []
        for edge, is_opposite in best:
            same = _denies(condition_of(edge)) == (bool(no) != is_opposite)
            found += [edge] if same else self._others(edge)
        if not found:
            found = self._by_outcome(said, is_bad=bool(no), needs_step=needs_step)
        else:
            found = self._of_verdict(found, said, is_denied=bool(no))
        # "The expert accepts" is no case of where the clerk accepts; "the patient is fit" may be anybody's.
        acts = any(t.entry.form == "s" and t.lower in word_set("bad") | word_set("good") for t in said)
        if acts and any(self.knows(t) and not self._is_there(t, found) for t in said):
            return []
        own = [content_of(condition_of(e)) for e, _ in best]
        gone = [
            t for t in said if not self.knows(t) and not any(_is_opposite(t.lower, w) for case in own for w in case)
        ]
        gone = [t for t in gone if t.lower not in word_set("bad") | word_set("good")]
        if not found or any(t.kind == "number" for t in said) or (gone and not self.is_partial):
            return []
        self.left += [t for t in gone if t not in self.left]
        self.use([*no, *words])
        return list({edge.id: edge for edge in found}.values())

    def _of_verdict(self, found: list[Transition], said: Words, *, is_denied: bool) -> list[Transition]:
        """Return the ways of those found that a word for good or bad means: "if the checksum is wrong"."""
        verdicts = [
            t.lower for t in said if t.lower in word_set("bad") | word_set("good") and not self._is_there(t, found)
        ]
        if not verdicts:
            return found
        is_bad = any(one in word_set("bad") for one in verdicts) != is_denied
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

    def _scored(self, edge: Transition, said: Words) -> tuple[int, bool] | None:
        """Return how many words say a way's case or its step, and whether as its opposite; None where none does."""
        case = content_of(condition_of(edge))
        source = self.workflow.step(edge.from_)
        around = [*content_of(source.name), *content_of(source.assignee or "")] if source else []
        hits = [t for t in said if any(akin(t.lower, one) for one in case)]
        opposed = [t for t in said if t not in hits and any(_is_opposite(t.lower, one) for one in case)]
        near = [t for t in said if t not in hits and any(akin(t.lower, one) for one in around)]
        if not hits and not opposed:
            return None
        return 3 * len(hits or opposed) + 2 * len(near), not hits

    def _by_outcome(self, said: Words, *, is_bad: bool, needs_step: bool) -> list[Transition]:
        """Return the ways of the good or the bad outcome, at the steps that words name or where only one step has."""
        verdicts = {"bad": is_bad, "good": False}
        words = [t for t in said if any(t.among(one) or t.is_(*word_set(one)) for one in verdicts)]
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
        if needs_step and not named:
            return []
        found = [(s, ways) for s in named or self.workflow.steps if (ways := self.of_outcome(s, is_bad=bad))]
        if len(found) != 1 and not named:
            return []
        return [edge for _, ways in found for edge in ways]

    def of_outcome(self, step: Step, *, is_bad: bool) -> list[Transition]:
        """Return the ways on from a step whose case is a good outcome, or a bad one; else those beside the other."""
        ways = [e for e in self.workflow.outgoing(step.id) if e.type != "error"]
        kinds = {True: "bad", False: "good"}
        # "No" alone is no content word.
        cases = [{*content_of(condition_of(e)), condition_of(e).lower()} for e in ways]
        mine = [e for e, case in zip(ways, cases, strict=True) if case & word_set(kinds[is_bad])]
        theirs = [e for e, case in zip(ways, cases, strict=True) if case & word_set(kinds[not is_bad])]
        if mine or not theirs or len(ways) < 2:
            return [e for e in mine if e not in theirs] or mine
        return [e for e in ways if e not in theirs]

    def _others(self, edge: Transition) -> list[Transition]:
        return [e for e in self.workflow.outgoing(edge.from_) if e is not edge and e.type != "error"]


def _denies(text: str) -> bool:
    return any(word in f" {text.lower()} " for word in (" not ", "n't ", " no "))


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
    return found
