"""Conditions: what they say, whether two of them part one question, and their bounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.naming import verb_in
from workflow_agent.assistant.offline.phrases import text_of
from workflow_agent.assistant.offline.tokens import Token, Tokens

_OVER: Final = word_set("set.over")
_UNDER: Final = word_set("set.under")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition as it was told."""

    text: str
    polarity: int
    """1 for a good outcome, -1 for a bad one, 0 where the words do not say."""
    subject: str
    """What it speaks of: its head noun, or empty for a pronoun or none."""
    content: frozenset[str]
    """The base forms of its content words."""
    bounds: bool = False
    """Whether it compares with an amount."""
    elliptic: bool = False
    """Whether it has no subject of its own: "if approved", "if so"."""

    def denies(self, other: "Condition") -> bool:
        """Say whether it is the other one denied, or denied by it: "there is enough flour", "there is not enough"."""
        shared = self.content & other.content
        return bool(shared) and shared in (self.content, other.content) and (self.polarity < 0) != (other.polarity < 0)

    def parts_from(self, other: "Condition") -> bool:
        """Say whether both answer one question, so that one holds where the other does not."""
        if (self.bounds and other.bounds) or self.polarity * other.polarity < 0:
            return True
        shares = bool(self.content & other.content) or not self.content or not other.content
        if (self.polarity < 0) != (other.polarity < 0) and shares:
            return True
        if (self.content, self.polarity) == (other.content, other.polarity) or self.bounds or other.bounds:
            return False
        return self.elliptic or (bool(self.subject) and self.subject == other.subject)


def condition_of(tokens: Tokens, *, denied: bool = False) -> Condition:
    """Return what the words of a condition say."""
    while len(tokens) > 1 and tokens[0].lower in word_set("conditions.asking"):
        denied, tokens = denied or tokens[0].lower == "unless", tokens[1:]
    sign, said = _polarity([token.lower for token in tokens]), text_of(tokens)
    subject = [token for token in tokens[: verb_in(tokens) or 0] if token.kind == "word"]
    elliptic = not subject or subject[-1].lower in word_set("set.standing_for")
    return Condition(
        f"not: {said}" if denied else said,
        -sign if denied else sign,
        "" if elliptic else subject[-1].lemma,
        frozenset(token.lemma for token in tokens if token.is_content),
        _is_bound(tokens),
        elliptic,
    )


def _polarity(words: Sequence[str]) -> int:
    said = [word for word in words if word not in word_set("set.negations")]
    sign = -1 if word_set("bad") & {*said} else 1 if word_set("good") & {*said} else 0
    is_denied = (len(words) - len(said)) % 2 == 1
    return (-sign or -1) if is_denied else sign


def _is_bound(tokens: Tokens) -> bool:
    """Say whether words compare with an amount, or with one that was told before: "above that"."""
    compared = _OVER | _UNDER | {"between", "=", "exactly"}
    if not any(token.lower in compared or _range_end(tokens, at) for at, token in enumerate(tokens)):
        return False
    counted = (token for token in tokens if token.lower not in ("one", "both", "second", "first"))
    amounts = any(token.kind == "number" or token.value is not None for token in counted)
    return amounts or len(tokens) == 1 or (tokens[-1].lower in ("that", "this") and len(tokens) < 6)


def comparison_end(tokens: Sequence[Token], at: int) -> int | None:
    """Return where a comparison with an amount ends that begins here: "above 500 euros", "over that"."""
    if (end := _and_more(tokens, at) or _range_end(tokens, at)) is not None:
        return end
    if at < len(tokens) and tokens[at].lower in word_set("conditions.comparison_end.anything"):
        at += 1
    if at >= len(tokens):
        return None
    low, following = tokens[at].lower, tokens[at + 1].lower if at + 1 < len(tokens) else ""
    if low in word_set("conditions.comparison_end.under"):
        at += 1
    elif f"{low} {following}" in ("up to", "more than", "less than", "at least", "at most", "fewer than"):
        at += 2
    else:
        return None
    if at < len(tokens) and tokens[at].lower in ("that", "this") and low != "from":
        return at + 1
    end = _amount_end(tokens, at)
    if end is not None and end < len(tokens) and tokens[end].lower in ("and", "to", "-") and low in ("between", "from"):
        end = _amount_end(tokens, end + 1)
    if end is not None and low == "from" and end < len(tokens) and tokens[end].lower in ("on", "up", "upwards"):
        return end + 1
    return end


def _and_more(tokens: Sequence[Token], at: int) -> int | None:
    """Return where "(of) 200 and more" ends, or None."""
    end = _amount_end(tokens, at + (at < len(tokens) and tokens[at].lower in ("of", "for", "from")))
    if end is not None and end + 1 < len(tokens) and tokens[end].lower in ("and", "or"):
        return end + 2 if tokens[end + 1].lower in _OVER | _UNDER else None
    return None


def _range_end(tokens: Sequence[Token], at: int) -> int | None:
    """Return where "400 to 600" ends, or None."""
    end = _amount_end(tokens, at)
    joins = end is not None and end < len(tokens) and tokens[end].lower in ("to", "-", "\u2013")
    return _amount_end(tokens, end + 1) if end is not None and joins else None


def _amount_end(tokens: Sequence[Token], at: int) -> int | None:
    if at >= len(tokens) or (
        tokens[at].kind != "number" and (tokens[at].value is None or tokens[at].has("det", "pron"))
    ):
        return None
    at += 1
    while at < len(tokens) and (tokens[at].lower in _MONEY or tokens[at].text in "%€$£" or tokens[at].lemma in _UNITS):
        at += 1
    return at


_MONEY: Final = word_set("set.money")
_UNITS: Final = word_set("set.units")
