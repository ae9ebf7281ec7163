"""What a clause says: its object and the step's name, who by, within what time, how often, together with what."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from workflow_agent.assistant.offline.drafting.conditions import comparison_end
from workflow_agent.assistant.offline.drafting.grammar import Clause
from workflow_agent.assistant.offline.drafting.phrases import (
    acts,
    bare,
    capitalized,
    cased,
    is_pronoun,
    is_role,
    phrase_at,
    text_of,
)
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.references import akin
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.values import duration_at, schedule_at, times_at
from workflow_agent.values.stored import JsonObject

_NO_AGENT: Final = word_set("set.no_agent")
_ACTING: Final = frozenset({"he", "she", "they", "we", "i"})
_ENDS_AGENT: Final = frozenset({"prep", "wh", "conj", "part"})


@dataclass(slots=True)
class Details:
    """The parts of what follows a verb."""

    rest: tuple[Token, ...] = ()
    """What is left: the object and what describes it."""
    agent: tuple[Token, ...] = ()
    timeout: str | None = None
    duration: str | None = None
    attempts: int | None = None
    """Of "three times", "at most twice"."""
    is_again: bool = False
    is_together: bool = False
    is_before: bool = False
    """Of "pays the fine first"."""
    schedule: JsonObject | None = None
    doubts: list[str] = field(default_factory=list[str])
    """What in the rest tells structure that a name cannot."""


def details_of(clause: Clause) -> Details:
    """Return what the words behind a clause's verb say, each token in one part."""
    found = Details(timeout=clause.timeout)
    tokens, kept, at = clause.rest, list[Token](), 0
    while at < len(tokens):
        end = _part(tokens, at, clause, found) if tokens[at].kind in ("word", "number", "punct") else None
        if end is None:
            kept.append(tokens[at])
            at += 1
        else:
            at = end
    while kept and (kept[-1].kind == "punct" or kept[-1].lower in ("and", "or", "all", "both", "each")):
        kept.pop()
    if len(kept) > 1 and kept[0].text == "," and kept[0] == tokens[0]:
        found.doubts.append(f"whether {text_of(kept)!r} is a step of its own")
    while kept and kept[0].kind == "punct":
        kept.pop(0)
    if len(kept) > 1 and kept[-1].lower in ("first", "beforehand"):
        found.is_before, kept = True, kept[:-1]
    found.is_before = found.is_before or [token.lower for token in kept] == ["first"]
    found.rest = tuple(kept)
    found.doubts += doubts_of(kept)
    return found


def _part(tokens: Sequence[Token], at: int, clause: Clause, found: Details) -> int | None:
    """Read the part that begins at a position; return its end, or None where none does."""
    if tokens[at].text == "(":
        return _in_brackets(tokens, at, clause, found)
    if (together := phrase_at("together", tokens, at)) is not None:
        found.is_together = True
        return together[1]
    if tokens[at].lower in ("again", "anew"):
        found.is_again = True
        return at + 1
    end = _times(tokens, at, found) or _time(tokens, at, clause, found) or _agent(tokens, at, clause, found)
    if end is not None:
        return end
    if found.schedule is None and tokens[at].lower in word_set("details.schedule.every"):
        schedule = schedule_at(tokens, at)
        if schedule is not None and not (tokens[at].has("adj") and at + 1 < len(tokens) and schedule.end == at + 1):
            found.schedule = schedule.value
            return schedule.end
    skipped = phrase_at("skipped", tokens, at)
    plain = tokens[at].has("adv", "part", "filler") and not tokens[at].has("noun")
    return skipped[1] if skipped is not None and (plain or skipped[1] > at + 1) else None


def _in_brackets(tokens: Sequence[Token], at: int, clause: Clause, found: Details) -> int | None:
    end = next((n for n in range(at, min(at + 12, len(tokens))) if tokens[n].text == ")"), None)
    if end is None:
        return None
    start = at + 1
    for stop in [one for one in range(start, end + 1) if tokens[one].text in (",", ")")]:
        inside = tuple(tokens[start:stop])
        inner = _times(inside, 0, found) or _time(inside, 0, clause, found) or length_of(inside, found)
        if acts(inside) and (clause.voice == "passive" or not clause.subject):
            found.agent = inside
        elif inner is None or inner < len(inside):
            found.doubts.append(f"the note {text_of(inside)!r}")
        start = stop + 1
    return end + 1


