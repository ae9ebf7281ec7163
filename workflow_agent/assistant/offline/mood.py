"""What a message is before it is read: a question or an order, and itself without greeting, lead and closing."""

from collections.abc import Iterator, Sequence
from functools import cache

from workflow_agent.assistant.offline.clauses import phrase_at, read_head, stripped, trimmed
from workflow_agent.assistant.offline.lexicon import entry_of, word_set
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens, sentences

_PLACED = frozenset({"before", "after", "between", "start", "end", "beside"})
MODALS = ("can", "could", "may", "might", "would", "should", "shall", "must", "will")
"""Words that may ask for something to be done."""
_NEAR = 7
_MOST_CHARS = 600
"""How far a message is read to tell what it is."""
_GREETING = frozenset({"dear", "hi", "hello", "hey", "good"})
_OPENING = frozenset({"so", "ok", "okay", "well", "alright"})
_MOST_GREETING, _MOST_SIGNATURE = 6, 5
_MOST_SIGNED = 3
"""Lines that close a letter."""


def is_question(text: str) -> bool:
    """Say whether a message asks: by its mark, or by how it begins."""
    plain = text.strip()
    tokens = trimmed(read_tokens(plain[:_MOST_CHARS]))
    if [token.lower for token in tokens[:2]] == ["please", "have"]:
        return False
    if plain.endswith("?") and tokens and tokens[0].is_(*MODALS) and any(t.is_("without") for t in tokens):
        # "Can we hand over the keys without testing the network?"
        return not _asks_to_do(tokens) or tokens[1].is_("we", "i")
    *before, last = sentences(tokens) or ((),)
    if before and last and plain.endswith("?") and _asks_to_do(last):
        # "Nobody says planning permission here. Can you drop that alias?"
        return is_question(plain[last[0].start :])
    told = asked(tokens)
    if told != tokens and not _asks_to_do(told):
        return True
    tokens = told
    mood, rest = stripped(tokens)
    if mood == "weighed":
        return False
    is_marked = plain.endswith("?")
    if not rest:
        return is_marked
    words = [token.lower for token in tokens[:_NEAR]]
    begs = any(token.is_("please", "pls", "plz") for token in tokens[1:])
    asks_for = words[:1] in (["can"], ["could"], ["would"]) and not {"tell", "explain", "say", "show"} & {*words}
    # "Can the bill please go out later" orders.
    if plain.lower().endswith((" please", " pls", " plz")) or (asks_for and begs):
        return False
    first, second = rest[0], rest[1] if len(rest) > 1 else None
    acts = second is not None and second.has("verb") and "base" in second.entry.form.split()
    if mood == "wanted" and (first.has("det") or acts) and any(map(_PLACED.intersection, _marks(rest))):
        # "Could we have an archiving step at the end?", "can we have legal check it before we pay?"
        return False
    if mood in ("order", "wanted", "unneeded") and not first.among("mood.asked_for"):
        return is_marked and not read_head(rest).verbs
    if first.lower == "who":
        # "Who is late is reminded" tells.
        return is_marked or not any(t.is_("is") and t.start > first.end + 1 for t in rest[2:])
    if first.among("mood.asking") or (first.has("prep") and second is not None and second.has("wh")):
        return True
    if first.lower in ("do", "when", "have", "let"):
        asks = first.lower == "when" and second is not None and second.lower in ("does", "do", "is", "will")
        return is_marked or asks
    inverted = (
        first.among("mood.inverted")
        and second is not None
        and (second.has("det", "pron", "noun", "wh", "part") or second.kind == "quoted" or first.among("mood.verbs"))
    )
    return is_marked or inverted


def may_ask(text: str) -> bool:
    """Say whether a message asks as well as it orders: "can the clerk do the scoring", without a mark or a please."""
    tokens = trimmed(read_tokens(text[:_MOST_CHARS]))
    asks = len(tokens) > 1 and tokens[0].is_(*MODALS) and not tokens[1].has("pron") and not tokens[1].is_("u")
    return asks and len(sentences(tokens)) == 1 and not any(t.is_("please", "pls", "plz") for t in tokens)


def _asks_to_do(tokens: Tokens) -> bool:
    """Say whether words ask somebody to do something: "can you drop that alias"."""
    return len(tokens) > 2 and tokens[0].is_("can", "could", "would", "will") and tokens[1].is_("you", "u", "we", "i")


