"""What the slots of an order mean in the workflow it is for: steps, people, lengths of time, values."""

import itertools
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.nlu.encoder import step_encoder
from workflow_agent.assistant.offline.nlu.placing import anchor
from workflow_agent.assistant.offline.nlu.tagging import ASIDE, Slot, step_words, words_of, words_with
from workflow_agent.assistant.offline.people import people_of, written
from workflow_agent.assistant.offline.plan import JOINS, Asked, NotRead, Plan, step_of
from workflow_agent.assistant.offline.references import FRAME_WORDS, PRONOUNS, Candidate, StepUnclear, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.values import durations_in, length_told, tells_time, unit_of
from workflow_agent.workflows.model.durations import amounts_in, duration_in_words
from workflow_agent.workflows.model.steps import Step

_LIKELY = 0.5
"""How probable it must be that words which are no name of a step mean it for it to be taken."""
_LIKELIEST = 0.9
"""The same of one of several whose names have all of the words."""
_POSSIBLE = 0.15
"""The same for it to be offered where it is asked which step is meant."""
SURE_STEP = 0.95
"""How probable it must be that words mean a step for nothing in them to be missed."""
_MOST_STEPS = 100
"""Steps whose names are read for what they mean, a millisecond each; where there are more, one is known by its name."""
_MOST_WHO = 8


