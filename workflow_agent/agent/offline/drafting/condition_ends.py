"""Where a condition ends and what happens under it begins, with a comma or without one."""

from typing import Final

from workflow_agent.agent.offline.drafting.actors import head_noun
from workflow_agent.agent.offline.drafting.clause_heads import ADVERBS, Head
from workflow_agent.agent.offline.drafting.condition_words import BE, NEGATIVE, NOT, POSITIVE
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.nouns import (
    ARTICLES,
    DETERMINERS,
    GENERIC,
    PERSONAL,
    PREPOSITIONS,
    THING_PRONOUNS,
    is_role,
    is_system,
    is_thing,
)
from workflow_agent.agent.offline.drafting.tokens import Token, Tokens, lows, strip_marks
from workflow_agent.agent.offline.drafting.verbs import is_form
from workflow_agent.agent.offline.drafting.words import word_set

SPLIT: Final = Token("then", "", "mark")
"""Stands for the `then` of "if ... then ..."."""
_YES: Final = Token("yes", "yes")
"""What the `so` of "if so" says; in front of other words it is a mere link."""
_COMPARES: Final = word_set("over under above below less more greater than higher lower < >")
_MAX_SCAN: Final = 60
_THINKING: Final = word_set(
    "think thinks say says find finds believe believes want wants decide decides confirm confirms"
)
_SAYING: Final = word_set("say says said answers answered replies replied")
_SAID: Final = word_set("answer reply response decision result verdict")
_HOW_MUCH: Final = word_set("low high short late early dry empty full")
"""What something is or runs: "if the stock runs low purchasing orders more"."""
_WE: Final = word_set("we i")
_WHICH: Final = word_set("if whether when where why how what because so but")
_INCOMPLETE_ENDS: Final = (
    DETERMINERS | PREPOSITIONS | BE - {"got"} | NOT | word_set("and or , than the who which that")
)
_OBJECTS: Final = DETERMINERS | THING_PRONOUNS | word_set("him them on off up out in back")


def split_condition(tokens: Tokens) -> tuple[Tokens, Tokens]:
    """Return a condition's tokens and those of what happens under it (empty when nothing follows)."""
    if lows(tokens[:1]) == ["so"]:
        tokens = [_YES, *tokens[1:]]
    marked = next((at for at, token in enumerate(tokens) if token is SPLIT), None)
    if marked is not None:
        return strip_marks(tokens[:marked]), strip_marks(tokens[marked + 1 :])
    commas = _commas(tokens)
    first = commas[0] if commas else len(tokens)
    unmarked = _end_without_comma(tokens[:first])
    if unmarked is not None:
        return strip_marks(tokens[:unmarked]), strip_marks(tokens[unmarked:])
    begun = _begun_after_unknown(tokens[:first])
    if begun is not None:
        return strip_marks(tokens[:begun]), strip_marks(tokens[begun:])
    if first and commas and _is_complete(tokens[:first]) and _goes_on(tokens, first + 1):
        return strip_marks(tokens[:first]), strip_marks(tokens[first:])
    for at in commas:
        rest = strip_marks(tokens[at + 1 :])
        if rest and _has_predicate(tokens[:at]) and read_head(rest) is not None:
            return strip_marks(tokens[:at]), rest
    return strip_marks(tokens[:first]), strip_marks(tokens[first:])


def split_phrase(tokens: Tokens) -> tuple[Tokens, Tokens]:
    """Return a noun phrase and the clause after it: "the visit | the receptionist collects the badge"."""
    for at in range(1, min(len(tokens), _MAX_SCAN)):
        starts = tokens[at].low in DETERMINERS or is_role(tokens[at].low)
        if (
            starts
            and tokens[at - 1].low not in _INCOMPLETE_ENDS
            and (head := read_head(tokens, at))
            and head.subject
        ):
            return tokens[:at], tokens[at:]
    return tokens, []


def _commas(tokens: Tokens) -> list[int]:
    """Return where commas and colons stand, outside of brackets."""
    found: list[int] = []
    depth = 0
    for at, token in enumerate(tokens):
        depth += (token.low == "(") - (token.low == ")")
        if depth <= 0 and token.low in (",", ":"):
            found.append(at)
    return found


