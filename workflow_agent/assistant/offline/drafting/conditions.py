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
_PRONOUNS: Final = word_set("set.standing_for")
_NEGATIONS: Final = word_set("set.negations")


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
        if self.bounds and other.bounds:
            return True
        if self.polarity * other.polarity < 0:
            return True
        shares = bool(self.content & other.content) or not self.content or not other.content
        if (self.polarity < 0) != (other.polarity < 0) and shares:
            return True
        if self.content == other.content and self.polarity == other.polarity:
            return False
        return (
            not self.bounds
            and not other.bounds
            and (self.elliptic or (bool(self.subject) and self.subject == other.subject))
        )


def read_condition(
    tokens: Sequence[Token], *, negate: bool = False, subject: Sequence[Token] | None = None
) -> Condition:
    """Return what the tokens of a condition say.

    Args:
        tokens: The condition without the word that leads it in.
        negate: Whether it is told with "unless".
        subject: Its subject, where it is a clause.
    """
    good = bad = flips = 0
    content: set[str] = set()
    for token in tokens:
        low = token.lower
        if low in _NEGATIONS:
            flips += 1
        elif low in word_set("bad"):
            bad += 1
        elif low in word_set("good"):
            good += 1
        if token.is_content:
            content.add(token.lemma)
    sign = -1 if bad else 1 if good else 0
    if flips % 2 and sign == 0:
        sign = -1
    elif flips % 2:
        sign = -sign
    amounts = any(
        token.kind == "number" or (token.value is not None and token.lower not in ("one", "both", "second", "first"))
        for token in tokens
    )
    compares = any(token.lower in _OVER | _UNDER | {"between", "=", "exactly"} for token in tokens)
    compares = compares or any(_range_end(tokens, at) for at in range(len(tokens)))
    bounds = compares and (amounts or len(tokens) == 1 or (tokens[-1].lower in ("that", "this") and len(tokens) < 6))
    heads = [token for token in (subject or ()) if token.kind == "word"]
    head = heads[-1].lemma if heads and heads[-1].lower not in _PRONOUNS else ""
    said = text_of(tokens)
    return Condition(
        f"not: {said}" if negate else said,
        -sign if negate else sign,
        head,
        frozenset(content),
        bounds,
        elliptic=not heads or heads[-1].lower in _PRONOUNS,
    )


def condition_of(tokens: Tokens, *, denied: bool = False) -> Condition:
    """Return what the words of a condition say."""
    while len(tokens) > 1 and tokens[0].lower in word_set("conditions.asking"):
        denied, tokens = denied or tokens[0].lower == "unless", tokens[1:]
    at = verb_in(tokens)
    return read_condition(tokens, negate=denied, subject=tokens[:at] if at else ())


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
    elif (low, following) in (
        ("up", "to"),
        ("more", "than"),
        ("less", "than"),
        ("at", "least"),
        ("at", "most"),
        ("fewer", "than"),
    ):
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