@dataclass(slots=True)
class Filled:
    """The slots of one order, and the plan that its edits go to.

    What reads them raises `NotRead` where words that are needed are missing or of no use, or a slot that may be there
    once is there twice; `StepUnclear` where words mean no step, or may mean several; `Asked` where only a person knows.
    """

    plan: Plan
    slots: Sequence[Slot]
    tokens: Tokens
    """The message."""

    @property
    def last(self) -> Step | None:
        """The step that was spoken of last; None where none was."""
        return self.plan.workflow.step(self.plan.steps.last or "")

    @property
    def goes_on(self) -> bool:
        """Whether the same message has changed the step that was spoken of last."""
        return self.plan.steps.last is not None and self.plan.steps.last in map(step_of, self.plan.edits)

    def around(self) -> list[Token]:
        """Return the words that are in no slot: those of the order itself."""
        inside = {token.start for slot in self.slots for token in slot.tokens}
        return [token for token in self.tokens if token.start not in inside]

    def says(self, *words: str) -> bool:
        """Say whether one of some words stands around the slots, in any form."""
        return any(token.is_(*words) for token in self.around())

    def says_of(self, name: str) -> bool:
        """Say whether a word of a list in the data file does."""
        return any(token.among(name) for token in self.around())

    def named_around(self) -> Tokens:
        """Return the words in no slot that are a step's, or those of who does it: "groomers get 3 hours".

        "Let us have her do that" names no step "Let ink dry": what only orders names nothing.
        """
        own = {word for step in self.plan.workflow.steps for word in content_of(f"{step.name} {step.assignee or ''}")}
        named = tuple(t for t in self.around() if t.is_content and any(akin(t.lower, word) for word in own))
        if all(t.among("slots.telling") for t in named):
            raise NotRead
        return named

    def words(self, role: str) -> Tokens:
        """Return the words of the one slot of a role; empty where there is none."""
        found = self.all_words(role)
        if len(found) > 1:
            # "A step where the registrar looks up the provenance."
            found = [words for words in found if any(t.is_content and t.lemma not in FRAME_WORDS for t in words)]
        # "Could somebody from the front desk do it? The front desk."
        longest: Tokens = max(found, key=len, default=())
        said = [t.lower for t in longest]
        if any(t.is_content and t.lower not in said for words in found for t in words):
            raise NotRead
        return longest

    def all_words(self, role: str) -> list[Tokens]:
        """Return the words of every slot of a role."""
        return [slot.tokens for slot in self.slots if slot.role == role]

    def between(self, one: Tokens, other: Tokens) -> Tokens:
        """Return the words of the message between two slots."""
        return tuple(token for token in self.tokens if one[-1].end <= token.start < other[0].start)

    def is_cut(self, role: str) -> bool:
        """Say whether the words of a role go on in another slot: "Main | server", of a step "Server"."""
        runs = itertools.pairwise(self.slots)
        behind = ((one, other) for one, other in runs if one.role == role and other.role != ASIDE)
        return any(other.tokens[0].start <= one.tokens[-1].end + 1 for one, other in behind)

    def text(self, role: str) -> str:
        """Return the words of a role as they were written, without an article in front."""
        words = bare(self.words(role))
        if not words:
            raise NotRead
        return self.plan.said(words)

    def step(self, role: str) -> Step:
        """Return the one step that the words of a role mean; several pieces mean one together."""
        said = self.all_words(role)
        if not said and role == "step":
            if (spoken := self._spoken_of()) is not None:
                return spoken
            said = [self.named_around()]
        if not said:
            raise NotRead
        pieces = tuple(itertools.chain.from_iterable(said))
        if self.last is not None and _points(pieces):
            # "That step", "if she is late" behind what was said of her step.
            return self.last
        self._check_apart(said)
        try:
            return self._meant(pieces, role)
        except StepUnclear:
            each = [self._perhaps(words, role) for words in said]
            found = {step.id: step for step in each if step is not None}
            if len(said) == 1 or len(found) != 1:
                raise
            # "When the reader brings it, so right after handing out."
            self.plan.unread += [self.plan.said(words) for words, step in zip(said, each, strict=True) if step is None]
            return next(iter(found.values()))

    def _check_apart(self, said: Sequence[Tokens]) -> None:
        """Raise StepUnclear where slots beside each other that nothing joins mean steps of their own.

        "Either the decision or the scoring", "payout: the decision".
        """
        for one, other in itertools.pairwise(said):
            between = self.between(one, other)
            first, second = self.plan.maybe(one), self.plan.maybe(other)
            apart = first and second and first.id != second.id and not self._are_joined(one, other)
            if apart or any(t.is_("or") for t in between):
                offered = [Candidate(step.id, step.name) for step in (first, second) if step is not None]
                raise StepUnclear(self.plan.said((*one, *other)), offered if len(offered) > 1 else ())

    def _are_joined(self, one: Tokens, other: Tokens) -> bool:
        """Say whether an "and" or a sign for it stands between two slots."""
        return any(t.text in JOINS or t.is_(*JOINS) for t in self.between(one, other))

    def _perhaps(self, words: Tokens, role: str) -> Step | None:
        try:
            return self._meant(words, role)
        except StepUnclear:
            return None

    def _spoken_of(self) -> Step | None:
        """Return the step that was spoken of last, where an order names none.

        "Let an intern do it", "review: Ann, 2 days". Without a word for it, where what was spoken of is no part of the
        same message, that is a guess.
        """
        around = self.around()
        points = any(t.lower in PRONOUNS and t.kind == "word" and not t.is_("we", "i", "you") for t in around)
        last, is_told = self.last, points or self.goes_on
        if last is None:
            return None
        try:
            named = self.named_around()
        except NotRead:
            if not is_told:
                if any(t.among("slots.not_the_last") or t.lemma in FRAME_WORDS for t in around):
                    return None
                # "Within two weeks", after something was said of one step.
                self.plan.guesses.append(f"I took **{last.name}** for the step that you mean")
            return last
        if not is_told:
            return None
        # "Call it X" does not name the step "Take the call".
        return last if all(t.lemma in words_with() for t in named) else None

    def _meant(self, words: Tokens, role: str) -> Step:
        """Return the step that words mean, else they with others of it: "the manager gets 4 days for his review"."""
        try:
            return step_meant(self.plan, words, role)
        except StepUnclear:
            people = {one for name in people_of(self.plan.workflow) for one in content_of(name.replace("_", " "))}
            people |= {one for step in self.plan.workflow.steps for one in content_of(step.name)}
            others = [t for t in self.around() if t.is_content and any(akin(t.lower, one) for one in people)]
            if all(t.among("slots.telling") for t in others):
                raise
            # "Not the clerk but the director decides on the loan."
            together = sorted((*words, *others), key=lambda token: token.start)
            return step_meant(self.plan, tuple(together), role)

    def _is_label(self, word: Token) -> bool:
        """Say whether a word only says that somebody's name follows: "decide: owner support"."""
        before = next((t for t in reversed(self.tokens) if t.start < word.start), None)
        return word.is_("owner", "assignee") and before is not None and before.text in (":", ",", ";")

    def maybe(self, role: str) -> Step | None:
        """Return the step that the words of a role mean; None where the role has no words."""
        return self.step(role) if self.words(role) else None

    def steps(self, role: str = "step", *, apart: bool = False) -> list[Step]:
        """Return the steps that the words of a role mean; two pieces that mean the same one count once.

        Args:
            role: What the words are.
            apart: Whether each slot is a step of its own, also where nothing joins them: "the survey with the test".
        """
        said = self.all_words(role)
        if not said and (spoken := self._spoken_of()) is not None:
            return [spoken]
        if not apart:
            self._check_apart(said)
            said = self._pieces_joined(said)
        found: dict[str, Step] = {}
        for words in said or [self.named_around()]:
            try:
                meant = _listed(self.plan, words, role)
            except StepUnclear:
                meant = [self._meant(words, role)]
            found |= {step.id: step for step in meant}
        return list(found.values())

    def _pieces_joined(self, said: Sequence[Tokens]) -> list[Tokens]:
        """Return slots with those as one between which no "and" stands: "we [wait] a week for [parts]"."""
        found: list[Tokens] = []
        for words in said:
            goes_on = found and not self._are_joined(found[-1], words)
            found.append((*found.pop(), *words) if goes_on else words)
        return found

    def who(self) -> str | None:
        """Return who does it as an assignee is written; None where nobody is named, or nobody certain: "we".

        Raises:
            Asked: It is who speaks, or was spoken of.
            NotRead: The words are no name.
        """
        words = bare(self.words("who"))
        if len(words) > 1 and (words[0].is_("by", "to") or self._is_label(words[0])):
            words = bare(words[1:])
        if len(words) > 2 and words[0].among("slots.speaker") and words[1].kind == "punct":
            # "Me, Birgit", "me (Birgit)".
            words = tuple(t for t in words[1:] if t.kind != "punct")
        if not words or (len(words) == 1 and words[0].among("slots.anybody")):
            return None
        if len(words) == 1 and (told := self.pointed_at(words[0])) is not None:
            return told
        if len(words) == 1 and words[0].among("slots.everybody"):
            return words[0].lower
        if all(t.among("slots.speaker") or t.among("set.pronouns") for t in words):
            raise self.asked("Which role or name is", words)
        if len(words) > _MOST_WHO or not any(t.is_content for t in words) or not _is_name(words):
            raise NotRead
        return written(self.plan.workflow, words)

    def pointed_at(self, word: Token) -> str | None:
        """Return who "he" is, of whom the same message told: "packing goes to the trainee, and he rakes the garden"."""
        told = [edit["assignee"] for edit in self.plan.edits if edit["op"] == "set_assignee" and edit["assignee"]]
        return str(told[-1]) if told and word.is_("he", "she", "they", "him", "her", "them") else None

    def asked(self, question: str, words: Tokens) -> Asked:
        """Return the question what words are, whose answer is read in their place."""
        before, after = self.plan.text[: words[0].start], self.plan.text[words[-1].end :]
        return Asked(f"{question} “{self.plan.said(words)}”?", before, after)

    def time(self, *roles: str, like: str | None = None) -> str | None:
        """Return the length of time in ISO 8601 that the words of roles tell together; None where they have none.

        What is only about so long is noted.

        Args:
            roles: What the words are: "time", unless told.
            like: A length in whose unit a number alone is: "make that 6".

        Raises:
            Asked: The words tell no single length.
        """
        said = [slot.tokens for slot in self.slots if slot.role in (roles or ("time",))]
        if said and all(t.is_("the", "same") for words in said for t in words):
            length = length_of(self.last) if self.last is not None else None
            if length is None:
                raise self.asked("How long is", said[0])
            return length
        # Of "a week" and "longer" the first tells how long.
        slots = [words for words in said if any(t.value is not None or unit_of(t) for t in words)] or said
        words = tuple(itertools.chain.from_iterable(slots))
        if not words:
            return None
        said_so = [t for t in words if t.value is not None or (t.is_content and not t.among("values.working"))]
        alone = len(said_so) == 1 and said_so[0].value is not None and ":" not in said_so[0].text
        length = length_told((said_so[0], unit)) if alone and (unit := self._unit(like)) else length_told(words)
        if length is None:
            raise self.asked("How long is", slots[0])
        inside = {at for first, found in durations_in(words) for at in range(first, found.end)}
        rest = (t for at, t in enumerate(words) if inside and at not in inside and t.is_content)
        # "Two days after the receipt", and not "two days longer".
        self.plan.unread += [t.text for t in rest if not t.among("slots.of_length") and not t.among("values.working")]
        if not length.is_told:
            self.plan.notes.append(f"I took “{self.plan.said(words)}” for {duration_in_words(length.value)}")
        return length.value

    def _unit(self, like: str | None) -> Token | None:
        """Return the unit of a number alone: the old time's, that of a length like it, else the only one around."""
        old = [t for words in self.all_words("oldtime") for t in words if unit_of(t)]
        if not old and like is not None and len(amounts := amounts_in(like) or ()) == 1:
            old = list(read_tokens(amounts[0][1]))
        found = old or [t for t in self.around() if unit_of(t)]
        return found[0] if len({unit_of(t) for t in found}) == 1 else None


