"""Which step of a workflow words mean: all content words must be the step's, and only one step may fit."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, TypeVar

from workflow_agent.assistant.offline.lexicon import data_rows, entry_of, nearest, word_set
from workflow_agent.assistant.offline.tokens import Token, read_tokens
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

_SUFFIXES = ("ification", "isation", "ization", "ation", "ition", "ission", "ision", "ature", "ment",
    "ance", "ence",
             "tion", "sion", "ing", "ure", "ion", "al", "out", "off")  # fmt: skip
_NOUNS = ("ment", "ion", "ation", "al", "ing", "ance")
_ENDINGS = ("", "e", "ify", "ise", "ize", "it", "ide", "y", "ate", "ute")
FRAME_WORDS = word_set("references.frame_words")
"""Words that stand around a step's name and say nothing of which it is."""
PRONOUNS = word_set("references.pronouns")
T = TypeVar("T")


@dataclass(frozen=True)
class Candidate:
    """One of several things a phrase can mean."""

    id: str
    name: str


class StepUnclear(Exception):
    """Words mean several steps, or none."""

    def __init__(self, phrase: str, candidates: Sequence[Candidate] = ()) -> None:
        super().__init__(phrase)
        self.phrase = phrase
        self.candidates = tuple(candidates)
        """Those that fit equally well; empty where none does."""


@lru_cache(maxsize=4096)
def stems(word: str) -> frozenset[str]:
    """Return what a word is at root: its base forms, and the verb of a noun ("approval": approve)."""
    known = entry_of(word)
    found = {one for one in (known.lemma, known.verb, known.noun, word) if one}
    if not known.known and word.endswith("ing") and len(word) > 6:
        # "Copyediting": no dictionary has its verb.
        found.add(word.removesuffix("ing"))
    for suffix in _SUFFIXES:
        for base in (word, known.noun or word):
            stem = base.removesuffix(suffix)
            if stem != base and len(stem) >= 3:
                doubled = stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] else stem
                found |= {v for v in (s + e for s in {stem, doubled} for e in _ENDINGS) if entry_of(v).verb == v}
    found |= _verbs_of().get(known.noun or word, frozenset())
    return frozenset(found)


@cache
def _verbs_of() -> dict[str, frozenset[str]]:
    return _by_word((verb, nouns) for verb, nouns in data_rows("nouns.tsv"))


def _by_word(rows: Iterable[tuple[T, str]]) -> dict[str, frozenset[T]]:
    """Return for each word of some rows what they have in front."""
    found: dict[str, set[T]] = {}
    for one, words in rows:
        for word in words.split():
            found.setdefault(word, set()).add(one)
    return {word: frozenset(some) for word, some in found.items()}


def akin(one: str, other: str) -> bool:
    """Say whether two words are forms of one, also as a noun and its verb."""
    return one == other or not stems(one).isdisjoint(stems(other))


@cache
def _families() -> dict[str, frozenset[int]]:
    return _by_word((at, row[0]) for at, row in enumerate(data_rows("families.tsv")))


@lru_cache(maxsize=4_096)
def families(word: str) -> frozenset[int]:
    """Return which rows of words that may stand for each other have one, in any of its forms."""
    return frozenset[int]().union(*(_families().get(stem, frozenset()) for stem in stems(word)))


@dataclass(frozen=True, slots=True)
class Known:
    """The words of one step."""

    step: Step
    name: tuple[str, ...]
    """Content words of the name, in order."""
    about: frozenset[str]
    """Words of who does it."""


_MOST_WORDS = 40
"""More are no step's name."""


