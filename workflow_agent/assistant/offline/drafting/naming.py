"""Names of steps, and the things that later clauses call "it"."""

from collections.abc import Sequence
from typing import Final

from workflow_agent.assistant.offline.drafting.grammar import Clause
from workflow_agent.assistant.offline.drafting.phrases import acts, bare, capitalized, cased, is_pronoun
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.references import akin
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.values.stored import JsonObject

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
