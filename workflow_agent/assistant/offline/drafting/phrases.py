"""Noun phrases and word lists: phrases at a place, who works, what a thing is called."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from workflow_agent.assistant.offline.clauses import roles
from workflow_agent.assistant.offline.drafting import conditions
from workflow_agent.assistant.offline.lexicon import data_rows, entry_of, word_set
from workflow_agent.assistant.offline.tokens import Token

if TYPE_CHECKING:
    from workflow_agent.assistant.offline.drafting.clauses import Clause

_PRONOUNS: Final = word_set("set.pronouns")
_AGENT_ENDINGS: Final = (
    "er", "or", "ist", "ant", "ian", "man", "woman", "ee", "eer", "men", "ers", "ors", "ists", "ants",
    "ians", "ees", "keeper", "people",
)  # fmt: skip
_ANYBODY: Final = frozenset({"someone", "somebody", "anyone", "whoever", "everyone", "everybody"})
_LONGEST_NAME: Final = 90
_PARTICLES: Final = word_set("set.particles")
_IT: Final = frozenset({"it", "them", "this", "that", "these", "those"})
_Longer = dict[str, list[tuple[tuple[str, ...], str]]]


@cache
def _phrases(group: str) -> dict[str, tuple[str | None, _Longer]]:
    """Return the phrases of all lists of a group by their first and second words, the longest first."""
    found: dict[str, tuple[str | None, _Longer]] = {}
    for listed, row in data_rows("phrases.tsv"):
        first_part, _, kind = listed.partition(".")
        if first_part != group:
            continue
        name = kind or listed
        for phrase in row.split("|"):
            first, *rest = phrase.split()
            alone, longer = found.setdefault(first, (None, {}))
            if rest:
                longer.setdefault(rest[0], []).append((tuple(rest), name))
            else:
                found[first] = (alone or name, longer)
    for _, longer in found.values():
        for phrases in longer.values():
            phrases.sort(key=lambda one: -len(one[0]))
    return found


def phrase_at(group: str, tokens: Sequence[Token], at: int) -> tuple[str, int] | None:
    """Return which list of a group has a phrase that stands at a position, and where the phrase ends."""
    known = _phrases(group).get(tokens[at].lower) if at < len(tokens) and tokens[at].text != "IT" else None
    if known is None:
        return None
    alone, longer = known
    if at + 1 < len(tokens):
        for rest, name in longer.get(tokens[at + 1].lower, ()):
            end = at + 1 + len(rest)
            if end <= len(tokens) and all(tokens[at + 1 + n].lower == word for n, word in enumerate(rest)):
                return name, end
    return None if alone is None else (alone, at + 1)


def is_plural(token: Token) -> bool:
    """Say whether a noun stands for several."""
    low = token.lower
    if low in word_set("role.plural") or token.possessive:
        return False
    if low in ("people", "men", "women", "children", "both", "staff", "police"):
        return True
    is_short = token.text.upper() == token.text
    return low.endswith("s") and not low.endswith("ss") and token.entry.noun != low and not is_short


def is_role(token: Token) -> bool:
    """Say whether a word names somebody who works, or a part of an organisation, or a system."""
    if token.kind != "word":
        return False
    low = token.lower
    if token.text == "IT" or low == "it":
        return token.text == "IT"
    noun = token.entry.noun or low
    if not {low, noun}.isdisjoint(word_set("role") | roles()):
        return True
    named = noun.endswith(_AGENT_ENDINGS) and noun not in word_set("set.no_agents") and token.has("noun")
    # "gather", "offer" and "register" are work, not workers.
    return len(low) > 4 and named and entry_of(noun).verb != noun


def bare(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Return a noun phrase without articles, possessives of persons and words that count it, in front."""
    at = 0
    while at < len(tokens) and tokens[at].text != "IT":
        token = tokens[at]
        counts = token.value is not None and not token.is_("first", "second", "third") and at + 1 < len(tokens)
        led = token.has("det", "conj", "filler") or token.kind == "punct" or (token.has("part") and at == 0)
        if not (led or counts):
            break
        at += 1
    return tuple(tokens[at:])


def is_pronoun(tokens: Sequence[Token]) -> bool:
    """Say whether a subject or an object is a pronoun alone."""
    return len(tokens) == 1 and tokens[0].lower in _PRONOUNS and tokens[0].text != "IT"


def is_definite(tokens: Sequence[Token]) -> bool:
    """Say whether a phrase tells one place or time, not a case: "at the end of the day", and not "in emergencies"."""
    if len(tokens) < 2 or tokens[0].lower not in ("in", "at", "on", "during", "from"):
        return False
    cases = {"case", "event", "situation", "instance", "scenario", "circumstance", "condition"}
    plural = any(is_plural(token) and not is_role(token) for token in tokens[1:] if token.has("noun"))
    counts = any(token.kind == "number" for token in tokens) or any(token.lemma in cases for token in tokens)
    return tokens[1].lower in ("the", "our", "my", "your", "this") and not plural and not counts


