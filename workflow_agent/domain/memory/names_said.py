"""Finding the names of workflows in what somebody wrote, however they are spelt there."""

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from workflow_agent.domain.memory.lexicon import CAPITALS, FILLERS
from workflow_agent.domain.memory.words import GENERIC_NOUNS, SMALL_WORDS, initials, telling_words, words_of

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
    """Return the telling words of the longest pieces of names, two words or more, and the phrase without.

    Args:
        plain: A phrase in plain lower-case words.
        names: The words of each name.
    """
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
    taken = [word.casefold() for word in CAPITALS.findall(text) if word.casefold() in known]
    taken = [word for word in taken if word in rest.split()]
    for word in taken:
        rest = re.sub(rf"\b{word}\b", " ", rest, count=1)
    return taken, " ".join(rest.split())
