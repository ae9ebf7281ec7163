"""Whether the turns say what a summary says of them, sentence by sentence."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final, TypeVar

from workflow_agent.assistant.compaction import contradictions, facts
from workflow_agent.assistant.compaction.checks import language_of
from workflow_agent.assistant.compaction.deeds import denied_deed, done_turn, unknown_deed
from workflow_agent.assistant.compaction.placement import (
    OF_ANYTHING,
    Placement,
    clause_with_most,
    introduced_in,
    wrong_polarity,
)
from workflow_agent.assistant.compaction.standing import SaidTurn, Standing
from workflow_agent.assistant.compaction.statements import (
    Statement,
    clauses,
    is_denial,
    says_little,
    stated_in,
    statement_of,
    stem,
)
from workflow_agent.assistant.compaction.subjects import (
    acts_in,
    does_another,
    figures_replaced_in,
    is_verb,
    replacements_in,
)
from workflow_agent.assistant.compaction.telling import BETWEEN, Bindings, telling_of, with_other_wordings
from workflow_agent.assistant.compaction.wording import NOON, RATES, SPANS, plain_wording
from workflow_agent.conversations.compactions import Summary
from workflow_agent.conversations.document import AgentReply, Event, UserMessage

T = TypeVar("T")
MOST_UNSUPPORTED: Final = 0.5
"""Of a summary's sentences: with more of them it is not used at all."""
_MOST_NEW: Final = 0.9
_FEWEST_NEW: Final = 3
_ENOUGH: Final = 0.5
_MUCH_OF_IT: Final = 0.6
_WORD: Final = re.compile(r"[^\W\d_]+")
_SPOKEN_CHARS: Final = 8_000
"""So much of what was said last tells its language."""
_FRAGMENT_WORDS: Final = 3
"""A sentence of no more telling words goes on with what stands before it: "Not the CFO."."""
_OPEN: Final = re.compile(
    r"\b(?:whether|unclear|asked|asks|question|wonders?|unanswered|undecided|not (?:yet )?(?:decided|sure))\b"
    r"|\b(?:consider(?:ed|ing)?|thinking (?:of|about)|discuss(?:ed|ing)?)\b"
    r"|(?<!that )\b(?:is|remains) (?:still |left )?open\b|^open(?::| questions?\b| points?\b| issues?\b)",
    re.IGNORECASE,
)
_USED_TO: Final = re.compile(
    r"\b(?:was|were|used to|before|previously|earlier|old|former(?:ly)?|no longer|not)\b", re.IGNORECASE
)
_EARLIER: Final = re.compile(r"\b(?:earlier|sooner|later|ahead|beforehand|in advance)\b", re.IGNORECASE)
"""What says so is in another order than that of its words."""
_AS_WELL: Final = re.compile(r"\b(?:also|too|as well|additionally|in addition|besides|second)\b", re.IGNORECASE)
_FULL_NAME: Final = re.compile(r"(?!Mr |Mrs |Ms |Dr )[A-Z][a-z]+ [A-Z][a-z]+\b")
_DECIDED: Final = re.compile(r"\b(?:decided|agreed|approved)\b", re.IGNORECASE)
_SPEAKS_ON: Final = re.compile(
    r"^(?:Above|Below|Over|Under|Otherwise|Else|After|Before|I|It|He|She|They|We|That|This|Those|So|And|Then|Both|Perhaps|Maybe)\b|\b(?:then|too|instead)\W{0,3}$"
)
_PERSONAL: Final = re.compile(r"(?:He|She|They)\b")
_SINGLE_NAME: Final = re.compile(
    r"([A-Z][a-z]+) (?:must |will |can |may |has to |should )?(\w+)\b( (?:the|an?|all|each|every|his|her|their|our"
    r"|responsible|in charge)\b)?"
)
_MOST_DIGITS: Final = 6
_OF_RATES: Final = {stem(rate): stem(unit) for unit, rate in RATES.items()}
_NOT_NAMES: Final = ("s", "ing", "ment", "ion", "ity", "ance", "age", "al", "ty", "ics", "ship", "ff")