def _marks(tokens: Tokens) -> Iterator[list[str]]:
    return (phrase_at(tokens, at, "markers.tsv")[1] for at in range(len(tokens)))


def is_order(text: str) -> bool:
    """Say whether a message begins like an order to change something."""
    if is_question(text):
        return False
    head = read_head(read_tokens(text[:_MOST_CHARS]))
    return bool(head.verbs) and head.mood in ("order", "weighed", "negated")


def asked(tokens: Tokens) -> Tokens:
    """Return a question without the words that lead to it: "so, could you tell me who pays", "do you know if …"."""
    at = 0
    while at < len(tokens) - 1 and (tokens[at].among("mood.openings") or tokens[at].kind == "punct"):
        at += 1
    for words in _leads():
        end = at + len(words)
        if tuple(t.lower for t in tokens[at:end]) != words or end >= len(tokens):
            continue
        rest = tokens[end:]
        if rest[0].is_("if", "whether"):
            # Elsewhere such a question begins with its verb.
            return (_word("does", tokens[end - 1]), *rest[1:])
        if rest[0].has("wh") or rest[0].among("mood.asking"):
            return rest
        if rest[0].has("det", "prep") and len(rest) > 1:
            return rest if rest[1].has("wh") else (_word("what", tokens[end - 1]), *rest)
    return (
        tokens[at:] if at and tokens[at].has("wh", "aux", "prep") and tokens[at].lower not in ("be", "to") else tokens
    )


def _word(word: str, at: Token) -> Token:
    return Token(word, "word", at.start, at.end, entry_of(word))


@cache
def _leads() -> tuple[tuple[str, ...], ...]:
    return tuple(sorted((tuple(lead.split()) for lead in word_set("mood.leads")), key=len, reverse=True))


def _greeting_end(tokens: Sequence[Token]) -> int:
    """Return where a greeting ends in front of a sentence: "Dear team,", "good morning,"; 0 where there is none."""
    at = next((at for at, token in enumerate(tokens) if token.lower not in _OPENING), 0)
    if at:
        return at + (tokens[at].text == ",")
    # "Hey delete the review" greets nobody: without a sign the words behind may be the order.
    sign = next((at for at, token in enumerate(tokens[:_MOST_GREETING]) if token.text in (",", "!")), 0)
    said = tokens[:sign]
    if not said or said[0].lower not in _GREETING:
        return 0
    plain = not any(token.has("aux", "prep", "det", "pron") for token in said)
    greets = said[0].lower != "good" or (len(said) == 2 and said[1].lower in ("morning", "afternoon", "evening", "day"))
    return sign + 1 if plain and greets else 0


def _is_signature(tokens: Sequence[Token], *, behind_one: bool) -> bool:
    """Say whether a line closes a letter: "Kind regards,", "Cheers, Bob", and a name behind such a line."""
    said = [token for token in tokens if token.kind != "punct"]
    if not said or len(said) > _MOST_SIGNATURE:
        return False
    closes = max((at for at, token in enumerate(said) if token.lower in word_set("lead.signs")), default=None)
    own = said if closes is None else said[closes + 1 :]
    named = all(token.text[:1].isupper() or token.has("num") or token.kind == "number" for token in own)
    if closes is None:
        return behind_one and named
    before = said[:closes]
    return named and all(t.has("adj", "filler", "adv", "det") or t.lower in ("kind", "with") for t in before)


def letter_itself(text: str) -> str:
    """Return a message without greeting and closing: "Dear team, ... Kind regards, Ann"."""
    parts = [part for part in sentences(read_tokens(text)) if part]
    if not parts:
        return text
    greeting = _greeting_end(parts[0])
    behind = [token for part in (parts[0][greeting:], *parts[1:]) for token in part[:1]]
    start = behind[0].start if behind else 0
    last = range(max(len(parts) - _MOST_SIGNED, 1), len(parts))
    end = next((at for at in last if _is_signature(parts[at], behind_one=False)), len(parts))
    if end == len(parts) or not all(_is_signature(part, behind_one=True) for part in parts[end:]):
        return text[start:].strip()
    return text[start : parts[end][0].start].strip()
