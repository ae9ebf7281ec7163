"""What a clause says beside its verb and object: who by, within what time, how often, together with what."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from workflow_agent.assistant.offline.drafting.conditions import text_of
from workflow_agent.assistant.offline.drafting.grammar import Clause, is_role
from workflow_agent.assistant.offline.drafting.naming import acts
from workflow_agent.assistant.offline.drafting.words import phrase_at
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.values import duration_at, schedule_at, times_at
from workflow_agent.values.stored import JsonObject

_WITHIN = (
    ("within",),
    ("in", "under"),
    ("in", "less", "than"),
    ("no", "later", "than"),
    ("not", "later", "than"),
    ("in", "at", "most"),
    ("for", "at", "most"),
    ("inside",),
    ("in", "up", "to"),
    ("at", "the", "latest", "after"),
    ("after", "at", "most"),
    ("in", "no", "more", "than"),
    ("under",),
    ("in",),
    ("has",),
    ("have",),
    ("within", "at", "most"),
    ("in", "the", "next"),
    ("within", "the", "next"),
)
_AT_MOST = (
    ("at", "most"),
    ("up", "to"),
    ("no", "more", "than"),
    ("not", "more", "than"),
    ("a", "maximum", "of"),
    ("maximum",),
    ("max",),
    ("at", "the", "most"),
    ("maximally",),
)
_NO_AGENT: Final = word_set("set.no_agent")

_LEADS = frozenset(one[0] for one in (*_WITHIN, *_AT_MOST))


@dataclass(slots=True)
class Details:
    """The parts of what follows a verb."""

    rest: tuple[Token, ...] = ()
    """What is left: the object and what describes it."""
    agent: tuple[Token, ...] = ()
    timeout: str | None = None
    duration: str | None = None
    schedule: JsonObject | None = None
    schedule_tokens: tuple[Token, ...] = ()
    limit: int | None = None
    times: int | None = None
    again: bool = False
    together: bool = False
    structure: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Words that tell of structure that was not drawn: which kind, which word."""


def details_of(clause: Clause) -> Details:
    """Return the parts of what follows a clause's verb."""
    found = Details()
    kept: list[Token] = []
    tokens = clause.rest
    at = 0
    while at < len(tokens):
        end = _read(tokens, at, clause, found)
        if end is None:
            kept.append(tokens[at])
            at += 1
        else:
            at = end
    while (
        kept
        and (kept[-1].kind == "punct" or kept[-1].lower in ("and", "all", "both", "but", "or"))
        and len(kept) > 0
    ):
        if (
            kept[-1].lower in ("all", "both")
            and len(kept) > 1
            and kept[-2].kind != "punct"
            and not found.together
        ):
            break
        kept.pop()
    found.rest = tuple(kept)
    found.structure += [
        (kind.partition(".")[2], token.text)
        for kind in (
            "structure.branch",
            "structure.loop",
            "structure.deadline",
            "structure.parallel",
            "structure.limit",
        )
        for token in kept
        if token.kind == "word" and token.lower in word_set(kind)
    ]
    found.structure += [
        ("time", kept[at].text) for at in range(len(kept)) if duration_at(kept, at) is not None
    ][:1]
    return found


def _read(tokens: Sequence[Token], at: int, clause: Clause, found: Details) -> int | None:
    token = tokens[at]
    if token.kind not in ("word", "number", "punct"):
        return None
    if token.text == "(" and (
        end := next((n for n in range(at, min(at + 9, len(tokens))) if tokens[n].text == ")"), None)
    ):
        inside = tuple(tokens[at + 1 : end])
        if not (inside and acts(inside)):
            found.structure.append(("note", text_of(inside)))
        elif clause.voice == "passive" or not clause.subject:
            found.agent = inside
        return end + 1
    end = _limit(tokens, at, found)
    for read in (_deadline, _agent):
        end = end or read(tokens, at, clause, found)
    for read in (_schedule, _together):
        end = end or read(tokens, at, found)
    if end is not None:
        return end
    if token.lower in ("again", "anew", "once more") and token.kind == "word":
        found.again = True
        return at + 1
    last = at + 1 == len(tokens)
    if (
        (skipped := phrase_at("skipped", tokens, at))
        and (token.has("adv", "part", "filler") or skipped[1] - at > 1)
        and (last or skipped[1] - at > 1 or not token.has("adj"))
    ):
        return skipped[1]
    return None


