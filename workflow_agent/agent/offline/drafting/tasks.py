"""Turning one clause into one step: its name, type, assignee, service, form and limits."""

from typing import Any, Final

from workflow_agent.agent.offline.drafting.actors import Memory, agent_of, person_at, thing_of
from workflow_agent.agent.offline.drafting.clause_heads import ADVERBS, Head
from workflow_agent.agent.offline.drafting.clauses import Clause
from workflow_agent.agent.offline.drafting.durations import NUMBERS
from workflow_agent.agent.offline.drafting.forms import FORM_VERBS, fields_of
from workflow_agent.agent.offline.drafting.limits import without_limits
from workflow_agent.agent.offline.drafting.nouns import DETERMINERS, PREPOSITIONS, is_thing, singular
from workflow_agent.agent.offline.drafting.phrases import capitalised, keywords, object_words
from workflow_agent.agent.offline.drafting.services import call_arguments, service_call
from workflow_agent.agent.offline.drafting.statements import Polarity, Task
from workflow_agent.agent.offline.drafting.tokens import Token, Tokens, lows, spoken
from workflow_agent.agent.offline.drafting.verbs import Verb, is_form, verb_of
from workflow_agent.agent.offline.drafting.words import word_set
from workflow_agent.domain.workflow import StepType

_ALWAYS_REFUSABLE: Final = word_set("approve authorise authorize endorse greenlight")
"""Approvals: they have a reject path even when nobody mentions it."""
_MESSAGES: Final = (["email"], ["mail"], ["message"], ["notification"], ["reminder"], ["letter"], ["sms"])
_MOST_FIELDS_NAMED: Final = 3
_EXTRA: Final = word_set("too also additionally")
_LOOKED: Final = (["at"], ["into"], ["through"])
"""What stands between a verb and what is spoken of: "looks at the pipe"."""
_TRAILERS: Final = word_set("too also again well then first")

_TO_PEOPLE: Final = word_set(
    "tell inform notify invite ask call phone email contact remind warn thank pay help interview"
)
_OWED: Final = word_set(
    "invoice bill claim expense fee fine rent tax premium instalment installment debt refund salary wage "
    "bonus commission order receipt charge"
)
"""Plural, "they get paid" is said of these, not of the one who looked at them."""


def task_of(clause: Clause, head: Head, memory: Memory) -> Task:
    """Return the step a clause describes; its head says who does what."""
    rest, fields = without_limits(_with_person(clause.rest, head, memory))
    if head.deadline:
        fields["timeout"] = head.deadline
    agent = agent_of(rest) if head.voice == "passive" else None
    if agent is not None:
        rest = [*rest[: agent[1]], *rest[agent[2] :]]
    assignee = _assignee(clause, head, agent[0] if agent else None)
    rest, form = _form(head.verb, rest)
    if form:
        fields["form"] = {"fields": form}
    obj = _object(clause, head, rest, memory)
    uses = service_call(head.verb.base, [word.lower() for word in obj])
    fields |= call_fields(uses, head.verb, rest, is_person=assignee is not None)
    step_type, outcomes = _type_and_outcomes(
        clause, head, uses, is_person=_is_person(clause, head, agent is not None)
    )
    task = Task(
        name=_name(clause, head, obj, outcomes, len(form)), type=step_type, lemma=head.verb.base,
        assignee=assignee, fields=fields, outcomes=outcomes, judges=head.verb.judges,
        words=keywords([head.verb.base, *obj, *(assignee or "").split()]),
        additive=_is_additive(clause), has_subject=clause.has_subject, again="again" in clause.words,
    )  # fmt: skip
    _remember(clause, head, task, rest, memory)
    return task


def _with_person(rest: Tokens, head: Head, memory: Memory) -> Tokens:
    """Return what follows "calls them" with the person who is meant."""
    is_meant = lows(rest[:1]) in (["them"], ["him"], ["her"]) and lows(rest[1:2]) not in (["for"], ["back"])
    ends = len(rest) < 2 or rest[1].kind != "word" or rest[1].low in PREPOSITIONS | ADVERBS
    if not memory.person or head.verb.base not in _TO_PEOPLE or not (is_meant and ends):
        return rest
    return [*(Token(word, word.lower()) for word in memory.person.split()), *rest[1:]]