def length_of(tokens: Sequence[Token], found: Details) -> int | None:
    """Read "3 days" and "max 3 days" alone as a deadline."""
    length = duration_at(tokens, _lead(tokens, 0, "most"))
    found.timeout = length.value if length is not None else found.timeout
    return length.end if length is not None else None


def _lead(tokens: Sequence[Token], at: int, group: str) -> int:
    found = phrase_at(group, tokens, at)
    return found[1] if found is not None else at


def _times(tokens: Sequence[Token], at: int, found: Details) -> int | None:
    """Read "three times", "up to 5 attempts", "with 4 retries"."""
    start = _lead(tokens, at, "most")
    start = start + (start < len(tokens) and tokens[start].lower == "with")
    times = times_at(tokens, start)
    nth = tokens[start].lower.endswith(("st", "nd", "rd", "th")) if times is not None else False
    if times is None or nth or (start == at and tokens[at].lower == "once"):
        return None
    found.attempts = times.value
    end = times.end
    return _lead(tokens, end, "latest") if end < len(tokens) else end


def _time(tokens: Sequence[Token], at: int, clause: Clause, found: Details) -> int | None:
    """Read a deadline, or how long something takes."""
    start = _lead(tokens, at, "within")
    length = duration_at(tokens, start)
    if length is None:
        return None
    behind = tokens[length.end].lower if length.end < len(tokens) else ""
    if start > at and behind not in ("before", "prior"):
        found.timeout = length.value
        end = length.end
        return _lead(tokens, end, "latest")
    takes = clause.verb in ("wait", "pause", "cool", "rest", "sleep", "take", "stay")
    if takes or (tokens[at].lower == "for" and length.end == len(tokens)):
        found.duration = length.value
        return length.end
    return None


def _agent(tokens: Sequence[Token], at: int, clause: Clause, found: Details) -> int | None:
    """Read "by the mail room" of a passive."""
    is_item = not clause.subject and clause.form == "base"
    if tokens[at].lower != "by" or not (clause.voice == "passive" or is_item) or found.agent:
        return None
    end = at + 1
    while end < len(tokens) and tokens[end].kind in ("word", "quoted", "number"):
        token = tokens[end]
        parts = (
            (token.has(*_ENDS_AGENT) or (token.lower == "first" and end + 1 == len(tokens)))
            and token.lower != "of"
            and token.text != "IT"
        )
        if end > at + 1 and (parts or (token.has("det") and tokens[end - 1].lower != "of")):
            break
        end += 1
    said = tuple(tokens[at + 1 : end])
    if (
        not said
        or said[-1].lower in _NO_AGENT | word_set("details.agent.monday")
        or any(token.value is not None for token in said[:2])
    ):
        return None
    doing = said[-1].entry.form == "ing" and not is_role(said[-1])
    if doing or (is_item and clause.voice != "passive" and not acts(said)):
        return None
    found.agent = said
    return end


_SAID_TOKENS = 100
"""More than are shown of a name: no token but a blank is empty."""


def doubts_of(tokens: Sequence[Token]) -> list[str]:
    """Return what words of a step's name tell first of a branch, a loop, a time or further work."""
    return list(islice(_doubts(tokens), 1))


def _doubts(tokens: Sequence[Token]) -> Iterator[str]:
    said = text_of(tokens[:_SAID_TOKENS])[:100]
    for at, token in enumerate(tokens):
        if (token.text == "," and token.kind == "punct") or comparison_end(tokens, at) is not None:
            yield f"whether {said!r} is one step"
        if token.kind != "word" or token.text == "IT":
            continue
        if token.lower == "or":
            yield f"which of {said!r}"
        dated = any(one.value is not None for one in tokens[at + 1 : at + 3])
        if (at and token.lower in _ACTING) or (token.lower == "by" and (dated or is_role(tokens[-1]))):
            yield f"{token.lower!r} in {said!r}"
        before = tokens[at - 1] if at else None
        last = at + 1 == len(tokens)
        finite = (at and token.has("aux")) or (
            "s" in token.entry.form.split()
            and token.has("verb")
            and (
                not token.has("noun") or (at and not tokens[at - 1].has("det") and token.lemma in word_set("verb.move"))
            )
        )
        inside = any(one.lower in word_set("doubts.in_clause.who") for one in tokens[max(0, at - 8) : at])
        joined = before is not None and before.lower in ("and", "or", ",", "but", "then")
        verb = joined and token.entry.form.split() and not token.has("noun", "adj", "prep", "det", "conj")
        behind = tokens[at + 1] if at + 1 < len(tokens) else None
        bent = joined and before is not None and "s" in token.entry.form.split()
        other = before is not None and before.lower == "or"
        verb = verb or (bent and (other or behind is None or behind.has("prep", "det")))
        counts = before is not None and before.lower == "every" and token.lower.endswith(("nd", "rd", "th"))
        if counts or ((token.value or 0) > 2 and behind is not None and behind.lemma == "time"):
            yield f"how often: {said!r}"
        named = before is not None and before.has("det")
        structured = token.among("doubts.turns") or (not named and token.lower in word_set("doubts.structure"))
        if structured and not (token.lower in ("before", "after", "issues") and last):
            yield f"{token.lower!r} in {said!r}"
        elif (finite and not inside) or verb:
            yield f"whether {token.lower!r} in {said!r} is a step of its own"
        elif duration_at(tokens, at) is not None:
            yield f"the time in {said!r}"
    if tokens and tokens[0].lower in ("and", "or", "but"):
        yield said
    if len(tokens) > 11:
        yield f"{said!r}: it is long"


