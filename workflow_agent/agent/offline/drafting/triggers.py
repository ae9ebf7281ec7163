"""What starts a process: an event, the clock, another workflow, or somebody."""

from typing import Any, Final

from workflow_agent.agent.offline.drafting.clause_heads import ADVERBS, Head
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.nouns import DETERMINERS, GENERIC, PERSONAL, PREPOSITIONS, is_role
from workflow_agent.agent.offline.drafting.tokens import Token, Tokens, lows, strip_marks
from workflow_agent.agent.offline.drafting.verbs import past_participle
from workflow_agent.agent.offline.drafting.words import word_set
from workflow_agent.domain.workflow_parsing import slug

_SKIPPED: Final = DETERMINERS | word_set("new somebody someone anybody anyone incoming")
_PARTICLES: Final = word_set("up in out off on down over")
_MAX_NOUN_WORDS: Final = 3
_FINISHES: Final = word_set("finish complete end succeed")
_MANUAL: Final = word_set("manually manual hand demand")

Trigger = dict[str, Any]


def schedules_in(tokens: Tokens) -> list[Trigger]:
    """Return the schedule triggers among tokens."""
    return [token.value for token in tokens if token.kind == "schedule"]


def event_trigger(tokens: Tokens) -> Trigger | None:
    """Return the trigger for what happens: "an invoice arrives" is the event `invoice.arrived`."""
    tokens = strip_marks(tokens)
    words = lows(tokens)
    if "webhook" in words:
        return {"type": "webhook"}
    head = read_head(tokens)
    if head is None:
        noun = _noun(tokens)
        return {"type": "event", "event": f"{noun}.received"} if noun else None
    if not head.subject and head.voice == "imperative":
        return None
    finished = _finished_workflow(head)
    if finished is not None:
        return finished
    happened = _happened(tokens, head)
    return {"type": "event", "event": happened[:200]} if happened else None


def _finished_workflow(head: Head) -> Trigger | None:
    words = [token for token in head.subject if token.low not in _SKIPPED]
    if words and words[-1].low in ("workflow", "process") and len(words) > 1 and head.verb.base in _FINISHES:
        return {"type": "workflow", "workflow": " ".join(token.text for token in words[:-1])[:200]}
    return None


def _happened(tokens: Tokens, head: Head) -> str:
    rest = tokens[head.at + 1 :]
    subject = _noun(head.subject)
    if head.voice == "state":
        said = "_".join(token.low for token in rest[:3] if token.kind == "word" and token.low not in _SKIPPED)
        return f"{subject}.{slug(said, fallback='changed')}"
    if head.verb.base == "come" and subject:
        return f"{subject}.received"
    particle = f"_{rest[0].low}" if rest and rest[0].low in _PARTICLES else ""
    verb = slug(past_participle(head.verb.base), fallback="changed") + particle
    about_subject = head.voice == "passive" or not _is_somebody(head)
    noun = subject if about_subject else _noun(rest[1 if particle else 0 :]) or subject
    return f"{noun}.{verb}" if noun else verb


def _is_somebody(head: Head) -> bool:
    last = head.subject[-1].low if head.subject else ""
    return is_role(last) or last in GENERIC or last in PERSONAL


def _noun(tokens: Tokens) -> str:
    words: list[str] = []
    for token in tokens:
        if not words and (token.low in _SKIPPED or token.low in PREPOSITIONS or token.low in ADVERBS):
            continue
        if (
            token.kind != "word"
            or token.low in PREPOSITIONS
            or token.low in ("and", "or")
            or token.low in ADVERBS
        ):
            break
        words.append(token.low)
    return slug(" ".join(words[-_MAX_NOUN_WORDS:]), fallback="") if words else ""


def is_started_by_hand(tokens: Tokens) -> bool:
    """Say whether a sentence about the process says that somebody starts it."""
    words: list[str] = lows(tokens)
    return not _MANUAL.isdisjoint(words) and any(
        word in words for word in ("start", "starts", "started", "run", "triggered")
    )


def without_schedules(tokens: Tokens) -> list[Token]:
    """Return the tokens that are no schedule."""
    return [token for token in tokens if token.kind != "schedule"]
