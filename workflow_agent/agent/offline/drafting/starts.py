"""Reading what starts a process, and what leads a sentence in."""

from typing import Final

from workflow_agent.agent.offline.drafting.actors import Memory, actor_of, thing_of
from workflow_agent.agent.offline.drafting.chunks import Chunk
from workflow_agent.agent.offline.drafting.clause_heads import Head
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.nouns import DETERMINERS, GENERIC, PERSONAL, PREPOSITIONS, is_role
from workflow_agent.agent.offline.drafting.reader import Reader
from workflow_agent.agent.offline.drafting.tokens import Tokens, lows, strip_marks
from workflow_agent.agent.offline.drafting.triggers import event_trigger, without_schedules
from workflow_agent.agent.offline.drafting.words import word_set
from workflow_agent.domain.workflow_parsing import slug

_DAYS: Final = word_set("day night week evening morning month")
_MOST_LEAD: Final = 6
_MOST_TITLE: Final = 10
_HAPPENINGS: Final = word_set("call join arrive complain order apply register pay cancel leave quit resign")
"""What people do that starts the work of others."""


def start(reader: Reader, said: Tokens, main: Tokens) -> None:
    """Note what starts the process; somebody handing something in is its first step as well."""
    trigger = event_trigger(without_schedules(said))
    if trigger is not None:
        reader.trigger(trigger)
    head = read_head(said)
    if head is not None:
        _remember_start(reader, said, head)
    first = reader.clauses(said) if head is not None and _is_handing_in(reader, head) else []
    reader.statements[reader.sentence : reader.sentence] = first
    reader.segment += len(first)
    reader.add(reader.clauses(main))


def _remember_start(reader: Reader, said: Tokens, head: Head) -> None:
    actor = actor_of(head.subject, reader.memory)
    reader.memory.person = actor.name or reader.memory.person
    objects = thing_of(said[head.at + 1 :]) if head.voice == "active" and actor.kind == "person" else ""
    reader.memory.speak_of(objects or (thing_of(head.subject) if actor.kind == "thing" else ""))


def _is_handing_in(reader: Reader, head: Head) -> bool:
    return (
        head.verb.starts and head.voice == "active" and actor_of(head.subject, reader.memory).kind == "person"
    )


def without_lead(reader: Reader, tokens: Tokens) -> Tokens:
    """Return tokens without a lead like "depending on the result," or "60 days before the end,"."""
    tokens = without_time(tokens)
    comma = next((at for at, token in enumerate(tokens) if token.low == ","), None)
    words = lows(tokens[:2])
    if comma is None or not tokens:
        return tokens
    is_purpose = words[:1] == ["to"] and read_head(tokens[comma + 1 :]) is not None
    if words == ["depending", "on"] or is_purpose:
        return tokens[comma + 1 :]
    if tokens[0].kind == "duration" and words[1:] in (["before"], ["after"]):
        if not reader.has_work():
            reader.trigger({"type": "event", "event": slug(" ".join(lows(tokens[:comma])))})
        return tokens[comma + 1 :]
    return tokens


def without_time(tokens: Tokens) -> Tokens:
    """Return a clause without "two hours before departure", "the day before the visit", "on the last day"."""
    words = lows(tokens[:4])
    is_day = (
        words[:1] == ["the"]
        and words[1:2] != []
        and words[1] in _DAYS
        and words[2:3] in (["before"], ["after"])
    )
    is_length = bool(tokens) and tokens[0].kind == "duration" and words[1:2] in (["before"], ["after"])
    is_date = words[:1] in (["on"], ["in"], ["at"]) and len(tokens) > 1 and tokens[1].low in DETERMINERS
    if not (is_day or is_length or is_date):
        return tokens
    colon = next((at for at, token in enumerate(tokens[:_MOST_TITLE]) if token.low == ":"), None)
    if colon is not None and read_head(tokens, colon + 1) is not None:
        return tokens[colon + 1 :]
    start = 3 if is_day else 2 if is_length else 1
    first = next((at for at in range(start, len(tokens)) if tokens[at].low == ","), len(tokens))
    for at in range(start + 1, min(first, start + _MOST_LEAD)):
        head = read_head(tokens, at) if tokens[at - 1].low not in DETERMINERS | PREPOSITIONS else None
        if head is not None and head.subject and _may_begin(tokens, at, start):
            return tokens[at:]
    return tokens


def _may_begin(tokens: Tokens, at: int, start: int) -> bool:
    """Say whether a clause may begin here rather than with the phrase before it."""
    if tokens[at].low in PERSONAL | GENERIC:
        return True
    return (tokens[at].low in DETERMINERS or is_role(tokens[at].low)) and read_head(tokens, start) is None


def leading_event(tokens: Tokens) -> tuple[Tokens, Tokens]:
    """Return "a webhook is received" or "an alert comes in" at the start of tokens, and the rest."""
    end = next((at for at, token in enumerate(tokens) if token.low == ","), len(tokens))
    head = read_head(tokens[:end])
    if head is None or not head.subject:
        return [], tokens
    is_bare = head.subject[0].low in ("a", "an") and head.at == end - 1 and head.voice == "active"
    if is_bare and head.verb.base in _HAPPENINGS:
        return tokens[:end], tokens[end + 1 :]
    if actor_of(head.subject, Memory()).kind != "thing":
        return [], tokens
    happens = (
        head.voice == "active"
        and head.verb.kind == "event"
        and head.verb.base in ("arrive", "come", "appear", "fire")
    )
    received = head.voice == "passive" and head.verb.base == "receive"
    return (tokens[:end], tokens[end + 1 :]) if happens or received else ([], tokens)


def plain(reader: Reader, chunk: Chunk) -> None:
    """Read clauses without a connective; at the very start an event is what starts the process."""
    tokens = without_lead(reader, strip_marks(chunk.tokens))
    may_start = not (reader.is_item or reader.has_work() or reader.triggers)
    event, rest = leading_event(tokens) if may_start else (tokens[:0], tokens)
    if event:
        start(reader, event, rest)
    else:
        reader.add(reader.clauses(tokens))