def _is_person(clause: Clause, head: Head, has_agent: bool) -> bool:
    return has_agent or (clause.actor.kind == "person" and head.voice != "passive")


def _assignee(clause: Clause, head: Head, agent: str | None) -> str | None:
    return agent or (clause.actor.name if _is_person(clause, head, has_agent=False) else None)


def _type_and_outcomes(
    clause: Clause, head: Head, uses: str | None, *, is_person: bool
) -> tuple[StepType, tuple[Polarity, ...]]:
    step_type: StepType = "action" if uses and not is_person else _type(clause, head, is_person=is_person)
    outcomes = outcomes_in(clause.tokens, head.verb)
    if not {"automatically", "auto"}.isdisjoint(clause.words) and len(outcomes) == 1:
        return "action", ()
    return ("decision" if step_type == "action" and outcomes else step_type), outcomes


def _name(
    clause: Clause, head: Head, obj: list[str], outcomes: tuple[Polarity, ...], field_count: int
) -> str:
    if field_count > _MOST_FIELDS_NAMED and head.verb.base in FORM_VERBS:
        return "Fill in form"
    if not obj and _is_thing_subject(clause, head):
        return capitalised([token.text for token in _said(clause)])
    return _with_verdict(capitalised([head.verb.base, *obj]), outcomes, head.verb, obj)


def _said(clause: Clause) -> list[Token]:
    return [token for token in clause.tokens if token.low not in DETERMINERS and token.low not in _TRAILERS]


def _is_thing_subject(clause: Clause, head: Head) -> bool:
    return clause.actor.kind == "thing" and head.voice == "active"


def _object(clause: Clause, head: Head, rest: Tokens, memory: Memory) -> list[str]:
    """Return the words of the object: of a passive its subject, then what follows the verb."""
    trimmed = _without_trailers(rest)
    if head.voice == "passive":
        subject = (
            _done_to(head, memory) or object_words(_inside(head.subject), memory) or memory.thing.split()
        )
        memory.speak_of(thing_of(head.subject))
        if len(trimmed) == 1 and trimmed[0].low in PREPOSITIONS:
            return [trimmed[0].low, *subject]
        return [*subject, *object_words(trimmed, memory)]
    said = object_words(trimmed, memory)
    if _is_thing_subject(clause, head) and not said and head.verb.kind != "event":
        return object_words(head.subject, memory)
    return said


def _inside(subject: Tokens) -> Tokens:
    """Return a subject as it is written inside a sentence: "Blood is drawn" draws blood."""
    first = subject[0] if subject else None
    if first is None or not first.text.istitle() or not is_thing(first.low):
        return subject
    return [first._replace(text=first.low), *subject[1:]]


def _done_to(head: Head, memory: Memory) -> list[str]:
    """Return the things that "they" are, of which something is made; people are told, not made."""
    if [token.low for token in head.subject] != ["they"]:
        return []
    things = memory.thing.split()
    is_owed = head.verb.base == "pay" and bool(things) and singular(things[-1].lower()) in _OWED
    return things if is_owed or head.verb.base not in _TO_PEOPLE else []


def _without_trailers(rest: Tokens) -> Tokens:
    words = lows(rest)
    if words[-2:] == ["as", "well"]:
        return rest[:-2]
    end = len(rest)
    while end and rest[end - 1].low in _TRAILERS | {","}:
        end -= 1
    return rest[:end]


def _type(clause: Clause, head: Head, *, is_person: bool) -> StepType:
    if is_person:
        return "human"
    if clause.actor.kind == "system" and head.voice != "passive":
        return "action"
    if head.verb.kind == "event" and head.voice == "active":
        return "event" if clause.actor.kind == "thing" else "action"
    return "human" if head.verb.kind == "human" else "action"


def call_fields(uses: str | None, verb: Verb, rest: Tokens, *, is_person: bool) -> dict[str, Any]:
    """Return the `uses` and `with` of a step, or nothing; a person telling somebody calls nothing."""
    if uses is None or (is_person and uses == "notification.send"):
        return {}
    arguments = call_arguments(uses, recipient_of(verb.base, rest), spoken(rest))
    return {"uses": uses} | ({"with": arguments} if arguments else {})