def using(build: Callable[[Filled], None], *roles: str) -> Callable[[Filled], None]:
    """Return what makes the edits of an intent with the words of some roles, and names those of others as not used.

    Who does a step that is changed only says which step it is: "the lab gets six days for the water test".
    """

    def built(order: Filled) -> None:
        build(order)
        plan = order.plan
        touched = (plan.workflow.step(one) for one in map(step_of, plan.edits) if one)
        doers = [step.assignee for step in touched if step is not None and step.assignee]
        others = ((slot.role, plan.said(slot.tokens)) for slot in order.slots if slot.role not in (*roles, ASIDE))
        plan.unread += [
            said for role, said in others if role != "who" or not any(akin_words(said, doer) for doer in doers)
        ]

    return built


def length_of(step: Step) -> str | None:
    """Return how long a step takes, or may take; None where it has no time."""
    return step.duration if step.type == "wait" else step.timeout


def shares_word(said: Sequence[Token], text: str) -> bool:
    """Say whether one of some words has a form in a text."""
    own = content_of(text)
    return any(akin(token.lower, word) for token in said for word in own)


def akin_words(one: str, other: str) -> bool:
    """Say whether all content words of one text have a form in another: "the sales manager" in "sales_manager"."""
    own = content_of(other.replace("_", " "))
    return all(any(akin(word, known) for known in own) for word in content_of(one.replace("_", " ")))


