"""Conversations as friends have them, and as somebody has them with an assistant that answers at length.

What is told and asked is in `data/friends_talks.txt`, written by hand before anything was measured on it: a
topic begins with `#`; `A:` and `B:` speak; a question is followed by its answer and the line that holds it;
phrases of small talk stand under a `%`. Topics come in any order, in sessions that begin and end with small
talk, with other names, places and numbers in each conversation.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Literal

from benchmarks.planted_talks import Planted

Kind = Literal["friends", "assistant"]
_FILE = Path(__file__).with_name("data") / "friends_talks.txt"
_TOPICS_OF_A_SESSION = 2


@dataclass(frozen=True, slots=True)
class _Topic:
    name: str
    lines: tuple[tuple[str, str], ...]
    """Who speaks, and what."""
    questions: tuple[tuple[str, str, int], ...]


def _parts(sign: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the parts of the file under a sign: name and lines."""
    for part in re.split(r"^(?=[#%] )", _FILE.read_text(encoding="utf-8"), flags=re.MULTILINE):
        name, *lines = part.strip().splitlines() or [""]
        if name.startswith(sign):
            yield name[2:], lines


_POOLS = {name: tuple(lines) for name, lines in _parts("%")}


def _topics() -> list[_Topic]:
    found: list[_Topic] = []
    for name, lines in _parts("#"):
        said = tuple((line[0], line[3:]) for line in lines if line[1:2] == ":")
        asked = [line[2:].split(" | ") for line in lines if line.startswith("?")]
        found.append(_Topic(name, said, tuple((text, answer, int(at) - 1) for text, answer, at in asked)))
    return found


@dataclass(frozen=True, slots=True)
class FriendsTalk:
    """What was said, when each session began, and what is asked about it."""

    sessions: list[tuple[datetime, list[str]]]
    questions: list[Planted]


def friends_talk(seed: int, kind: Kind) -> FriendsTalk:
    """Return a conversation, the same for a seed and a kind."""
    random = Random(f"{kind} {seed}")
    names = random.sample(_POOLS["names"], 2)
    topics = _topics()
    random.shuffle(topics)
    topics = topics[: len(topics) * 9 // 10]
    at = datetime(2025, random.randint(1, 12), random.randint(1, 28), 18, tzinfo=UTC)
    sessions: list[tuple[datetime, list[str]]] = []
    questions: list[Planted] = []
    first = 0
    for start in range(0, len(topics), _TOPICS_OF_A_SESSION):
        said: list[str] = []
        for topic in topics[start : start + _TOPICS_OF_A_SESSION]:
            filled = _filled(random, names)
            told, places = _told(random, topic, filled, kind)
            questions += [
                Planted(text.format(**filled), first + len(said) + places[line], answer.format(**filled))
                for text, answer, line in topic.questions
                if kind == "friends" or line in places
            ]
            said += told
        if kind == "friends":
            opening = [
                f"{names[0]}: {_one(random, 'greetings').format(other=names[1])}",
                f"{names[1]}: {_one(random, 'answers').format(other=names[0])}",
            ]
            questions = [
                Planted(one.text, one.message + len(opening) if one.message >= first else one.message, one.answer)
                for one in questions
            ]
            said = [*opening, *said, f"{names[0]}: {_one(random, 'partings').format(other=names[1])}"]
            said += [f"{names[1]}: {_small_talk(random, 'day', names[0])}"] * (len(said) % 2)
        sessions.append((at, said))
        first += len(said)
        at += timedelta(days=random.randint(2, 16), hours=random.randint(-6, 4))
    return FriendsTalk(sessions, questions)


def _small_talk(random: Random, topic: str, other: str) -> str:
    said = f"{_one(random, 'openers')} {_one(random, 'remarks')}{_one(random, 'ends')}"
    return said.format(topic=topic, other=other)


def _one(random: Random, pool: str) -> str:
    return random.choice(_POOLS[pool])


def _filled(random: Random, names: list[str]) -> dict[str, str]:
    return {
        "A": names[0],
        "B": names[1],
        "city": _one(random, "cities"),
        "street": _one(random, "streets"),
        "day": _one(random, "days"),
        "month": _one(random, "months"),
        "n": str(random.randint(120, 2_400)),
        "date": f"{random.randint(2, 28)} {_one(random, 'months')}",
    }


def _told(random: Random, topic: _Topic, filled: dict[str, str], kind: Kind) -> tuple[list[str], dict[int, int]]:
    """Return the messages of a topic, and which of them each line is in."""
    said: list[str] = []
    places: dict[int, int] = {}
    for number, (speaker, text) in enumerate(topic.lines):
        line = text.format(**filled)
        if kind == "friends":
            places[number] = len(said)
            other = filled["B" if speaker == "A" else "A"]
            before, after = (
                f"{_small_talk(random, topic.name, other)}" if random.random() < 0.35 else "" for _ in "12"
            )
            said.append(f"{filled[speaker]}: {before} {line} {after}".replace("  ", " ").strip())
            if random.random() < 0.3:
                said.append(f"{other}: {_small_talk(random, topic.name, filled[speaker])}")
        elif speaker == topic.lines[0][0]:
            places[number] = len(said)
            wish = _one(random, "wishes").format(topic=topic.name)
            said.append(f"{line} {wish}" if random.random() < 0.5 else f"{wish} By the way, {line}")
            said.append(" ".join(random.sample(_POOLS["advice"], random.randint(7, 16))).format(topic=topic.name))
    return said, places
