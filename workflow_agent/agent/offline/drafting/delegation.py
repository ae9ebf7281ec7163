"""Clauses that hand work over: "ask the manager to approve", "it goes to legal for review"."""

from typing import Final

from workflow_agent.agent.offline.drafting.actors import (
    Actor,
    Memory,
    agent_of,
    head_noun,
    person_at,
    thing_of,
)
from workflow_agent.agent.offline.drafting.clause_heads import Head
from workflow_agent.agent.offline.drafting.clauses import Clause
from workflow_agent.agent.offline.drafting.limits import without_limits
from workflow_agent.agent.offline.drafting.messages import gone_out, is_message, received
from workflow_agent.agent.offline.drafting.nominals import nominal_task
from workflow_agent.agent.offline.drafting.nouns import PERSONAL, THING_PRONOUNS, is_role, looks_like_person
from workflow_agent.agent.offline.drafting.phrases import capitalised, keywords, object_words
from workflow_agent.agent.offline.drafting.statements import Statement, Task
from workflow_agent.agent.offline.drafting.tasks import outcomes_in, task_of
from workflow_agent.agent.offline.drafting.tokens import Tokens, lows
from workflow_agent.agent.offline.drafting.verbs import NOMINALS, Verb, is_form, lemma, verb_of
from workflow_agent.agent.offline.drafting.words import word_set

_CAUSES: Final = word_set("ask tell let have get make want request invite instruct require need order")
_BARE_INFINITIVE: Final = word_set("let have make")
_PASSES_ON: Final = word_set(
    "go send forward pass hand route submit assign move come give escalate transfer refer present return"
)
_NEEDS: Final = word_set("need require get obtain request seek")
_HAPPENS: Final = word_set("happen follow take be occur start come need require perform carry conduct do")


def delegated(clause: Clause, memory: Memory) -> list[Statement] | None:
    """Return the steps of whoever gets the work, or None when the clause hands nothing over."""
    if clause.head is None:
        return None
    for read in (received, gone_out, _up_to, _caused, _for_a_purpose, _passed_on, _needed, _happening):
        found = read(clause, memory)
        if found is not None:
            return found
    return None


def _caused(clause: Clause, memory: Memory) -> list[Statement] | None:
    """Read "ask the manager to approve it", "have legal review it", "ask the director for approval"."""
    if clause.lemma not in _CAUSES or clause.head is None:
        return None
    if clause.head.voice == "passive":
        return None
    found = person_at(clause.rest, 0)
    if found is None:
        return None
    name, end = found
    following = lows(clause.rest[end:])
    if following[:1] == ["to"] or (
        clause.lemma in _BARE_INFINITIVE and following[:1] and is_form(following[0], "base")
    ):
        work = clause.rest[end + (following[0] == "to") :]
        verb = verb_of(work[0].low) if work else None
        return [_infinitive(name, work, verb or Verb(work[0].low, "human"), memory)] if work else None
    if following[:1] == ["for"] and (purpose := _purpose(clause.rest[end + 1 :])) is not None:
        return [_purposeful(name, purpose, clause.rest[end + 1 :], memory)]
    return None


def _up_to(clause: Clause, memory: Memory) -> list[Statement] | None:
    """Read "it is up to the board to decide"."""
    words = lows(clause.rest)
    if words[:2] != ["up", "to"] or (found := person_at(clause.rest, 2)) is None:
        return None
    name, end = found
    work = clause.rest[end + 1 :]
    verb = verb_of(work[0].low) if work and words[end] == "to" else None
    return [_infinitive(name, work, verb, memory)] if verb else None


def _infinitive(assignee: str, work: Tokens, verb: Verb, memory: Memory) -> Task:
    actor = Actor("person", assignee)
    head = Head((work[0],), verb, 0, "active", work[0].low)
    return task_of(Clause(work, head, actor, has_subject=True), head, memory)


def _purpose(tokens: Tokens) -> Verb | None:
    """Return the verb of `approval`, `review`, `his signature`, or None."""
    for token in tokens[:4]:
        verb = verb_of(lemma(token.low))
        if (
            verb is not None
            and (token.low in NOMINALS or is_form(token.low, "base", "ing"))
            and verb.kind == "human"
        ):
            return verb
    return None


def _purposeful(assignee: str, verb: Verb, said: Tokens, memory: Memory) -> Task:
    _, fields = without_limits(said)
    memory.person = assignee
    thing = memory.thing.split()
    outcomes = outcomes_in(said, verb)
    return Task(
        capitalised([verb.base, *thing]), "human", verb.base, assignee, fields, outcomes, verb.judges,
        keywords([verb.base, *thing, *assignee.split()]), tentative=True, has_subject=True,
    )  # fmt: skip