def bare(words: Sequence[Token]) -> Tokens:
    """Return words without articles in front and marks behind."""
    kept = list(words)
    while len(kept) > 1 and kept[0].has("det") and kept[0].kind == "word" and kept[0].value is None:
        kept.pop(0)
    while kept and kept[-1].kind == "punct":
        kept.pop()
    return tuple(kept)


def step_meant(plan: Plan, words: Tokens, role: str) -> Step:
    """Return the step that words mean: the one that has all of them, else the likeliest by their meaning.

    Raises:
        StepUnclear: None is likely, or several have all of the words.
    """
    try:
        exact = anchor(plan, bare(words), role) or plan.maybe(bare(words))
    except NotRead:
        exact = None
    if exact is not None and not _is_named_by_doer(plan, words, exact):
        if (end := _end_meant(plan, words, exact)) is not None:
            plan.notes.append(f"“{plan.said(words)}” may be “{end.name}” too")
        return exact
    waits = [one for one in plan.workflow.steps if one.type == "wait"]
    named = [t for t in words if t.is_content]
    if named and len(waits) == 1 and all(t.is_("wait", "waiting", "pause") for t in named):
        return waits[0]
    said, fits = plan.said(words), plan.fits(bare(words))
    offered = [Candidate(one.id, one.name) for one in fits] if len(fits) > 1 else []
    if len(plan.workflow.steps) > _MOST_STEPS or (akin_words(said, plan.workflow.name) and not offered):
        # "The loan request" of a workflow that is called so.
        raise StepUnclear(said, offered)
    ranked = _likely(plan.workflow.steps, words)
    likely, step = ranked[0]
    if offered and (likely < _LIKELIEST or step not in fits):
        # "The test" is "Test milk" rather than "Test passed?".
        raise StepUnclear(said, offered)
    if likely < _LIKELY:
        offered = [Candidate(one.id, one.name) for likely, one in ranked if likely > _POSSIBLE]
        raise StepUnclear(said, offered if len(offered) > 1 else ())
    plan.likened = {**plan.likened, said: (step.name, likely)}
    if likely < SURE_STEP:
        # "Twice" and "the second" may be no part of what it is called.
        named = step.name.lower()
        plan.unread += [t.text for t in words if t.value is not None and not t.has("det") and t.lower not in named]
    return step


