"""Which deeds the turns bear out: those on record, and those that the user told of as done."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from workflow_agent.assistant.compaction import facts
from workflow_agent.assistant.compaction.contradictions import is_spoken_of
from workflow_agent.assistant.compaction.statements import (
    Statement,
    is_denial,
    says_little,
    stated_in,
    statement_of,
    stem,
    word_set,
)

_BORNE_OUT_BY: Final = {
    "deleted archived dropped discarded": ("deleted", "modified"),
    "removed": ("deleted", "modified"),
    "gave granted": ("created", "modified"),
    "created built drafted copied": ("created",),
    "edited renamed changed updated modified moved replaced connected fixed corrected restored": ("modified",),
    "merged split swapped reordered duplicated linked": ("modified",),
    "added made inserted wrote written put placed set assigned reassigned introduced extended adjusted": (
        "created",
        "modified",
    ),
    "ran executed started triggered sent published deployed exported imported approved emailed": (),
    "confirmed notified paid ordered cancelled canceled signed called booked submitted contacted informed": (),
}
_KINDS: Final = {verb: kinds for verbs, kinds in _BORNE_OUT_BY.items() for verb in verbs.split()}
"""Past forms, and which changes on record may bear them out."""
_TAKEN_OUT: Final = word_set("deleted archived removed dropped discarded")
_PUT_IN: Final = word_set("added inserted introduced")
_PUTTING_IN: Final = re.compile(r"\b(?:add|insert|creat|put|new\b|introduc|restor|import)", re.IGNORECASE)
_TAKING_OUT: Final = re.compile(r"\b(?:delet|remov|drop|archiv|take out|taken out|get rid)", re.IGNORECASE)
_BROUGHT_BACK: Final = re.compile(
    r"\b(?:undo|undone|undid|restor\w*|(?:brought|bring|is|put|put it|changed|name) back|revert\w*)\b", re.IGNORECASE
)
_WORD: Final = re.compile(r"\w+")
_DEED: Final = re.compile(rf"\b({'|'.join(_KINDS)})\b", re.IGNORECASE)
_DEED_DENIED: Final = re.compile(
    rf"\b(?:was|were|has been|have been|had been)(?: not|n't| never) (?:\w+ly )?({'|'.join(_KINDS)})\b", re.IGNORECASE
)
_NO_DEED: Final = re.compile(
    r"\b(?:is|are|be|being|not|never|been not|get|gets|if|when|once)\s+"
    r"(?:(?:\w+ly|now|also|still|always|only)\s+)?$"
)
_DESCRIBED: Final = re.compile(
    r"\b(?:that|which|who|what|whatever) (?:was|were|has been|have been|had been) $"
    r"|\b(?:an?|the|any|no|its|their|his|her|each|every) (?:\w+ly )?$|\b(?:once|when|whenever|if|unless|until)\b",
    re.IGNORECASE,
)
"""What is only said beside a thing, or of what comes every time: "a written reason", "once the boss has signed it"."""
_PHRASAL: Final = re.compile(
    r"(?:put|gave|called|made|set|paid|sent|took) (?:off|up|for|out|aside|forward|it|her|him|them|in)\b", re.IGNORECASE
)
_IS_DONE: Final = re.compile(
    r"\b(?:the|my|our|this|that) [\w' -]{2,40}? (?:is|has been|was) (?:already )?$", re.IGNORECASE
)
"""What is done, not what is done every time: "the contract is signed", but "contracts are signed"."""
_EACH_TIME: Final = re.compile(r"\b(?:after|before|once|when|whenever|within|every|each|by)\b", re.IGNORECASE)
"""In a sentence that tells how it goes each time "has ordered" is no deed."""
_EACH_TIME_DONE: Final = re.compile(r"\b(?:is|are|be)\b")
_STEP_NAME: Final = re.compile(r"(?<!^)\b[A-Z]\w+")
_NAMED_SO: Final = re.compile(r"(?:called|named)\b\W*[\"'“A-Z]")
"""A step called "Check" was not called by anybody."""
_GOES_ON: Final = re.compile(r"^(?:(?:and|but|then|afterwards|later|also|otherwise)\b\W*)+$", re.IGNORECASE)
_UNCERTAIN: Final = re.compile(
    r"\b(?:whether|open|unclear|asked|asks|question|wonders?|unanswered|could|would|should|might|cannot|can't|if)\b",
    re.IGNORECASE,
)
_OF_NO_DEED: Final = frozenset(map(stem, ("workflow", "step", "called", "named", "titled")))
_WORKFLOW: Final = re.compile(r"\bworkflow\b", re.IGNORECASE)
_WHOLE: Final = frozenset({"created", "deleted"})
"""Changes of a workflow that say all there is to say."""
_ENOUGH: Final = 0.5
_MOST_OF_IT: Final = 0.75


@dataclass(frozen=True, slots=True)
class DoneTurn:
    """What was said in a turn, and which changes it made."""

    text: str
    words: frozenset[str]
    changes: tuple[str, ...]
    touched: frozenset[str]
    """The names of the workflows that they were made to."""
    told: Sequence[str]
    """Sentences that tell of something as done: the user's, and those of what held already."""


def done_turn(texts: Sequence[str], changes: Iterable[tuple[str, str]], told: Iterable[str]) -> DoneTurn:
    """Return a turn from its sentences, the kinds and workflows of its changes, and what the user says in it."""
    words = frozenset(word for text in texts for word in statement_of(text).words)
    made = list(changes)
    kinds, touched = tuple(kind for kind, _ in made), frozenset(name for _, name in made)
    return DoneTurn(" ".join(texts), words, kinds, touched, tuple(filter(_tells_of_a_deed, told)))


