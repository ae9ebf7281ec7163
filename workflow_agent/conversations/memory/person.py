"""What a person asked to be remembered: preferences, standing instructions, favourites and notes."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, StringConstraints

from workflow_agent.conversations.memory.telling import FactKind, kind_of, secret_in
from workflow_agent.conversations.redaction import Redaction
from workflow_agent.errors import InvalidInput, NotFound, Problem
from workflow_agent.values.digests import digest_of
from workflow_agent.values.stored import Moment, Value

MAX_FACT_CHARS = 500
MOST_FACTS = 100
_MOST_TOLD = 40
"""Facts in the block of a request, the latest first: a person's hundred would crowd out the talk."""
HEADING = "What this user asked to be remembered (follow it unless the message says otherwise):"


class Source(Value):
    """The turn in which something was told."""

    conversation_id: str
    turn: int


class Fact(Value):
    """One thing to remember."""

    id: Annotated[str, StringConstraints(pattern=r"^mem_[0-9a-f]{10}$")]
    kind: FactKind = "note"
    text: Annotated[str, StringConstraints(min_length=1, max_length=MAX_FACT_CHARS)]
    source: Source | None = None
    """Where it was told; null for what was corrected by hand."""
    at: Moment


class Forgetting(Value):
    """What was forgotten and may still stand in conversations; gone once they are gone through."""

    texts: tuple[str, ...]


class Person(Value):
    """A person, as far as is known."""

    schema_version: int = Field(default=1, ge=1, le=1)
    user: str
    facts: tuple[Fact, ...] = ()
    forgetting: tuple[Forgetting, ...] = ()

    @property
    def is_blank(self) -> bool:
        """Say whether nothing is known, and nothing is left to forget."""
        return not self.facts and not self.forgetting

    def fact(self, fact_id: str) -> Fact:
        """Return a fact by its id.

        Raises:
            NotFound: Nothing is remembered under it; says what is.
        """
        found = next((one for one in self.facts if one.id == fact_id), None)
        if found is None:
            known = ", ".join(one.id for one in self.facts[-10:]) or "nothing"
            raise NotFound(f"Nothing is remembered as {fact_id[:80]!r}. Remembered: {known}.")
        return found


def fact_of(text: str, kind: FactKind | None, source: Source | None, at: Moment) -> Fact:
    """Return what somebody tells as a fact; told again it has the same id.

    Raises:
        InvalidInput: It is blank, too long, or holds a secret.
    """
    plain = " ".join(text.split())
    if not plain or len(plain) > MAX_FACT_CHARS:
        raise InvalidInput(
            f"What is to be remembered has {len(plain)} characters; give 1 to {MAX_FACT_CHARS}.",
            [Problem("/text", f"must have 1 to {MAX_FACT_CHARS} characters")],
        )
    if secret := secret_in(plain):
        raise InvalidInput(
            f"This holds {secret}, and secrets are not remembered. Say it without.",
            [Problem("/text", f"holds {secret}")],
        )
    fact_id = f"mem_{digest_of(plain.casefold())[:10]}"
    return Fact(id=fact_id, kind=kind or kind_of(plain), text=plain, source=source, at=at)


def with_fact(person: Person, fact: Fact) -> Person:
    """Return a person with a fact; one that is known stays where it was told first.

    Raises:
        InvalidInput: So many are remembered that one has to be forgotten first.
    """
    if any(one.id == fact.id for one in person.facts):
        return person
    if len(person.facts) >= MOST_FACTS:
        raise InvalidInput(f"{MOST_FACTS} things are remembered already; let one of them be forgotten first.")
    return person.model_copy(update={"facts": (*person.facts, fact)})


def corrected(person: Person, fact_id: str, new: Fact) -> Person:
    """Return a person with a fact in the place of another, whose text is to be forgotten.

    Raises:
        NotFound: Nothing is remembered under the id.
    """
    old = person.fact(fact_id)
    # What is told twice now stands once.
    facts = [new if one.id == fact_id else one for one in person.facts if one.id == fact_id or one.id != new.id]
    kept = person.model_copy(update={"facts": tuple(facts)})
    return kept if old.id == new.id else _forgetting(kept, (old,))


def without_fact(person: Person, fact_id: str | None) -> Person:
    """Return a person without a fact, or without any; what was told of it is to be forgotten.

    Raises:
        NotFound: Nothing is remembered under the id.
    """
    gone = person.facts if fact_id is None else (person.fact(fact_id),)
    left = tuple(one for one in person.facts if one not in gone)
    return _forgetting(person.model_copy(update={"facts": left}), gone)


def _forgetting(person: Person, gone: Sequence[Fact]) -> Person:
    texts = tuple(one.text for one in gone)
    return person.model_copy(update={"forgetting": (*person.forgetting, Forgetting(texts=texts))}) if texts else person


def redaction_of(person: Person) -> Redaction:
    """Return what takes everything out of texts that is to be forgotten."""
    return Redaction(tuple(text for one in person.forgetting for text in one.texts))


def fact_meant(person: Person, said: str, conversation_id: str) -> Sequence[Fact]:
    """Return the facts that words may mean, best first; without words the latest, told here if any was.

    Args:
        person: What is known.
        said: An id, or words of what was told.
        conversation_id: Where it is said.
    """
    by_id = [one for one in person.facts if one.id == said.strip()]
    if by_id:
        return by_id
    if not said.strip():
        here = [one for one in person.facts if one.source and one.source.conversation_id == conversation_id]
        return (here or list(person.facts))[-1:]
    wanted = Redaction((said,))
    close = [(wanted.share_of(one.text), one) for one in person.facts]
    best = max((share for share, _ in close), default=0.0)
    return [one for share, one in close if share == best and share >= _MEANT]


_MEANT = 0.5


def person_lines(facts: Sequence[Fact], conversation_id: str) -> tuple[str, ...]:
    """Return what is remembered as the model reads it, the latest first, each with where it was told."""
    lines = [f"- {one.id} [{one.kind}, {_told(one.source, conversation_id)}] {one.text}" for one in facts[::-1]]
    return (HEADING, *lines[:_MOST_TOLD]) if lines else ()


def _told(source: Source | None, conversation_id: str) -> str:
    if source is None:
        return "set by hand"
    if source.conversation_id == conversation_id:
        return f"told in turn {source.turn}"
    return f"told in turn {source.turn} of conversation {source.conversation_id}"