@dataclass(slots=True)
class _Turn:
    """Sentences of a turn, and the kinds and workflows of its changes."""

    said: list[str] = field(default_factory=list[str])
    """By whomever, each change as a sentence among them."""
    changes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    user: list[str] = field(default_factory=list[str])
    reply: list[str] = field(default_factory=list[str])


class Evidence:
    """What a summary of some turns may say, where the lines told hold already: the summary so far, and the ledger."""

    def __init__(self, told: str, events: Iterable[Event]) -> None:
        before = [plain_wording(one) for one in facts.entries(told)]
        texts = list(before)
        pairs: list[tuple[str, str]] = []
        named: list[tuple[str, str]] = []
        introduced: list[frozenset[str]] = []
        messages: list[list[str]] = []
        turns = [done_turn(before, (), before)]
        self._said: list[str] = []
        by_turn: dict[int, _Turn] = defaultdict(_Turn)
        for event in events:
            self._said.append(event.content)
            own = [plain_wording(one) for one in facts.sentences(event.content)]
            pairs += pairwise(own)
            messages.append(list(own))
            turn = by_turn[getattr(event, "turn", 0)]
            if isinstance(event, AgentReply):
                touched = event.workflows_touched
                named += ((one, two.name) for one in own for two in touched)
                own += (f"{one.change} {one.id} ({one.name})" for one in touched)
                turn.changes += ((one.change, one.name) for one in touched)
                turn.reply += own
            elif isinstance(event, UserMessage):
                introduced.append(introduced_in(event.content))
                turn.user += own
            turn.said += own
            texts += own
        self._turns = [*turns, *(done_turn(one.said, one.changes, one.user) for one in by_turn.values())]
        self._standing = Standing([SaidTurn(one.user, one.reply, bool(one.changes)) for one in by_turn.values()])
        changed = [bool(one.changes) for one in by_turn.values()]
        self._ideas = tuple(
            one.rstrip(".")
            for turn, is_changed, is_followed in zip(by_turn.values(), changed, [*changed[1:], False], strict=True)
            if not (is_changed or is_followed)
            for one in turn.said
            if contradictions.is_idea(one)
        )
        texts += (f"{one.rstrip('.')}, {other}" for one, other in pairs if not one.endswith("?") and _goes_on(other))
        texts = [wording for text in texts for wording in with_other_wordings(text)]
        beside = [
            (one, other) for one, other in pairs if one.endswith("?") or _goes_on(other) or _PERSONAL.match(other)
        ]
        self._placement = Placement(
            texts,
            [*beside, *named],
            [*beside, *named, *(one for one in pairs if _SPEAKS_ON.search(one[1]))],
            _all(introduced),
        )
        self._bindings = Bindings([*([one] for one in before), *messages])
        self._near: dict[tuple[str, ...], Sequence[Statement]] = {}
        self._sentences, self._parts = self._placement.sentences, self._placement.parts
        told_of = list(map(telling_of, texts))
        self._words = _all(one.words for one in told_of)
        self._denied_reasons = _all(one.denied_reasons for one in told_of)
        self._counts = {count for word in self._words if (count := word.partition("-")[0]).isdecimal()}
        self._uncapitalised = _all(one.uncapitalised for one in told_of)
        self._language = language_of(" ".join(texts)[-_SPOKEN_CHARS:])
        self._absent = _all(one.absent for one in told_of)
        self._acts = [act for one in told_of for act in one.acts]
        in_two = [telling_of(f"{one.rstrip('.')}; {other}") for one, other in pairs]
        self._outdated = _all(one.outdated for one in (*told_of, *in_two))
        self._replacements = [
            *((one, told.words) for told in in_two for one in told.replaced_figures),
            *((one, told.words) for told in told_of for one in (*told.replaced_figures, *told.replacements)),
        ]
        self._same = _all(one.same for one in told_of)

    def why_not(self, sentence: str, *, is_deed: bool = False, is_question: bool = False) -> str | None:
        """Return what of a sentence of the summary is not so; None where it may stand.

        It may stand among what was done, or among the open questions.
        """
        quote = self._unknown_quote(sentence)
        sentence = plain_wording(sentence)
        spoken = language_of(sentence)
        is_foreign = spoken is not None and self._language is not None and spoken != self._language
        if is_foreign:
            words = statement_of(sentence).words
            is_foreign = sum(word in self._words for word in words) <= _ENOUGH * len(words)
        said = statement_of(sentence, has_names=not is_foreign)
        if is_foreign:
            missing = [one for one in said.values if one[0].isdigit() and one not in self._words]
            return f"{min(missing)!r} is nowhere" if missing else None
        is_open = is_question or said.text.endswith("?") or _OPEN.search(said.text) is not None
        replaced = self._replaced(said)
        if isinstance(replaced, str):
            return replaced
        checks: list[Callable[[], str | None]] = [
            lambda: self._unknown_value(said),
            lambda: quote,
            lambda: contradictions.invented_reason(sentence, self._words, self._denied_reasons),
            lambda: self._not_done(said, is_deed=is_deed),
            lambda: self._invention(said),
        ]
        if not replaced:
            checks += [
                lambda: unknown_deed(stated_in(sentence), self._turns),
                lambda: denied_deed(stated_in(sentence), self._turns),
                lambda: self._placement.misplaced(said, self._named),
                lambda: None if said.denied else self._bindings.misplaced(sentence),
                lambda: self._wrong_bound(sentence),
                lambda: contradictions.other_side(said, self._sentences),
                lambda: self._opposite(said),
                lambda: self._another_does_it(said),
                lambda: self._placement.other_role(said),
                lambda: self._left_behind(said),
                lambda: self._out_of_order(said),
            ]
        if not is_open:
            checks += [
                lambda: self._question(said),
                lambda: self._none_of_it(said),
                lambda: contradictions.only_planned(said, self._nearest_parts(said)),
                lambda: self._standing.unsettled(said),
                lambda: self._only_an_idea(said),
                lambda: contradictions.too_many_in(said, self._nearest(said)),
                lambda: None if replaced or self._standing.is_refusal(said) else wrong_polarity(said, self._sentences),
            ]
        return next((why for check in checks if (why := check()) is not None), None)

    def _replaced(self, said: Statement) -> str | bool:
        """Say whether the turns tell of the same change from one thing to another; or that it went the other way."""
        mine = replacements_in(said.text)
        if any(one.is_as(other) for one in mine for other, _ in self._replacements):
            return True
        reversed_ = any(one.is_reverse_of(other) for one in mine for other, _ in self._replacements)
        return "the turns say it the other way round" if reversed_ else False

    def _another_does_it(self, said: Statement) -> str | None:
        for act in () if said.denied or _AS_WELL.search(said.text) else acts_in(said.text):
            same = [told for told in self._acts if told.verb == act.verb]
            shared = max((len(act.rest & told.rest) for told in same), default=0)
            found = [does_another(act, told, self._same) for told in same if len(act.rest & told.rest) == shared]
            if True in found and False not in found:
                return f"another one is to {act.verb}"
        return None

    def _opposite(self, said: Statement) -> str | None:
        """Say which word of a clause those sentences say the opposite of that come nearest to it."""
        return next(
            (why for part in stated_in(said.text) if (why := contradictions.opposite_in(part, self._nearest(part)))),
            None,
        )

    def _only_an_idea(self, said: Statement) -> str | None:
        """Say whether a statement tells as settled what the turns come nearest to with an idea that led to nothing."""
        is_told_so = (
            said.denied
            or contradictions.is_idea(said.text)
            or (contradictions.is_spoken_of(said.text) and not _DECIDED.search(said.text))
        )
        nearest = () if is_told_so else self._nearest(said)
        words = {word for word in said.words if not says_little(word)}
        same = [
            len(words & set(one.words)) >= _ENOUGH * len(words) and one.text.startswith(self._ideas) for one in nearest
        ]
        return "it was only an idea" if same and all(same) else None

    def _left_behind(self, said: Statement) -> str | None:
        """Say what of a statement the turns tell to have given way to something else."""
        words = set(said.words)
        if said.is_negated or _USED_TO.search(said.text):
            return None
        plain = (one for one, count in self._sentences.overlaps(words) if count == len(words))
        if any(not (replacements_in(one.text) or figures_replaced_in(one.text)) for one in plain):
            return None
        for one, sentence in self._replacements:
            of_figures = any(word[0].isdigit() for word in one.old)
            if of_figures and not (one.old <= self._outdated and one.old & words):
                continue
            if one.old <= words and not one.new & words and len(words & sentence) > len(one.old) + (not of_figures):
                return f"{min(one.old)!r} gave way to something else"
        return None

    def _not_done(self, said: Statement, *, is_deed: bool) -> str | None:
        return "nothing of the kind was done" if is_deed and not self._nearest(said) else None

    def _unknown_value(self, said: Statement) -> str | None:
        # "From 1 to 4" may be what was told as hours.
        missing = [one for one in self._named(said) if not self._is_told(one)]
        return f"{min(missing)!r} is nowhere" if missing else None

    def _is_told(self, value: str) -> bool:
        """Say whether the turns have a value in whatever form: 14 for two weeks, the 17th of a month they name."""
        known = value in self._words or value in self._counts
        if known or any(one in self._words for one in _other_forms(value)):
            return True
        count, _, unit = value.partition("-")
        if not count.isdecimal() or not unit or stem(unit) not in self._words:
            return False
        # "10 free days" are ten days.
        pattern = re.compile(rf"\b{count}(?:st|nd|rd|th)\b")
        return any(stem(unit) in one.words or pattern.search(one.text) for one in self._sentences.holding(count))

    def _named(self, said: Statement) -> frozenset[str]:
        """Return the values of a statement, and its first word where that may be a name."""
        first = _WORD.match(said.text)
        if first is None or not first[0][0].isupper() or stem(first[0].casefold()) in self._uncapitalised:
            return said.values
        word = stem(first[0].casefold())
        alone = _SINGLE_NAME.match(said.text)
        is_noun = first[0].endswith(_NOT_NAMES) or is_denial(first[0].casefold()) or says_little(word)
        is_name = (
            (_FULL_NAME.match(said.text) and not says_little(word))
            # "Sanne runs the desk": what has no article and one verb is somebody.
            or (alone and (is_verb(alone[2]) or alone[3]) and not is_noun)
            or (word in said.words and word in self._words)
        )
        return said.values | {word} if is_name else said.values

    def _unknown_quote(self, sentence: str) -> str | None:
        for quote in facts.quotes(sentence):
            bare = quote.casefold().rstrip(".,;!?")
            if not any(bare in one for one in self._spoken):
                return f"nobody said {quote!r}"
        return None

    @cached_property
    def _spoken(self) -> Sequence[str]:
        """The messages as they were said and the sentences in plain wording, folded, with single spaces."""
        texts = (*self._said, *(told.text for told in self._sentences.all))
        return [" ".join(one.casefold().split()) for one in texts]

    def _out_of_order(self, said: Statement) -> str | None:
        """Say whether the turns put what comes first last, in so many words or by listing it."""
        sides = contradictions.sides_of(said.text)
        if sides is None:
            return None
        first, then = (
            {word for word in one - other - OF_ANYTHING if not word[0].isdigit()} for one, other in (sides, sides[::-1])
        )
        is_other = False
        for told, _ in self._sentences.overlaps(first):
            turned = _is_turned(told, first, then)
            if turned is False:
                return None
            is_other = is_other or turned is True
        return "the turns say it the other way round" if is_other else None

    def _wrong_bound(self, sentence: str) -> str | None:
        for said in stated_in(sentence):
            for number, bound in contradictions.bounds_in(said.text).items():
                for told in (self._parts, self._sentences):
                    if why := contradictions.other_bound(said, told.holding(number), number, bound):
                        return why
        return None

    def _question(self, said: Statement) -> str | None:
        nearest = self._nearest(said)
        words = {word for word in said.words if not says_little(word)}
        if (
            not words
            or contradictions.is_spoken_of(said.text)
            or not nearest
            or not all(contradictions.is_asked(one.text) for one in nearest)
        ):
            return None
        if said.denied and not any(said.denied & one.denied for one in nearest):
            return None
        same = any(len(words & set(one.words)) >= _MUCH_OF_IT * len(words) for one in nearest)
        return "it was only asked" if same else None

    def _none_of_it(self, said: Statement) -> str | None:
        """Say of what a statement tells that there is none of it."""
        if said.is_negated or contradictions.is_spoken_of(said.text):
            return None
        return next((f"there is no {word!r}" for word in said.words if word in self._absent), None)

    def _nearest(self, said: Statement) -> Sequence[Statement]:
        # Several checks ask for those of the same statement.
        if said.words not in self._near:
            near, most = self._sentences.nearest(said.words)
            self._near[said.words] = near if most >= min(2, len(set(said.words))) else ()
        return self._near[said.words]

    def _nearest_parts(self, said: Statement) -> list[Statement]:
        """Return of each of the nearest sentences the clause that says most of it; questions whole."""
        words = set(said.words)
        return [clause_with_most(words, one) for one in self._nearest(said)]

    def _invention(self, said: Statement) -> str | None:
        new = {word for word in said.others - self._words if not says_little(word)}
        if len(new) >= _FEWEST_NEW and len(new) > _MOST_NEW * len(set(said.words)):
            return "the turns speak of something else"
        return None


