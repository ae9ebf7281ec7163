"""What the head of a clause is, and the small words around its verb."""

from dataclasses import dataclass
from typing import Final, Literal

from workflow_agent.agent.offline.drafting.nouns import DETERMINERS, POSSESSIVES, THING_PRONOUNS
from workflow_agent.agent.offline.drafting.tokens import Token, Tokens
from workflow_agent.agent.offline.drafting.verbs import Verb
from workflow_agent.agent.offline.drafting.words import word_set

Voice = Literal["active", "passive", "imperative", "state"]


MODALS: Final = word_set("must should shall will would can could may might")


BE_FORMS: Final = word_set("is are was were be been being am")


HAVE_FORMS: Final = word_set("has have had")


ADVERBS: Final = word_set("""
    automatically auto immediately always directly then also first either only just manually usually still
    quickly again carefully finally already normally additionally separately together personally once
    again too now simply later jointly independently briefly properly promptly periodically regularly
    therefore all well soon each never all later
    """)


OBJECT_STARTS: Final = DETERMINERS | THING_PRONOUNS | POSSESSIVES | word_set("him them everything")


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a clause."""

    subject: tuple[Token, ...]
    """Empty of an imperative."""
    verb: Verb
    at: int
    """Where the main verb stands."""
    voice: Voice
    form: str
    """The main verb as spelled."""
    negated: bool = False
    deadline: str | None = None
    """ISO duration of "has two days to"."""


def skip_adverbs(tokens: Tokens, at: int) -> int:
    """Return the position of the first word that is no adverb."""
    while at < len(tokens) and tokens[at].low in ADVERBS:
        at += 1
    return at


def low_at(tokens: Tokens, at: int) -> str:
    """Return the lower-case word at a position, empty outside."""
    return tokens[at].low if 0 <= at < len(tokens) else ""