def _end_without_comma(tokens: Tokens) -> int | None:
    """Return where a new clause begins right after a complete condition: "if approved | finance pays"."""
    for at in range(1, min(len(tokens), _MAX_SCAN)):
        if tokens[at].kind != "word" or not _may_end(tokens, at):
            continue
        if tokens[at].low == "back" and tokens[at + 1 : at + 2] and tokens[at + 1].low == "to":
            return at
        head = read_head(tokens, at)
        if head is not None and head.voice != "state" and _starts_main(tokens, at, head):
            return at
        if head is None and _goes_on(tokens, at):
            return at
    return None


def _begun_after_unknown(tokens: Tokens) -> int | None:
    """Return where a clause begins after a condition whose verb no table has: "it leaks | she calls him"."""
    if read_head(tokens) is not None:
        return None
    for at in range(2, min(len(tokens), _MAX_SCAN)):
        begins = tokens[at].low in ARTICLES | PERSONAL | _WE or is_role(tokens[at].low)
        if not begins or tokens[at - 1].low in _INCOMPLETE_ENDS | _THINKING | _WHICH:
            continue
        head = read_head(tokens, at)
        if head is not None and head.subject and head.voice != "state":
            return None if _has_predicate(tokens[:at]) else at
    return None


def _may_end(tokens: Tokens, at: int) -> bool:
    """Say whether the words before a position can be a whole condition."""
    last = tokens[at - 1].low
    if last in _THINKING or (last in _INCOMPLETE_ENDS and not _ends_with_answer(tokens, at)):
        return False
    return _is_complete(tokens[:at]) and not _lacks_object(tokens, at)


def _ends_with_answer(tokens: Tokens, at: int) -> bool:
    """Say whether the `no` before a position is an answer: "the manager says no | the employee ..."."""
    words = lows(tokens[max(0, at - 3) : at])
    says = words[-2:-1] != [] and words[-2] in _SAYING
    return words[-1:] == ["no"] and (says or (words[-2:-1] == ["is"] and words[0] in _SAID))


def _goes_on(tokens: Tokens, at: int) -> bool:
    """Say whether a verb of the subject before stands here: "if something is missing | sends it back"."""
    if at >= len(tokens):
        return False
    following = tokens[at + 1].low if at + 1 < len(tokens) else ""
    return is_form(tokens[at].low, "s") and not is_thing(tokens[at].low) and following in _OBJECTS


def _lacks_object(tokens: Tokens, at: int) -> bool:
    """Say whether what stands before is a verb still waiting for its object: "requests | leave"."""
    before = read_head(tokens[:at])
    return before is not None and before.at == at - 1 and before.verb.starts and before.voice == "active"


def _is_complete(tokens: Tokens) -> bool:
    if _has_predicate(tokens):
        return True
    last = tokens[-1].low
    return len(tokens) == 1 and not (is_thing(last) or is_role(last) or is_system(last)) and last not in (
        PERSONAL | GENERIC | THING_PRONOUNS
    )  # fmt: skip


def _starts_main(tokens: Tokens, at: int, head: Head) -> bool:
    if not head.subject:
        return tokens[at].low not in ADVERBS or head.at == at + 1
    first = head.subject[0]
    if first.low in _HOW_MUCH:
        return False
    return (
        first.low in DETERMINERS | GENERIC | PERSONAL | THING_PRONOUNS or is_role(first.low)
        or is_system(first.low) or first.text[:1].isupper() or is_role(head_noun(head.subject))
    )  # fmt: skip


def _has_predicate(tokens: Tokens) -> bool:
    words = lows(tokens)
    if not words:
        return False
    if words[0] in POSITIVE | NEGATIVE or is_form(words[0], "participle"):
        return True
    head = read_head(tokens)
    if head is not None and head.subject:
        return head.at < len(tokens) - (head.voice == "state")
    return any(token.kind == "duration" or token.low in _COMPARES for token in tokens[:-1])
