"""Reading orders for changes: each clause as the changes it can mean, most likely first."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from workflow_agent.agent.offline.intents.grammar import Table, matches, phrase_table
from workflow_agent.agent.offline.intents.numbers import listed, number_of
from workflow_agent.agent.offline.intents.retries import growing_retries, read_retry
from workflow_agent.agent.offline.intents.text import (
    MASK,
    core_of,
    masked_quotes,
    split_clauses,
    split_sentences,
    unmasked_quotes,
)
from workflow_agent.agent.offline.turn.drafting import Drafting

_FROM_NOW_ON = re.compile(
    r"(?<=\w),? (?:from now on|from here on|in (?:the )?future|going forward|as of now|ab jetzt)$",
    re.IGNORECASE,
)
_FROM_THEN_ON = re.compile(
    r"(?:from|as of|starting|beginning)(?: with| on| from)? (?!now)[\w ]{2,24}? (?:on|onwards?)[, ]\s*",
    re.IGNORECASE,
)
_SOURCE = re.compile(
    r",? (?:just |exactly )?as (?:the|our|my|this|that) [^,.;:]{1,60} "
    r"(?:says?|said|requires?|states?|demands?|wants?|prescribes?|tells us)[.!]?$"
    r"|,? (?:according to|as per|in line with) (?:the|our|my|this|that) (?:[^,.;:]{1,40} )?"
    r"(?:policy|policies|document|handbook|guidelines?|rules?|regulations?|attachment|file|manual|contract|law)"
    r"(?: (?:that )?i attached)?[.!]?$",
    re.IGNORECASE,
)
"""Where an order is from: no part of what it orders."""
_PARTS = re.compile(
    r"(?:\s*[,:;]|\s-)\s+(?:(?:and|so|but|then|because|since|as|also|instead)\s+)*"
    r"|\s+(?:and|so|because|since)\s+(?:(?:also|then)\s+)?",
    re.IGNORECASE,
)
"""Where a clause may fall in two that no verb of change tells apart."""
_MOST_PARTINGS = 8
_DAYTIME = re.compile(
    r"(\d{1,2}(?::\d\d)?)(?: o'clock)? (?:in the|at) (morning|afternoon|evening|night)", re.IGNORECASE
)
_WHEN = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|daily|weekly|monthly|hourly|every|each|noon|midnight|"
    r"weekdays?|weekends?|nightly|morning|evening|\d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)|"
    r"at \d{1,2}|by hand|manually)\b",
    re.IGNORECASE,
)
"""What must be said for "x instead of y" to be about when a workflow starts."""
_DAILY_AT = re.compile(
    r"(?:(?:every day|daily|(?:\w+ times|once|twice) (?:a|per) day)[,:]? )?"
    r"((?:at )?\d{1,2}(?:(?:,? ?and |, ?)(?:at )?\d{1,2}){0,11})",
    re.IGNORECASE,
)
_ONLY_TIME = re.compile(
    r"at \d{1,2}|(?:at )?(?:\d{1,2}(?::\d\d| ?(?:am|pm|h|o'clock))|noon|midnight)",
    re.IGNORECASE,
)
_TIME = re.compile(r"\d|\b(?:noon|midnight)\b", re.IGNORECASE)
_GERMAN_NUMBERS = {
    "ein": "1", "eine": "1", "einen": "1", "einem": "1", "einer": "1", "zwei": "2", "drei": "3", "vier": "4",
    "fünf": "5", "sechs": "6", "sieben": "7", "acht": "8", "zehn": "10", "zwölf": "12", "vierzehn": "14",
}  # fmt: skip
_GERMAN_UNITS = {"tag": "days", "stu": "hours", "woc": "weeks", "min": "minutes", "mon": "months"}
_GERMAN = re.compile(
    rf"\b(\d{{1,3}}|{'|'.join(_GERMAN_NUMBERS)}) (Tage?n?|Stunden?|Wochen?|Minuten?|Monate?n?)\b",
    re.IGNORECASE,
)
_TIMES = re.compile(r"\b(\d{1,3}) ?x(?= |$)", re.IGNORECASE)
_NOT_SO_LONG = re.compile(
    r",? (?:not|instead of|rather than|and not) (?:\d{1,4}|an?|one|two|three|four|five|six|seven|ten)"
    r"(?: (?:minute|hour|day|week|month)s?)?$",
    re.IGNORECASE,
)
"""How long it was until now."""
_TWICE = re.compile(r"\b(once|twice)$", re.IGNORECASE)


@dataclass(frozen=True)
class Change:
    """One way to read a clause: what kind of change, and the phrases it was said with."""

    kind: str
    slots: Mapping[str, str]
    place: str = ""
    """Where it goes, of an insertion or a move: before, after, between, start, end, position."""
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the phrases mean where that needs no workflow: durations, numbers, triggers."""


@dataclass(frozen=True)
class Order:
    """One clause and its readings."""

    text: str
    readings: tuple[Change, ...]


def read_orders(text: str, drafting: Drafting, *, stated: bool = False) -> tuple[Order, ...]:
    """Return a message's clauses with their readings; nothing when no clause reads as a change.

    Args:
        text: The message.
        drafting: Reads steps, durations and triggers.
        stated: Whether an order may be said as a statement, too: "Anna does the review from now on".
    """
    text = _SOURCE.sub("", text)
    tables = [phrase_table("changes"), *([phrase_table("statements")] if stated else [])]
    orders = [order for sentence in split_sentences(text) for order in _orders(sentence, drafting, tables)]
    return tuple(orders) if any(order.readings for order in orders) else ()


