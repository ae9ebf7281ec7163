"""A text in passages, each with its place, and the piece of a text around a word."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

PASSAGE_CHARS = 700
"""About as long as an answer to a question usually is."""
_FUSION = 60
_BREAK = re.compile(r"\n[ \t]*\n|\n(?=[#*\-|])|\n")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a text."""

    start: int
    end: int
    text: str

    def quoted(self, size_chars: int) -> str:
        """Return the passage with its place in the whole."""
        return f"[characters {self.start + 1} to {self.end} of {size_chars}]\n{self.text}"


def passages_of(text: str, most_chars: int = PASSAGE_CHARS) -> list[Passage]:
    """Return a text in passages that end where paragraphs do, or sentences, or, if need be, anywhere.

    Put together they are the text, but for white space between them.
    """
    made: list[Passage] = []
    start = end = -1
    for piece_start, piece_end in _pieces(text, most_chars):
        if start < 0:
            start = piece_start
        elif piece_end - start > most_chars:
            made.append(Passage(start, end, text[start:end]))
            start = piece_start
        end = piece_end
    return [*made, Passage(start, end, text[start:end])] if start >= 0 else []


def _pieces(text: str, most_chars: int) -> Iterator[tuple[int, int]]:
    for start, end in _stripped_spans(text, 0, len(text), _BREAK):
        for inner_start, inner_end in _stripped_spans(text, start, end, _SENTENCE):
            for at in range(inner_start, inner_end, most_chars):
                yield at, min(at + most_chars, inner_end)


def _stripped_spans(text: str, start: int, end: int, separator: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    ends = [start, *(at for match in separator.finditer(text, start, end) for at in match.span()), end]
    for first, last in zip(ends[::2], ends[1::2], strict=True):
        inside = text[first:last]
        left, right = first + len(inside) - len(inside.lstrip()), first + len(inside.rstrip())
        if left < right:
            yield left, right


def joined_ranks(*rankings: Sequence[int]) -> list[int]:
    """Return the positions of several rankings by the sum of their reciprocal ranks.

    Reciprocal rank fusion after Cormack, Clarke and Büttcher (2009), with their constant.
    """
    scores: dict[int, float] = {}
    for ranked in rankings:
        for rank, at in enumerate(ranked, 1):
            scores[at] = scores.get(at, 0.0) + 1 / (_FUSION + rank)
    return sorted(scores, key=lambda at: (-scores[at], at))


def best_passages(passages: Sequence[Passage], ranked: Sequence[int], most_chars: int) -> list[Passage]:
    """Return the best passages that fit together, in the order of the text; the best one is always among them.

    Ranked are positions in the passages, the best first.
    """
    chosen: list[int] = []
    room = most_chars
    for at in ranked:
        size = len(passages[at].text)
        if chosen and size > room:
            continue
        chosen.append(at)
        room -= size
    return [passages[at] for at in sorted(chosen)]


EXCERPT_CHARS = 240


def excerpt(text: str, word: str) -> str:
    """Return a bounded piece of a text around the first place of a word, with `…` where more was left out.

    The word is case-folded; where the text does not hold it, its beginning is shown.
    """
    start = max(text.casefold().find(word) - EXCERPT_CHARS // 3, 0)
    piece = text[start : start + EXCERPT_CHARS]
    return ("…" if start else "") + piece + ("…" if start + EXCERPT_CHARS < len(text) else "")