def _lead(tokens: Sequence[Token], at: int, phrases: Sequence[Sequence[str]]) -> int | None:
    low = tokens[at].lower
    if low not in _LEADS:
        return None
    fits = [len(one) for one in phrases if [token.lower for token in tokens[at : at + len(one)]] == list(one)]
    return at + max(fits) if fits else None


def _limit(tokens: Sequence[Token], at: int, found: Details) -> int | None:
    start = _lead(tokens, at, _AT_MOST)
    times = times_at(tokens, at if start is None else start)
    if (
        times is None
        and start is not None
        and start < len(tokens)
        and tokens[start].lower in ("once", "twice", "thrice")
    ):
        times = times_at(tokens, start)
    if times is None:
        return None
    if start is None and tokens[at].lower == "once":
        return None
    if start is None:
        found.times = times.value
    else:
        found.limit = times.value
    end = times.end
    return end + (end + 2 < len(tokens) and tokens[end].lower == "at" and tokens[end + 1].lower == "most") * 2


def _deadline(tokens: Sequence[Token], at: int, clause: Clause, found: Details) -> int | None:
    start = _lead(tokens, at, _WITHIN)
    if start is not None and (length := duration_at(tokens, start)) is not None:
        if tokens[at].lower == "under" and clause.voice == "state":
            return None
        end = length.end
        if end < len(tokens) and tokens[end].lower in ("before", "after", "prior"):
            return None
        found.timeout = length.value
        return _past_reference(tokens, end)
    if (
        tokens[at].lower == "for"
        and (length := duration_at(tokens, at + 1)) is not None
        and length.end >= len(tokens)
    ):
        found.duration = length.value
        return length.end
    if (length := duration_at(tokens, at)) is not None:
        if clause.verb in ("wait", "pause", "cool", "rest", "sleep") or clause.verb == "take":
            found.duration = length.value
            return length.end
        following = [token.lower for token in tokens[length.end : length.end + 3]]
        if following == ["at", "the", "latest"] or following[:2] == ["at", "most"]:
            found.timeout = length.value
            return length.end + len(following[:3] if following[-1] == "latest" else following[:2])
    return None


def _past_reference(tokens: Sequence[Token], at: int) -> int:
    """Return the position past "of receipt" and its like behind a length of time."""
    low = [token.lower for token in tokens[at : at + 2]]
    return at + 2 if low in (["of", "receipt"], ["of", "it"], ["at", "most"], ["or", "less"]) else at


def _agent(tokens: Sequence[Token], at: int, clause: Clause, found: Details) -> int | None:
    if tokens[at].lower != "by" or clause.voice != "passive" or found.agent or at + 1 >= len(tokens):
        return None
    end = at + 1
    while end < len(tokens) and not (
        end > at + 1
        and (
            (tokens[end].has("prep", "wh", "conj") and tokens[end].lower != "of" and tokens[end].text != "IT")
            or (tokens[end].kind == "punct" and tokens[end].text != "-")
            or tokens[end].has("part")
            or (tokens[end].has("adv") and not tokens[end].has("noun", "adj", "verb"))
            or (tokens[end].has("det") and tokens[end - 1].lower != "of")
        )
    ):
        end += 1
    said = tuple(tokens[at + 1 : end])
    if said[-1].lower in _NO_AGENT or (said[-1].entry.form == "ing" and not is_role(said[-1])):
        return None
    if (
        said[0].value is not None
        or duration_at(tokens, at + 1)
        or said[-1].lower in word_set("details.agent.monday")
    ):
        return None
    if not (
        acts(said)
        or said[0].has("det")
        or said[0].text[:1].isupper()
        or said[0].lower in ("someone", "somebody")
    ):
        return None
    found.agent = said
    return end


def _schedule(tokens: Sequence[Token], at: int, found: Details) -> int | None:
    if found.schedule is not None or tokens[at].lower not in word_set("details.schedule.every"):
        return None
    if at + 1 == len(tokens) and tokens[at].has("adj") and not tokens[at].has("adv"):
        return None
    schedule = schedule_at(tokens, at)
    if schedule is None or schedule.end <= at:
        return None
    found.schedule, found.schedule_tokens = schedule.value, tuple(tokens[at : schedule.end])
    return schedule.end


def _together(tokens: Sequence[Token], at: int, found: Details) -> int | None:
    together = phrase_at("together", tokens, at)
    if together is None:
        return None
    found.together = True
    return together[1]
