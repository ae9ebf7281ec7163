"""What one clause says, whichever kind it is."""

from dataclasses import replace
from typing import Final

from workflow_agent.agent.offline.drafting.actors import Memory
from workflow_agent.agent.offline.drafting.clause_heads import ADVERBS
from workflow_agent.agent.offline.drafting.clauses import Clause, resolved, split_clauses
from workflow_agent.agent.offline.drafting.connectives import WHETHER_VERBS
from workflow_agent.agent.offline.drafting.coordination import each_of
from workflow_agent.agent.offline.drafting.delegation import delegated
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.moves import move_of
from workflow_agent.agent.offline.drafting.nominals import nominal_task
from workflow_agent.agent.offline.drafting.nouns import DETERMINERS, THING_PRONOUNS, is_role, is_system
from workflow_agent.agent.offline.drafting.phrases import capitalised, keywords
from workflow_agent.agent.offline.drafting.statements import (
    Branch,
    Condition,
    Statement,
    Task,
    Until,
)
from workflow_agent.agent.offline.drafting.tasks import task_of
from workflow_agent.agent.offline.drafting.tokens import Tokens, lows, spoken, strip_marks
from workflow_agent.agent.offline.drafting.verbs import NOMINALS, VERBS, verb_of
from workflow_agent.agent.offline.drafting.waits import event_of, interval_of, wait_of
from workflow_agent.agent.offline.drafting.words import word_set

_SUBPROCESS_VERBS: Final = word_set("run start call trigger launch invoke execute kick use do")
_SUBPROCESS_NOUNS: Final = word_set(
    "workflow process subprocess sub-process subworkflow sub-workflow procedure"
)
_OWN: Final = word_set("this the it our whole same new a")


def read_clauses(tokens: Tokens, memory: Memory, *, is_item: bool = False) -> list[Statement]:
    """Return what a stretch of words without connectives says.

    Args:
        tokens: The words.
        memory: Who and what was spoken of before; updated.
        is_item: The words are a list item or stand between arrows, so a noun alone is a step.
    """
    found: list[Statement] = []
    before: Clause | None = None
    for part in split_clauses(strip_marks(tokens), memory):
        clause = resolved(part, before, memory)
        read = _read(clause, memory, is_item=is_item)
        if found and (clause.joint == "or" or _is_opposite(found[-1], clause)):
            _join_alternative(found, read, clause)
        else:
            _append(found, read)
        before = clause
    return found


def verdict_of(task: Task) -> str:
    """Return the verdict that a task's verb gives, or nothing."""
    verb = VERBS.get(task.lemma)
    return verb.verdict if verb is not None else ""


def _is_opposite(last: Statement, clause: Clause) -> bool:
    """Say whether a verdict follows its opposite: "approves, rejects or asks for changes"."""
    if not isinstance(last, Task) or not last.judges or clause.head is None or clause.has_subject:
        return False
    return {verdict_of(last), clause.head.verb.verdict} == {"approved", "rejected"}


def _append(found: list[Statement], read: list[Statement]) -> None:
    """Add statements; a placeholder gives way to what the same person is then said to do."""
    for statement in read:
        last = found[-1] if found else None
        if isinstance(last, Task) and last.tentative and isinstance(statement, Task) and (
            statement.assignee == (last.handed_to or last.assignee) and statement.type == "human"
        ):  # fmt: skip
            if verdict_of(statement) == "rejected" and last.outcomes:
                found[-1] = replace(last, outcomes=("approved", "rejected"))
                continue
            found.pop()
        found.append(statement)


def _join_alternative(found: list[Statement], read: list[Statement], clause: Clause) -> None:
    """Read "approves it or sends it back", "repairs or replaces it"."""
    last = found[-1]
    if not isinstance(last, Task):
        found.extend(read)
        return
    judged = last.judges or bool(last.outcomes)
    first = read[0] if read else None
    if judged and clause.head is not None and clause.head.verb.verdict == "rejected":
        name = _either(last.name, clause)
        if isinstance(first, Task) and " " not in last.name:
            name = f"{last.name} or {first.name[:1].lower()}{first.name[1:]}"[:120]
        found[-1] = replace(last, outcomes=("approved", "rejected"), name=name)
        if last.type == "action":
            found[-1] = replace(found[-1], type="decision")
    elif judged and read:
        first_verdicts = last.outcomes if "rejected" in last.outcomes else ("approved",)
        found[-1] = replace(last, outcomes=(*first_verdicts, "changes"))
        asks = isinstance(first, Task) and {"change", "changes", "revision", "correction"} & first.words
        if not asks:
            found.append(Branch(Condition("changes needed", "outcome", "changes")))
            found.extend(read)
    elif isinstance(first, Task):
        found[-1] = replace(last, name=_either(last.name, clause))


