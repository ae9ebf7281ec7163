"""Reading conditions said as part of the work: "rejected claims are archived", "for orders over 100".

A sentence that speaks of some of the things only is spelled out as one with `if`, which the rest reads.
"""

from typing import Final

from workflow_agent.agent.offline.drafting.condition_ends import SPLIT, split_phrase
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.nouns import DETERMINERS, is_role
from workflow_agent.agent.offline.drafting.tokens import COMMA, Token, Tokens, lows, strip_marks
from workflow_agent.agent.offline.drafting.verbs import VERBS, is_form, third_person, verb_of
from workflow_agent.agent.offline.drafting.words import word_set

_KINDS: Final = word_set("""
    complete incomplete valid invalid correct incorrect good bad faulty defective damaged undamaged intact
    broken urgent non-urgent critical non-critical minor major small large big simple complex easy difficult
    new existing returning qualified unqualified eligible ineligible suitable unsuitable late overdue unpaid
    paid failed passed successful unsuccessful missing duplicate high-priority low-priority serious trivial
    clean international domestic foreign regular special internal external standard empty full safe unsafe
    """)
"""Adjectives that tell one kind of what was looked at from the others."""
_WHICH: Final = word_set("all any the those every each only")
_OTHERS: Final = (
    "others", "the others", "all others", "the rest", "all the rest", "everyone else", "everybody else",
    "everything else", "anything else", "the remaining ones", "the other ones", "all other ones",
)  # fmt: skip
_OTHER: Final = word_set("other remaining")
_COMPARES: Final = word_set("over under above below exceeding")
_THAN: Final = word_set("more less fewer higher lower greater larger smaller")
_BEFORE_COMPARISON: Final = word_set("of with worth costing a value amount for that are is than")
_NOT_A_CASE: Final = word_set("reasons purposes sake now example instance each every")
_OPPOSED: Final = ("in", "un", "non-", "dam", "def", "fault")
_GETS: Final = word_set("get gets receive receives")
_WE: Final = word_set("this that it them us him me her you")
_MOST_WORDS: Final = 8
_IT: Final = Token("it", "it")
_IF: Final = Token("if", "if")
_OTHERWISE: Final = Token("otherwise", "otherwise")


def spelled_out(tokens: Tokens, *, is_first: bool = False) -> Tokens:
    """Return a sentence with what holds for some things only said with `if` and `otherwise`.

    Args:
        tokens: The sentence.
        is_first: Nothing was said before it, so its first clause is no case of anything.
    """
    at = _after_glue(tokens, 0)
    led = _led(tokens, at) if not is_first else None
    if led is not None:
        return [*tokens[:at], *led]
    kept = list(tokens[:at])
    while at < len(tokens):
        found = _case(tokens, at) if not is_first else None
        is_first = False
        if found is not None:
            said, at = found
            kept += said
        step = next((to for to in range(at, len(tokens)) if tokens[to].low in (",", ":")), len(tokens))
        following = _after_glue(tokens, step)
        kept += tokens[at:following]
        at = following
    return kept


def _after_glue(tokens: Tokens, at: int) -> int:
    while at < len(tokens) and tokens[at].low in (",", ":", "and", "but", "while"):
        at += 1
    return at


def _case(tokens: Tokens, at: int) -> tuple[list[Token], int] | None:
    """Return a clause's beginning spelled out, and the position of its verb, or None for other clauses."""
    others = _others(tokens, at)
    if others is not None:
        verb = tokens[others]
        if verb.low in _GETS:
            return [_OTHERWISE, COMMA, *tokens[at : others + 1]], others + 1
        return [_OTHERWISE, COMMA, _IT, _singular(verb)], others + 1
    return _compared(tokens, at) or _kind(tokens, at) or _one_of_a_kind(tokens, at)


def _others(tokens: Tokens, at: int) -> int | None:
    """Return where the verb of "the rest is archived" stands, or None."""
    words = lows(tokens[at : at + 5])
    for phrase in _OTHERS:
        size = len(phrase.split())
        if words[:size] == phrase.split() and _is_verb(tokens, at + size):
            return at + size
    start = at + (words[:1] in (["all"], ["the"], ["any"]))
    is_other = start < len(tokens) and tokens[start].low in _OTHER
    return start + 2 if is_other and _is_plural(tokens, start + 1) and _is_verb(tokens, start + 2) else None


def _is_verb(tokens: Tokens, at: int) -> bool:
    head = read_head([_IT, _singular(tokens[at]), *tokens[at + 1 : at + 8]]) if at < len(tokens) else None
    return head is not None and bool(head.subject)


def _is_plural(tokens: Tokens, at: int) -> bool:
    return at < len(tokens) and tokens[at].low.endswith("s") and not tokens[at].low.endswith("ss")


def _singular(verb: Token) -> Token:
    """Return a verb as it stands after `it`."""
    said = {"are": "is", "have": "has", "were": "was"}.get(verb.low)
    if said is None and verb.low in VERBS and verb.kind == "word":
        said = third_person(verb.low)
    return Token(said, said) if said else verb