@dataclass(slots=True)
class Steps:
    """Finds the steps of one workflow that words mean."""

    workflow: Workflow
    chosen: Mapping[str, str] = field(default_factory=dict[str, str])
    """What was settled before: a phrase in small letters, and the step's id."""
    last: str | None = None
    """The step spoken of last, that "it" means."""
    pointed: str | None = None
    """The step that "the one after baking" means."""
    known: list[Known] = field(default_factory=list[Known])

    _words: frozenset[str] = frozenset()
    _found: dict[object, list[Step]] = field(default_factory=dict[object, list[Step]])
    """What words were found to mean."""
    _named: dict[object, dict[int, tuple[int, Step]]] = field(default_factory=dict[object, dict[int, tuple[int, Step]]])
    """Which whole names of steps clauses were found to have."""

    def __post_init__(self) -> None:
        self.known = [_known(step) for step in self.workflow.steps]
        self._words = frozenset(word for one in self.known for word in (*one.name, *one.about))

    def words(self) -> frozenset[str]:
        """Return every word that names a step or who does it, to mend mistyped ones by."""
        return self._words

    def find(self, tokens: Sequence[Token], *, with_ends: bool = True) -> Step:
        """Return the one step that words mean.

        Raises:
            StepUnclear: None or several are meant.
        """
        phrase = phrase_of(tokens)
        apart = "_" in phrase or "-" in phrase or not entry_of(phrase).known
        if apart and (by_id := self.workflow.step(phrase)):
            return by_id
        if phrase in self.chosen and (settled := self.workflow.step(self.chosen[phrase])):
            return settled
        # Also where it is made of words that say nothing elsewhere: "One", "Next step".
        said = " ".join(token.lower for token in tokens if token.kind != "punct")
        named = [s for s in self.workflow.steps if s.name.lower() == said and (with_ends or s.type != "end")]
        if len(named) == 1:
            return named[0]
        words = _content(tokens)
        if len(words) > _MOST_WORDS or any(token.among("references.find.except") for token in tokens):
            raise StepUnclear(phrase)
        if not words:
            return self._pronoun(tokens, phrase)
        if (placed := self._by_place(tokens, words)) is not None:
            return placed
        if tokens[-1].lemma in FRAME_WORDS and any(t.possessive for t in tokens):
            theirs = [one.step for one in self.known if all(any(akin(w, a) for a in one.about) for w in words)]
            if len(theirs) == 1:
                return theirs[0]
        fitting = self._fitting(words, with_ends=with_ends)
        light = [word for word in words if entry_of(word).verb not in word_set("references.light")]
        if not fitting and 0 < len(light) < len(words):
            # "Get consent" of "Obtain consent": the verb says no more than that it is done.
            fitting = self._fitting(light, with_ends=with_ends)
        if not with_ends or any(step.type != "end" for step in fitting):
            fitting = [step for step in fitting if step.type != "end"] or (fitting if with_ends else [])
        if len(fitting) == 1:
            return fitting[0]
        if (placed := self._among(tokens, with_ends=with_ends)) is not None:
            return placed
        raise StepUnclear(phrase, [Candidate(step.id, step.name) for step in fitting])

    def fits(self, tokens: Sequence[Token], *, with_ends: bool = True) -> list[Step]:
        """Return the steps that words may mean, each wholly: none, one, or those that fit equally well."""
        key = (self.last, with_ends, *((t.kind, t.lower, t.possessive) for t in tokens))
        if key not in self._found:
            try:
                self._found[key] = [self.find(tokens, with_ends=with_ends)]
            except StepUnclear as unclear:
                self._found[key] = [s for one in unclear.candidates if (s := self.workflow.step(one.id))]
        return self._found[key]

    def whole_names(self, tokens: Sequence[Token]) -> dict[int, tuple[int, Step]]:
        """Return where all words of a step's name stand together, in any order and form: first token, end, step."""
        key = tuple((t.kind, t.text) for t in tokens)
        if key not in self._named:
            self._named[key] = self._whole_names(tokens)
        return self._named[key]

    def _whole_names(self, tokens: Sequence[Token]) -> dict[int, tuple[int, Step]]:
        found = self._exact_names(tokens)
        lasts = [(at, token) for at, token in enumerate(tokens) if token.is_content]
        for one in self.known:
            if len(one.name) < 2:
                found += [
                    (at, at + 1, 1, one.step)
                    for at, token in lasts
                    if token.kind == "quoted" and token.text.casefold() == one.step.name.casefold()
                ]
                continue
            for first, _ in lasts:
                end = self._window(tokens, first, one.name)
                if end:
                    found.append((first, end, len(one.name), one.step))
        taken: set[int] = set()
        chosen: dict[int, tuple[int, Step]] = {}
        for first, end, size, step in sorted(found, key=lambda each: (-each[2], each[1] - each[0])):
            rivals = [o for o in found if o[:3] == (first, end, size) and o[3].id != step.id]
            if taken.isdisjoint(range(first, end)) and not rivals:
                taken |= set(range(first, end))
                chosen[first] = end, step
        return chosen

    def _exact_names(self, tokens: Sequence[Token]) -> list[tuple[int, int, int, Step]]:
        """Return where names of more than one word stand as they are, and "step 2"."""
        found: list[tuple[int, int, int, Step]] = []
        lowers = [token.lower for token in tokens]
        for step in self.workflow.steps:
            name = [token.lower for token in read_tokens(step.name)]
            if len(name) > 1:
                found += [
                    (at, at + len(name), len(name) + 1, step)
                    for at in range(len(tokens) - len(name) + 1)
                    if lowers[at : at + len(name)] == name
                ]
        listed = self._listed()
        for at, token in enumerate(tokens[:-1]):
            number = tokens[at + 1].value if tokens[at + 1].kind == "number" else None
            counted = not tokens[at + 2 : at + 3] or not tokens[at + 2].has("noun")
            if token.is_("step", "task") and number and counted and 0 < number <= len(listed) and number == int(number):
                found.append((at, at + 2, 2, listed[int(number) - 1]))
        return found

    def _window(self, tokens: Sequence[Token], first: int, name: Sequence[str]) -> int:
        """Return where words of a name that begin at a token end, all of them; 0 where they do not."""
        if tokens[first].kind == "quoted":
            return first + 1 if content_of(tokens[first].text) == list(name) else 0
        left = list(name)
        for at in range(first, min(first + 2 * len(name) + 2, len(tokens))):
            token = tokens[at]
            if not token.is_content:
                if token.kind != "word" or not token.has("det", "prep", "part", "aux"):
                    return 0
                continue
            word = self._mended(token.lower)
            fitting = next((one for one in left if akin(word, one)), None)
            if token.kind != "word" or fitting is None:
                return 0
            left.remove(fitting)
            if not left:
                over = tokens[at + 1 : at + 2]
                return at + 2 if any(t.is_("over", "out", "up", "off") for t in over) else at + 1
        return 0

    def maybe(self, tokens: Sequence[Token]) -> Step | None:
        """Return the one step that words mean, or None where none or several are."""
        try:
            return self.find(tokens)
        except StepUnclear:
            return None

    def is_named(self, tokens: Sequence[Token]) -> bool:
        """Say whether words are a step's whole name or id, not a part of one."""
        words = _content(tokens)
        return any((len(words) == len(one.name) and all(map(akin, words, one.name))) for one in self.known)

    def _fitting(self, words: Sequence[str], *, with_ends: bool = True) -> list[Step]:
        mended = [self._mended(word) for word in words]
        text = " ".join(mended)
        known = [one for one in self.known if with_ends or one.step.type != "end"]
        exact = [one.step for one in known if text == " ".join(one.name)]
        if len(exact) == 1 and exact[0].type not in ("fork", "join"):
            return exact
        scored = [(score, one.step) for one in known if (score := _score(mended, one)) > 0]
        if not scored and len(mended) == 2 and self._is_joined(joined := "".join(mended)):
            # "The copy editing" of "Copyedit".
            return self._fitting([joined], with_ends=with_ends)
        if not scored:
            return [one.step for one in known if _in_id(mended, one)]
        # "The transfer" is rather that than the fork "After the transfer".
        works = [one for one in scored if one[1].type not in ("fork", "join")] or scored
        best = max((score for score, _ in works), default=0.0)
        return [step for score, step in works if score > best - 0.05]

    def _is_joined(self, joined: str) -> bool:
        """Say whether two words written as one are a word of a name, or made of one: "copyedit", "copyediting"."""
        begin = [word for word in self._words if joined.startswith(word)]
        return any(joined.removeprefix(word) in ("", "s", "ing", "ment") for word in begin)

    def _mended(self, word: str) -> str:
        """Return a mistyped word as it is spelt here: as in a name, or as the noun of its verb."""
        if entry_of(word).known:
            return word
        nouns = {one + ending for one in self.words() for ending in _NOUNS if entry_of(one + ending).known}
        return nearest(word, self.words()) or nearest(word, nouns) or word

    def _pronoun(self, tokens: Sequence[Token], phrase: str) -> Step:
        if self.pointed is not None and (step := self.workflow.step(self.pointed)):
            return step
        if any(token.lower in PRONOUNS for token in tokens) and (step := self.workflow.step(self.last or "")):
            return step
        raise StepUnclear(phrase)

    def _among(self, tokens: Sequence[Token], *, with_ends: bool) -> Step | None:
        """Return what "the last check" or "the second review" means, of the steps that the other words fit."""
        first = next((token for token in tokens if token.is_content), None)
        if first is None or not (first.is_("last", "final") or (first.value is not None and first.kind == "word")):
            return None
        words = _content([token for token in tokens if token is not first])
        fitting = self._fitting(words, with_ends=with_ends) if words else []
        fitting = [step for step in fitting if step.type not in ("end", "fork", "join")]
        at = -1 if first.value is None else int(first.value) - 1
        return fitting[at] if len(fitting) > 1 and at < len(fitting) else None

    def _listed(self) -> list[Step]:
        """Return the steps that are counted: "step 3"."""
        return [step for step in self.workflow.steps if step.type not in ("end", "fork", "join")]

    def _by_place(self, tokens: Sequence[Token], words: Sequence[str]) -> Step | None:
        """Return what "the first step", "step 3" or "the last step" means."""
        listed = self._listed()
        # "The third one" comes here also without "one".
        ordinal = any(t.kind == "word" and t.value is not None and not t.is_("one", "both") for t in tokens)
        has_frame = ordinal or any(token.lemma in FRAME_WORDS for token in tokens)
        if len(words) != 1 or not has_frame or not listed:
            return None
        if words[0] in ("last", "final"):
            return listed[-1]
        number = next((token.value for token in tokens if token.value is not None and not token.is_("one")), None)
        if number is not None and number == int(number) and 1 <= number <= len(listed):
            return listed[int(number) - 1]
        return None


