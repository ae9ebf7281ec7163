"""Reading a phrase that refers to a workflow: when, what was done, which of several, and the words left."""

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from workflow_agent.conversations.document import Relation
from workflow_agent.conversations.memory.words import (
    CAPITALS,
    CHOICES,
    COUNTS,
    FILLERS,
    GENERIC_NOUNS,
    ORDINALS,
    SMALL_WORDS,
    Choice,
    initials,
    is_generic,
    telling_words,
    words_of,
)
from workflow_agent.conversations.periods import Period, time_words

_TEXT_WORD = re.compile(r"[^\W_]+")
_PIECE = re.compile(r"[^\W_]+|[\W_]")
_LEAST_JOINED_CHARS = 6
"""A shorter word is not looked for in two pieces: "in to" is no "into"."""
_SMALL = SMALL_WORDS | GENERIC_NOUNS
_DETERMINERS = frozenset(["the", "a", "an", "my", "our", "this", "that", "these", "those"])


def bare(text: str) -> str:
    """Return the words that tell one name from another, to compare whole names; empty when there are none."""
    return " ".join(word for word in words_of(text) if word not in FILLERS)


def says_whole_name(text: str, name: str) -> bool:
    """Say whether a text says a name and nothing else that tells.

    A word that a name has counts, whatever it means elsewhere: "the guest one" is not the "Guest check-in".
    """
    tell = _SMALL - {"in", "out", "off", "up", "down"}
    wanted = [word for word in words_of(name) if word not in tell] or words_of(name)
    said = [(at, word) for at, word in enumerate(words_of(text)) if word not in FILLERS or word in wanted]
    if [word for _, word in said] != wanted:
        return False
    between = words_of(text)[said[0][0] : said[-1][0]]
    return not (_DETERMINERS.intersection(between) - set(words_of(name)))


def respelt(text: str, names: Iterable[str]) -> str:
    """Return a text with the words of names joined and parted as in the names: "mini bar" is the Minibar."""
    joined: dict[str, str] = {}
    single: set[str] = set()
    for name in names:
        words = words_of(name)
        single |= {word for word in words if len(word) >= _LEAST_JOINED_CHARS}
        for one, other in itertools.pairwise(words):
            if len(one + other) >= _LEAST_JOINED_CHARS:
                joined[one + other] = f"{one} {other}"
    parted = _TEXT_WORD.sub(lambda found: joined.get(found[0].casefold(), found[0]), text)
    return "".join(_joined(_PIECE.findall(parted), single))


def _joined(pieces: Sequence[str], words: Collection[str]) -> Iterator[str]:
    at = 0
    while at < len(pieces):
        one = "".join(pieces[at : at + 3 : 2])
        is_parted = pieces[at + 1 : at + 2] in ([" "], ["-"]) and one.casefold() in words
        yield one if is_parted else pieces[at]
        at += 3 if is_parted else 1


def is_told_by(kind: str, names: Sequence[Sequence[str]]) -> bool:
    """Say whether a word for any workflow ("pipeline") is in one name only, and tells it from the others."""
    return sum(kind in words for words in {tuple(name) for name in names}) == 1


def words_of_names_in(plain: str, names: Sequence[Sequence[str]]) -> tuple[list[str], str]:
    """Return the telling words of the longest pieces of names, two words or more, and the phrase without."""
    taken: list[str] = []
    for run in sorted(_pieces(names), key=lambda run: (-len(run), run)):
        piece = " ".join(run)
        at = f" {plain} ".find(f" {piece} ")
        if at < 0:
            continue
        telling = [word for word in run if word not in FILLERS]
        if len(telling) > 1 or (telling and run in {tuple(name) for name in names}):
            taken += telling
        elif not _DETERMINERS.intersection(run) and not _SMALL.issuperset(run):
            taken += run
        else:
            continue
        plain = " ".join(f"{plain[:at]} {plain[at + len(piece) :]}".split())
    return taken, plain


