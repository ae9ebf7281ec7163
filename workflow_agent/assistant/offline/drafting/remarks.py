"""What single clauses say of the flow: an event, a way back, a handing over, a case, a delay."""

from collections.abc import Sequence
from typing import Final

from workflow_agent.assistant.offline.drafting.conditions import comparison_end
from workflow_agent.assistant.offline.drafting.details import Details, object_of
from workflow_agent.assistant.offline.drafting.grammar import Clause
from workflow_agent.assistant.offline.drafting.phrases import acts, bare, is_plural, is_pronoun, text_of
from workflow_agent.assistant.offline.drafting.statements import Statement, Sub
from workflow_agent.assistant.offline.lexicon import inflected, word_set
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.values import duration_at
from workflow_agent.workflows.model.parser import slug

_JOINING: Final = word_set("set.joining")
_READY: Final = word_set("set.ready")
_OTHERS: Final = frozenset({"others", "rest", "remaining", "other", "remainder", "else"})


def event_of(sub: Sub) -> tuple[str, bool] | None:
    """Return the event that starts a workflow, and whether it is a state: "order.received".

    None where the words name nothing that happens.
    """
    clause = sub.clause
    if clause is None or not clause.subject or (is_pronoun(clause.subject) and not clause.verb):
        event = slug(text_of(bare(sub.tokens)), fallback="", max_chars=60)
        return (event, True) if event and sub.word not in ("before", "for") else None
    noun = "_".join(token.lemma for token in bare(clause.subject)[-2:] if token.kind == "word")
    thing = bare(object_of(clause, clause.rest))
    if clause.voice == "active" and acts(clause.subject) and thing:
        noun = "_".join([*(token.lower for token in thing[-2:-1]), thing[-1].lemma])
    if clause.voice == "state":
        verb = "_".join(token.lower for token in clause.rest[:3])
    elif clause.verb in ("come", "arrive") and not acts(clause.subject):
        verb = "received"
    else:
        verb = inflected(clause.verb, "VBN")
    event = f"{slug(noun, fallback='')}.{slug(verb, fallback='')}".strip("._")[:100]
    return (event, clause.voice == "state") if event else None


def joins_ways(sub: Sub) -> bool:
    """Say whether a part only says that all before it is done: "when both are ready", "once this is done"."""
    lows = {token.lower for token in sub.tokens}
    clause = sub.clause
    subject = clause.subject if clause is not None else sub.tokens
    led = bool(subject) and subject[0].lower in ("both", "all", "everything", "everyone")
    if lows & {"it", "he", "she"} and sub.word in ("when", "once", "as soon as") and len(sub.tokens) < 4:
        return bool(lows & {"ready", "done", "finished", "back", "there", "over", "through"})
    return led or bool({token.lower for token in subject} & _JOINING and lows & _READY)


def returns_to(clause: Clause, details: Details) -> tuple[Token, ...] | None:
    """Return where "it goes back to the author" leads, empty for nowhere named; None for another clause."""
    rest = details.rest
    lows = [token.lower for token in rest]
    if clause.verb not in word_set("verb.back") | word_set("verb.repeat") | {"start"}:
        return None
    if "back" not in lows and clause.verb not in ("return", "loop", "restart", "repeat") and "over" not in lows:
        return None
    if clause.verb == "repeat":
        return rest
    if "back" in lows[:-1] and lows[lows.index("back") + 1] in ("in", "on", "into", "onto"):
        return None
    itself = clause.verb in word_set("verb.move") | {"come", "jump", "loop", "step", "restart", "start", "bounce"}
    at = next((at for at in range(len(rest) - 1, -1, -1) if lows[at] in ("to", "at", "with", "from")), None)
    return rest[at + 1 :] if at is not None else () if itself and clause.verb != "return" else None


