"""Saying in the usual order what is said in an unusual one, before a sentence is read."""

from typing import Final

from workflow_agent.agent.offline.drafting.clause_heads import BE_FORMS, MODALS
from workflow_agent.agent.offline.drafting.nouns import DETERMINERS, PERSONAL, POSSESSIVES, THING_PRONOUNS
from workflow_agent.agent.offline.drafting.tokens import COMMA, Token, Tokens, lows
from workflow_agent.agent.offline.drafting.verbs import is_form
from workflow_agent.agent.offline.drafting.words import word_set

_TAKES: Final = word_set(
    "take takes took last lasts cost costs mean means is usually normally typically often can"
)
_SUBJECTS: Final = DETERMINERS | POSSESSIVES | THING_PRONOUNS | PERSONAL
_BOUNDS: Final = word_set(", ; : and but")
_TIMES: Final = word_set("within by before after in no upon")
_MOST_INSERTED: Final = 10
_HAS_TO: Final = word_set("has have needs need")
_MOST_NOUN: Final = 5
_IF: Final = Token("if", "if")
_AND: Final = Token("and", "and")
_IT: Final = Token("it", "it")


def reworded(tokens: Tokens) -> Tokens:
    """Return a sentence with "should it fail", "does he pay" and "shall, within a day, sign" set right."""
    return _with_modal_kept(_without_remarks(_uninverted(tokens)))


def _uninverted(tokens: Tokens) -> list[Token]:
    """Return "if the price rise" for "should the price rise", and "the crew fix" for "does the crew fix"."""
    kept: list[Token] = []
    for at, token in enumerate(tokens):
        following = tokens[at + 1].low if at + 1 < len(tokens) else ""
        begins = at == 0 or tokens[at - 1].low in _BOUNDS
        if token.low in BE_FORMS and following in DETERMINERS and _only_before(tokens, at):
            end = next(
                (to for to in range(at + 2, min(at + _MOST_NOUN, len(tokens))) if _is_done(tokens[to])), None
            )
            if end is not None:
                return [*kept, COMMA, *tokens[at + 1 : end], *tokens[at : at + 1], *tokens[end:]]
        if token.low == "should" and begins and following in _SUBJECTS:
            kept.append(_IF)
        elif token.low in ("does", "do", "did") and following in DETERMINERS and _only_before(tokens, at):
            continue
        else:
            kept.append(token)
    return kept


def _is_done(token: Token) -> bool:
    return is_form(token.low, "participle")


def _only_before(tokens: Tokens, at: int) -> bool:
    """Say whether "only if" or "only then" stands before, which turns subject and verb around."""
    words = lows(tokens[:at])
    return "only" in words and not {"if", "when", "after", "then", "once"}.isdisjoint(words)


def _without_remarks(tokens: Tokens) -> list[Token]:
    """Return a sentence without what is only told of a step: ", which takes about a week,"."""
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        words = lows(tokens[at : at + 3])
        goes_on = words[:2] == [",", "where"] and words[2:] and words[2] in _SUBJECTS and at
        if goes_on or (words[:2] == [",", "which"] and words[2:] and words[2] in MODALS | _HAS_TO):
            kept += [tokens[at], _AND] if goes_on else [tokens[at], _AND, _IT]
            at += 2
            continue
        if words[:2] == [",", "which"] and words[2:] and words[2] in _TAKES:
            at = next((to for to in range(at + 3, len(tokens)) if tokens[to].low == ","), len(tokens))
            continue
        kept.append(tokens[at])
        at += 1
    return kept


def _with_modal_kept(tokens: list[Token]) -> list[Token]:
    """Return "shall confirm within five days it" for "shall, within five days, confirm it"."""
    for at in range(1, len(tokens) - 3):
        if at + 3 >= len(tokens) or tokens[at - 1].low not in MODALS or tokens[at].low != ",":
            continue
        end = next(
            (to for to in range(at + 2, min(at + _MOST_INSERTED, len(tokens))) if tokens[to].low == ","), None
        )
        is_time = tokens[at + 1].low in _TIMES and end is not None and end + 1 < len(tokens)
        if end is not None and is_time and is_form(tokens[end + 1].low, "base"):
            tokens[at : end + 2] = [tokens[end + 1], *tokens[at + 1 : end]]
    return tokens