def _pieces(names: Sequence[Sequence[str]]) -> Collection[tuple[str, ...]]:
    return {
        tuple(name[at : at + size])
        for name in names
        for size in range(2, len(name) + 1)
        for at in range(len(name) - size + 1)
    }


def without_article(words: list[str]) -> list[str]:
    """Return words without a leading article."""
    return words[1:] if len(words) > 1 and words[0] in ("the", "a", "an", "my", "our") else words


def initials_in(text: str, rest: str, names: Sequence[str]) -> tuple[list[str], str]:
    """Return words in capitals that a name has or begins with, so that IT is no pronoun."""
    known: set[str] = set()
    for name in names:
        words = telling_words(name)
        known |= set(words_of(name)) | {
            initials(words[at:end]) for at in range(len(words)) for end in range(at + 2, len(words) + 1)
        }
    capitals = (word.casefold() for word in CAPITALS.findall(text))
    taken = [word for word in capitals if word in known and word in rest.split()]
    for word in taken:
        rest = re.sub(rf"\b{word}\b", " ", rest, count=1)
    return taken, " ".join(rest.split())


_LONGEST_CHARS = 300
_COUNTED = re.compile(r"(?:#|\bn[o\u00b0]\.?)\s*(\d{1,2})\b", re.IGNORECASE)
_DAYS = re.compile(r"\b(yesterday|today)s\b")
_REJECTED = re.compile(r"^(?:no|nope|sorry|wait)?[,. ]*not (?:that|this|it)(?: one)?[,;: ]+(?=\w)", re.IGNORECASE)
"""Of "not that one, the other one" the second part says what is meant."""
_OPENING = re.compile(r"^(?:(?:please|can you|could you) )*open (?=(?:the|my|our|that|this|it|up)\b)")
"""A command, not the open workflow."""
_SENTENCE = re.compile(
    r"^(?:please |can |could |would |let|add|remove|delete|rename|insert|put|make|set|change|update|edit|"
    r"move|show|open|explain|analy[sz]e|check|draw|compare|validate|give|tell|undo|what|how|why|who|where|when|is|"
    r"are|does|do|i |we |go|after|before|in|use|copy|run)"
)
_INNER = re.compile(
    r"\b((?:the|my|our|that|this) (?:(?!the |my |our |that |this )\w+ ){0,5}?"
    r"(?:workflow|process|flow|one|thing|pipeline)\b(?! (?:after|before)\b).*)$"
)
_POINTING = re.compile(r"\b(?:it|this|that|these|those|them|they)\b")
_DONE: Mapping[str, tuple[Relation, ...]] = {
    r"did (?:i|we|you) (?:make|create|build|draft|design)|"
    r"created|made|built|drafted|designed|set up|wrote|written|generated|creations?": ("created",),
    r"did (?:i|we|you) (?:change|edit|modify|update)|"
    r"changed|edited|modified|updated|fixed|renamed|tweaked|adjusted|amended|revised|extended|altered": ("modified",),
    r"did (?:i|we|you) (?:view|look at|open|see)|"
    r"viewed|looked at|opened|saw|seen|showed|shown|displayed|drew|drawn": ("viewed", "analysed"),
    r"analysed|analyzed|checked|reviewed|validated|audited|inspected|examined": ("analysed",),
    r"deleted|removed|threw away|thrown away": ("deleted",),
    r"discussed|talked about|spoke about|spoken about|mentioned|asked about|worked on|touched|used|had|"
    r"talking about|discussing|did|handled": (),
}
_NEGATION = r"(?:havent|hasnt|didnt|wasnt|isnt|not|never|not yet|yet to be)"
_BEYOND = re.compile(r"\b(?:after|before|like|without|not|except|than|instead|similar|next)\b")


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a phrase says about the workflow it means."""

    words: tuple[str, ...]
    """Words that should be in a name or an alias."""
    periods: tuple[Period, ...] = ()
    """When it was dealt with, the likelier reading first; empty when nothing is said."""
    has_time: bool = False
    relations: frozenset[Relation] = frozenset()
    """What was done to it, any of these; empty when nothing is said."""
    is_negated: bool = False
    """That this was not done to it."""
    choice: Choice | None = None
    number: int = 0
    """For `nth` which one, for `all` how many, when said."""
    is_mine: bool = False
    is_pointing: bool = False
    """Says "it", "this" or "that", and not just "the one"."""
    is_ever: bool = False
    """Counts all conversations, not this one alone."""
    is_beyond: bool = False
    """Says something that references cannot answer: what was deleted, what comes after another one."""


def read_phrase(text: str, now: datetime, names: Sequence[str]) -> Phrase:
    """Return what a phrase says.

    Only the first 300 characters count. Words of names and aliases are not read as anything else: "First aid" is not
    a first.
    """
    text = _REJECTED.sub("", text[:_LONGEST_CHARS])
    known = [without_article(words_of(name)) for name in names]
    plain = _plain(text)
    named, rest = words_of_names_in(plain, known)
    abbreviated, rest = initials_in(text, rest, names)
    timed = time_words(rest, now)
    rest = timed.rest if timed else rest
    relations, is_negated, rest = _relations(rest)
    choice, number, rest = _choice(rest)
    kinds = [word for word in rest.split() if word in GENERIC_NOUNS and is_told_by(word, known)]
    words = [word for word in rest.split() if word not in FILLERS and not is_generic(word)]
    words = words or (kinds if not (named or abbreviated) else [])
    return Phrase(
        is_pointing=_POINTING.search(plain) is not None,
        words=(*named, *abbreviated, *words),
        periods=timed.periods if timed else (),
        has_time=timed is not None,
        relations=relations,
        is_negated=is_negated,
        choice=choice,
        number=number,
        is_mine=re.search(r"\b(?:my|our|mine|ours)\b", rest) is not None,
        is_ever=re.search(r"\bever\b", rest) is not None,
        is_beyond=_BEYOND.search(rest) is not None and not is_negated,
    )


def inner_phrase(text: str, names: Iterable[str]) -> str | None:
    """Return the part of a sentence that refers to a workflow, or None.

    Of "add a step to the task one" that is the end.
    """
    plain = _plain(text[:_LONGEST_CHARS])
    if not _SENTENCE.match(plain):
        return None
    known = [words for name in names if len(words := without_article(words_of(name))) > 1]
    whole = [" ".join(words) for words in known if f" {' '.join(words)} " in f" {plain} "]
    if whole:
        return max(whole, key=len)
    found = _INNER.search(plain)
    return found[1] if found and found[1] != plain else None


def _plain(text: str) -> str:
    return _OPENING.sub("", _DAYS.sub(r"\1", " ".join(words_of(_COUNTED.sub(r"number \1", text)))))


def _relations(plain: str) -> tuple[frozenset[Relation], bool, str]:
    for pattern, relations in _DONE.items():
        match = re.search(rf"(?:\b({_NEGATION}) (?:been )?(?:yet )?)?\b(?:{pattern})\b(?: yet)?", plain)
        if match:
            rest = f"{plain[: match.start()]} {plain[match.end() :]}"
            return frozenset(relations), match[1] is not None, " ".join(rest.split())
    return frozenset(), False, plain


def _choice(plain: str) -> tuple[Choice | None, int, str]:
    for pattern, choice in CHOICES.items():
        match = re.search(rf"(?<!\w)(?:{pattern})(?!\w)", plain)
        if match:
            said = next((value for value in match.groups() if value), "")
            number = ORDINALS.get(said) or COUNTS.get(said) or (int(said) if said.isdigit() else 0)
            rest = f"{plain[: match.start()]} {plain[match.end() :]}"
            return choice, number, " ".join(rest.split())
    return None, 0, plain