def target_of(clause: Clause, details: Details) -> tuple[Token, ...] | None:
    """Return to whom a clause hands the work without saying what is done there; None for another clause."""
    moved = clause.verb in word_set("verb.move") | {"escalate"} and clause.voice == "active"
    passed = clause.verb in word_set("verb.hand") and clause.voice == "passive"
    if not moved and not passed:
        return None
    rest = details.rest
    at = next((at for at, token in enumerate(rest) if token.lower in ("to", "with", "over")), None)
    if at is None or at > 1 or at + 1 >= len(rest):
        return None
    if at == 1 and not rest[0].has("adv", "part") and (moved or not rest[0].has("pron")):
        return None
    target = tuple(rest[at + 1 :])
    return target if acts(target) or not passed else None


def is_habit(clause: Clause, details: Details) -> bool:
    """Say whether a clause in front of all others tells who speaks: "we sell used cars"."""
    if not is_pronoun(clause.subject) or clause.subject[0].lower not in ("we", "i") or clause.is_past:
        return False
    thing = object_of(clause, details.rest)
    plural = bool(thing) and is_plural(thing[-1]) and not thing[0].has("det")
    return clause.verb in word_set("verb.habit") or clause.voice == "state" or plural


def is_late(sub: Sub, clause: Clause) -> bool:
    """Say whether a condition is that the step told by a clause is not done in time."""
    lows = {token.lower for token in sub.tokens} | {token.lemma for token in sub.tokens}
    timed = any(duration_at(sub.tokens, at) for at in range(len(sub.tokens)))
    negated = bool(lows & word_set("set.negations"))
    return (
        (timed and (negated or sub.word == "after"))
        or bool(lows & {"deadline", "overdue", "late"})
        or (negated and (clause.verb in lows or bool(lows & {"answer", "response", "reply", "react"})))
    )


def told_apart(subject: Sequence[Token]) -> tuple[Token, ...]:
    """Return what tells some things from the others: "damaged" of "damaged parcels"."""
    said = bare(subject)
    if any(token.kind == "number" or token.has("prep") for token in said):
        return tuple(subject)
    return said[:-1]


def subset_of(one: Statement, after: Sequence[Statement], *, is_open: bool, is_told: bool) -> str | None:
    """Return "else" or "case" where a clause is about some of what was told: "damaged parcels are sent back".

    Args:
        one: The statement.
        after: The next ones, which may tell of the others.
        is_open: Whether the statement before told of some of them.
        is_told: Whether a step was told, after which they may go different ways.
    """
    clause = one.clause
    if clause is None or not clause.subject or one.marks - {"seq"}:
        return None
    subject = clause.subject
    said = bare(subject)
    if any(token.lower in _OTHERS for token in said[:2]) and not any(token.lower == "else" for token in said[:1]):
        return "else" if is_open else None
    case = _case(subject)
    if case is None:
        return None
    bad = case[0] in word_set("bad") or (case[0].startswith("un") and not subject[0].has("det"))
    if (
        is_open
        or (bad and is_told and clause.voice == "passive")
        or any(comparison_end(subject, at) for at in range(len(subject)))
    ):
        return "case"
    for other in after:
        own = other.clause.subject if other.clause is not None else other.phrase
        words = {token.lemma for token in own}
        if words & (_OTHERS | {"ones", "one", case[1]}) and case[0] not in words:
            return "case"
    return None


def _case(subject: Sequence[Token]) -> tuple[str, str] | None:
    """Return what parts things and what they are: ("damaged", "parcel"), ("with", "guest"); else None."""
    said = bare(subject)
    if any(comparison_end(said, at) for at in range(len(said))):
        return said[0].lower, said[0].lemma
    for at, token in enumerate(said):
        if at and token.lower in ("with", "without") and is_plural(said[at - 1]):
            return token.lower, said[at - 1].lemma
    if len(said) < 2 or not (is_plural(said[-1]) or said[-1].lower in ("ones", "one")):
        return None
    first = said[0]
    plain = first.has("adj") and first.kind == "word" and not first.entry.form
    outcome = first.lower in word_set("good") | word_set("bad") or first.lower.startswith(("un", "in", "non"))
    tells = plain or outcome or first.entry.form in ("ed", "base ed")
    return (first.lower, said[-1].lemma) if tells and not subject[0].has("det") else None