_PARTICLES: Final = word_set("set.particles")
_IT: Final = frozenset({"it", "them", "this", "that", "these", "those"})


def object_of(clause: Clause, rest: Sequence[Token]) -> tuple[Token, ...]:
    """Return the thing a clause works on: what follows its verb, or the subject of a passive."""
    if clause.voice == "passive":
        return () if is_pronoun(clause.subject) else clause.subject
    end = 1 if rest and rest[0].lower in _PARTICLES else 0
    start = end
    while end < len(rest):
        token = rest[end]
        stops = token.has("prep", "conj", "pron", "wh") and token.text != "IT"
        if (
            stops
            or token.kind == "punct"
            or (end > start and token.has("det", "adv", "part") and not token.has("noun"))
        ):
            break
        end += 1
    found = tuple(rest[start:end])
    named = any(token.has("noun", "name", "verb") or not token.entry.known for token in found)
    return found if named else ()


def thing_of(tokens: Sequence[Token]) -> str:
    """Return what a later "it" stands for, empty for a person and where nothing is named."""
    said = bare(tokens)
    named = any(token.has("noun", "name") or not token.entry.known for token in said)
    return f"the {cased(said)}" if named and not acts(tokens) and len(said) < 6 else ""


def step_name(clause: Clause, rest: tuple[Token, ...], thing: str) -> str:
    """Return a step's name in the imperative, its object kept; `thing` stands for "it" and "them"."""
    *others, last = clause.verbs or (clause.verb,)
    said = f"{', '.join(others)} or {last}" if others else last
    if clause.voice == "passive":
        particle = "" if not rest else rest[0].lower
        if particle in _PARTICLES and (len(rest) < 2 or rest[1].has("prep", "part")):
            said, rest = f"{said} {particle}", rest[1:]
        own = bool(clause.subject) and not is_pronoun(clause.subject)
        parts = [said, cased(clause.subject) if own else thing or "it", cased(rest)]
    elif not rest and (others or clause.verb in word_set("verb.about")):
        parts = [said, thing]
    else:
        parts = [said, _with_thing(rest, thing)]
    return capitalized(" ".join(part for part in parts if part))


def name_of_start(triggers: Sequence[JsonObject], steps: Sequence[JsonObject]) -> str | None:
    """Return a workflow's name made of what starts it and is approved in it: "Expense approval"; else None."""
    events = [str(one["event"]) for one in triggers if one.get("type") == "event"]
    thing = events[0].partition(".")[0].replace("_", " ") if len(events) == 1 and "." in events[0] else ""
    approves = any(akin(word.lower(), "approve") for step in steps for word in step["name"].split()[:1])
    return f"{capitalized(thing)} approval" if len(thing) > 2 and approves else None


def _with_thing(rest: tuple[Token, ...], thing: str) -> str:
    """Return what follows a verb, "it" replaced: "the contract to the client"."""
    at = 1 if rest and rest[0].lower in _PARTICLES else 0
    if not thing or at >= len(rest) or rest[at].lower not in _IT or rest[at].text == "IT":
        return cased(rest)
    if rest[at].lower in ("them", "these", "those") and not thing.endswith("s"):
        return cased(rest)
    return " ".join(part for part in (cased(rest[:at]), thing, cased(rest[at + 1 :])) if part)
