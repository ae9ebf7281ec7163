"""What long conversations leave: recall of single messages, and the answers' words in the window.

    python -m benchmarks.eval_memory [--file talks.json | --set planted|friends|assistant|pen_friends]

A file holds `{sessions: [{turns}], questions: [{text, evidence, answer}]}`, or a list of such conversations.
A turn is a text, or has `text` or `content` and perhaps an `id`; evidence names turns by id, by number from
0 through all sessions, or as `[session, turn]`. Without a file twenty conversations are made by rule:
`planted` of the half that nothing is tuned on (`--dev` takes the other), those of `friends_talks`, or
those of `pen_friends`, which come in the shape of a file: dated sessions, questions about one message, about
several and about when.

Recall is that of the store's ranked search beside plain FTS5 with Porter stems, small words left out of the
query, over the same messages. The window is what compaction alone leaves, its summariser saying nothing. It
is asked for the answers of all compacted turns: how many of their words it has anywhere, and how many in one
line that shares another word with the message that answers. Beside it stand texts of the same size: the
newest, messages taken evenly from the whole talk, and the beginning of each message. "By age" tells the
words in the window for the oldest fifth of the questions to the newest.
"""

import argparse
import asyncio
import json
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from benchmarks.friends_talks import friends_talk
from benchmarks.pen_friends import pen_friends
from benchmarks.planted_talks import Planted, planted_talk
from tests.support.compacted_talks import compacted_by, said
from tests.support.stored import a_conversation
from workflow_agent.assistant.compaction.compaction import saves_enough
from workflow_agent.assistant.compaction.policy import CompactionRule, due_cut, hidden_events
from workflow_agent.assistant.compaction.text import earlier_turns
from workflow_agent.conversations.compactions import Summary
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.store import MessageQuery
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.search.vectors import telling_words
from workflow_agent.values.tokens import tokens_of

TALKS, FIRST_HITS, AGES = 20, 10, 5
Set = Literal["dev", "held_out", "friends", "assistant", "pen_friends"]
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, which messages answer it, and with which words."""

    text: str
    evidence: frozenset[int]
    answer: str


@dataclass(frozen=True, slots=True)
class Talk:
    """What was said, one message after another, and what is asked about it."""

    messages: Sequence[str]
    questions: Sequence[Question]


@dataclass(frozen=True, slots=True)
class Figures:
    """What one conversation left; sums over its questions."""

    questions: int
    recalled: float
    plain: float
    shown: Mapping[str, float]
    """The answers' words by where they are looked for."""
    by_age: Sequence[tuple[float, int]]
    """For each fifth of the compacted turns, from the oldest: words of answers shown, and questions."""
    compacted_questions: int
    window_tokens: int
    compacted_tokens: int
    compactions: int
    larger: int
    query_ms: float


def loaded(data: Any) -> list[Talk]:
    """Return the conversations of a parsed file."""
    return [_talk(one) for one in (data if isinstance(data, list) else [data])]


def _talk(data: Any) -> Talk:
    messages: list[str] = []
    numbers: dict[str, int] = {}
    starts: list[int] = []
    for session in data["sessions"]:
        starts.append(len(messages))
        turns: list[Any] = session["turns"]
        for turn in turns:
            fields: dict[str, Any] = {"text": turn} if isinstance(turn, str) else turn
            if "id" in fields:
                numbers[str(fields["id"])] = len(messages)
            messages.append(str(fields.get("text") or fields.get("content") or ""))

    def number(named: Any) -> int:
        if isinstance(named, list):
            session, turn = map(int, named)  # pyright: ignore[reportUnknownArgumentType] - JSON
            return starts[session] + turn
        return numbers[str(named)] if str(named) in numbers else int(named)

    questions: list[Question] = []
    for one in data["questions"]:
        evidence = one["evidence"] if isinstance(one["evidence"], list) else [one["evidence"]]
        held = frozenset(map(number, evidence))
        answer = str(one.get("answer") or " ".join(messages[at] for at in held))
        questions.append(Question(one["text"], held, answer))
    return Talk(messages, [one for one in questions if one.evidence])


