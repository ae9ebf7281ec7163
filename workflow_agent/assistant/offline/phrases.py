"""Noun phrases and word lists: phrases at a place, who works and whom a pronoun stands for, what a thing is called."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from workflow_agent.assistant.offline.clauses import roles
from workflow_agent.assistant.offline.lexicon import entry_of, word_set
from workflow_agent.assistant.offline.tokens import Token, Tokens

_PRONOUNS: Final = word_set("set.pronouns")
_AGENT_ENDINGS: Final = (
    "er", "or", "ist", "ant", "ian", "man", "woman", "ee", "eer", "men", "ers", "ors", "ists", "ants",
    "ians", "ees", "keeper", "people",
)  # fmt: skip
_ANYBODY: Final = frozenset({"someone", "somebody", "anyone", "whoever", "everyone", "everybody"})
_LONGEST_NAME: Final = 90


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


def text_of(tokens: Sequence[Token]) -> str:
    """Return tokens as a phrase, blanks where they stood apart, without signs at its ends."""
    parts: list[str] = []
    for before, token in zip((None, *tokens), tokens, strict=False):
        glued = before is None or token.start == before.end
        text = f'"{token.text}"' if token.kind == "quoted" else token.text + ("'s" if token.possessive else "")
        parts.append(text if glued else f" {text}")
    return "".join(parts).strip(" ,:;.?!")


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


def in_small_letters(first: Token) -> Token:
    """Return a word that may only begin a sentence in small letters, unless it is a name or an abbreviation."""
    plain = first.kind == "word" and first.text[1:].islower() and first.entry.known and not first.has("name")
    return replace(first, text=first.text.lower()) if plain or first.text == "A" else first


_SPEAKERS: Final = frozenset({"i", "we", "you"})
_PERSONS: Final = frozenset({"he", "she", "who"})
_RELATIVES: Final = frozenset({"who", "which"})
_LONGEST: Final = 8
"""Words of a name for somebody."""


@dataclass(slots=True)
class Actors:
    """Everybody told of, in their order."""

    last: Tokens = ()
    unclear: list[str] = field(default_factory=list[str])
    """Whom it was not clear who is meant by, in words."""
    _met: list[Tokens] = field(default_factory=list[Tokens])

    def meet(self, who: Tokens) -> None:
        """Keep somebody who was told of."""
        if not is_pronoun(who):
            self.last = who
            self._met.append(who)

    def role(self, who: Tokens, before: Tokens = ()) -> str | None:
        """Return the role that words name, a pronoun as the one it stands for; None for nobody in particular.

        Args:
            who: The words.
            before: Those of the step told before, for "writes to the taxpayer, who sends them".
        """
        relative = next((n for n, token in enumerate(who) if n and token.lower in _RELATIVES), len(who))
        who = who[:relative]
        while len(who) > 1 and (
            who[-1].kind == "punct" or who[-1].has("adv", "conj") or who[-1].lower in ("both", "all", "each")
        ):
            who = who[:-1]
        if not who:
            return None
        low = who[0].lower
        if low in _RELATIVES and (meant := _at_the_end(before)):
            self.meet(meant)
            return role_named(meant)
        if not is_pronoun(who):
            self.meet(who)
            if len(bare(who)) > _LONGEST:
                self.unclear.append(f"who {' '.join(token.text for token in who[:_LONGEST])!r} is")
            return role_named(who)
        if low in _SPEAKERS:
            self.last = who
            return None
        if low in _PERSONS:
            persons = [one for one in self._met if not (bare(one) or one)[-1].among("role.group")]
            self.last = persons[-1] if persons else self.last
            if not persons:
                self.unclear.append(f"who {low!r} is")
        return role_named(self.last)


def told_together(who: Tokens, *, is_both: bool = False) -> list[Tokens]:
    """Return each of several, "both the architect and the engineer"; of one the words as they are.

    Args:
        who: The words.
        is_both: Whether "both" stands behind them.
    """
    is_both = is_both or any(token.lower == "both" for token in who)
    parts: list[list[Token]] = [[]]
    for token in who:
        if token.lower in ("and", "&") or token.text == ",":
            parts.append([])
        elif token.lower != "both":
            parts[-1].append(token)
    several = is_both and len(parts) > 1 and all(parts)
    return [tuple(part) for part in parts] if several else [who]


def _at_the_end(said: Tokens) -> Tokens:
    """Return somebody whom the words of a step end with."""
    at = max((n for n, token in enumerate(said) if token.has("prep", "det")), default=-1)
    last = said[at + 1 :]
    return last if last and acts(last) else ()