def _either(name: str, clause: Clause) -> str:
    words = name.split()
    verb = clause.lemma
    own = [token.text for token in clause.rest if token.low not in DETERMINERS | THING_PRONOUNS]
    if len(words) > 1 and own and clause.rest[0].low not in THING_PRONOUNS:
        return f"{name} or {verb} {spoken(clause.rest).removeprefix('the ').removeprefix('a ')}"[:120]
    if len(words) > 1:
        return capitalised([words[0], "or", verb, *words[1:]])[:120]
    rest = [
        token.text
        for token in clause.rest
        if token.low not in ("the", "a", "an", "it", "them") and token.low not in ADVERBS
    ]
    return capitalised([*words, "or", verb, *rest])[:120]


def _read(clause: Clause, memory: Memory, *, is_item: bool) -> list[Statement]:
    if not clause.tokens:
        return []
    memory.asked = _asked(clause)
    special = _later(clause) or _subprocess(clause) or _reminder(clause, memory)
    if special is not None:
        return special
    moved = move_of(clause, memory)
    if moved is not None:
        return moved
    handed = delegated(clause, memory)
    if handed is not None:
        return handed
    if clause.head is None:
        return _words_only(clause, memory, is_item=is_item)
    if clause.head.voice == "state" or clause.head.negated or clause.words[0] in ("nobody", "nothing"):
        return _state(clause, memory, is_item=is_item)
    if clause.head.verb.kind == "event" and clause.actor.kind == "thing" and clause.head.voice == "active":
        happening = event_of(clause.tokens, memory)
        return (
            [replace(happening, name=capitalised([token.text for token in clause.tokens]))]
            if is_item
            else [happening]
        )
    return each_of(clause, clause.head, memory)


def _asked(clause: Clause) -> Tokens:
    """Return the question that a clause looks into, nothing where it looks into none."""
    if clause.lemma not in WHETHER_VERBS:
        return ()
    at = next((at for at, token in enumerate(clause.rest) if token.low in ("whether", "if")), None)
    question = clause.rest[at + 1 :] if at is not None else ()
    head = read_head(question)
    return question if head is not None and head.subject else ()


def _words_only(clause: Clause, memory: Memory, *, is_item: bool) -> list[Statement]:
    words = [word for word in clause.words if word[:1].isalnum()]
    if not words:
        return []
    task = nominal_task(clause.tokens, memory) if is_item or _is_nominal_step(clause) else None
    return [task] if task is not None else []


def _is_nominal_step(clause: Clause) -> bool:
    """Say whether a noun phrase in running text names work: "then a legal review"."""
    words = clause.words
    return len(words) <= 8 and any(
        word in NOMINALS
        or ((verb := verb_of(word)) is not None and verb.kind == "human" and word == verb.base)
        or word in ("meeting", "onboarding", "training", "call") for word in words
    )  # fmt: skip


def _state(clause: Clause, memory: Memory, *, is_item: bool) -> list[Statement]:
    if is_item:
        task = nominal_task(clause.tokens, memory)
        return [task] if task is not None else []
    return []


def _later(clause: Clause) -> list[Statement] | None:
    """Read "after two days", "two days later", when they stand alone."""
    words = [
        token
        for token in clause.tokens
        if token.low not in ("after", "later", "for", "about", "then", "wait", "another")
    ]
    if len(words) == 1 and words[0].kind == "duration" and (len(clause.tokens) > 1):
        return [wait_of(words[0])]
    return None


def _subprocess(clause: Clause) -> list[Statement] | None:
    """Read "run the supplier check workflow"."""
    if clause.lemma not in _SUBPROCESS_VERBS:
        return None
    words = lows(clause.rest)
    at = next((at for at, word in enumerate(words) if word in _SUBPROCESS_NOUNS), None)
    if at is None or at > 8:
        return None
    before = [token for token in clause.rest[:at] if token.low not in ('"', "'")]
    named = [token for token in before if token.low not in _OWN | {"off", "up"}]
    if not named:
        named = [token for token in clause.rest[at + 1 :] if token.low not in ('"', "'", "called", "named")]
    if not named or (is_role(named[0].low) and len(named) == 0) or is_system(words[0]):
        return None
    name = capitalised([token.text for token in named])[:150]
    said = keywords([token.low for token in named])
    return [Task(f"Run {name}", "subworkflow", "run", fields={"workflow": name}, words=said | {"run"})]


def _reminder(clause: Clause, memory: Memory) -> list[Statement] | None:
    """Read "remind the customer every day": again and again until something ends it."""
    often = next((token for token in clause.tokens if token.kind == "schedule"), None)
    if (
        often is None
        or clause.head is None
        or clause.lemma
        not in (
            "remind",
            "chase",
            "call",
            "ping",
            "inform",
            "tell",
            "update",
            "check",
            "email",
            "notify",
            "send",
        )
    ):
        return None
    interval = interval_of(often) or "P1D"
    kept = replace(clause, tokens=[token for token in clause.tokens if token is not often])
    task = task_of(kept, clause.head, memory)
    wait = Task(
        "Wait for an answer", "wait", "wait", fields={"duration": interval}, words=frozenset({"wait"})
    )
    until = Until(Condition("somebody answers", "outcome", "approved"), steps=2)
    return [task, wait, until]