def generated(seed: int, which: Set = "held_out") -> Talk:
    """Return a conversation made by rule, the same for a seed and a set."""
    if which == "pen_friends":
        return loaded(pen_friends(seed))[0]
    if which in ("friends", "assistant"):
        talk = friends_talk(seed, which)
        messages, asked = [one for _, said in talk.sessions for one in said], talk.questions
    else:
        messages, asked = planted_talk(seed, which)
    return Talk(messages, [_question(one) for one in asked])


def _question(one: Planted) -> Question:
    return Question(one.text, frozenset({one.message}), one.answer)


def conversation_of(talk: Talk) -> tuple[Conversation, int, int]:
    """Return a talk as a conversation, how often it was compacted, and how often to more tokens."""
    grown = said(conversation=a_conversation())
    made = larger = 0
    for at in range(0, len(talk.messages), 2):
        grown = said(talk.messages[at], conversation=grown)
        answer = talk.messages[at + 1] if at + 1 < len(talk.messages) else "Good."
        *before, reply = grown.events
        grown = grown.model_copy(update={"events": (*before, reply.model_copy(update={"content": answer}))})
        cut = due_cut(grown, CompactionRule())
        if cut is not None:
            compacted = compacted_by(cut, grown, Summary(text="They talked."))
            if not saves_enough(compacted.compactions[-1], grown, tokens_of):
                # As the service does: it waits for more turns.
                continue
            grown = compacted
            made += 1
            larger += grown.compactions[-1].tokens_after > grown.compactions[-1].tokens_before
    return grown, made, larger


async def measured(talk: Talk) -> Figures:
    """Return what a conversation left."""
    grown, made, larger = conversation_of(talk)
    hidden = hidden_events(grown)
    covered = [event.index for event in grown.events if event.id in hidden]
    earlier = earlier_turns(grown)
    window = earlier.text if earlier else ""
    compacted = [talk.messages[at] for at in covered if at < len(talk.messages)]
    whole = "\n".join(compacted)
    asked = [one for one in talk.questions if one.evidence <= set(covered)]
    texts = {"the window": window} | dict(_of_size(compacted, len(window)))
    shown = {name: sum(_held(one.answer, text) for one in asked) for name, text in texts.items()}
    shown["one line of the window"] = sum(_held_in_a_line(one, talk, window) for one in asked)
    with TemporaryDirectory() as directory:
        store = JsonConversationStore(DurableFiles(Path(directory)))
        await store.create(grown)
        await store.find(grown.tenant, MessageQuery("anything", grown.id, is_ranked=True))
        started = time.perf_counter()
        hits = [
            [
                hit.index
                for hit in await store.find(
                    grown.tenant,
                    MessageQuery(one.text, grown.id, limit=FIRST_HITS, is_ranked=True, with_neighbours=True),
                )
            ]
            for one in talk.questions
        ]
        query_ms = (time.perf_counter() - started) * 1_000 / max(len(hits), 1)
    plain = plain_hits(talk)
    return Figures(
        len(talk.questions),
        _recall(talk.questions, hits),
        _recall(talk.questions, plain),
        shown,
        _by_age(asked, window, max(covered, default=0) + 1),
        len(asked),
        tokens_of(window),
        tokens_of(whole),
        made,
        larger,
        query_ms,
    )


def plain_hits(talk: Talk) -> list[list[int]]:
    """Return what plain FTS5 finds for each question, best first."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE VIRTUAL TABLE told USING fts5(text, tokenize='porter unicode61')")
        database.executemany("INSERT INTO told(rowid, text) VALUES(?, ?)", enumerate(talk.messages))
        return [
            [
                row
                for (row,) in database.execute(
                    "SELECT rowid FROM told WHERE told MATCH ? ORDER BY bm25(told) LIMIT ?",
                    (" OR ".join(f'"{word}"' for word in telling_words(one.text)) or '""', FIRST_HITS),
                )
            ]
            for one in talk.questions
        ]


def _recall(questions: Sequence[Question], hits: Iterable[Sequence[int]]) -> float:
    return sum(len(one.evidence & set(found)) / len(one.evidence) for one, found in zip(questions, hits, strict=True))


def _held(answer: str, text: str) -> float:
    words = telling_words(answer) or _WORD.findall(answer.casefold())
    there = set(_WORD.findall(text.casefold()))
    return sum(word in there for word in words) / len(words) if words else 1.0


def _held_in_a_line(question: Question, talk: Talk, window: str) -> float:
    """Return how many of an answer's words one line has that tells of the same message."""
    told = {word for at in question.evidence for word in telling_words(talk.messages[at])}
    told -= set(telling_words(question.answer))
    lines = (line for line in window.splitlines() if not told or told & set(_WORD.findall(line.casefold())))
    return max((_held(question.answer, line) for line in lines), default=0.0)


