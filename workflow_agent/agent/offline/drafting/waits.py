"""Clauses about time: wait, try again, escalate, do it by then."""

from typing import Any, Final

from workflow_agent.agent.offline.drafting.actors import Memory, person_at, person_name
from workflow_agent.agent.offline.drafting.clauses import Clause
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.limits import attempts_in, without_limits
from workflow_agent.agent.offline.drafting.nominals import nominal_task
from workflow_agent.agent.offline.drafting.nouns import PREPOSITIONS, THING_PRONOUNS
from workflow_agent.agent.offline.drafting.phrases import capitalised, keywords, object_words
from workflow_agent.agent.offline.drafting.statements import Amend, GoBack, Statement, Task
from workflow_agent.agent.offline.drafting.tokens import Token, Tokens, lows, tokens_of
from workflow_agent.agent.offline.drafting.triggers import event_trigger
from workflow_agent.agent.offline.drafting.words import word_set
from workflow_agent.domain.workflow_parsing import slug

PROCESS_NOUNS: Final = word_set("process workflow flow procedure")


_VERDICTS: Final = word_set("approval sign-off confirmation review decision signature")


_RIPENS: Final = word_set(
    "rest cool dry rise set cure age ripen mature ferment soak chill settle stand sit bake dry prove freeze"
)
"""What things do by themselves for a time."""
_MOST_NAME_WORDS: Final = 4
_OBLIGED: Final = word_set("do happen complete finish take be")


_INTERVALS: Final = {
    "* * * * *": "PT1M",
    "0 * * * *": "PT1H",
    "0 9 * * *": "P1D",
    "0 9 * * 1": "P1W",
    "0 9 1 * *": "P1M",
}


def waiting(clause: Clause, memory: Memory) -> list[Statement] | None:
    """Return the wait of "wait two days", or the event of "wait for the reply"."""
    if clause.lemma == "let" and clause.rest and clause.rest[-1].kind == "duration":
        said = capitalised(["Let", *object_words(clause.rest[:-1], memory)])
        return [
            Task(said, "wait", "wait", fields={"duration": clause.rest[-1].value}, words=keywords([said]))
        ]
    ripens = clause.lemma in _RIPENS or (clause.lemma in ("need", "have") and lows(clause.rest[:1]) == ["to"])
    if ripens and clause.actor.kind == "thing" and clause.rest[-1:] and (
        clause.rest[-1].kind == "duration"
    ):  # fmt: skip
        return [wait_of(clause.rest[-1])]
    if clause.lemma not in ("wait", "pause", "sleep", "delay"):
        return None
    length = next((token for token in clause.rest if token.kind == "duration"), None)
    if length is not None:
        return [wait_of(length)]
    words = lows(clause.rest)
    approval = nominal_task(clause.rest[1:], memory) if not _VERDICTS.isdisjoint(words) else None
    if approval is not None and approval.assignee is not None:
        return [approval]
    target = clause.rest[1:] if words[:1] in (["for"], ["until"], ["till"], ["on"]) else clause.rest
    return [event_of(target, memory)] if target else None


def wait_of(length: Token) -> Task:
    """Return the step that waits for a length of time."""
    return Task(
        f"Wait {length.text}"[:90],
        "wait",
        "wait",
        fields={"duration": length.value},
        words=frozenset({"wait"}),
    )


def event_of(tokens: Tokens, memory: Memory) -> Task:
    """Return the step that waits until something happens."""
    tokens, fields = without_limits(tokens)
    said = object_words(tokens, memory) or ["something"]
    is_pronoun = bool(tokens) and tokens[0].low in THING_PRONOUNS
    happens = event_trigger(tokens_of(" ".join(said)) if is_pronoun else tokens)
    name = (happens or {}).get("event") or slug(" ".join(said), fallback="event")
    lead = (
        ["Wait", "until"]
        if read_head(tokens) is not None and " ".join(said) != "something"
        else ["Wait", "for"]
    )
    return Task(
        capitalised([*lead, *said]),
        "event",
        "wait",
        fields=fields | {"event": name[:190]},
        words=keywords(said),
    )


def retrying(clause: Clause, _: Memory) -> list[Statement] | None:
    """Return the retries of "try three times", or the way back of "try again"."""
    if clause.lemma not in ("retry", "try", "repeat", "reattempt", "attempt"):
        return None
    if clause.lemma == "try" and clause.actor.kind == "person" and clause.has_subject:
        return None
    times = attempts_in(clause.rest)
    every = next((token for token in clause.rest if token.kind in ("schedule", "duration")), None)
    if times is None and clause.lemma in ("retry", "try", "repeat"):
        wait = [wait_of(every)] if every is not None and every.kind == "duration" else []
        return [*wait, GoBack("the same step", retries=True)]
    if times is None:
        return None
    retry: dict[str, Any] = {"max_attempts": times[0]}
    interval = interval_of(every)
    return [Amend({"retry": retry | ({"interval": interval} if interval else {})})]


def interval_of(every: Token | None) -> str | None:
    """Return how long a schedule or a length of time lies between two attempts."""
    if every is None:
        return None
    if every.kind == "duration":
        return str(every.value)
    cron = str(every.value.get("cron", ""))
    if cron.startswith("*/"):
        return f"PT{cron[2:].partition(' ')[0]}M"
    return every.value.get("every") or _INTERVALS.get(cron)


def escalating(clause: Clause, memory: Memory) -> list[Statement] | None:
    """Return who "escalate to the director" hands the work to."""
    if clause.lemma != "escalate" or clause.actor.kind == "person":
        return None
    rest, fields = without_limits(clause.rest)
    at = next((at for at, token in enumerate(rest) if token.low == "to"), None)
    found = (person_at(rest, at + 1) or _named(rest, at + 1)) if at is not None else None
    if found is None:
        return None
    memory.person = found[0]
    length = next((token.value for token in clause.rest if token.kind == "duration"), None)
    if "timeout" in fields or length is not None:
        return [Amend({"timeout": length, **fields, "escalate_to": found[0]})]
    return [
        Task(
            "Handle escalation",
            "human",
            "escalate",
            found[0],
            words=keywords(["escalate", found[0]]),
            tentative=True,
        )
    ]


def _named(tokens: Tokens, at: int) -> tuple[str, int] | None:
    """Return whoever work is escalated to, known or not: "second level"."""
    end = at
    while end < len(tokens) and tokens[end].kind == "word" and tokens[end].low not in PREPOSITIONS:
        end += 1
    return (person_name(tokens[at:end]), end) if at < end <= at + _MOST_NAME_WORDS else None


def deadline(clause: Clause, _: Memory) -> list[Statement] | None:
    """Return the limit of "this must be done within two days", "they have 48 hours"."""
    length = next((token for token in clause.tokens if token.kind == "duration"), None)
    if length is None or clause.head is None:
        return None
    subject = lows(clause.head.subject)
    has_time = clause.head.voice == "state" and clause.head.verb.base == "have"
    is_vague = subject[-1:] and (
        subject[-1] in ("it", "this", "that", "everything")
        or subject[-1] in PROCESS_NOUNS | {"step", "approval"}
    )
    if has_time or (is_vague and (clause.lemma in _OBLIGED or clause.lemma == "take")):
        limit = without_limits(clause.tokens)[1].get("timeout", length.value)
        return [Amend({"timeout": limit}, clause.actor.name if clause.actor.kind == "person" else None)]
    return None
