"""What somebody typed, as the words to look for and what else each may be called."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import Literal, NamedTuple

from workflow_agent.workflows.search.words import (
    LONGEST_WORD_CHARS,
    SMALL_TALK,
    STOP_WORDS,
    Phrase,
    chunks,
    spread,
    stem,
    synonyms,
)

Reason = Literal["typed", "synonym", "spelling"]
Frequencies = Callable[[Iterable[str]], Mapping[str, int]]
"""In how many documents each stem is; those in none may be missing."""
Correct = Callable[[str], Sequence[tuple[str, float]]]
"""The known words spelled like one, each with a likeness from 0 to 1."""
_LONGEST_QUERY_CHARS = 4_000
_MOST_WORDS = 48
_MOST_CORRECTED = 12
_SHORTEST_PART_CHARS = 3
_JOINED_WEIGHT = 0.8
_SYNONYM_WEIGHT = 0.5
_SPELLING_WEIGHT = 0.8
_SMALL_TALK_SHARE = 0.6
_STOP_WORD_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Form:
    """One way a document may say a word of the query."""

    stems: Phrase
    weight: float
    reason: Reason
    frequency: int
    """In how many documents it is, at most."""


@dataclass(slots=True)
class QueryWord:
    """A word of the query and all its forms, the typed one first."""

    text: str
    """As typed, in lower case."""
    stem: str
    times: int
    forms: list[Form]
    """The typed one first, even when no document has it."""
    share: float = 1.0
    """Of a word's worth: what people say around a topic only decides between those that have the topic."""

    @property
    def frequency(self) -> int:
        """How many documents have its heaviest form that any has; 0 when none has one."""
        known = [form for form in self.forms if form.frequency]
        return max(known, key=lambda form: form.weight).frequency if known else 0


@dataclass(frozen=True, slots=True)
class Query:
    """The words to look for, each once, and the pairs that stood side by side."""

    words: tuple[QueryWord, ...]
    neighbours: tuple[tuple[str, str], ...]

    @property
    def content(self) -> str:
        """The words as typed, without those that say nothing."""
        return " ".join(word.text for word in self.words if word.share == 1.0)


def parse_query(text: str, frequencies: Frequencies, correct: Correct) -> Query:
    """Return a query ready to rank documents by; only the beginning of a very long one counts.

    The frequencies are those of the index that will be searched; `correct` knows the spelling of words that no document
    has.
    """
    said = _separated(chunks(text[:_LONGEST_QUERY_CHARS]), frequencies)
    content = _content(said)
    typed = [said[at] for at in content]
    stems = [stem(word) for word in typed]
    alternatives = [*_joined(typed), *_synonymous(said, content)]
    counted = frequencies({*stems, *(part for one in alternatives for part in one.stems)})
    found: dict[str, QueryWord] = {}
    for word, root in zip(typed, stems, strict=True):
        form = Form((root,), 1.0, "typed", counted.get(root, 0))
        found.setdefault(root, QueryWord(word, root, 0, [form])).times += 1
    for one in alternatives:
        _add(one, {stems[at] for at in one.where}, found, counted)
    around = _around(said, content, found)
    unknown = [word for word in found.values() if not word.forms[0].frequency]
    for word in unknown[:_MOST_CORRECTED]:
        for one in [*_split(word.text, frequencies), *_respelled(word.text, correct)]:
            _add(one, {word.stem}, found, frequencies(one.stems))
    rarest_first = sorted(found, key=lambda root: found[root].frequency or 1)
    kept = set(rarest_first[:_MOST_WORDS])
    known_around = frequencies(around)
    for root, (word, share) in around.items():
        if root in known_around and len(kept) < _MOST_WORDS:
            kept.add(root)
            found[root] = QueryWord(word, root, 1, [Form((root,), 1.0, "typed", known_around[root])], share)
    return Query(tuple(found[root] for root in found if root in kept), tuple(dict.fromkeys(pairwise(stems))))


class _Alternative(NamedTuple):
    where: Iterable[int]
    """The positions of the words it stands for."""
    stems: Phrase
    weight: float
    reason: Reason


def _add(one: _Alternative, roots: Iterable[str], found: Mapping[str, QueryWord], counted: Mapping[str, int]) -> None:
    frequency = min(counted.get(part, 0) for part in one.stems)
    if not frequency:
        return
    form = Form(one.stems, one.weight, one.reason, frequency)
    for root in roots:
        if all(form.stems != other.stems for other in found[root].forms):
            found[root].forms.append(form)


def _content(said: Sequence[str]) -> list[int]:
    """Return where the words are that say what is wanted; where none does, every word."""
    telling = [at for at, word in enumerate(said) if word not in STOP_WORDS]
    topic = [at for at in telling if said[at] not in SMALL_TALK]
    return topic or telling or list(range(len(said)))