def _of_size(messages: Sequence[str], chars: int) -> Iterator[tuple[str, str]]:
    """Yield texts of a size that are made of messages without looking at what they say."""
    yield "the newest text", "\n".join(messages)[-chars:] if chars else ""
    share = chars / max(sum(map(len, messages)) + len(messages), 1)
    yield (
        "messages taken evenly",
        "\n".join(one for at, one in enumerate(messages) if int((at + 1) * share) > int(at * share)),
    )
    yield "the beginning of each", "\n".join(one[: int(len(one) * share)] for one in messages)


def _by_age(asked: Sequence[Question], window: str, end: int) -> Sequence[tuple[float, int]]:
    ages: list[tuple[float, int]] = []
    for age in range(AGES):
        of_age = [one for one in asked if min(one.evidence) * AGES // end == age]
        ages.append((sum(_held(one.answer, window) for one in of_age), len(of_age)))
    return ages


def report(figures: Sequence[Figures]) -> str:
    """Return the figures of all conversations as lines."""
    asked = sum(one.questions for one in figures) or 1
    compacted = sum(one.compacted_questions for one in figures) or 1
    ours, plain = (sum(getattr(one, name) for one in figures) / asked for name in ("recalled", "plain"))
    size = sum(one.window_tokens for one in figures) / (sum(one.compacted_tokens for one in figures) or 1)
    query_ms = sum(one.query_ms for one in figures) / (len(figures) or 1)
    made, larger = (sum(getattr(one, name) for one in figures) for name in ("compactions", "larger"))
    names = figures[0].shown if figures else ()
    ages = (
        sum(one.by_age[age][0] for one in figures) / (sum(one.by_age[age][1] for one in figures) or 1)
        for age in range(AGES)
    )
    lines = (
        f"conversations: {len(figures)}, questions: {asked}",
        f"recall@{FIRST_HITS}: {ours:.3f}, plain FTS5: {plain:.3f}, ratio {ours / plain if plain else 0:.2f}",
        f"a query: {query_ms:.1f} ms",
        f"answers' words at {size:.3f} of the size:",
        *(f"  {name}: {sum(one.shown[name] for one in figures) / compacted:.3f}" for name in names),
        f"  by age: {' '.join(f'{age:.3f}' for age in ages)}",
        f"compactions: {made}, of these made the window larger: {larger}",
    )
    return "\n".join(lines)


async def _all(talks: Iterable[Talk]) -> list[Figures]:
    return [await measured(one) for one in talks]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="What long conversations leave.")
    parser.add_argument("--file", type=Path, help="conversations as JSON; made by rule without")
    parser.add_argument("--talks", type=int, default=TALKS, help="how many to make by rule")
    parser.add_argument(
        "--set", choices=("planted", "friends", "assistant", "pen_friends"), default="planted", dest="kind"
    )
    parser.add_argument("--dev", action="store_true", help="of `planted`, make those that may be tuned on")
    asked = parser.parse_args()
    planted: Set = "dev" if asked.dev else "held_out"
    kind: Set = planted if asked.kind == "planted" else asked.kind
    talks = (
        loaded(json.loads(asked.file.read_text(encoding="utf-8")))
        if asked.file
        else (generated(seed, kind) for seed in range(asked.talks))
    )
    print(report(asyncio.run(_all(talks))))


if __name__ == "__main__":
    main()
