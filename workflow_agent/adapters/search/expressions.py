"""A query in the language of FTS5: always quoted, so that nothing typed is an operator."""

from collections.abc import Iterable

from workflow_agent.adapters.search.query import Form, Query

_MOST_POSTINGS = 1_000
"""How many documents a ranked look-up may touch before its words count as common."""
_WORDS_TOGETHER = 6
_IN_NAMES = "{name aliases}"


def expressions(query: Query) -> list[str]:
    """Return what to ask the full text for, all of it.

    Ranking costs time for every document that has a word. So words that many have are looked for
    in names, beside rare ones, and all together, rather than everywhere and each alone.
    """
    typed = sorted((word.forms[0] for word in query.words if word.forms[0].frequency), key=_frequency)
    others = sorted((form for word in query.words for form in word.forms[1:]), key=_frequency)
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


def last_resort(query: Query) -> str | None:
    """Return what to ask for when nothing was found: any word anywhere; None when no word is known."""
    known = [form for word in query.words for form in word.forms if form.frequency]
    return _any_of(known) if known else None


def _frequency(form: Form) -> int:
    return form.frequency


def _any_of(forms: Iterable[Form]) -> str:
    return " OR ".join(dict.fromkeys(_quoted(form) for form in forms))


def _quoted(form: Form) -> str:
    return '"' + " ".join(form.stems) + '"'
