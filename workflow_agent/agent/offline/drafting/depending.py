"""Reading "depending on the amount, it goes to sales or legal": a question with a way for each."""

from dataclasses import dataclass
from typing import Final

from workflow_agent.agent.offline.drafting.actors import person_at
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.phrases import capitalised, keywords
from workflow_agent.agent.offline.drafting.statements import Branch, Condition, Statement, Task
from workflow_agent.agent.offline.drafting.tokens import Token, Tokens, lows, strip_marks
from workflow_agent.agent.offline.drafting.words import word_set

_LEAD: Final = ["depending", "on"]
_MOST_WAYS: Final = 8
_SKIPPED: Final = word_set("either the our my its their to")


@dataclass(frozen=True, slots=True)
class Parting:
    """A question, and who takes over in which case."""

    question: Task
    roles: frozenset[str] = frozenset()
    """Those whose work is told in the sentences after it."""
    clauses: tuple[Tokens, ...] = ()
    """What is done in each case, where it is told at once."""


def parting(tokens: Tokens, coming: Tokens) -> Parting | None:
    """Return the question and the ways of a sentence that begins with "depending on", or None.

    Args:
        tokens: The sentence.
        coming: The tokens of the sentence after it.
    """
    comma = next((at for at, token in enumerate(tokens) if token.low == ","), 0)
    if lows(tokens[:2]) != _LEAD or comma < 3:
        return None
    topic = [token for token in tokens[2:comma] if token.low not in _SKIPPED]
    question = Task(
        capitalised([*(token.text for token in topic)]) + "?", "decision", words=keywords(lows(topic))
    )
    parts = _parts(tokens[comma + 1 :])
    if len(parts) < 2 or len(parts) > _MOST_WAYS:
        return None
    heads = [read_head(part) for part in parts]
    if all(head is not None and head.subject and head.voice == "active" for head in heads):
        return Parting(question, clauses=tuple(parts))
    roles = [found for found in (_role(part) for part in parts) if found is not None]
    told = " ".join(lows(coming))
    if len(roles) == len(parts) and all(role.lower() in told for role in roles):
        return Parting(question, frozenset(roles))
    return None


def case_of(role: str) -> Branch:
    """Return the case in which somebody takes over."""
    return Branch(Condition(f"it is for {role}", words=keywords(role.split())))


def with_cases(statements: list[Statement], roles: frozenset[str]) -> list[Statement]:
    """Return statements with the case before the first step of each of these people."""
    found: list[Statement] = []
    told: set[str] = set()
    for statement in statements:
        if isinstance(statement, Task) and statement.assignee in roles - told:
            told.add(statement.assignee)
            found.append(case_of(statement.assignee))
        found.append(statement)
    return found


def _parts(tokens: Tokens) -> list[Tokens]:
    """Return what stands between "or" and commas; nothing where there is no "or"."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.low in ("or", ","):
            parts.append([])
        elif token.low not in _SKIPPED or parts[-1]:
            parts[-1].append(token)
    kept = [strip_marks(part) for part in parts]
    return [part for part in kept if part] if "or" in lows(tokens) else []


def _role(part: Tokens) -> str | None:
    """Return who a part names: "it goes to billing", "technical support"."""
    at = next((at + 1 for at, token in enumerate(part) if token.low == "to"), 0)
    found = person_at(part, at)
    return found[0] if found is not None and found[1] >= len(part) else None