def with_names(text: str, steps: Steps) -> str:
    """Return an order with the step's name in place of "the one before the scan", where that is one step."""
    tokens = read_tokens(text)
    for at in range(1, len(tokens) - 2):
        is_step = tokens[at].lemma in FRAME_WORDS and tokens[at - 1].is_("the", "that")
        mark = at + 2 if tokens[at + 1].is_("right", "just", "directly", "immediately") else at + 1
        if not is_step or not tokens[mark].is_("before", "after") or any(t.is_(*_PLACED) for t in tokens[:at]):
            continue
        end, found = mark + 1, None
        while end < len(tokens) and (tokens[end].has("det") or tokens[end].is_content):
            end += 1
            found = steps.maybe(tokens[mark + 1 : end]) or found
            if found is not None and steps.maybe(tokens[mark + 1 : end]) is None:
                end -= 1
                break
        if found is None:
            continue
        workflow = steps.workflow
        before = tokens[mark].is_("before")
        ways = [e.from_ for e in workflow.incoming(found.id)] if before else [e.to for e in workflow.outgoing(found.id)]
        step = workflow.step(ways[0]) if len(ways) == 1 else None
        if step is not None and step.type not in ("end", "fork", "join"):
            return f'{text[: tokens[at - 1].start]}"{step.name}"{text[tokens[end - 1].end :]}'
    return text