def _around(said: Sequence[str], content: Sequence[int], topic: Container[str]) -> dict[str, tuple[str, float]]:
    """Return the other words that were said by their stems, each with its share."""
    others = (word for at, word in enumerate(said) if at not in set(content))
    shares = {word: _STOP_WORD_SHARE if word in STOP_WORDS else _SMALL_TALK_SHARE for word in others}
    return {stem(word): (word, share) for word, share in shares.items() if stem(word) not in topic}


def _separated(runs: Iterable[str], frequencies: Frequencies) -> list[str]:
    """Return the words in lower case; a camel-case one is taken apart unless it is known as a whole."""
    found: list[str] = []
    for run in runs:
        whole = run.casefold()
        is_known = run.islower() or run.isupper() or bool(frequencies([stem(whole)]).get(stem(whole)))
        found += [whole[:LONGEST_WORD_CHARS]] if is_known and run.isascii() else _parts(run)
    return found


def _parts(run: str) -> list[str]:
    several = list(spread(run))
    return several[:-1] if len(several) > 1 and several[-1] == run.casefold()[:LONGEST_WORD_CHARS] else several


def _joined(typed: Sequence[str]) -> Iterator[_Alternative]:
    """Yield neighbours written as one word: "config map" as "configmap"."""
    for at, (first, second) in enumerate(pairwise(typed)):
        yield _Alternative((at, at + 1), (stem(first + second),), _JOINED_WEIGHT, "typed")


def _synonymous(said: Sequence[str], content: Sequence[int]) -> Iterator[_Alternative]:
    """Yield synonyms of all that was said, small words included: "time off" is one thing."""
    position = {at: number for number, at in enumerate(content)}
    for where, phrases in synonyms([stem(word) for word in said]):
        ours = [position[at] for at in where if at in position]
        for phrase in phrases:
            yield _Alternative(ours, phrase, _SYNONYM_WEIGHT, "synonym")


def _split(word: str, frequencies: Frequencies) -> Iterator[_Alternative]:
    """Yield a word that is two known ones: "configmap" as "config map"."""
    cuts = range(_SHORTEST_PART_CHARS, len(word) - _SHORTEST_PART_CHARS + 1)
    phrases = [(stem(word[:at]), stem(word[at:])) for at in cuts]
    counted = frequencies({part for phrase in phrases for part in phrase})
    best = max(phrases, key=lambda phrase: min(counted.get(part, 0) for part in phrase), default=None)
    if best is not None:
        yield _Alternative((), best, _JOINED_WEIGHT, "typed")


def _respelled(word: str, correct: Correct) -> Iterator[_Alternative]:
    for known, likeness in correct(word):
        yield _Alternative((), (stem(known),), _SPELLING_WEIGHT * likeness, "spelling")


_MOST_POSTINGS = 1_000
"""How many documents a ranked look-up may touch before its words count as common."""
_WORDS_TOGETHER = 6
_IN_NAMES = "{name aliases}"


def expressions(query: Query) -> list[str]:
    """Return what to ask the full text for, all of it.

    Ranking costs time for every document that has a word. So words that many have are looked for
    in names, beside rare ones, and all together, rather than everywhere and each alone.
    """
    topic = [word for word in query.words if word.share == 1.0]
    frequency = attrgetter("frequency")
    typed = sorted((word.forms[0] for word in topic if word.forms[0].frequency), key=frequency)
    others = sorted((form for word in topic for form in word.forms[1:]), key=frequency)
    rare: list[Form] = []
    touched = 0
    for form in [*typed, *others]:
        if touched + form.frequency <= _MOST_POSTINGS:
            touched += form.frequency
            rare.append(form)
    common = [form for form in typed if form not in rare]
    if not common:
        return [_any_of(rare)] if rare else []
    found = [f"{_IN_NAMES} : ({_any_of(common)})"]
    if rare:
        # Finds no more than the rare ones alone, but ranks what has common ones too higher.
        found.append(f"({_any_of(rare)}) OR (({_any_of(rare)}) AND ({_any_of(common)}))")
    if len(common) == len(typed) and 1 < len(typed) <= _WORDS_TOGETHER:
        found.append(" AND ".join(_quoted(form) for form in typed))
    return found


def postings(query: Query) -> int:
    """Return how many times a ranked look-up of any word anywhere touches a document, at most."""
    return sum(form.frequency for word in query.words for form in word.forms)


def last_resort(query: Query) -> str | None:
    """Return what to ask for when nothing was found: any word anywhere; None when no word is known."""
    known = [form for word in query.words for form in word.forms if form.frequency]
    return _any_of(known) if known else None


def _any_of(forms: Iterable[Form]) -> str:
    return " OR ".join(dict.fromkeys(_quoted(form) for form in forms))


def _quoted(form: Form) -> str:
    return '"' + " ".join(form.stems) + '"'
