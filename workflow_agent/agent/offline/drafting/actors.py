"""Who does a step, and what "he" and "it" mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from workflow_agent.agent.offline.drafting.clause_heads import ADVERBS
from workflow_agent.agent.offline.drafting.nouns import (
    ARTICLES,
    DETERMINERS,
    GENERIC,
    PERSONAL,
    POSSESSIVES,
    PREPOSITIONS,
    THING_PRONOUNS,
    is_role,
    is_system,
    is_thing,
    looks_like_person,
    role_name,
)
from workflow_agent.agent.offline.drafting.tokens import Token, Tokens
from workflow_agent.agent.offline.drafting.verbs import NOMINALS, is_form
from workflow_agent.agent.offline.drafting.words import word_set

ActorKind = Literal["person", "system", "thing", "nobody"]
_PARTICLES: Final = word_set("in out up off over down")
_THING_ENDS: Final = PREPOSITIONS | ADVERBS | {"and", "or", "back", "if", "whether"}
_INNER: Final = word_set("of in from at on for with")
_LEADERS: Final = word_set("head director manager lead chief vp member chair owner")
_MAX_THING_WORDS: Final = 5
_VAGUE: Final = word_set(
    "one ones none half rest ok okay yes no look lot bit time way others everyone nobody some"
)
"""What is spoken of is something else: "shows one", "says no", "takes a look"."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Whoever or whatever does something."""

    kind: ActorKind
    name: str | None = None
    """The role of a person, as written in an assignee."""


NOBODY: Final = Actor("nobody")


@dataclass(slots=True)
class Memory:
    """What was spoken of last, while one description is read."""

    person: str | None = None
    told: str | None = None
    """Who was told, asked or called last: the next "they"."""
    thing: str = ""
    first_thing: str = ""
    """What the description spoke of first: what the process is about."""
    asked: Tokens = ()
    """What the clause before looks into: "the form is complete" of "checks whether the form is complete"."""

    def meant_by(self, pronoun: str) -> str:
        """Return the thing a pronoun means: `it` is the first thing where the last one is plural."""
        is_plural = self.thing.lower().endswith("s") and not self.thing.lower().endswith("ss")
        return (
            self.first_thing if pronoun in ("it", "this") and is_plural and self.first_thing else self.thing
        )

    def speak_of(self, thing: str) -> None:
        """Note a thing, unless it is none."""
        self.thing = thing or self.thing
        self.first_thing = self.first_thing or thing


def head_noun(words: Sequence[Token]) -> str:
    """Return the lower-case noun that a noun phrase is about: `manager` of "the manager of the shop"."""
    for at, token in enumerate(words):
        if at and token.low in _INNER:
            return _noun_of(words[:at])
    return _noun_of(words)


def _noun_of(words: Sequence[Token]) -> str:
    """Return the last noun; a desk that is told from others, "the front desk", is the people at it."""
    if len(words) > 1 and words[-1].low == "desk" and words[-2].low not in DETERMINERS:
        return "office"
    return words[-1].low if words else ""


def actor_of(subject: Sequence[Token], memory: Memory) -> Actor:
    """Return who a subject names."""
    if not subject:
        return NOBODY
    words = [token for token in subject if token.low not in ADVERBS | {"both", "either"}] or list(subject)
    first = words[0].low
    if first == "they" and len(words) == 1 and memory.told:
        return Actor("person", memory.told)
    if len(words) == 1 and first in PERSONAL:
        return Actor("person", memory.person)
    if len(words) == 1 and first in THING_PRONOUNS:
        return Actor("thing")
    if len(words) == 1 and first in GENERIC:
        return NOBODY
    return NOBODY if first in ("whoever", "whichever") else _named(words)


def _named(words: list[Token]) -> Actor:
    noun = head_noun(words)
    if is_system(noun) and not is_role(noun):
        return Actor("system")
    if is_role(noun) or looks_like_person(noun):
        return Actor("person", person_name(words))
    if is_thing(noun) or noun in NOMINALS or is_form(noun, "ing"):
        return Actor("thing")
    return Actor("person", person_name(words))