_PLACED = ("add", "insert", "put", "move", "place", "new", "create", "include", "append", "bring", "shift")
"""Verbs behind which "before the scan" is a place, and no part of a name."""

_CALLED = ("workflow", "process", "flow", "procedure", "pipeline", "one")
"""What a workflow is called behind its name."""


def mention_in(
    tokens: Sequence[Token], listed: Sequence[Mapping[str, Any]], known: frozenset[str], own_id: str | None
) -> tuple[str, tuple[Token, ...]] | None:
    """Return the id of the one workflow that a question names, wholly or in part, and the question without it.

    Args:
        tokens: The question.
        listed: The workflows there are, each with its id, name and aliases.
        known: Roots of the words that the open workflow has: they are taken for its own, but in a whole name.
        own_id: The id of the open workflow.
    """
    best: dict[str, tuple[tuple[bool, int], int, int]] = {}
    for item in listed:
        for called in (item["name"], *item.get("aliases", ())):
            words = content_of(called) or [called.lower()]
            for at in range(len(tokens)):
                end = at
                while end < len(tokens) and end - at < len(words) and _names(tokens[end], words):
                    end += 1
                # Of "time off", "time" is only a part.
                literal = [t.lower for t in tokens[at : at + len(called.split())]] == called.lower().split()
                whole = end - at == len(words) and (len(words) > 1 or literal)
                own = [not stems(t.lower).isdisjoint(known) for t in tokens[at:end]]
                # "In the data request": one word that the open one does not have names another.
                placed = _is_placed(tokens, at)
                said = literal or (at and tokens[at - 1].has("det") and tokens[at].lower in called.lower().split())
                behind = end < len(tokens) and tokens[end].is_(*_CALLED)
                if not (whole or placed or said or behind or own_id is None):
                    # "The newsletter" may be meant, "agreeing" is no agreement.
                    continue
                mine = all(own) if placed else any(own)
                if end == at or (mine and not (whole and end - at > 1 and item["id"] != own_id)):
                    continue
                if not whole and item["id"] == own_id:
                    continue
                best[item["id"]] = max(best.get(item["id"], ((False, 0), 0, 0)), ((whole, end - at), at, end))
    ranked = sorted(best.items(), key=lambda one: one[1][0], reverse=True)
    if not ranked or (len(ranked) > 1 and ranked[0][1][0] == ranked[1][1][0]):
        return None
    found, (_, first, end) = ranked[0]
    while first and ((t := tokens[first - 1]).has("det") or t.is_("in", "of", "for", "at", "from", "to", "on")):
        first -= 1
    while end < len(tokens) and tokens[end].is_(*_CALLED):
        end += 1
    return found, (*tokens[:first], *tokens[end:])