def text_of(tokens: Sequence[Token]) -> str:
    """Return tokens as a phrase, blanks where they stood apart, without signs at its ends."""
    return conditions.text_of(tokens).strip(" ,:;.?!")


def cased(tokens: Sequence[Token]) -> str:
    """Return a phrase as it reads inside a sentence: an article at its head in small letters."""
    said = text_of(tokens)
    leads = bool(tokens) and tokens[0].has("det") and tokens[0].text != "IT"
    return said[:1].lower() + said[1:] if leads else said


def capitalized(text: str) -> str:
    """Return a text with a capital first letter, cut at a word where it is too long for a name."""
    text = text if len(text) <= _LONGEST_NAME else text[:_LONGEST_NAME].rsplit(" ", 1)[0]
    return text[:1].upper() + text[1:]


def thing_of(tokens: Sequence[Token]) -> str:
    """Return what a later "it" stands for, empty for a person and where nothing is named."""
    said = bare(tokens)
    named = any(token.has("noun", "name") or not token.entry.known for token in said)
    return f"the {cased(said)}" if named and not acts(tokens) and len(said) < 6 else ""


def object_of(clause: Clause) -> tuple[Token, ...]:
    """Return the thing a clause works on: what follows its verb, or the subject of a passive."""
    if clause.voice == "passive":
        return () if is_pronoun(clause.subject) else clause.subject
    rest = clause.rest
    start = 1 if rest and rest[0].lower in _PARTICLES and clause.rest_tags[:1] != "I" else 0
    end = start
    while end < len(rest):
        token = rest[end]
        stops = token.has("prep", "conj", "pron", "wh") and token.text != "IT"
        if (
            stops
            or token.kind == "punct"
            or (end > start and token.has("det", "adv", "part") and not token.has("noun"))
        ):
            break
        end += 1
    found = rest[start:end]
    named = any(token.has("noun", "name", "verb") or not token.entry.known for token in found)
    return tuple(found) if named else ()


def step_name(clause: Clause, thing: str) -> str:
    """Return a step's name in the imperative, its object kept; `thing` stands for "it" and "them"."""
    rest = clause.rest
    *others, last = clause.verbs or (clause.verb,)
    said = f"{', '.join(others)} or {last}" if others else last
    if clause.voice == "passive":
        particle = "" if not rest else rest[0].lower
        if particle in _PARTICLES and (len(rest) < 2 or rest[1].has("prep", "part")):
            said, rest = f"{said} {particle}", rest[1:]
        own = bool(clause.subject) and not is_pronoun(clause.subject)
        parts = [said, cased(clause.subject) if own else thing or "it", cased(rest)]
    elif not rest and (others or clause.verb in word_set("verb.about")):
        parts = [said, thing]
    else:
        parts = [said, _with_thing(rest, thing)]
    return capitalized(" ".join(part for part in parts if part))


def names_several(thing: str) -> bool:
    """Say whether a phrase stands for several things."""
    return thing.endswith("s") and not thing.endswith(("ss", "is", "us"))


def _with_thing(rest: Sequence[Token], thing: str) -> str:
    """Return what follows a verb, "it" replaced: "the contract to the client"."""
    at = 1 if rest and rest[0].lower in _PARTICLES else 0
    if not thing or at >= len(rest) or rest[at].lower not in _IT or rest[at].text == "IT":
        return cased(rest)
    if (rest[at].lower in ("them", "these", "those")) != names_several(thing):
        return cased(rest)
    return " ".join(part for part in (cased(rest[:at]), thing, cased(rest[at + 1 :])) if part)


def role_named(tokens: Sequence[Token]) -> str | None:
    """Return the role a subject names: "two professors" is "professor"; None for nobody in particular."""
    said = bare(tokens)
    if said and said[0].lower in _ANYBODY and len(said) > 2 and said[1].lower in ("in", "from"):
        return role_named(said[2:])
    if not said or is_pronoun(said) or said[0].lower in _ANYBODY:
        return None
    last, text = said[-1], cased(said)
    if is_plural(last) and last.entry.noun and is_role(last):
        text = text[: len(text) - len(last.text)] + last.entry.noun
    return text[:100] or None


def is_system(tokens: Sequence[Token]) -> bool:
    """Say whether a subject is a program: what it does is no human's work."""
    said = bare(tokens)
    return bool(said) and (said[-1].entry.noun or said[-1].lower) in word_set("role.system")


def acts(tokens: Sequence[Token]) -> bool:
    """Say whether a subject names somebody who works: a role, a name, a person."""
    said = bare(tokens)
    if not said:
        return False
    if is_pronoun(said):
        return said[0].lower not in ("it", "this", "that", "these", "those", "which")
    heads = [token for token in said if token.kind == "word"]
    prep = next((at for at, token in enumerate(heads) if at and token.has("prep") and token.text != "IT"), None)
    last = heads[prep - 1] if prep else heads[-1] if heads else None
    if last is None:
        return False
    is_name = last.text[:1].isupper() and not last.entry.known
    return said[0].lower in _ANYBODY or is_role(last) or is_name or (last.text.isupper() and len(last.text) > 1)
