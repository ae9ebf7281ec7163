"""The words of a sentence as typed spans: connectives, times, numbers of times, amounts, notes; else single words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from workflow_agent.assistant.offline.drafting.conditions import comparison_end
from workflow_agent.assistant.offline.drafting.phrases import phrase_at
from workflow_agent.assistant.offline.lexicon import entry_of
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.values import duration_at, schedule_at, times_at

_LONGEST_NOTE: Final = 14


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens that are read as one."""

    tokens: tuple[Token, ...]
    kind: str = "word"
    """What it is: a word, a kind of mark or subordinator ("seq", "if"), within, length, times, schedule, together,
    again, amount, note, skipped."""
    value: Any = None
    """Of a time its ISO 8601 text, of a schedule its trigger, of times the number."""


def spans_of(tokens: Sequence[Token]) -> list[Span]:
    """Return a sentence as spans, in its order, each token in one."""
    found: list[Span] = []
    tokens = _with_lets(tokens)
    at = 0
    while at < len(tokens):
        span = _span_at(tokens, at) or Span((tokens[at],))
        found.append(span)
        at += len(span.tokens)
    return found


def _with_lets(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens with "lets" inside a sentence as the verb it is: "the baker lets it rest"."""
    found: list[Token] = []
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        same = before is not None and before.start == token.start and at > 1
        if same and token.lower == "us" and token.end - token.start == len("lets"):
            found[-1] = replace(token, text="lets", entry=entry_of("lets"))
        else:
            found.append(token)
    return found


def _span_at(tokens: Sequence[Token], at: int) -> Span | None:
    token = tokens[at]
    if token.text == "(":
        end = next((n for n in range(at, min(at + _LONGEST_NOTE, len(tokens))) if tokens[n].text == ")"), None)
        return Span(tuple(tokens[at : end + 1]), "note") if end is not None else None
    if token.kind not in ("word", "number", "punct"):
        return None
    return _time_at(tokens, at) or _phrase_span(tokens, at) or _count_at(tokens, at)


def _phrase_span(tokens: Sequence[Token], at: int) -> Span | None:
    """Return a connective or an adverb of several words, or of one that is nothing else."""
    best: list[Span] = []
    for group in ("mark", "sub", "together", "skipped"):
        found = phrase_at(group, tokens, at)
        if found is None or (found[1] == at + 1 and not (group == "together" or tokens[at].among("spans.alone"))):
            continue
        kind = group if group in ("together", "skipped") else found[0]
        if found[1] < len(tokens) and tokens[found[1]].lower == "of":
            continue
        if kind in ("yes", "else") and not _stands_alone(tokens, at, found[1]):
            continue
        last = found[1] >= len(tokens) or tokens[found[1]].kind == "punct"
        behind = group == "together" and at > 0 and last
        if not best or found[1] - at > len(best[0].tokens) or behind:
            best = [Span(tuple(tokens[at : found[1]]), kind)]
    if not best and tokens[at].lower in ("again", "anew"):
        return Span((tokens[at],), "again")
    return best[0] if best else None


def _stands_alone(tokens: Sequence[Token], at: int, end: int) -> bool:
    """Say whether "if it is" is all of the condition: not in "if it is a complaint"."""
    last = tokens[end - 1].lower
    if tokens[at].lower not in ("if", "when") or last in ("so", "yes") or end >= len(tokens):
        return True
    done = last in ("not", "does", "do") and (end == at + 2 or tokens[end].has("det", "pron"))
    return done or tokens[end].kind == "punct" or tokens[end].lower == "then"


def _time_at(tokens: Sequence[Token], at: int) -> Span | None:
    lead = phrase_at("within", tokens, at) or phrase_at("most", tokens, at)
    start = lead[1] if lead is not None and tokens[at].lower not in ("has", "have") else at
    if start > at and (length := duration_at(tokens, start)) is not None:
        last = phrase_at("latest", tokens, length.end)
        behind = tokens[length.end].lower if length.end < len(tokens) else ""
        if behind not in ("before", "prior"):
            return Span(tuple(tokens[at : last[1] if last else length.end]), "within", length.value)
    when = schedule_at(tokens, at) if tokens[at].among("details.schedule.every") else None
    named = tokens[at].has("adj") and at + 1 < len(tokens) and tokens[at + 1].has("noun")
    if when is not None and not (named and when.end == at + 1):
        return Span(tuple(tokens[at : when.end]), "schedule", when.value)
    start = at + (tokens[at].lower in ("for", "another"))
    length = duration_at(tokens, start)
    if length is None:
        return None
    last = phrase_at("latest", tokens, length.end)
    if last is not None and start == at:
        return Span(tuple(tokens[at : last[1]]), "within", length.value)
    return Span(tuple(tokens[at : length.end]), "length", length.value)


def _count_at(tokens: Sequence[Token], at: int) -> Span | None:
    """Return "at most twice", "up to 5 attempts" and "over 500 euros"."""
    lead = phrase_at("most", tokens, at)
    start = lead[1] if lead is not None else at
    start += start < len(tokens) and tokens[start].lower in ("with", "for")
    times = times_at(tokens, start)
    nth = times is not None and tokens[start].lower.endswith(("st", "nd", "rd", "th", "first", "second", "third"))
    if times is not None and not nth and not (start == at and tokens[at].lower in ("once", "first")):
        last = phrase_at("latest", tokens, times.end)
        return Span(tuple(tokens[at : last[1] if last else times.end]), "times", times.value)
    end = comparison_end(tokens, at)
    return Span(tuple(tokens[at:end]), "amount") if end is not None else None