def recipient_of(lemma: str, rest: Tokens) -> str | None:
    """Return who gets a message: the object of `tell`, or whoever follows `to`."""
    for at, token in enumerate(rest):
        if token.low == "to" and at + 1 < len(rest):
            found = person_at(rest, at + 1)
            if found is not None:
                return found[0]
    found = person_at(rest, 0)
    return found[0] if found is not None and lemma not in ("post", "create") else None


def outcomes_in(tokens: Tokens, verb: Verb | None) -> tuple[Polarity, ...]:
    """Return the verdicts a clause leaves open: both when it names both, or is an approval."""
    verdicts = {found.verdict for token in tokens if (found := verb_of(token.low)) is not None}
    words = set(lows(tokens))
    if {"approved", "rejected"} <= verdicts or ({"yes", "no"} <= words and "or" in words):
        return ("approved", "rejected")
    if (
        verb is not None
        and verb.base == "pass"
        and "fail" in {getattr(verb_of(w), "base", "") for w in words}
    ):
        return ("approved", "rejected")
    signs_off = verb is not None and verb.base == "sign" and "off" in words
    if signs_off or (verb is not None and verb.base in _ALWAYS_REFUSABLE):
        return ("approved",)
    return ()


def _with_verdict(name: str, outcomes: tuple[Polarity, ...], verb: Verb, obj: list[str]) -> str:
    if (
        outcomes == ("approved", "rejected")
        and verb.verdict == "approved"
        and " or " not in f" {name.lower()} "
    ):
        return capitalised([verb.base, "or", "reject", *obj])
    return name


def _is_additive(clause: Clause) -> bool:
    words = clause.words
    return not _EXTRA.isdisjoint(words) or words[-2:] == ["as", "well"] or "as well" in " ".join(words)


def _form(verb: Verb, rest: Tokens) -> tuple[Tokens, list[dict[str, Any]]]:
    """Return what is left of the object, and the form fields it names."""
    words = lows(rest)
    if verb.base in FORM_VERBS and "form" in words and ("(" in words or ":" in words or "with" in words):
        at = (
            words.index(":") if ":" in words else words.index("with") if "with" in words else words.index("(")
        )
        inside = rest[at + 1 : -1] if words[at] == "(" and words[-1] == ")" else rest[at + 1 :]
        return rest[:at], fields_of(inside)
    marker = next(
        (at for at, word in enumerate(words) if word in ("with", ":", "asking", "containing", "including")),
        None,
    )
    if marker is not None and verb.starts:
        fields = fields_of(rest[marker + 1 + (words[marker + 1 : marker + 2] in (["for"], ["the"])) :])
        if len(fields) > 1 or (fields and "form" in words[:marker]):
            return rest[:marker], fields
    if verb.base in FORM_VERBS and (verb.base != "enter" or words[:1] != ["in"]):
        start = 1 if words[:1] in (["in"], ["out"]) else 0
        listed = rest[start:]
        fields = fields_of(listed)
        is_list = len(fields) > 1 or (verb.base == "enter" and fields)
        if is_list and "form" not in words and not any(token.low in ("to", "into") for token in listed):
            return rest, fields
    return rest, []


def _is_one(clause: Clause) -> bool:
    """Say whether the one who is told is "him" or "her", whom "they" does not mean."""
    return lows(clause.rest[:1]) in (["him"], ["her"])


def _remember(clause: Clause, head: Head, task: Task, rest: Tokens, memory: Memory) -> None:
    """Note who and what the next sentence may call "he" and "it"."""
    recipient = recipient_of(task.lemma, rest)
    is_told = task.lemma in _TO_PEOPLE and recipient != task.assignee and not _is_one(clause)
    memory.told = recipient if is_told else None
    if task.assignee is not None:
        memory.person = task.assignee
    elif recipient is not None:
        memory.person = recipient
    if head.voice != "passive":
        thing = thing_of(rest[1:] if lows(rest[:1]) in _LOOKED else rest)
        if task.lemma in FORM_VERBS or (memory.thing and thing.lower().split()[-1:] in _MESSAGES):
            return
        if thing and thing.lower() not in NUMBERS and not is_form(thing.lower(), "ing"):
            memory.speak_of(thing)
