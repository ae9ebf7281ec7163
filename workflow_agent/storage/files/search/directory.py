"""The workflows of one tenant by what identifies them: ids, names and aliases, also misspelled ones."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import OSA

from workflow_agent.workflows.search.document import filter_words
from workflow_agent.workflows.search.ranking import Entry
from workflow_agent.workflows.search.words import chunks, fold, squashed
from workflow_agent.workflows.store import WorkflowFilters

_LEADING = frozenset({"the", "a", "an", "our", "my", "this", "that"})
_TRAILING = frozenset({"workflow", "workflows", "process", "flow"})
_SERVICE_PARTS = re.compile(r"[./@:]")
_CORRECTIONS = 3
_SHORTEST_CORRECTED_CHARS = 4
_LONG_WORD_CHARS = 8
_LIKENESS = 0.75
_MIDDLING_LIKENESS = 0.8
"""Of words of five to seven letters, so that one may be wrong in them, and two only in longer ones."""
_SHORTEST_NAME_CHARS = 4
_LONGEST_NAME_CHARS = 100
_NAMES_COMPARED = 20
_NO_MARKS = str.maketrans("", "", "_-")


class Directory:
    """Every indexed workflow, by id, and by the names people know it by."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self._names: dict[str, set[str]] = {}
        self._loose_names: dict[str, set[str]] = {}
        self._aliases: dict[str, set[str]] = {}
        self._squashed: dict[str, set[str]] = {}
        self._words: Counter[str] = Counter()
        self._by_time: list[Entry] | None = None

    def put(self, entry: Entry) -> None:
        """Take a workflow in, in place of what was known of it."""
        self.remove(entry.id)
        self.entries[entry.id] = entry
        self._by_time = None
        for keys, key in self._keys(entry):
            keys.setdefault(key, set()).add(entry.id)
        self._words.update(_name_words(entry))

    def remove(self, workflow_id: str) -> None:
        """Forget a workflow; fine when it is not known."""
        entry = self.entries.pop(workflow_id, None)
        if entry is None:
            return
        self._by_time = None
        for keys, key in self._keys(entry):
            keys[key].discard(entry.id)
            if not keys[key]:
                del keys[key]
        for word in _name_words(entry):
            self._words[word] -= 1
            if not self._words[word]:
                del self._words[word]

    def _keys(self, entry: Entry) -> list[tuple[dict[str, set[str]], str]]:
        known = {
            (0, fold(entry.name)): self._names,
            (1, _loose(entry.name)): self._loose_names,
            (3, squashed(entry.name)): self._squashed,
        }
        for alias in entry.aliases:
            known[2, _loose(alias)] = self._aliases
            known[3, squashed(alias)] = self._squashed
        return [(keys, key) for (_, key), keys in known.items()]

    def with_id(self, text: str) -> set[str]:
        """Return the id that a text is, if it is one."""
        wanted = fold(text)
        return {one for one in (wanted, f"wf_{wanted}") if one in self.entries}

    def with_name(self, text: str) -> set[str]:
        """Return the workflows whose name a text is; punctuation and words around it count last."""
        return (
            self._names.get(fold(text))
            or self._loose_names.get(_loose(text))
            or self._loose_names.get(_bare(text))
            or set()
        )

    def with_alias(self, text: str) -> set[str]:
        """Return the workflows one of whose aliases a text is."""
        return self._aliases.get(_loose(text)) or self._aliases.get(_bare(text)) or set()

    def spelled_like(self, text: str, likeness: float) -> dict[str, float]:
        """Return the workflows with a name or alias spelled like a text, spaces aside, and how much."""
        wanted = squashed(text)
        if not _SHORTEST_NAME_CHARS <= len(wanted) <= _LONGEST_NAME_CHARS:
            return {}
        found: dict[str, float] = {}
        for name, score in _spelled_like(wanted, self._squashed.keys(), likeness, _NAMES_COMPARED):
            for workflow_id in self._squashed[name]:
                found[workflow_id] = max(score, found.get(workflow_id, 0.0))
        return found

    def corrected(self, word: str) -> Sequence[tuple[str, float]]:
        """Return the words of names and aliases that are spelled like one, and how much."""
        if len(word) < _SHORTEST_CORRECTED_CHARS:
            return ()
        is_middling = _SHORTEST_CORRECTED_CHARS < len(word) < _LONG_WORD_CHARS
        likeness = _MIDDLING_LIKENESS if is_middling else _LIKENESS
        return _spelled_like(word, self._words.keys(), likeness, _CORRECTIONS)

    def passing(self, filters: WorkflowFilters) -> set[str]:
        """Return the ids of the workflows that have all that is asked."""
        tests = list(_tests(filters))
        if filters.called is not None:
            called = self._called(squashed(filters.called))
            tests.append(lambda entry: entry.id in called)
        return {entry.id for entry in self.entries.values() if all(test(entry) for test in tests)}

    def _called(self, piece: str) -> set[str]:
        """Return the workflows with a piece in their id, their name or an alias."""
        by_name = (ids for name, ids in self._squashed.items() if piece in name)
        return {one for one in self.entries if piece in one.translate(_NO_MARKS)}.union(*by_name)

    def latest(self, among: Collection[str] | None, count: int) -> list[Entry]:
        """Return the workflows that changed last, all or some of them, latest first."""
        if self._by_time is None:
            self._by_time = sorted(self.entries.values(), key=_newest_last, reverse=True)
        return list(islice((entry for entry in self._by_time if among is None or entry.id in among), count))


