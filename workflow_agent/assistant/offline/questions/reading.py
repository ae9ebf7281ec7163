"""What a question asks: its kind and the words in its slots, by an encoder fitted to labelled questions.

`benchmarks/fit_orders.py --questions` fits it to `benchmarks/data/questions_tagged`, whose README tells the kinds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workflow_agent.assistant.offline.mood import asked
from workflow_agent.assistant.offline.nlu.tagging import Understood, understandings
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.workflows.model.workflow import Workflow

OTHER = "other"
"""The kind of what the drawing of a workflow does not tell."""
ALL = "all_"
"""How the kinds begin of questions about all workflows."""
OF_ALL = {
    "all_deadline": "with_deadline", "all_retry": "with_retry", "all_escalation": "with_escalation",
    "all_branches": "branches", "all_parallel": "parallel", "all_loop": "loops", "all_error": "error_handling",
    "all_wait": "waits", "all_approval": "approvals", "all_messages": "messages", "all_service": "services",
    "all_role": "does", "all_time": "starts", "all_by_hand": "starts",
}  # fmt: skip
"""What a question about all workflows asks of each of them, or of the one that it is put to."""
_RATHER, _HARDLY = 0.5, 0.1
OF_ONE = frozenset({"of_length", "with_deadline"})
"""Kinds of questions about one workflow that are put to all of them too."""
_BETWEEN = 2
"""Places before a slot from which on a preposition may stand between it and a word of its own."""
_MOST_JOINTS = 2
"""Places between two questions in one that are tried."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it may be meant."""

    kind: str
    slots: tuple[tuple[str, Tokens], ...]
    certainty: float
    """How probable the model holds kind and slots together, from 0 to 1."""
    likely: float
    """How probable it holds the kind."""
    tokens: Tokens
    """The whole question."""
    plain: frozenset[int]
    """Where words begin of which the model is sure that they only ask."""

    def words(self, *roles: str) -> list[Tokens]:
        """Return the words of each slot that has one of some roles, in their order."""
        return [words for role, words in self.slots if role in roles]

    def has(self, role: str) -> bool:
        """Say whether a slot is filled."""
        return any(one == role for one, _ in self.slots)

    @property
    def is_yes_or_no(self) -> bool:
        """Whether a yes or a no is asked for: the verb stands before any word that asks, cases and remarks aside."""
        told = {t.start for words in self.words("case", "value", "aside") for t in words}
        first = next((t for t in asked(self.tokens) if t.start not in told and t.has("aux", "wh")), None)
        return first is not None and not first.has("wh")

    @property
    def unread(self) -> Tokens:
        """The words that say something and stand in no slot, though they may belong to one."""
        read = {t.start for _, words in self.slots for t in words} | self.plain
        return tuple(t for t in self.tokens if t.is_content and t.start not in read)

    def wider(self, words: Tokens) -> Tokens:
        """Return the words of a slot with those beside them that may belong to it: "decides" of "decides on it"."""
        unread = {t.start for t in self.unread if t.has("verb", "noun")}
        first, last = self.tokens.index(words[0]), self.tokens.index(words[-1])
        while first:
            at = first - 1 if first < _BETWEEN or not self.tokens[first - 1].has("prep", "part", "det") else first - 2
            if self.tokens[at].start not in unread:
                break
            first = at
        while last + 1 < len(self.tokens) and self.tokens[last + 1].start in unread:
            last += 1
        return self.tokens[first : last + 1]

    @property
    def is_count(self) -> bool:
        """Whether a number of things is asked for."""
        return any(
            (one.is_("how") and other.is_("many")) or (one.is_("number") and other.is_("of"))
            for one, other in zip(self.tokens, self.tokens[1:], strict=False)
        )


def ways_asked(tokens: Tokens, workflow: Workflow | None) -> list[Asked]:
    """Return how a question about a workflow, or about all, may be meant, the likeliest first."""
    said = tuple(token for token in tokens if token.kind != "break")
    ways, _ = understandings(said, workflow, "questions")
    return sorted((_asked(one, said) for one in ways), key=lambda one: -one.certainty)


def _kinds(ways: Sequence[Asked]) -> dict[str, float]:
    """Return how probable each kind is."""
    return {one.kind: one.likely for one in ways}


def asked_of_all(tokens: Tokens) -> Asked | None:
    """Return how a question about all workflows is most probably meant; None where that is not clear."""
    ways = ways_asked(tokens, None)
    best = next((one for one in ways if one.kind.startswith(ALL) or one.kind in OF_ONE), None)
    is_clear = best is not None and best.likely > _RATHER * sum(_kinds(ways).values())
    return best if is_clear else None


def is_of_all(tokens: Tokens) -> bool:
    """Say whether a question is rather about all workflows than about one."""
    kinds = _kinds(ways_asked(tokens, None))
    return sum(likely for kind, likely in kinds.items() if kind.startswith(ALL)) > _RATHER


def asks(tokens: Tokens) -> bool:
    """Say whether a message surely asks something of a workflow, and orders nothing, however it begins.

    What begins with "who" and asks is no order: "who is told when it is late".
    """
    kinds = _kinds(ways_asked(tokens, None))
    if not kinds or kinds.get(OTHER, 0.0) > _HARDLY:
        return False
    orders, _ = understandings(tokens, None)
    return orders[0].intent == "none" or tokens[0].is_("who")


def questions_in(tokens: Tokens) -> Iterator[tuple[Tokens, Tokens]]:
    """Yield how a message may part into two questions, each with a word that asks: "who packs it and by when"."""
    joints = [
        at
        for at in range(2, len(tokens) - 1)
        if (tokens[at].is_("and") or tokens[at].text in ",?;.")
        and any(t.has("wh") for t in tokens[at + 1 : at + 3])
        and not tokens[at + 1].is_("and")
    ]
    for at in joints[:_MOST_JOINTS]:
        yield tokens[:at], tokens[at + 1 :]


def _asked(one: Understood, tokens: Sequence[Token]) -> Asked:
    slots = tuple((slot.role, slot.tokens) for slot in one.slots)
    return Asked(one.intent, slots, one.certainty, one.likely, tuple(tokens), one.plain)