@lru_cache(maxsize=2_048)
def _other_forms(value: str) -> tuple[str, ...]:
    """Return what may be told in place of a value: 15:00 for "3", two weeks for "14", 2 for "2x"."""
    if value.isdecimal() and len(value) <= _MOST_DIGITS:
        spans = (statement_of(plain_wording(f"x {value} {unit}s")).words[-1] for unit in SPANS)
        later = (f"{int(value) + NOON}:00",) if int(value) < NOON else ()
        return (f"{value}:00", *later, *spans)
    hour, _, minutes = value.partition(":")
    if len(hour) <= _MOST_DIGITS and hour.isdecimal() and minutes.isdecimal():
        # People leave out which half of the day they mean.
        return (f"{(int(hour) + NOON) % (2 * NOON)}:{minutes}",)
    if value.endswith("x") and value[:-1].isdecimal():
        return (value[:-1],)
    return (_OF_RATES[value],) if value in _OF_RATES else ()


def _is_turned(told: Statement, first: set[str], then: set[str]) -> bool | None:
    """Say whether a sentence puts things into another order than that of two sides; None where it puts them in none."""
    words = set(told.words)
    if not (first & words and then & words):
        return None
    sides = contradictions.sides_of(told.text)
    if sides is not None:
        straight = len(first & sides[0]) + len(then & sides[1])
        crossed = len(first & sides[1]) + len(then & sides[0])
        return None if straight == crossed else crossed > straight
    if len(clauses(told.text)) < 2 or _EARLIER.search(told.text) or BETWEEN.search(told.text):
        return None
    return contradictions.is_turned(told.words, first, then)


def _all(several: Iterable[frozenset[T]]) -> frozenset[T]:
    none: frozenset[T] = frozenset()
    return none.union(*several)


def _goes_on(following: str) -> bool:
    """Say whether a sentence is so short that it says something only with the one before."""
    return len(statement_of(following).words) <= _FRAGMENT_WORDS


def supported(summary: Summary, evidence: Evidence) -> tuple[Summary, tuple[str, ...], int]:
    """Return a summary without what the turns do not say, what that was, and how much there was to check."""
    gone: list[str] = []
    checked = 0

    def kept(entries: Iterable[str], name: str = "") -> list[str]:
        nonlocal checked
        held: list[str] = []
        for one in entries:
            checked += 1
            why = evidence.why_not(one, is_deed=name == "done", is_question=name == "open_questions")
            held += [] if why else [one]
            gone.extend([f"{one} ({why})"] if why else [])
        return held

    lists = {name: tuple(kept(getattr(summary, name), name)) for name in Summary.model_fields if name != "text"}
    text = " ".join(kept(facts.sentences(summary.text)))
    return Summary(**lists, text=text), tuple(gone), checked