def _newest_last(entry: Entry) -> tuple[bool, datetime | int, int, str]:
    version, changed, _ = entry.head
    return (changed is not None, changed or 0, version, entry.id)


def _spelled_like(wanted: str, known: Iterable[str], likeness: float, count: int) -> list[tuple[str, float]]:
    similarity = OSA.normalized_similarity
    found = process.extract(wanted, known, scorer=similarity, score_cutoff=likeness, limit=count)
    return [(text, score) for text, score, _ in found]


def _loose(text: str) -> str:
    """Return a name without punctuation; a name of nothing else stays as it is."""
    return fold(" ".join(chunks(text))) or fold(text)


def _bare(text: str) -> str:
    """Return what is left of "the expense approval workflow": its name."""
    words = _loose(text).split()
    while len(words) > 1 and words[0] in _LEADING:
        del words[0]
    while len(words) > 1 and words[-1] in _TRAILING:
        del words[-1]
    return " ".join(words)


def _name_words(entry: Entry) -> set[str]:
    said = " ".join((entry.name, *entry.aliases)).replace("_", " ")
    words = fold(" ".join(chunks(said))).split()
    return {word for word in words if len(word) >= _SHORTEST_CORRECTED_CHARS and not word.isdigit()}


def _tests(filters: WorkflowFilters) -> Iterator[Callable[[Entry], bool]]:
    for field, test in _TESTS.items():
        wanted = getattr(filters, field)
        if wanted is not None:
            yield test(wanted)


def _in_facet(facet: str) -> Callable[[str], Callable[[Entry], bool]]:
    def test(text: str) -> Callable[[Entry], bool]:
        wanted = fold(text)
        return lambda entry: wanted in getattr(entry.facets, facet)

    return test


def _of_service(text: str) -> Callable[[Entry], bool]:
    wanted = fold(text)
    return lambda entry: _has_service(entry, wanted)


def _started_by(text: str) -> Callable[[Entry], bool]:
    wanted = filter_words(text)
    return lambda entry: any(wanted <= words for words in entry.facets.triggers)


def _among(ids: Collection[str]) -> Callable[[Entry], bool]:
    wanted = frozenset(ids)
    return lambda entry: entry.id in wanted


def _changed_since(since: datetime) -> Callable[[Entry], bool]:
    return lambda entry: entry.head.changed is not None and entry.head.changed >= since


_TESTS: Mapping[str, Callable[[Any], Callable[[Entry], bool]]] = {
    "among": _among,
    "tag": _in_facet("tags"),
    "role": _in_facet("roles"),
    "step_type": _in_facet("step_types"),
    "service": _of_service,
    "trigger": _started_by,
    "has_deadline": lambda wanted: lambda entry: entry.facets.has_deadline == wanted,
    "changed_since": _changed_since,
}
"""For each filter, what makes a test of what it asks for."""


def _has_service(entry: Entry, wanted: str) -> bool:
    return any(wanted in (service, *_SERVICE_PARTS.split(service)) for service in entry.facets.services)
