"""Clauses that steer the work instead of doing it: go back, stop, go on, wait, try again, escalate."""

import itertools
from collections.abc import Callable
from typing import Final

from workflow_agent.agent.offline.drafting.actors import Memory, person_at
from workflow_agent.agent.offline.drafting.clauses import Clause
from workflow_agent.agent.offline.drafting.nouns import SENDERS, THING_PRONOUNS, is_system, is_thing, singular
from workflow_agent.agent.offline.drafting.phrases import capitalised, keywords, object_words
from workflow_agent.agent.offline.drafting.statements import GoBack, Proceed, Statement, Stop, Task
from workflow_agent.agent.offline.drafting.tokens import Tokens, lows, spoken
from workflow_agent.agent.offline.drafting.verbs import is_form
from workflow_agent.agent.offline.drafting.waits import PROCESS_NOUNS, deadline, escalating, retrying, waiting
from workflow_agent.agent.offline.drafting.words import word_set

_RETURNS: Final = word_set(
    "return go send give hand come route bounce loop jump resend get move step pass push forward "
    "start put take "
    "redirect turn rewind throw")  # fmt: skip
_HANDS: Final = word_set("hand give bring take put move")
"""A thing that is handed back, to nobody in particular, is no work that is done again."""
_PLACES: Final = word_set(
    "stock shelf shelves storage storeroom stockroom rack bin drawer cabinet inventory pool archive library"
)
_SOMEWHERE: Final = word_set("on in into onto inside")
"""What goes back there is put away: "it goes back on the shelf"."""
_PHRASE_ENDS: Final = word_set(", and or for so with where")
_STOPS: Final = word_set("end stop finish terminate abort quit")
_STOP_WORDS: Final = word_set(
    "it there here everything all process workflow flow the this that whole case then is we"
)
_GOING_ON: Final = word_set(
    "on ahead with to as usual normally directly the straight next step process it this "
    "that workflow flow rest"
)
_ON: Final = word_set("on ahead")
_OUTCOMES: Final = {
    "rejected": "rejected", "rejection": "rejected", "declined": "rejected", "denied": "rejected",
    "cancelled": "cancelled", "canceled": "cancelled", "failed": "failed", "failure": "failed",
    "error": "failed",
}  # fmt: skip
_WISHES: Final = word_set("want need like have hope think know mean believe")


_Reading = Callable[[Clause, Memory], list[Statement] | None]


def move_of(clause: Clause, memory: Memory) -> list[Statement] | None:
    """Return what a steering clause says, or None when the clause describes work."""
    for read in _READINGS:
        found = read(clause, memory)
        if found is not None:
            return found
    return None


def _back(clause: Clause, memory: Memory) -> list[Statement] | None:
    words = lows(clause.rest)
    lemma = clause.lemma
    if lemma == "back":
        return [go_back(clause.rest, memory)] if words[:1] == ["to"] else None
    at = next((at for at, word in enumerate(words[:6]) if word == "back"), None)
    if at is not None and _is_put_away(clause, words[at + 1 :]):
        return _returned(clause, at, memory)
    if at is not None and (lemma in _RETURNS or not clause.head):
        return [go_back(clause.rest[at + 1 :], memory)]
    if lemma == "return" and "to" in words[:5] and not _returns_a_thing_to_outside(clause):
        if singular(words[-1]) in SENDERS:
            return None
        return [go_back(clause.rest[words.index("to") :], memory)]
    if lemma in ("start", "begin", "go") and (
        "over" in words[:2] or words[:1] == ["again"] or "beginning" in words
    ):
        return [GoBack("the beginning", restarts=True)]
    if lemma == "repeat" and words[:1] and words[0] not in ("until", "it", "this", "that", "the"):
        return [go_back(clause.rest, memory)]
    return None


def _sends_a_thing_back(clause: Clause) -> bool:
    """Say whether somebody sends something named: "the customer sends the item back"."""
    is_somebody = clause.actor.kind == "person" and clause.has_subject
    return is_somebody and len(clause.rest) > 1 and clause.rest[0].low not in THING_PRONOUNS


def _is_put_away(clause: Clause, following: list[str]) -> bool:
    """Say whether something goes back on a shelf, or is handed back to nobody in particular."""
    if not following:
        is_passive = clause.head is not None and clause.head.voice == "passive"
        if clause.lemma == "come" and clause.actor.kind == "thing":
            return clause.words[0] not in THING_PRONOUNS
        return (clause.lemma in _HANDS and is_passive) or _sends_a_thing_back(clause)
    end = next((at for at, word in enumerate(following) if word in _PHRASE_ENDS), len(following))
    return following[0] in _SOMEWHERE or (following[0] == "to" and following[end - 1] in _PLACES)


def _returned(clause: Clause, back: int, memory: Memory) -> list[Statement] | None:
    """Return the step of "it goes back to stock"; what somebody puts there is told as work."""
    to = clause.rest[back + 1 :]
    if clause.lemma not in ("go", "come") or clause.actor.kind == "person" or lows(to[:1]) != ["to"]:
        return None
    words = ["return", *(memory.thing.split() or ["it"]), "to", *object_words(to[1:], memory)]
    return [Task(capitalised(words), "human", "return", words=keywords([word.lower() for word in words]))]