def _kind(tokens: Tokens, at: int) -> tuple[list[Token], int] | None:
    """Read "approved requests are paid", "incomplete ones go to the clerk"."""
    first = at + (tokens[at].low in _WHICH) if at < len(tokens) else at
    if not _is_plural(tokens, first + 1) or not _is_verb(tokens, first + 2):
        return None
    low, noun = tokens[first].low, tokens[first + 1]
    verb = verb_of(low)
    if verb is not None and verb.verdict and is_form(low, "participle"):
        condition = [_lower(tokens[first])]
    elif low in _KINDS and (first == at or noun.low == "ones"):
        condition = [_IT, Token("is", "is"), _lower(tokens[first])]
    else:
        return None
    is_bare = _singular(tokens[first + 2]) is not tokens[first + 2] and tokens[first + 2].low in VERBS
    if noun.low != "ones" and not is_role(noun.low) and not is_bare:
        return [_IF, *condition, SPLIT, _lower(noun)], first + 2
    return [_IF, *condition, SPLIT, _IT, _singular(tokens[first + 2])], first + 3


def _one_of_a_kind(tokens: Tokens, at: int) -> tuple[list[Token], int] | None:
    """Read "an incomplete order is sent back"; "a new order is made" tells of no case."""
    if tokens[at].low not in ("a", "an") or at + 3 >= len(tokens) or not _is_verb(tokens, at + 3):
        return None
    low = tokens[at + 1].low
    if low not in _KINDS or not low.startswith(_OPPOSED):
        return None
    return [_IF, _IT, Token("is", "is"), tokens[at + 1], SPLIT, _IT], at + 3


def _lower(token: Token) -> Token:
    """Return a word as it is written inside a sentence."""
    return token._replace(text=token.low) if token.text.istitle() else token


def _compared(tokens: Tokens, at: int) -> tuple[list[Token], int] | None:
    """Read "requests exceeding 10,000 must be approved", "orders of more than 5 boxes are shipped"."""
    start = at + (tokens[at].low in _WHICH)
    found = _comparison(tokens, start)
    if found is not None and found[0] == start and tokens[at].low in ("those", "all"):
        is_plain = found[1] < len(tokens) and _is_verb(tokens, found[1])
        verb = tokens[found[1]] if is_plain else None
        said = [_IF, *tokens[start : found[1]], SPLIT, _IT]
        return ([*said, _singular(verb)], found[1] + 1) if verb is not None else None
    if found is None or found[0] <= start or found[0] > start + 4:
        return None
    end = found[0]
    while end > start and tokens[end - 1].low in _BEFORE_COMPARISON:
        end -= 1
    subject = tokens[start:end]
    if (
        not subject
        or any(token.kind != "word" for token in subject)
        or subject[0].low in DETERMINERS - {"any"}
    ):
        return None
    for verb in range(found[1], min(found[1] + 4, len(tokens))):
        head = read_head([*subject, *tokens[verb : verb + _MOST_WORDS]])
        if head is not None and head.subject and len(head.subject) == len(subject):
            return [_IF, *tokens[found[0] : verb], SPLIT, _lower(subject[0]), *subject[1:]], verb
        if tokens[verb].kind != "word":
            return None
    return None


def _comparison(tokens: Tokens, start: int) -> tuple[int, int] | None:
    """Return where "over 500" or "more than EUR 500" begins and where its number ends, or None."""
    for at in range(start, min(start + 6, len(tokens))):
        if tokens[at].kind != "word":
            return None
        is_than = tokens[at].low in _THAN and lows(tokens[at + 1 : at + 2]) == ["than"]
        if tokens[at].low in _COMPARES or is_than:
            after = at + 1 + is_than
            number = (to for to in range(after, min(after + 2, len(tokens))) if _is_number(tokens[to]))
            end = next(number, None)
            return None if end is None else (at, end + 1)
    return None


def _is_number(token: Token) -> bool:
    return any(char.isdigit() for char in token.low) or token.kind == "duration"


def _led(tokens: Tokens, at: int) -> list[Token] | None:
    """Read "for orders over 100 dollars, the manager signs", "for returning patients the visit is short"."""
    words = lows(tokens[at : at + 4])
    if words[:1] != ["for"] or not _NOT_A_CASE.isdisjoint(words) or words[1:2] == [] or words[1] in _WE:
        return None
    said = tokens[at + 1 :]
    comma = next((to for to, token in enumerate(said) if token.low == ","), None)
    phrase, main = split_phrase(said if comma is None else said[:comma])
    if comma is not None and not main:
        phrase, main = said[:comma], said[comma + 1 :]
    elif comma is not None:
        main = [*main, *said[comma:]]
    head = read_head(strip_marks(main)) if main else None
    if head is None or not _tells_apart(phrase) or not (head.subject or comma is not None):
        return None
    return [_IF, *phrase, SPLIT, *strip_marks(main)]


def _tells_apart(phrase: Tokens) -> bool:
    """Say whether a phrase names some of the things: "refunds over 100 dollars", "returning patients"."""
    words = lows(phrase)
    if not words or len(words) > _MOST_WORDS or words[0] in DETERMINERS - {"all", "any"}:
        return False
    compares = not (_COMPARES | _THAN).isdisjoint(words)
    return compares or (len(words) > 1 and words[-1].endswith("s") and words[-1] not in _NOT_A_CASE)
