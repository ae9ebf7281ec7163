"""Reading what is put between a subject and its verb: "the clerk, if it is urgent, calls the owner"."""

from typing import Final

from workflow_agent.agent.offline.drafting.clause_heads import BE_FORMS, MODALS
from workflow_agent.agent.offline.drafting.condition_ends import SPLIT
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.nouns import DETERMINERS, PERSONAL, THING_PRONOUNS, THINGS, is_role
from workflow_agent.agent.offline.drafting.tokens import Token, Tokens
from workflow_agent.agent.offline.drafting.verbs import is_form
from workflow_agent.agent.offline.drafting.words import word_set

_INSERTS: Final = word_set("if unless when once provided after upon")
_BEFORE: Final = word_set("and but whereupon then so → while")
_ORDER: Final = word_set("then afterwards subsequently finally later eventually next meanwhile")
_MOST_SUBJECT: Final = 6
_MOST_INSERTED: Final = 25


def with_subjects_kept(tokens: Tokens) -> Tokens:
    """Return a sentence with what stands between a subject and its verb put before the subject."""
    kept = list(tokens)
    for at in range(1, len(kept)):
        if at + 1 < len(kept) and kept[at].low in _ORDER:
            _lead_with(kept, at)
            continue
        if at + 2 >= len(kept) or kept[at].low != "," or kept[at + 1].low not in _INSERTS:
            continue
        start = _subject_before(kept, at)
        end = _verb_after(kept, at)
        if start is not None and end is not None:
            subject, inserted = kept[start:at], kept[at + 1 : end]
            kept[start : end + 1] = [*inserted, SPLIT, *subject]
    return kept


def _lead_with(tokens: list[Token], at: int) -> None:
    """Put the "then" of "the doctor then writes", "it is then sent" in front of the clause."""
    has_helper = tokens[at - 1].low in MODALS | BE_FORMS
    if not has_helper and not _is_verb(tokens, at + 1):
        return
    start = _subject_before(tokens, at - has_helper)
    if start is not None:
        tokens[start : at + 1] = [tokens[at], *tokens[start:at]]


def _subject_before(tokens: Tokens, comma: int) -> int | None:
    """Return where the noun phrase right before a comma begins, or None where it is no subject alone."""
    start = comma
    while start and comma - start < _MOST_SUBJECT:
        before = tokens[start - 1]
        if before.kind != "word" or before.low in _BEFORE:
            break
        start -= 1
    is_alone = start == 0 or tokens[start - 1].kind != "word" or tokens[start - 1].low in _BEFORE
    said = tokens[start:comma]
    if not said or not is_alone or read_head(said) is not None:
        return None
    names = (
        said[0].low in DETERMINERS | THING_PRONOUNS | PERSONAL
        or is_role(said[-1].low)
        or said[-1].low in THINGS
    )
    return start if names else None


def _verb_after(tokens: Tokens, comma: int) -> int | None:
    """Return the comma that ends an insertion and has a verb after it, or None."""
    for at in range(comma + 2, min(comma + _MOST_INSERTED, len(tokens) - 1)):
        if tokens[at].low == ",":
            return at if _is_verb(tokens, at + 1) else None
    return None


def _is_verb(tokens: Tokens, at: int) -> bool:
    low = tokens[at].low
    return is_form(low, "s") or low in MODALS | BE_FORMS