def _for_a_purpose(clause: Clause, memory: Memory) -> list[Statement] | None:
    """Read "goes to the manager for approval", "send it to legal to review"."""
    if clause.lemma not in _PASSES_ON or clause.head is None:
        return None
    target = _target(clause)
    if target is None:
        return None
    name, end = target
    following = lows(clause.rest[end:])
    sends = _sending(clause, memory)
    if following[:1] == ["for"] and (purpose := _purpose(clause.rest[end + 1 :])) is not None:
        return [*sends, _purposeful(name, purpose, clause.rest[end + 1 :], memory)]
    if following[:1] == ["to"] and len(following) > 1 and (verb := verb_of(following[1])) is not None:
        return [*sends, _infinitive(name, clause.rest[end + 1 :], verb, memory)]
    return None


def _target(clause: Clause) -> tuple[str, int] | None:
    rest = clause.rest
    for at, token in enumerate(rest[:8]):
        if token.low == "to" and at + 1 < len(rest):
            return person_at(rest, at + 1)
    return None


def _sending(clause: Clause, memory: Memory) -> list[Statement]:
    """Return the step of the person who hands over, where one is named."""
    if clause.actor.kind != "person" or not clause.has_subject or clause.head is None:
        return []
    if clause.head.voice == "passive":
        return []
    memory.speak_of(thing_of(clause.rest))
    return [task_of(clause, clause.head, memory)]


def _passed_on(clause: Clause, memory: Memory) -> list[Statement] | None:
    """Read "it goes to finance": somebody is to do something that may be said next."""
    if (
        clause.lemma not in _PASSES_ON
        or clause.lemma == "return"
        or clause.head is None
        or _is_somebody(clause)
    ):
        return None
    is_moving_itself = clause.head.voice == "passive" or (
        clause.head.voice == "active" and clause.lemma in ("go", "move", "pass", "come", "transfer")
    )
    is_handed_over = clause.head.voice == "imperative" and lows(clause.rest)[:1] in (
        ["it"],
        ["this"],
        ["them"],
    )
    target = _target(clause) if is_moving_itself or is_handed_over else None
    if target is None or is_message(clause):
        return None
    name, _ = target
    subject = [token for token in clause.head.subject if token.low not in THING_PRONOUNS]
    memory.speak_of(thing_of(subject))
    memory.person = name
    thing = memory.thing.split() or ["it"]
    _, fields = without_limits(clause.rest)
    if clause.head.voice == "passive":
        said = [clause.lemma, *thing, *object_words(clause.rest, memory)]
        return [
            Task(capitalised(said), "action", clause.lemma, None, fields, tentative=True, has_subject=True,
                 words=keywords([*said, *name.split()]), handed_to=name)
        ]  # fmt: skip
    return [
        Task(capitalised(["Handle", *thing]), "human", "handle", name, fields,
             words=keywords([*thing, *name.split()]), tentative=True, has_subject=True)
    ]  # fmt: skip


def _is_somebody(clause: Clause) -> bool:
    """Say whether the subject is surely a person: "the mockup goes to the developers" has none."""
    subject = clause.head.subject if clause.head else ()
    noun = head_noun(subject)
    is_pronoun = len(subject) == 1 and noun in PERSONAL
    return clause.actor.kind == "person" and (is_pronoun or is_role(noun) or looks_like_person(noun))


def _needed(clause: Clause, memory: Memory) -> list[Statement] | None:
    """Read "it needs the manager's approval", "this requires a sign-off from legal"."""
    if clause.lemma not in _NEEDS or not clause.rest or clause.actor.kind == "person":
        return None
    words = lows(clause.rest)
    if not any(word in NOMINALS or word in ("review", "check") for word in words[:6]) or "to" in words[:1]:
        return None
    task = nominal_task(clause.rest, memory)
    return [task] if task is not None and task.type == "human" else None


def _happening(clause: Clause, memory: Memory) -> list[Statement] | None:
    """Read "a legal review follows", "an approval by the manager is needed", "there is a check by QA"."""
    head = clause.head
    if head is None or (head.verb.base not in _HAPPENS and head.voice != "state"):
        return None
    subject = [token for token in head.subject if token.low != "there"]
    phrase = subject or clause.rest
    if head.subject[:1] and head.subject[0].low == "there":
        phrase = list(clause.rest)
    if not any(
        token.low in NOMINALS
        or token.low in ("review", "check", "interview", "inspection", "test", "meeting")
        for token in phrase
    ):
        return None
    agent = agent_of(clause.rest)
    said = [*phrase, *clause.rest[agent[1] : agent[2]]] if agent and subject else phrase
    task = nominal_task(said, memory)
    return [task] if task is not None else None
