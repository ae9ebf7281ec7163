"""The part of speech of each word of a sentence, and where its clauses end: the cheapest path through both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from workflow_agent.assistant.offline.drafting.phrases import is_plural, is_role, phrase_at
from workflow_agent.assistant.offline.drafting.spans import Span
from workflow_agent.assistant.offline.lexicon import data_rows, word_set
from workflow_agent.assistant.offline.tokens import Token

# Tags: D determiner, Q number, J adjective, N and M noun (one, several), P and p pronoun as subject (one,
# several), O as object, R adverb, I preposition, T "to" of an infinitive, A auxiliary, H form of "be", Z and B
# finite verb ("signs", "sign"), U infinitive, E past, V participle, G "signing", W "who", S subordinator, F one
# that needs no verb ("for each"), K mark ("then"), Y time or number of times, L comparison ("over 500"), C and X
# conjunction and comma inside a phrase, c and x between clauses, ^ the beginning, . the end.
FINITE: Final = frozenset("ZBEAH")
PARTING: Final = frozenset("cxKSF^")
_UNLIKELY: Final = 6.0
_NO_VERB: Final = 1.6
"""What a clause costs that ends without a verb."""
_SECOND_VERB: Final = 4.5
_INNER: Final = 8
"""Of a state: the verb to come is that of a relative clause."""
_HANGS: Final = 3.0
"""What a sentence costs that ends with a subordinate clause nothing follows, where it should lead one."""
_OPENED: Final = 1.0
"""What it costs that a main clause begins behind a subordinate one without a comma."""
_OPENING: Final = frozenset("DNMPpBQJRZ")
Tags = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Tagged:
    """A span of a sentence with its part of speech."""

    span: Span
    tag: str
    opens: bool = False
    """Whether a main clause begins here behind a subordinate one, without a comma between."""
    sub: bool = False
    """Whether it stands in a subordinate clause."""
    price: float = 0.0
    """What the step to it cost: above 2 it is a reading that a sentence rarely has."""

    @property
    def low(self) -> str:
        """The first word in small letters."""
        return self.span.tokens[0].lower


@cache
def _costs() -> dict[str, dict[str, float]]:
    return {row[0]: _priced(row[1]) for row in data_rows("transitions.tsv")}


def tag(spans: Sequence[Span], *, is_item: bool = False) -> list[Tagged]:
    """Return the tags of a sentence's spans.

    Args:
        spans: The sentence.
        is_item: Whether it is an item of a list, which may be a phrase without a verb, or an order.
    """
    costs, verbless = _costs(), 0.2 if is_item else _NO_VERB
    # A state is a tag, and whether its clause has its verb (1), is subordinate (2),
    # and leads another one (4); whether the next verb is that of a relative clause (8),
    # and whether it stands behind a comma (16).
    trail: list[dict[tuple[str, int], tuple[float, tuple[str, int] | None, bool]]] = []
    before: dict[tuple[str, int], float] = {("^", 0): 0.0}
    for at, span in enumerate(spans):
        after: dict[tuple[str, int], tuple[float, tuple[str, int] | None, bool]] = {}
        turns = span.kind == "else" or span.tokens[0].lower == "else"
        for own, price in _readings(spans, at, is_item=is_item).items():
            for (prev, flag), spent in before.items():
                for state, extra, opens in _moves(prev, flag, own, verbless, turns=turns):
                    total = spent + price + extra + costs["x" if opens else prev].get(own, _UNLIKELY)
                    known = after.get((own, state))
                    if known is None or total < known[0]:
                        after[own, state] = (total, (prev, flag), opens)
        trail.append(after)
        before = {state: found[0] for state, found in after.items()}
    return _read_back(spans, trail, verbless)


def _read_back(
    spans: Sequence[Span],
    trail: Sequence[dict[tuple[str, int], tuple[float, tuple[str, int] | None, bool]]],
    verbless: float,
) -> list[Tagged]:
    if not trail:
        return []
    costs = _costs()
    last = trail[-1]
    state: tuple[str, int] | None = min(
        last,
        key=lambda one: (
            last[one][0]
            + costs[one[0]].get(".", _UNLIKELY)
            + (0 if one[1] & 1 else verbless)
            + (_HANGS if one[1] & 4 else 0)
        ),
    )
    found: list[Tagged] = []
    for at in range(len(spans) - 1, -1, -1):
        assert state is not None  # noqa: S101
        spent, prev, opens = trail[at][state]
        earlier = trail[at - 1][prev][0] if at and prev is not None else 0.0
        found.append(Tagged(spans[at], state[0], opens, bool(state[1] & 2), spent - earlier))
        state = prev
    return found[::-1]


def _moves(prev: str, flag: int, own: str, verbless: float, *, turns: bool) -> list[tuple[int, float, bool]]:
    """Return the states that a tag may lead to from one, each with its further cost."""
    has, sub, leads = flag & 1, flag & 2, flag & (4 | 16)
    empty = prev in PARTING
    if own in "cx":
        price = 0.0 if has or empty else 3.0 if sub else verbless
        if sub:
            inside, over = (2 | leads, price, False), (0, price, False)
            return [inside, (0, price + 1.5, False)] if own == "c" else [over, (2 | leads, price + 1.5, False)]
        return [(0, price, False)]
    if own in "SF":
        led = 4 if prev in "^cK" else 16 if prev == "x" else leads
        return [((2 if own == "S" else 3) | led, 0.0 if has or empty else verbless if sub else 0.4, False)]
    if own == "K" and turns and sub and leads:
        # "Else" follows what is done in the first case, not the condition.
        return [(0, _HANGS, False)]
    if own == "K":
        return [(flag, 0.3, False), (0, 0.0 if has or empty else verbless, False)]
    moves: list[tuple[int, float, bool]] = []
    if own in FINITE and flag & _INNER:
        moves.append((flag & ~_INNER, 0.0, False))
    elif own == "W" and not empty:
        moves.append((flag | _INNER, 0.0, False))
    elif own in FINITE:
        second = has and prev != "W" and not (own in "AH" and prev in "AH")
        moves.append((flag | 1, _SECOND_VERB if second else 0.0, False))
    else:
        makes = (own in "VJL" and sub and prev in "SRLK") or (own == "V" and prev in "cx")
        if own == "L" and sub and not has:
            moves.append((flag | 1, 0.6, False))
        moves.append((flag | 1 if makes or (own == "G" and sub and prev == "S") else flag, 0.0, False))
    if sub and own in _OPENING and prev not in "DQIAHWTCcxSFKX^" and (has or own not in FINITE):
        price = _OPENED + (1.0 if own in "NJRQZ" else 0.0) + (0.0 if has else verbless)
        moves.append((1 if own in FINITE else 0, price, True))
    return moves


@cache
def _closed() -> dict[str, Tags]:
    """Return the tags of words of the closed classes."""
    return {word: _priced(tags) for words, tags in data_rows("closed.tsv") for word in words.split()}


def _priced(text: str) -> dict[str, float]:
    return {part[0]: float(part[1:]) for part in text.split()}


def _readings(spans: Sequence[Span], at: int, *, is_item: bool) -> Tags:
    """Return the tags that a span may have, with the cost of each."""
    span = spans[at]
    if span.kind != "word":
        own = _closed()[f"@{span.kind}"]
        leads = "S" in own and span.tokens[-1].lower in ("of", "each", "every", "all", "on")
        return {"F": 0.0} if leads else own
    token = span.tokens[0]
    if token.kind == "quoted":
        return {"N": 0.0}
    if token.kind == "number":
        return {"Q": 0.0, "N": 0.8}
    if token.kind == "punct":
        return _closed().get(token.text, {"R": 1.0})
    if token.text == "IT" or token.possessive:
        return {"D": 0.0} if token.possessive else {"N": 0.0}
    if (closed := _closed().get(token.lower)) is not None:
        return closed
    tags = _word(token)
    led = bool(at) and is_role(spans[at - 1].tokens[-1])
    if led and "B" in tags and "N" not in tags:
        # "Receptionist confirm": as learners write.
        tags = tags | {"B": tags["B"] - 1.2}
    if led and "Z" in tags:
        tags = {own: price + (0.8 if own in "NM" else 0.0) for own, price in tags.items()}
    opens = at == 0 or spans[at - 1].tokens[-1].kind == "punct" or token.lower not in ("yes", "no")
    if opens and phrase_at("mark", span.tokens, 0) is not None:
        behind = spans[at + 1].tokens[0] if at + 1 < len(spans) else None
        counts = token.value is not None and (is_item or (behind is not None and is_role(behind)))
        return {"K": 0.6 if counts else 0.0} | {own: price + (0.0 if counts else 0.4) for own, price in tags.items()}
    if is_item and at == 0 and "B" in tags:
        return tags | {"B": tags["B"] - 0.5}
    return tags


def _word(token: Token) -> dict[str, float]:
    entry, low, tags = token.entry, token.lower, dict[str, float]()
    if token.has("aux"):
        tags["A"] = 0.0
        if entry.verb in ("have", "do"):
            tags["B" if low == entry.verb else "Z" if low.endswith("s") else "E"] = 0.8
        return tags
    if tags:
        return tags
    for name, own in (
        ("det", "D"),
        ("prep", "I"),
        ("conj", "C"),
        ("neg", "R"),
        ("part", "R"),
        ("filler", "R"),
        ("wh", "W"),
    ):
        if token.has(name):
            tags[own] = 0.0
    if low in word_set("good") | word_set("bad") and not token.has("noun", "verb", "det", "neg", "pron", "aux"):
        return {"J": 0.0} | tags
    if token.value is not None and low != "one":
        return {"Q": 0.0, "J": 0.3, "R": 0.8, **tags}
    if tags and not token.has("verb", "noun"):
        return tags
    if entry.verb and not token.has("det", "prep"):
        tags |= _verb_tags(token)
    tags |= _noun_tags(token)
    if token.has("adj") or (low in word_set("good") | word_set("bad") and "s" not in entry.form.split()):
        tags.setdefault("J", 0.2 if not token.has("noun") or "ed" in entry.form else 0.6)
    if token.has("adv") and not (entry.verb and "base" in entry.form and not low.endswith("ly")):
        tags.setdefault("R", 0.3)
    return tags or {"N": 0.0}


def _verb_tags(token: Token) -> dict[str, float]:
    entry = token.entry
    nounish = 0.7 if (entry.noun or entry.word) in word_set("tags.nouns") else 0.0
    tags: dict[str, float] = {}
    for form in entry.form.split():
        if form == "s":
            tags["Z"] = nounish
        elif form == "base":
            tags |= {"B": 0.2 + nounish, "U": (0.6 if token.has("adj") else 0.1) + nounish}
        elif form == "ing":
            tags["G"] = 0.0
        elif form == "ed":
            tags |= {"V": 0.0, "E": 0.6, "J": 0.7}
    return tags


def _noun_tags(token: Token) -> dict[str, float]:
    entry, role = token.entry, is_role(token)
    if not (token.has("noun", "name") or role or not entry.known):
        # The dictionary has some nouns as verbs alone.
        return {"N": 2.5} if token.text[:1].isupper() and not entry.verb else {"N": 1.5} if entry.form == "base" else {}
    verbish = 0.5 if entry.verb and (entry.noun or entry.word) not in word_set("tags.nouns") and not role else 0.0
    unknown = not entry.known and not role
    low = entry.word
    tags = {"M" if is_plural(token) else "N": verbish}
    if unknown and low.endswith("s") and not low.endswith("ss") and len(low) > 4 and token.text == low:
        tags |= {"Z": 0.4, "M": 0.3}
    elif unknown and low.endswith("ed") and token.text == low:
        tags |= {"V": 0.2, "E": 0.4}
    elif unknown and token.text == low and len(low) > 3:
        tags |= {"B": 1.0, "U": 0.6}
    if low in word_set("tags.both"):
        tags |= {"M": 0.2, "N": 0.0}
    return tags