def _is_placed(tokens: Sequence[Token], at: int) -> bool:
    """Say whether "in", "of" or "for" stands before a place, past an article."""
    before = at - 1
    while before >= 0 and tokens[before].has("det"):
        before -= 1
    return before >= 0 and tokens[before].is_("in", "of", "for")


def _names(token: Token, words: Sequence[str]) -> bool:
    return token.kind == "word" and token.is_content and any(akin(token.lower, word) for word in words)


def phrase_of(tokens: Sequence[Token]) -> str:
    """Return words in small letters without article and "step", by which an answer settles them."""
    kept = [t.lower for t in tokens if t.kind != "punct" and not t.has("det") and t.lemma not in FRAME_WORDS]
    return " ".join(kept) or " ".join(token.lower for token in tokens)


def content_of(text: str) -> list[str]:
    """Return the content words of a text."""
    return list(_content_of(text))


@lru_cache(maxsize=4_096)
def _content_of(text: str) -> tuple[str, ...]:
    return tuple(_content(read_tokens(text)))


def _content(tokens: Sequence[Token]) -> list[str]:
    words: list[str] = []
    for token in tokens:
        if token.kind == "quoted":
            words += content_of(token.text)
        elif token.is_content and token.lemma not in FRAME_WORDS:
            words.append(token.lower if token.kind == "word" else token.text)
    return words


def _known(step: Step) -> Known:
    name = tuple(content_of(step.name)) or (step.name.lower(),)
    service = (step.uses or "").replace(".", " ").replace("_", " ")
    who = " ".join("IT" if word == "it" else word for word in (step.assignee or "").split("_"))
    lowers = [token.lower for token in read_tokens(step.name) if token.kind == "word"]
    joined = (one + other for one, other in itertools.combinations(lowers[:5], 2))
    return Known(step, name, frozenset((*content_of(who), *content_of(service), *joined)))


def _in_id(words: Sequence[str], known: Known) -> bool:
    """Say whether words name a step by its id: "the welcome call" of `call_new_hire`, "Welcome by phone"."""
    if len(words) == 1:
        return words[0] == known.step.id
    own = content_of(known.step.id.replace("_", " ").replace("-", " "))
    said = [word for word in words if not any(akin(word, one) for one in known.name)]
    return bool(own) and all(any(akin(word, one) for one in own) for word in said)


def _score(words: Sequence[str], known: Known) -> float:
    """Return how well words name a step: 0 where one of them is none of the step's."""
    in_name = [any(akin(word, one) for one in known.name) for word in words]
    about = [any(akin(word, one) for one in known.about) for word in words]
    if not all(a or b for a, b in zip(in_name, about, strict=True)):
        return 0.0
    covered = sum(any(akin(word, one) for word in words) for one in known.name)
    share = sum(in_name) / len(words)
    return (0.2 if known.step.type != "end" else 0.05) + 0.5 * share + 0.3 * covered / len(known.name)