def _end_meant(plan: Plan, words: Tokens, step: Step) -> Step | None:
    """Return the end that words name wholly, where they name a step in part: "the release", of "Approve release"."""
    said = plan.said(words)
    if akin_words(step.name, said) or any("ing" in t.entry.form.split() for t in words):
        # "Erasing" is work, and not the end "Erased".
        return None
    ends = (one for one in plan.workflow.steps if one.type == "end" and one.id != step.id)
    return next((one for one in ends if content_of(one.name) and akin_words(one.name, said)), None)


def _likely(steps: Sequence[Step], words: Tokens) -> list[tuple[float, Step]]:
    """Return steps with how probable it is that words mean them, the likeliest first.

    Of two steps "Check 1" and "Check 2", words with a number in them mean the one that has it.
    """
    numbers = {t.text for t in words if t.kind == "number"}
    some = [step for step in steps if numbers <= {t.text for t in read_tokens(step.name)}] or list(steps)
    likely = step_encoder().probabilities(words_of(words), [step_words(step) for step in some])
    return sorted(zip(likely, some, strict=True), key=lambda one: -one[0])


def _is_named_by_doer(plan: Plan, words: Tokens, step: Step) -> bool:
    """Say whether a step fits by who does it, and what else is said is the work of another: "once finance paid"."""
    own = content_of(step.name)
    work = [t for t in words if t.is_content and not t.possessive and not _is_doer(t, step)]
    others = (one for one in plan.workflow.steps if one.id != step.id)
    verbs = [content_of(one.name)[:1] for one in others if one.type not in ("end", "decision", "fork", "join")]
    by_doer = len(work) < sum(t.is_content for t in words)
    if not work or not by_doer or any(akin(t.lower, first) for t in work for first in own[:1]):
        return False
    return any(all(akin(t.lower, v) for v in verb for t in work) for verb in verbs if verb)


def names_doer_alone(step: Step, words: Sequence[Token]) -> bool:
    """Say whether words name nothing of a step but who does it."""
    said = [t for t in words if t.is_content and t.lemma not in FRAME_WORDS]
    text = " ".join(t.lower for t in said)
    is_whole = bool(said) and akin_words(text, step.assignee or "") and akin_words(step.assignee or "", text)
    return is_whole and not any(t.possessive for t in said) and not akin_words(step.name, text)


def _is_doer(token: Token, step: Step) -> bool:
    own, about = content_of(step.name), content_of((step.assignee or "").replace("_", " "))
    return any(akin(token.lower, one) for one in about) and not any(akin(token.lower, one) for one in own)


def _listed(plan: Plan, words: Tokens, role: str) -> list[Step]:
    """Return the steps of words that may name several: "the survey and the test"."""
    runs = itertools.groupby(words, key=lambda token: token.text == "," or token.is_("and", "&", "+"))
    parts = [tuple(run) for is_joint, run in runs if not is_joint]
    pieces = [part for part in parts if any(t.is_content for t in part)]
    if len(pieces) > 1:
        with suppress(StepUnclear):
            return [step_meant(plan, piece, role) for piece in pieces]
    return [step_meant(plan, words, role)]


def _points(words: Tokens) -> bool:
    """Say whether words name nothing, and point at what was spoken of: "that step", "she is"."""
    points = any(t.among("slots.pointing") for t in words)
    one = (
        t.lemma in FRAME_WORDS and t.lower == t.lemma for t in words if not (t.among("slots.pointing") or t.has("aux"))
    )
    return points and all(one)


def _is_name(words: Tokens) -> bool:
    """Say whether words can be somebody's name.

    "A driver with a big car", "whoever took the call", and not "the carrier from January", "tell operations".
    """
    related = any(t.among("slots.relative") for t in words)
    for at, token in enumerate(words):
        if token.kind == "quoted":
            continue
        joins = (at and token.among("slots.no_joint")) or token.has("wh", "aux", "neg")
        if token.text == ";" or (joins and not related):
            return False
        behind = [t for t in words[at + 1 :] if t.is_content]
        dates = at and token.has("prep") and not token.is_("of") and behind and all(map(tells_time, behind))
        # "Tell operations", and not "the letting agent".
        acts = token.has("verb") and not token.has("noun", "adj") and token.lower in word_set("slots.telling")
        if (dates or acts) and not related:
            return False
    return True
