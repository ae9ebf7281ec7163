"""What a person asked to be remembered: preferences, standing instructions, favourites and notes."""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Literal, Protocol

from pydantic import Field, StringConstraints

from workflow_agent.conversations.redaction import Redaction
from workflow_agent.errors import InvalidInput, NotFound, Problem
from workflow_agent.values.stored import Moment, Value, digest_of

MAX_FACT_CHARS = 500
MOST_FACTS = 100
_MOST_TOLD = 40
"""Facts in the block of a request, the latest first: a person's hundred would crowd out the talk."""
HEADING = "What this user asked to be remembered (follow it unless the message says otherwise):"
FactKind = Literal["preference", "instruction", "favourite", "note"]
_KINDS: tuple[tuple[FactKind, re.Pattern[str]], ...] = (
    ("favourite", re.compile(r"\bfavou?rites?\b", re.IGNORECASE)),
    ("preference", re.compile(r"\b(?:prefers?|preferably|rather|likes?|dislikes?|hates?|loves?)\b", re.IGNORECASE)),
    (
        "instruction",
        re.compile(
            r"^(?:please |do not |don't )"
            r"|\b(?:always|never|from now on|in future|whenever|call me|address me)\b",
            re.IGNORECASE,
        ),
    ),
)


def kind_of(text: str) -> FactKind:
    """Return what kind of thing a sentence tells."""
    for kind, pattern in _KINDS:
        if pattern.search(text):
            return kind
    return "note"


_VERBS = (
    "use|show|give|call|name|write|answer|reply|ask|keep|draw|list|explain|tell|make|address|start|add|mark|put|"
    "spell|format|translate|speak|say|include|leave|avoid|stop|begin|end|shorten|summari[sz]e"
)
_TELLS = re.compile(
    r"(?:(?:and|also|ok(?:ay)?|well|so|btw|by the way|please|just so you know"
    r"|(?:from now on|in (?:the )?future|going forward)(?=,? i\b))[, ]+)*"
    r"(?:i(?: (?:really|always|usually|generally|much|strongly))?"
    r" (?:prefer|like (?:it when|my|your|to have|to see|to get)|love it when|hate|dislike)\b"
    r"|i(?:'d| would)(?: (?:much|always))? (?:rather|prefer)\b"
    r"|i (?:don't|do not) (?:like|want you to)\b|my favou?rite\b|call me\b"
    r"|(?:from now on|in (?:the )?future|going forward)[, ]+(?:please )?(?:(?:always|never|do not|don't) )?"
    rf"(?:{_VERBS})\b"
    r"|(?:always|never) (?:answer|reply|speak|address|call me|write to me|ask me|explain|show me|tell me)\b)",
    re.IGNORECASE,
)
_OF_NOW = re.compile(r"\b(?:this|that|these|those|it|here|(?<!from )now|today)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_LONGEST_TOLD_CHARS = 300


def told_of_oneself(message: str) -> list[str]:
    """Return the sentences of a message that plainly tell a lasting preference of whoever says it.

    "I prefer short names" is one. "I prefer this version" is about what is at hand, and "from now on the lead
    approves" about the business: neither is.
    """
    told = (one.strip(" .!-*") for one in _SENTENCE.split(message[:8_000]) if not one.rstrip().endswith("?"))
    return [one for one in told if len(one) <= _LONGEST_TOLD_CHARS and _is_lasting(one) and not secret_in(one)]


def _is_lasting(sentence: str) -> bool:
    tells = _TELLS.match(sentence)
    return tells is not None and _OF_NOW.search(sentence, tells.end()) is None


_KEY = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|ghs|ghu|glpat|xox[abpors]|AKIA|ASIA|AIza|npm|hf|pat|key)[-_]?[A-Za-z0-9_-]{12,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}|-----BEGIN [A-Z ]{0,40}KEY"
)
_NAMED = re.compile(
    r"\b(?:password|passwort|passphrase|passcode|api[ _-]?key|secret|access token|token|pin|cvv|cvc"
    r"|private key|social security(?: number)?|ssn)\b(?:\s+\w+){0,4}?\s*(?:is|=|:|are|\bto\b)\s*\S",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")
_RANDOM = re.compile(r"\b(?=[A-Za-z0-9_+/-]*\d)(?=[A-Za-z0-9_+/-]*[A-Za-z])[A-Za-z0-9_+/-]{24,}={0,2}")


def secret_in(text: str) -> str | None:
    """Return what kind of secret a text holds, in words, or None: keys, passwords, card and bank numbers."""
    if any(_is_card_number(match[0]) for match in _DIGITS.finditer(text)):
        return "a card number"
    if _IBAN.search(text):
        return "a bank account number"
    if _NAMED.search(text):
        return "a password or key"
    return "a key" if _KEY.search(text) or _RANDOM.search(text) else None


def _is_card_number(written: str) -> bool:
    """Say whether digits pass Luhn's check, which one number in ten does by chance and every card's does."""
    digits = [int(one) for one in written if one.isdigit()][::-1]
    doubled = (two - 9 if (two := one * 2) > 9 else two for one in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


class FactSource(Value):
    """The turn in which something was told."""

    conversation_id: str
    turn: int


class Fact(Value):
    """One thing to remember."""

    id: Annotated[str, StringConstraints(pattern=r"^mem_[0-9a-f]{10}$")]
    kind: FactKind = "note"
    text: Annotated[str, StringConstraints(min_length=1, max_length=MAX_FACT_CHARS)]
    source: FactSource | None = None
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


class PersonMemory(Protocol):
    """Keeps what people asked to be remembered; a user is any text."""

    async def person(self, tenant: str, user: str) -> Person:
        """Return what is known of a user; a blank person for one never seen.

        Raises:
            CorruptDocument: It does not parse; it was set aside, and the next `update` begins anew.
        """
        ...

    async def update(self, tenant: str, user: str, change: Callable[[Person], Person]) -> Person:
        """Apply a pure change to what is known, alone also across processes; return it stored durably.

        Of a person who is blank afterwards nothing is kept. What `change` raises reaches the caller.

        Raises:
            StorageFailed: It could not be stored; what was known before still is.
        """
        ...

    async def forgetful(self, tenant: str) -> Sequence[str]:
        """Return the users of whom something is still to be forgotten in conversations."""
        ...


def fact_of(text: str, kind: FactKind | None, source: FactSource | None, at: Moment) -> Fact:
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


def without_forgotten(person: Person, done: Sequence[Forgetting]) -> Person:
    """Return a person of whom something is in no conversation any more."""
    return person.model_copy(update={"forgetting": tuple(one for one in person.forgetting if one not in done)})


def redaction_of(person: Person) -> Redaction:
    """Return what takes everything out of texts that is to be forgotten."""
    return Redaction(tuple(text for one in person.forgetting for text in one.texts))


def fact_meant(person: Person, said: str, conversation_id: str) -> Sequence[Fact]:
    """Return the facts that words may mean, best first; without words the latest, told here if any was.

    `said` is an id, or words of what was told.
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


def _told(source: FactSource | None, conversation_id: str) -> str:
    if source is None:
        return "set by hand"
    if source.conversation_id == conversation_id:
        return f"told in turn {source.turn}"
    return f"told in turn {source.turn} of conversation {source.conversation_id}"