def _returns_a_thing_to_outside(clause: Clause) -> bool:
    """Say whether a person returns something as work: "the customer returns the parcel to the shop"."""
    return (
        clause.actor.kind == "person"
        and clause.has_subject
        and bool(clause.rest)
        and is_thing(clause.rest[-1].low)
    )


def go_back(target: Tokens, memory: Memory) -> GoBack:
    """Return the way back to what a phrase names: `to the author for rework`, `to step 2`, `to draft`."""
    words = lows(target)
    start = 1 if words[:1] in (["to"], ["at"], ["from"], ["until"]) else 0
    end = next(
        (at for at, word in enumerate(words) if word in ("for", "with", "so", "to") and at > start),
        len(words),
    )
    phrase = target[start:end]
    name = capitalised(["Revise", *(memory.thing.split() or ["it"])])
    if "beginning" in words or words[start : start + 2] == ["the", "start"]:
        return GoBack("the beginning", restarts=True)
    item = next(
        (
            token.low
            for before, token in itertools.pairwise(phrase)
            if before.low in ("step", "point", "number")
        ),
        None,
    )
    person = person_at(phrase, 0)
    actor = (
        person[0]
        if person
        else memory.person
        if words[start : start + 1] in (["him"], ["her"], ["them"])
        else None
    )
    if item is not None and item.isdigit():
        return GoBack(spoken(phrase), item=item)
    is_reworked = end < len(words)
    given = capitalised(["Return", *(memory.thing.split() or ["it"]), "to", actor or ""])
    return GoBack(
        spoken(phrase),
        keywords(lows(phrase)),
        actor,
        name=name,
        given="" if is_reworked or not actor else given,
    )


def _stop(clause: Clause, _: Memory) -> list[Statement] | None:
    words = clause.words
    bare = [word for word in words if word[:1].isalnum()]
    outcome = next((_OUTCOMES[word] for word in words if word in _OUTCOMES), "")
    is_state = clause.head is None or clause.head.voice == "state" or len(bare) <= 3
    if (
        is_state
        and bare[:2] in (["that", "is"], ["we", "are"], ["it", "is"])
        and bare[-1:]
        in (
            ["it"],
            ["all"],
            ["done"],
            ["over"],
            ["end"],
        )
    ):
        return [Stop(outcome)]
    if not clause.head:
        return [Stop(outcome)] if bare and bare[-1] in ("end", "done", "stop") and len(bare) <= 2 else None
    about_process = any(word in PROCESS_NOUNS for word in words)
    if clause.lemma in ("cancel", "close", "abandon") and about_process and len(bare) <= 5:
        return [Stop(outcome or ("cancelled" if clause.lemma == "cancel" else ""))]
    if clause.lemma == "reject" and clause.head.voice in ("imperative", "passive") and "by" not in words:
        return [Stop("rejected")] if len(bare) <= 4 else None
    others = [
        word
        for word in bare
        if word not in _STOP_WORDS and not is_form(word, "base", "s", "participle", "ing")
    ]
    if (
        clause.lemma in _STOPS
        and (about_process or (not clause.rest or len(others) == 0))
        and clause.actor.kind != "person"
    ):
        return [Stop(outcome or ("cancelled" if clause.lemma == "abort" else ""))]
    return None


def _proceed(clause: Clause, _: Memory) -> list[Statement] | None:
    words = lows(clause.rest)
    lemma = clause.lemma
    if clause.words and "nothing" in clause.words and (lemma in ("do", "happen", "need") or not clause.head):
        return [Proceed()]
    if lemma in ("stay", "remain") and clause.actor.kind != "person":
        return [Proceed()]
    moves_on = lemma in ("continue", "proceed") or (
        lemma in ("go", "move", "carry", "process") and words[:1] and words[0] in _ON
    )
    if lemma == "skip" or (moves_on and clause.actor.kind != "person"):
        named = [word for word in words if word not in _GOING_ON]
        said = [*clause.head.subject, *clause.rest] if clause.head and lemma == "skip" else []
        return [Proceed(keywords(lows(said)))] if not named or lemma == "skip" else None
    return None


def _about_the_process(clause: Clause, _: Memory) -> list[Statement] | None:
    """Return nothing for sentences about the process itself: "the process starts", "this takes a while"."""
    if clause.head is None or not clause.head.subject:
        return None
    noun = clause.head.subject[-1].low
    if clause.actor.kind == "nobody" and clause.lemma in _WISHES:
        return []
    if noun in ("it", "this") and clause.lemma in ("start", "begin", "run") and not clause.rest:
        return []
    is_about = noun in PROCESS_NOUNS or (is_system(noun) and noun in ("pipeline", "automation"))
    return (
        []
        if is_about and (clause.head.verb.kind in ("control", "event") or clause.head.voice == "state")
        else None
    )


_READINGS: Final[tuple[_Reading, ...]] = (
    deadline, _back, _stop, _proceed, waiting, retrying, escalating, _about_the_process,
)  # fmt: skip
