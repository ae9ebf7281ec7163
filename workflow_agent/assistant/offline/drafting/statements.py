"""The clauses of a sentence as statements: what is done, on which conditions, and what runs beside what."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from workflow_agent.assistant.offline.drafting.clauses import Clause, Tokens
from workflow_agent.assistant.offline.drafting.phrases import is_plural
from workflow_agent.assistant.offline.lexicon import word_set


@dataclass(slots=True)
class Statement:
    """One thing that is told, with its conditions."""

    clause: Clause
    subs: list[Clause] = field(default_factory=list[Clause])
    """Subordinate clauses in front of it."""
    trailing: list[Clause] = field(default_factory=list[Clause])
    """Subordinate clauses behind it."""

    @property
    def marks(self) -> set[str]:
        """How it joins what was told before."""
        return self.clause.marks

    @property
    def tokens(self) -> Tokens:
        """All that it says."""
        return tuple(token for one in (*self.subs, self.clause, *self.trailing) for token in (*one.lead, *one.tokens))


def read_statements(clauses: Sequence[Clause]) -> list[Statement]:
    """Return the statements of a sentence."""
    told: list[Statement] = []
    pending: list[Clause] = []
    marks: set[str] = set()
    lead: Tokens = ()
    for at, one in enumerate(clauses):
        if one.is_sub:
            marks |= one.marks
            behind = clauses[at + 1] if at + 1 < len(clauses) else None
            if told and not pending and _belongs_before(one, behind):
                told[-1].trailing.append(one)
            else:
                pending.append(one)
        elif (
            not one.tokens
            and "repeat" not in one.marks
            and not (told and one.values and (at + 1 == len(clauses) or "together" in one.values))
        ):
            marks |= one.marks
            lead += one.lead
            _carry(one, clauses, at)
        elif not one.tokens and "repeat" not in one.marks:
            told[-1].clause.values |= one.values
        else:
            one.marks |= marks
            one.lead = (*lead, *one.lead)
            told.append(Statement(one, pending))
            pending, marks, lead = [], set(), ()
    if pending and told:
        told[-1].trailing += pending
    for one in told:
        _take_question(one)
    if not (pending and told) and (pending or marks or lead):
        told.append(Statement(Clause("phrase", marks=marks, lead=lead), pending))
    return told


def _take_question(one: Statement) -> None:
    """Take "check if the room is free" for what is checked, not for a condition."""
    sub = one.trailing[0] if len(one.trailing) == 1 else None
    asks = one.clause.verb in word_set("verb.check") and not one.clause.rest
    if sub is not None and sub.word == "if" and not sub.joint and asks:
        one.clause.rest = (*sub.lead, *sub.tokens)
        one.clause.tokens = (*one.clause.tokens, *one.clause.rest)
        one.trailing = []


def _carry(one: Clause, clauses: Sequence[Clause], at: int) -> None:
    """Give the times in front of a clause to it: "every Monday at 9: …"."""
    behind = next((each for each in clauses[at + 1 :] if not each.is_sub), None)
    if behind is not None:
        behind.values = {**one.values, **behind.values}


def _belongs_before(one: Clause, behind: Clause | None) -> bool:
    """Say whether a subordinate clause says something of what stands in front of it."""
    if one.marks or one.joint in ("and", "but", "or", ";", "->", ":"):
        return False
    if behind is None:
        return True
    if behind.is_sub:
        return one.kind in ("until", "while") and not one.joint
    if not behind.joint:
        return False
    if one.joint == "," and one.kind in ("if", "when", "while"):
        return "seq" in behind.marks or behind.joint in ("and", "or", "->", ";")
    return True


def at_once(statements: Sequence[Statement]) -> dict[int, int]:
    """Return the stretches of statements that run at once, by their beginnings."""
    groups: dict[int, int] = {}
    at = 0
    while at < len(statements):
        end = at + 1
        while end < len(statements) and not statements[end].marks and not statements[end].subs:
            end += 1
        told = [i for i in range(at, end) if _runs_beside(statements[i])]
        end = told[-1] + 1 if told else end
        if _is_at_once(statements[at:end]):
            groups[at] = end
        at = end
    return groups


def _is_at_once(run: Sequence[Statement]) -> bool:
    first = run[0].clause
    together = any(map(_runs_beside, run))
    both = len(run) == 2 and _is_both(first) and not run[1].clause.is_relative
    several = len(_sides(first)) > 1 and (together or _is_both(first))
    return bool(run[0].marks & {"meanwhile", "beside"}) or both or (together and len(run) > 1) or several


def _runs_beside(one: Statement) -> bool:
    """Say whether a statement runs beside others: "two examiners grade it in parallel" only among themselves."""
    return "together" in one.clause.values and not counts_several(one.clause.subject)


def _is_both(clause: Clause) -> bool:
    first = clause.tokens[0].lower if clause.tokens else ""
    last = clause.subject[-1].lower if clause.subject else ""
    return (first == "both" and (clause.voice != "passive" or len(_sides(clause)) > 1)) or (
        bool({first, last} & {"both", "each"}) and clause.voice != "passive"
    )


def told_apart(run: Sequence[Statement]) -> list[Statement]:
    """Return one statement for each of what runs at once: of "the guard and the host both sign" two."""
    first = run[0].clause
    if len(run) == 1 and len(_sides(first)) > 1:
        sides = [Statement(replace(first, subject=side, values={})) for side in _sides(first)]
        sides[-1].trailing = run[0].trailing
        return sides
    if _is_both(first) and [token.lower for token in first.subject] == ["both"]:
        return [replace(run[0], clause=replace(first, subject=())), *run[1:]]
    return list(run)


def _sides(clause: Clause) -> list[Tokens]:
    """Return the subjects that "and" joins, without "both" behind them."""
    said = clause.subject[clause.subject[:1] != () and clause.subject[0].lower == "both" :]
    while said and said[-1].lower in ("both", "each", "all"):
        said = said[:-1]
    at = next((at for at, token in enumerate(said) if token.lower == "and"), None)
    if at is None or not 0 < at < len(said) - 1:
        return [said] if said else []
    return [said[:at], said[at + 1 :]]


def counts_several(subject: Tokens) -> bool:
    """Say whether a subject stands for several that are counted: "two engineers"."""
    return bool(subject) and is_plural(subject[-1]) and any((token.value or 0) > 1 for token in subject[:-1])