def person_name(words: Sequence[Token]) -> str:
    """Return how a person's noun phrase is written as an assignee."""
    if words and words[0].low in GENERIC | {"member", "person"} and len(words) > 2 and is_role(words[-1].low):
        words = words[2:]
    kept = [token.text for token in words if not token.low.endswith("'s") and token.kind == "word"]
    return role_name([word for word in kept if word.lower() not in ADVERBS | {"both"}]) or "someone"


def person_at(tokens: Tokens, at: int) -> tuple[str, int] | None:
    """Return the role whose noun phrase begins at a position, and the position after it."""
    end = at
    while end < len(tokens) and end < at + _MAX_THING_WORDS + 1 and _is_part_of_name(tokens, end, at):
        end += 1
    phrase = [token for token in tokens[at:end] if token.low not in DETERMINERS]
    if not phrase:
        return None
    for size in range(len(phrase), 0, -1):
        noun = phrase[size - 1]
        is_proper = (
            noun.text[:1].isupper()
            and not noun.text.isupper()
            and not is_thing(noun.low)
            and not is_system(noun.low)
        )
        if is_role(noun.low) or looks_like_person(noun.low) or (is_proper and noun.low not in NOMINALS):
            skipped = sum(token.low in DETERMINERS for token in tokens[at:end])
            of_what = _of_phrase(tokens, at + skipped + size)
            return person_name([*phrase[:size], *of_what]), at + skipped + size + len(of_what)
    return None


def _is_part_of_name(tokens: Tokens, at: int, start: int) -> bool:
    token = tokens[at]
    if (
        token.kind != "word"
        or token.low in PREPOSITIONS
        or token.low in ("and", "or", "who", "which", "that", "if")
    ):
        return False
    return at == start or token.low not in ARTICLES


def _of_phrase(tokens: Tokens, at: int) -> list[Token]:
    """Return `of HR` where it follows: "the head of HR"."""
    if at + 1 < len(tokens) and tokens[at].low == "of":
        end = at + 1 + (tokens[at + 1].low in DETERMINERS)
        leads = at > 0 and tokens[at - 1].low in _LEADERS
        if end < len(tokens) and tokens[end].kind == "word" and (leads or is_role(tokens[end].low)):
            return list(tokens[at : end + 1])
    return []


def agent_of(tokens: Tokens) -> tuple[str, int, int] | None:
    """Return who follows `by`, and where that phrase begins and ends."""
    for at, token in enumerate(tokens):
        if token.low == "by" and at + 1 < len(tokens):
            if tokens[at + 1].low == "quality" and at + 2 == len(tokens):
                return "quality", at, at + 2
            found = person_at(tokens, at + 1)
            if found is not None:
                return found[0], at, found[1]
            if tokens[at + 1].low in DETERMINERS and not _is_thing_phrase(tokens, at + 2):
                end = at + 2
                while (
                    end < len(tokens)
                    and tokens[end].kind == "word"
                    and tokens[end].low not in PREPOSITIONS | {"and", "or"}
                ):
                    end += 1
                return person_name(tokens[at + 1 : end]), at, end
    return None


def _is_thing_phrase(tokens: Tokens, at: int) -> bool:
    phrase: list[str] = []
    for token in tokens[at : at + 4]:
        if token.kind != "word" or token.low in PREPOSITIONS:
            break
        phrase.append(token.low)
    return not phrase or is_thing(phrase[-1]) or is_system(phrase[-1]) or is_form(phrase[-1], "ing")


def thing_of(tokens: Tokens) -> str:
    """Return the thing that a phrase is about, without its article; empty for pronouns and people."""
    words: list[str] = []
    for token in tokens:
        if token.low in DETERMINERS | _PARTICLES | {"us", "me", "him", "her", "them"} and not words:
            continue
        if token.kind != "word" or token.low in _THING_ENDS:
            break
        words.append(token.text)
    if not words or len(words) > _MAX_THING_WORDS or words[0].lower() in _VAGUE | THING_PRONOUNS:
        return ""
    last = words[-1].lower()
    is_named = last not in THING_PRONOUNS | PERSONAL | POSSESSIVES | {
        "him",
        "her",
        "us",
        "me",
        "everything",
        "nothing",
    }
    return " ".join(words) if is_named and (not is_role(last) or is_thing(last)) else ""