# What stands for earlier turns is asked at each compaction.
@lru_cache(maxsize=2_048)
def _tells_of_a_deed(sentence: str) -> bool:
    if sentence.endswith("?"):
        return False
    return not _KINDS.keys().isdisjoint(_WORD.findall(sentence.casefold())) or facts.PAST.search(sentence) is not None


def unknown_deed(parts: Sequence[Statement], turns: Sequence[DoneTurn]) -> str | None:
    """Return which deed of a sentence's clauses no turn bears out; None where there is none such."""
    sentence = ", ".join(one.text for one in parts)
    for said in parts:
        if _UNCERTAIN.search(said.text):
            continue
        for match in _DEED.finditer(said.text):
            verb = match[1].casefold()
            # "The step was dropped" denies nothing of what it tells.
            if said.is_negated != is_denial(verb):
                continue
            before = said.text[: match.start()]
            if (
                _NO_DEED.search(before)
                or _DESCRIBED.search(before)
                or _PHRASAL.match(said.text, match.start())
                or is_spoken_of(_STEP_NAME.sub("", before))
                or _NAMED_SO.match(said.text, match.start())
            ):
                continue
            earlier = sentence[: sentence.find(said.text)]
            if _GOES_ON.match(before) and (_EACH_TIME_DONE.search(earlier) or is_spoken_of(earlier)):
                continue
            why = _not_done(verb, said, sentence, turns)
            if why:
                return why
    return None


def denied_deed(parts: Sequence[Statement], turns: Sequence[DoneTurn]) -> str | None:
    """Return which deed a sentence denies that is on record; None where there is none such."""
    for said in parts:
        match = _DEED_DENIED.search(said.text)
        if match is None or _UNCERTAIN.search(said.text):
            continue
        verb = match[1].casefold()
        others = _object_of(verb, said)
        done = [at for at, turn in enumerate(turns) if others and len(others & turn.words) >= _MOST_OF_IT * len(others)]
        done = [at for at in done if turns[at].changes and _is_on_record(verb, turns[at])]
        if done and not any(_BROUGHT_BACK.search(turn.text) for turn in turns[done[0] :]):
            return f"it was {verb}"
    return None


def _object_of(verb: str, said: Statement) -> set[str]:
    """Return the telling words of what a deed was done to."""
    return {word for word in said.words if not says_little(word)} - {stem(verb), *_OF_NO_DEED}


def _not_done(verb: str, said: Statement, sentence: str, turns: Sequence[DoneTurn]) -> str | None:
    named = _named_in(sentence, {name for turn in turns for name in turn.touched})
    of_whole = _WHOLE.intersection(_KINDS[verb])
    if any(named & turn.touched and of_whole.intersection(turn.changes) for turn in turns):
        return None
    others = _object_of(verb, said)
    touched = {word for turn in turns for name in turn.touched for word in statement_of(f"x {name}").words}
    others = others - touched or others
    held = [len(others & turn.words) for turn in turns]
    most = max(held, default=0)
    near = [at for at, count in enumerate(held) if count == most] if most >= _ENOUGH * len(others) else []
    done = [at for at in near if _is_on_record(verb, turns[at]) and (not named or named & turns[at].touched)]
    if not done:
        is_general = _EACH_TIME.search(sentence) is not None
        # What was done to a workflow of this talk is on record, whatever else was said.
        is_told = not (named and _KINDS[verb] and _WORKFLOW.search(sentence)) and any(
            _is_told(verb, others, one, is_general=is_general) for turn in turns for one in turn.told
        )
        return None if is_told else f"nobody {verb} it"
    if verb in _TAKEN_OUT and not _BROUGHT_BACK.search(sentence):
        later = (turn for turn in turns[done[-1] + 1 :] if turn.changes and _BROUGHT_BACK.search(turn.text))
        if any(len(others & turn.words) >= most for turn in later):
            return "it was undone later"
    return None


def _named_in(sentence: str, names: Iterable[str]) -> set[str]:
    """Return the names that a sentence has, the longest of those that are parts of others."""
    found = [one for one in names if re.search(rf"\b{re.escape(one)}\b", sentence)]
    return {one for one in found if not any(one != other and one in other for other in found)}


def _is_on_record(verb: str, turn: DoneTurn) -> bool:
    kinds = set(_KINDS[verb]).intersection(turn.changes)
    if "deleted" in kinds or not kinds:
        return bool(kinds)
    if verb in _PUT_IN:
        return _TAKING_OUT.search(turn.text) is None or _PUTTING_IN.search(turn.text) is not None
    # A workflow that was changed lost a part of it only where that was spoken of.
    return _TAKING_OUT.search(turn.text) is not None if verb in _TAKEN_OUT else True


def _is_told(verb: str, others: set[str], told: str, *, is_general: bool) -> bool:
    stated = statement_of(told)
    shared = len(others.intersection(stated.words))
    if shared < min(2, len(others)):
        return False
    is_most = len(others) > 1 and shared >= _MOST_OF_IT * len(others)
    if is_most and not stated.is_negated and facts.PAST.search(told):
        return True
    for part in stated_in(told):
        # What another clause denies, this one may tell: "the soloist cancelled, so Henrik sang instead".
        if part.is_negated:
            continue
        for match in _DEED.finditer(part.text):
            before = part.text[: match.start()]
            is_each_time = _NO_DEED.search(before) and not _IS_DONE.search(before) and not is_general
            if stem(match[1].casefold()) == stem(verb) and not is_each_time:
                return True
    return False
