"""Skills that tell what changed: between versions, between workflows, since a time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.patterns import Request, number_of, unquoted
from workflow_agent.assistant.offline.skills.targets import is_pronoun, which_workflow
from workflow_agent.assistant.offline.turn.focus import two_spoken_of
from workflow_agent.assistant.offline.turn.outcome import Call, JsonObject, Reply, Skill
from workflow_agent.assistant.offline.turn.reading import Turn, WorkflowRef
from workflow_agent.assistant.offline.wording import bulleted, counted, joined

_EVERYBODY = word_set("comparing.everybody")
EVER = "1970-01-01"
"""Before every change."""
_SINCE = ("since", "from", "after")


def compare(turn: Turn, request: Request) -> Skill:
    """Say what changed between two versions; without numbers, since the one before."""
    ref = yield from which_workflow(turn, request.slots.get("workflow"))
    wanted: dict[str, Any] = {"workflow": ref.id}
    for key, name in (("from", "from_version"), ("to", "to_version")):
        if (number := number_of(request.slots.get(key, ""))) is not None:
            wanted[name] = number
    result = yield Call("compare_versions", wanted)
    name, before, after = result["workflow"]["name"], result["from_version"], result["to_version"]
    lines = bulleted(result["changes"])
    if not lines:
        return Reply(f"Versions {before} and {after} of **{name}** do not differ.")
    return Reply(f"From version {before} to {after} of **{name}**:\n\n{lines}")


def compare_both(turn: Turn, _: Request) -> Skill:
    """Compare the two workflows that were listed or dealt with last."""
    met = two_spoken_of(turn)
    if len(met) == 2:
        return (yield from _compared(*met))
    if len(met) > 2:
        return Reply(f"That list has {counted(len(met), 'workflow')}. Name the two of them that I shall compare.")
    named = f"so far we only spoke of **{met[0].name}**" if met else "we have not spoken of any yet"
    return Reply(f'I can\'t tell which two: {named}. Name both, as in "compare the expense approval and the refund".')


def compare_workflows(turn: Turn, request: Request) -> Skill:
    """Say what two workflows share and how they differ."""
    first = yield from which_workflow(turn, request.slots["workflow"])
    second = yield from which_workflow(turn, request.slots["other"])
    return (yield from _compared(first, second))


def _compared(first: WorkflowRef, second: WorkflowRef) -> Skill:
    if first.id == second.id:
        return Reply(f"Both are **{first.name}**. Name two workflows, or two versions of one.")
    result = yield Call("compare_workflows", {"first": first.id, "second": second.id})
    one, other = f"**{result['first']['name']}**", f"**{result['second']['name']}**"
    told = [
        f"Both have {_names(result['shared_steps'])}." if result["shared_steps"] else "They share no step.",
        f"Only {one} has {_names(result['only_in_first'])}." if result["only_in_first"] else "",
        f"Only {other} has {_names(result['only_in_second'])}." if result["only_in_second"] else "",
    ]
    lines = bulleted(result["differences"])
    told.append(f"Apart from that ({one} is the first):\n\n{lines}" if lines else "")
    return Reply("\n\n".join([f"{one} and {other}:", *filter(None, told)]))


def _names(names: Sequence[str]) -> str:
    shown = [f"*{name}*" for name in names[:8]]
    return joined([*shown, f"{len(names) - 8} more"] if len(names) > 8 else shown)


def list_changes(turn: Turn, request: Request) -> Skill:
    """Tell what changed since a time, by whom."""
    said = request.slots["time"]
    when = read_time(said, turn.facts.today) if turn.facts.today else None
    if when is None:
        return Reply(f'I can\'t tell when {said!r} was. Give me a date, as in "what changed since 2026-03-02?".')
    wanted: dict[str, Any] = {"since": when.start.isoformat()}
    before = request.text.lower().rpartition(said.lower())[0].split()
    if when.end is not None and not (before and before[-1] in _SINCE):
        wanted["until"] = when.end.isoformat()
    author = unquoted(request.slots.get("author", "")).lower()
    if author and author not in _EVERYBODY:
        wanted["author"] = {"i": "user", "you": "assistant"}.get(author, author)
    phrase = request.slots.get("workflow")
    if phrase is not None and not (is_pronoun(phrase) and "workflows" in phrase):
        wanted["workflow"] = (yield from which_workflow(turn, phrase)).id
    result = yield Call("list_changes", wanted)
    return _told(result, f"since {wanted['since']}" if "until" not in wanted else said)


def _told(result: JsonObject, when: str) -> Reply:
    changes: list[JsonObject] = result["changes"]
    if not changes:
        return Reply(f"Nothing was changed {when}.")
    more = result["total"] - len(changes)
    lines = [told_change(change) for change in changes] + ([f"- … and {more} more"] if more > 0 else [])
    return Reply(f"{counted(result['total'], 'change')} {when}, newest first:\n\n" + "\n".join(lines))


def told_change(change: JsonObject) -> str:
    """Return a change as a line of a list: when, what, by whom."""
    by = f"{change['user']}, through {change['agent']}" if change["agent"] else change["user"]
    at = f"{change['at'][:10]} {change['at'][11:16]}"
    name = f"**{change['workflow']['name']}** version {change['version']}"
    what = f": {'; '.join(change['changes'][:3])}" if change["changes"] else ""
    return f"- {at} {name}, {change['action']} by {by}{what}"


def is_time(turn: Turn, text: str) -> bool:
    """Say whether words name a time in the past."""
    return turn.facts.today is not None and read_time(text, turn.facts.today) is not None


_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNTS = {"": 1, "a": 1, "an": 1, "couple of": 2, "few": 3}
_UNIT_DAYS = {"hour": 1, "day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
_BACK = re.compile(
    rf"(?:(?:the )?(?:last|past) )?(?:(\d{{1,3}}|couple of|[a-z]+) )?({'|'.join(_UNIT_DAYS)})s?(?: ago)?"
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Since:
    """A time in the past: the day it begins, and the day it is over where it names a single one."""

    start: date
    end: date | None = None


def read_time(text: str, today: date) -> Since | None:
    """Return the time a phrase names, seen from today; None when it names none."""
    plain = text.strip().lower().removeprefix("on ")
    if _DATE.fullmatch(plain):
        try:
            return _day(date.fromisoformat(plain))
        except ValueError:
            return None
    if plain in ("today", "this morning"):
        return Since(today)
    if plain.startswith("yesterday") or plain == "last night":
        return _day(today - timedelta(days=1))
    if plain.endswith("day before yesterday"):
        return _day(today - timedelta(days=2))
    if plain.removeprefix("last ") in _DAYS:
        back = (today.weekday() - _DAYS.index(plain.removeprefix("last "))) % 7 or 7
        return _day(today - timedelta(days=back))
    return _period(plain, today)


def _day(day: date) -> Since:
    return Since(day, day + timedelta(days=1))


def _period(plain: str, today: date) -> Since | None:
    if plain == "this week":
        return Since(today - timedelta(days=today.weekday()))
    if plain == "this month":
        return Since(today.replace(day=1))
    if plain == "this year":
        return Since(today.replace(month=1, day=1))
    match = _BACK.fullmatch(plain)
    number = (_COUNTS.get(match[1] or "") or number_of(match[1])) if match else None
    if match is None or not number:
        return None
    return Since(today - timedelta(days=0 if match[2] == "hour" else number * _UNIT_DAYS[match[2]]))