def _orders(sentence: str, drafting: Drafting, tables: Sequence[Table]) -> list[Order]:
    """Return a sentence's clauses where each reads as a change, else the sentence whole where that does."""
    orders = [_order(clause, drafting, tables) for clause in split_clauses(sentence)]
    if all(order.readings for order in orders):
        return orders
    whole = _order(sentence, drafting, tables)
    return [whole] if whole.readings else orders


def parted_orders(text: str, drafting: Drafting) -> Iterator[tuple[Order, Order]]:
    """Yield the ways in which a clause may be two: "compliance does it" behind a comma, a reason in front."""
    tables = [phrase_table("changes"), phrase_table("statements")]
    masked, kept = masked_quotes(text)
    for match in islice(_PARTS.finditer(masked), _MOST_PARTINGS):
        left, right = masked[: match.start()], masked[match.end() :]
        if left and right:
            yield (
                _order(unmasked_quotes(left, kept), drafting, tables),
                _order(unmasked_quotes(right, kept[left.count(MASK) :]), drafting, tables),
            )


def stated_order(text: str, drafting: Drafting) -> Order:
    """Return a clause with what it means as a statement only."""
    return _order(text, drafting, [phrase_table("statements")])


def _order(clause: str, drafting: Drafting, tables: Sequence[Table]) -> Order:
    text = core_of(clause).text
    text = _TIMES.sub(r"\1 times", _in_english(text))
    text = _TWICE.sub(lambda match: f"{number_of(match[1])} times", text)
    if from_then := _FROM_THEN_ON.match(text):
        text = f"{text[from_then.end() :]} from now on"
    plain = _FROM_NOW_ON.sub("", text)
    said = dict.fromkeys((plain, _NOT_SO_LONG.sub("", plain), text))
    found = chain(
        growing_retries(plain, tables),
        (match for one in said for table in tables for match in matches(one, table)),
    )
    readings = (_checked(kind, slots, drafting) for kind, slots in found)
    return Order(text, tuple(reading for reading in readings if reading is not None))


def _in_english(text: str) -> str:
    """Return a text with lengths of time that are said in German said in English."""
    return _GERMAN.sub(
        lambda match: (
            f"{_GERMAN_NUMBERS.get(match[1].lower(), match[1])} {_GERMAN_UNITS[match[2].lower()[:3]]}"
        ),
        text,
    )


def _checked(key: str, slots: dict[str, str], drafting: Drafting) -> Change | None:
    kind, _, place = key.partition(":")
    check = _CHECKS.get(kind)
    values = check(slots, drafting) if check else {}
    return None if values is None else Change(kind, slots, place, values)


def _duration(slots: Mapping[str, str], drafting: Drafting) -> dict[str, Any] | None:
    if not {"dur", "m"} & slots.keys():
        return {}
    duration = drafting.parse_duration(slots.get("dur") or f"{slots['m']} {slots['unit']}")
    return {"duration": duration} if duration else None


def _misses_a_time(phrase: str, trigger: Mapping[str, Any]) -> bool:
    """Say whether a phrase names times or numbers of which a schedule has none."""
    numbers = re.findall(r"\d+", phrase)
    cron = str(trigger.get("cron") or "")
    return bool(numbers and cron) and not any(number.lstrip("0") in cron for number in numbers)


def _at_times(phrase: str) -> Mapping[str, Any] | None:
    """Return the schedule of "twice a day, at 2 and at 14"."""
    match = _DAILY_AT.fullmatch(phrase)
    hours = [int(one) for one in re.findall(r"\d+", match[1])] if match and "at" in phrase.lower() else []
    if not hours or max(hours) > 23:
        return None
    return {"type": "schedule", "cron": f"0 {','.join(map(str, hours))} * * *", "timezone": "UTC"}


def _count(slots: Mapping[str, str], _: Drafting) -> dict[str, Any] | None:
    number = number_of(slots["n"])
    return {"number": number} if number else None


def _trigger(slots: Mapping[str, str], drafting: Drafting) -> dict[str, Any] | None:
    phrase = _DAYTIME.sub(
        lambda match: match[1] + ("am" if match[2].lower() == "morning" else "pm"), slots["trigger"]
    )
    if "old" in slots and not _WHEN.search(phrase):
        return None
    trigger = drafting.parse_trigger(phrase) or drafting.parse_trigger(f"every {phrase.removeprefix('on ')}")
    if trigger is not None and _misses_a_time(phrase, trigger):
        trigger = _at_times(phrase)
    if trigger:
        said = "" if not _ONLY_TIME.fullmatch(phrase) and _TIME.search(phrase) else "day"
        return {"trigger": dict(trigger), "says": said}
    timed = drafting.parse_trigger(f"every day {phrase}") if _ONLY_TIME.fullmatch(phrase) else None
    return {"trigger": dict(timed), "says": "time"} if timed else None


def _tags(slots: Mapping[str, str], _: Drafting) -> dict[str, Any]:
    return {"tags": listed(slots["tags"])}


_CHECKS: Mapping[str, Callable[[dict[str, str], Drafting], dict[str, Any] | None]] = {
    "timeout": _duration,
    "longer": _duration,
    "shorter": _duration,
    "wait": _duration,
    "escalate": _duration,
    "count": _count,
    "retry": read_retry,
    "trigger": _trigger,
    "retrigger": _trigger,
    "tag": _tags,
    "untag": _tags,
}
