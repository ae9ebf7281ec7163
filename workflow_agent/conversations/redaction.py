"""Taking out of texts what is to be forgotten, sentence by sentence."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

GONE = "[forgotten]"
_WORD = re.compile(r"[^\W_]+")
_BETWEEN = re.compile(r"((?<=[.!?…])\s+|\n+)")
_SHARE = 0.75
_FEW_WORDS = 2
_SHORT_PIECE_WORDS = 6
_LEAST_NEEDLE_CHARS = 3
_FREE_TEXT = frozenset({"text", "content", "title", "query", "args", "note"})
_SMALL_TEXT = (
    "i you we he she they it me my your our us them the a an and or of to in on at by for with from "
    "as is are was be been am do does did not no that this these those please remember note keep mind "
    "forget always never would like d ll m ve s t re so than then too very just all any have has had "
    "will can could should now "
)
_SMALL = frozenset(_SMALL_TEXT.split())


def _telling(text: str) -> frozenset[str]:
    words = [word.casefold() for word in _WORD.findall(text)]
    return frozenset(map(_singular, [word for word in words if word not in _SMALL] or words))


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > _LEAST_NEEDLE_CHARS else word


@dataclass(frozen=True)
class Redaction:
    """Replaces each sentence that tells one of some texts: word for word, or with most of its telling words.

    A text of one or two telling words ("call me Bob") takes out only short sentences, not all with the name.
    """

    texts: tuple[str, ...]

    @cached_property
    def _told(self) -> list[tuple[re.Pattern[str], frozenset[str]]]:
        return [(re.compile(rf"(?<!\w){_flexible(text)}(?!\w)", re.IGNORECASE), _telling(text)) for text in self.texts]

    @cached_property
    def _needles(self) -> list[bytes]:
        """For each text a word that it is told with, as ASCII in lower case; empty where it has none."""
        chosen = (max((word for word in words if word.isascii()), key=len, default="") for _, words in self._told)
        return [word.encode() if len(word) >= _LEAST_NEEDLE_CHARS else b"" for word in chosen]

    def may_change(self, data: bytes) -> bool:
        """Say whether a file may hold something to take out; no means certainly not word for word."""
        folded = data.lower()
        return any(needle in folded for needle in self._needles)

    def __call__(self, text: str) -> str:
        """Return a text with what is to be forgotten replaced, or as it is."""
        pieces = _BETWEEN.split(text)
        kept = [GONE if place % 2 == 0 and self._tells(piece) else piece for place, piece in enumerate(pieces)]
        return text if kept == pieces else "".join(kept)

    def share_of(self, text: str) -> float:
        """Return which share of the telling words of the first text another has."""
        wanted = self._told[0][1]
        return len(wanted & _telling(text)) / len(wanted) if wanted else 0.0

    def _tells(self, piece: str) -> bool:
        words: frozenset[str] | None = None
        for pattern, wanted in self._told:
            is_few = len(wanted) <= _FEW_WORDS
            words = _telling(piece) if words is None else words
            if pattern.search(piece) and (not is_few or len(words) <= _SHORT_PIECE_WORDS):
                return True
            if not is_few and len(wanted & words) >= _SHARE * len(wanted):
                return True
        return False

    def in_data(self, value: Any, key: str = "") -> Any:
        """Return JSON data with the replacement made in each of its texts, keys aside."""
        if isinstance(value, str):
            # A single word elsewhere is an id, a digest or one of our own terms.
            return self(value) if key in _FREE_TEXT or " " in value or "\n" in value else value
        if isinstance(value, list):
            return [self.in_data(one, key) for one in cast("list[Any]", value)]
        if isinstance(value, dict):
            return {name: self.in_data(one, name) for name, one in cast("dict[str, Any]", value).items()}
        return value


def _flexible(text: str) -> str:
    return r"\s+".join(map(re.escape, text.split()))
