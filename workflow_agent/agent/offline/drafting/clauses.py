"""Cutting a sentence part into clauses: one verb and what belongs to it."""

from dataclasses import dataclass, replace
from typing import Final, Literal

from workflow_agent.agent.offline.drafting.actors import Actor, Memory, actor_of, person_at
from workflow_agent.agent.offline.drafting.clause_heads import (
    BE_FORMS,
    MODALS,
    Head,
    low_at,
    skip_adverbs,
)
from workflow_agent.agent.offline.drafting.continuations import (
    AFTER_A_VERB,
    JOINTS,
    after_joint,
    continuation,
)
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.nouns import (
    DETERMINERS,
    GENERIC,
    PERSONAL,
    PREPOSITIONS,
    TEAMS,
    is_role,
    is_thing,
    looks_like_person,
)
from workflow_agent.agent.offline.drafting.tokens import Token, Tokens, lows, strip_marks
from workflow_agent.agent.offline.drafting.verbs import NOMINALS, is_form, verb_of
from workflow_agent.agent.offline.drafting.words import word_set

Joint = Literal["", "and", "or"]
_SAME: Final = Token("they", "they")
_BY_ITSELF: Final = word_set("open close start begin stop end run")
"""What things do as well as people."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A verb with its subject and what follows it; without a head, just words."""

    tokens: Tokens
    head: Head | None
    actor: Actor
    joint: Joint = ""
    has_subject: bool = False

    @property
    def lemma(self) -> str:
        """The verb's base form, or nothing."""
        return self.head.verb.base if self.head else ""

    @property
    def rest(self) -> Tokens:
        """The tokens after the verb; of a clause without a verb, all."""
        return self.tokens[self.head.at + 1 :] if self.head else self.tokens

    @property
    def words(self) -> list[str]:
        """All lower-case words."""
        return lows(self.tokens)


@dataclass(frozen=True, slots=True)
class _Part:
    tokens: Tokens
    head: Head | None
    joint: Joint
    shares_subject: bool


def split_clauses(tokens: Tokens, memory: Memory) -> list[Clause]:
    """Return the clauses of a stretch without connectives, pronouns not yet resolved."""
    return [_clause(part, memory) for part in _parts(_persons_for_which(tokens))]


def resolved(clause: Clause, before: Clause | None, memory: Memory) -> Clause:
    """Return a clause with its subject looked up now that the clauses before it were read."""
    if clause.head is None or not clause.head.subject:
        return clause
    if clause.head.subject[0].low == "who" and before is not None:
        memory.person = _last_person(before.tokens) or memory.person
    if clause.head.subject[0] is _SAME:
        # Whoever was told something before does not go on with it: "informs the customer, then closes it".
        return replace(clause, actor=Actor("person", memory.person))
    return replace(clause, actor=_team_or_thing(clause) or actor_of(clause.head.subject, memory))


def _team_or_thing(clause: Clause) -> Actor | None:
    """Return the team called after what it works on ("Design creates mockups"), or a thing that opens."""
    head = clause.head
    if head is None or head.voice != "active":
        return None
    name = head.subject[-1].low
    if len(head.subject) == 1 and name in TEAMS and head.verb.kind in ("human", "action"):
        return Actor("person", name)
    is_known = (
        is_role(name)
        or looks_like_person(name)
        or name in PERSONAL | GENERIC
        or head.subject[-1].text.istitle()
    )
    return Actor("thing") if head.verb.base in _BY_ITSELF and not clause.rest and not is_known else None


def _clause(part: _Part, memory: Memory) -> Clause:
    subject = part.head.subject if part.head else ()
    has_subject = bool(subject) and not part.shares_subject
    return Clause(part.tokens, part.head, actor_of(subject, memory), part.joint, has_subject)


def _last_person(tokens: Tokens) -> str | None:
    for at in range(len(tokens) - 1, -1, -1):
        if is_role(tokens[at].low):
            start = at
            while (
                start
                and tokens[start - 1].kind == "word"
                and start > at - 3
                and not verb_of(tokens[start - 1].low)
            ):
                start -= 1
                if tokens[start].low in DETERMINERS or tokens[start].low == "to":
                    break
            found = person_at(tokens, start + (tokens[start].low == "to"))
            return found[0] if found else tokens[at].low
    return None


def _persons_for_which(tokens: Tokens) -> list[Token]:
    """Return the tokens with `which` after a department as `who`."""
    found: list[Token] = []
    for token in tokens:
        before = [word for word in found[-2:] if word.kind == "word"]
        is_person = (
            token.low in ("which", "that")
            and before
            and is_role(before[-1].low)
            and not is_thing(before[-1].low)
        )
        found.append(Token("who", "who") if is_person else token)
    return found


def _parts(tokens: Tokens) -> list[_Part]:
    found: list[_Part] = []
    start, depth = 0, 0
    joint: Joint = ""
    head, shares = read_head(tokens) or without_subject(tokens), False
    for at, token in enumerate(tokens):
        depth += (token.low == "(") - (token.low == ")")
        if depth > 0 or token.low not in JOINTS or at <= start or head is None or head.at >= at:
            continue
        following = after_joint(tokens, at)
        cut = continuation(tokens, following, head)
        if cut is None:
            continue
        found.append(_Part(strip_marks(tokens[start:at]), _shifted(head, start, tokens), joint, shares))
        joint = "or" if "or" in lows(tokens[at:following]) else "and"
        start, head, shares = following, cut[0], cut[1]
    found.append(_Part(tokens[start:], _shifted(head, start, tokens), joint, shares))
    return [part for part in found if part.tokens]


def without_subject(tokens: Tokens) -> Head | None:
    """Return the head of a clause that leaves out what was spoken of: "then signed by the director"."""
    at = skip_adverbs(tokens, 0)
    low = low_at(tokens, at)
    verb = verb_of(low)
    if verb is None:
        return None
    if is_form(low, "participle") and low_at(tokens, at + 1) in ("by", "to", ""):
        return Head((), verb, at, "passive", low)
    following = low_at(tokens, at + 1)
    has_object = (
        following.isalpha()
        and verb_of(following) is None
        and following not in PREPOSITIONS | BE_FORMS | MODALS
    )
    names_a_thing = (is_thing(low) or is_role(low) or low in NOMINALS) and not (
        has_object and is_thing(following)
    )
    if is_form(low, "s") and (low_at(tokens, at + 1) in AFTER_A_VERB or not names_a_thing):
        return Head((_SAME,), verb, at, "active", low)
    return None


def _shifted(head: Head | None, start: int, tokens: Tokens) -> Head | None:
    """Return a head whose position counts from the clause's own first token."""
    if head is None:
        return None
    lead = 0
    while start + lead < len(tokens) and tokens[start + lead].kind == "mark":
        lead += 1
    lead += sum(token.low in ("and", "but", "or", "so") for token in tokens[start + lead : start + lead + 1])
    return replace(head, at=head.at - start - lead)
