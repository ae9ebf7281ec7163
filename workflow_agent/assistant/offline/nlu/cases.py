"""Conditions: the limits in them, who approves from an amount on, and the ways that are taken in a case."""

import re
from collections.abc import Sequence

from workflow_agent.assistant.offline.clauses import phrase_at
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.nlu.slots import Filled
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan
from workflow_agent.assistant.offline.references import akin, content_of, stems
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

NUMBER = re.compile(r"[$€£]?\d[\d,]*(?:\.\d+)?[kKmM]?\b")
_MONEY = word_set("conditions.money")
_NEGATIVE = ("not", "reject", "refuse", "decline")
_UNDER = ("under", "below", "less", "few", "fewer", "up", "most", "maximum", "<", "within")
_OVER = ("over", "above", "more", "from", "least", "beyond", "exceed", "minimum", ">", "upwards", "old", "older")
_UNITS = ("set.money", "set.units", "conditions.money")


def case_told(order: Filled, role: str) -> str:
    """Return the condition that a slot tells, without "if".

    Raises:
        NotRead: It tells none, or only points at one.
    """
    words = list(order.words(role))
    while len(words) > 1 and words[0].kind == "word" and words[0].among("cases.opening"):
        words.pop(0)
    if len(words) > 2 and words[0].is_("long") and words[1].is_("as"):
        # "As long as it burns."
        words = words[2:]
    if len(words) > 1 and words[0].is_("the", "a", "an") and words[1].kind != "punct":
        words.pop(0)
    while words and words[-1].kind == "punct" and words[-1].text in ".,;:!?":
        words.pop()
    if all(t.is_("that", "this", "it", "so", "the", "be", "case") for t in words):
        # "If that is the case": of what is told elsewhere.
        raise NotRead
    return order.plan.said(words)


def amount_of(text: str) -> float:
    """Return the value of a number as it is written."""
    plain = text.lstrip("$€£").replace(",", "").lower()
    scale = {"k": 1e3, "m": 1e6}.get(plain[-1:], 1)
    return float(plain.rstrip("km") or 0) * scale


def like_number(old: str, new: Token) -> str:
    """Return a new number written the way the old one is: with its currency and commas."""
    sign = old[0] if old[0] in "$€£" else ""
    value = new.value or 0
    text = new.text.lstrip("$€£") if new.kind == "number" else f"{value:g}"
    if "," in old and value >= 1000 and value == int(value):
        text = f"{int(value):,}"
    elif amount_of(text) != value or (text[-1:].lower() in "km" and old[-1:].lower() not in "km"):
        text = f"{value:g}" if value < 1e6 else f"{int(value)}"
    return (sign or (new.text[0] if new.text[0] in "$€£" else "")) + text


def is_amount(words: Sequence[Token]) -> bool:
    """Say whether words tell an amount and nothing that is compared with it: "more than 20 euros"."""
    numbers = [t for t in words if t.value is not None]
    return len(numbers) == 1 and not any(_counts(t) for t in words)


def _counts(token: Token) -> bool:
    """Say whether a word tells what an amount is of: none of "more than 20 euros" does."""
    compared = (*_UNDER, *_OVER)
    said = token.is_(*compared) or token.among("cases.limits") or _is_unit(token.lower)
    return token.is_content and token.value is None and not said


def _is_unit(word: str) -> bool:
    return any(one in word_set(name) for one in (word, word.removesuffix("s")) for name in _UNITS)


def with_limit(old: str, new: Sequence[Token]) -> str | None:
    """Return a condition with another limit: what is compared with it stays as it is said.

    None where the new words tell another thing, or the other direction: "under 5" of "over 3".
    """
    numbers, limits = [t for t in new if t.value is not None and not t.is_("one")], list(NUMBER.finditer(old))
    if len(numbers) != 1 or len(limits) != 1 or _turns(old, new):
        return None
    own = content_of(old)
    if any(_counts(t) and not any(akin(t.lower, one) for one in own) for t in new):
        return None
    (number,), (limit,) = numbers, limits
    unit = next((t for t in new if t.start >= number.end and _is_unit(t.lower)), None)
    rest = old[limit.end() :]
    behind = re.match(r"\s?([%€$£]|[^\W\d]+)", rest)
    had = behind is not None and _is_unit(behind[1].lower())
    told = like_number(limit[0], number)
    # "The amount is up to 5,000" is in some currency, as everybody knows.
    plain = unit is not None and not had and unit.among("conditions.money") and not unit.is_("%", "percent")
    is_there = unit is None or unit.lower in (t.lower for t in read_tokens(old)) or not limit[0][0].isdigit()
    if unit is not None and not is_there and not plain:
        # "Ten minutes" of a condition that says "2 hours", "3 %" of one that says 5.
        told += f"{' ' * (unit.start > number.end)}{unit.text}"
        rest = rest[behind.end() :] if had and behind else rest
    return f"{old[: limit.start()]}{told}{rest}"


def _turns(old: str, new: Sequence[Token]) -> bool:
    """Say whether new words compare the other way round than a condition does."""
    said = [direction_of(t) for t in new if direction_of(t)]
    had = [direction_of(t) for t in read_tokens(old) if direction_of(t)]
    return bool(said) and bool(had) and said[0] != had[0]


def direction_of(token: Token) -> int:
    """Return 1 for a word of "more than 5", -1 for one of "at most 5", else 0."""
    # "At least 5": its base form is "less".
    word = token.lower if token.lower in (*_OVER, *_UNDER) else token.lemma
    return (word in _OVER) - (word in _UNDER)


def amount_told(plan: Plan, tokens: Tokens) -> str | None:
    """Return the condition that "everything over 100 euros" tells; None where it tells more, or no amount."""
    span = _amount(tokens)
    if span is None or any(t.is_content and not t.is_("everything", "anything", "all") for t in tokens[: span[0]]):
        return None
    return f"the amount is {plan.said(tokens[span[0] : span[1]])}"


def _amount(tokens: Tokens) -> tuple[int, int] | None:
    """Return where "over 100 euros" stands, from its mark to its currency."""
    for at in range(len(tokens)):
        end, kinds = phrase_at(tokens, at, "markers.tsv")
        opens = bool(set(kinds) & {"above", "below"}) or (tokens[at].is_("from") and end == at + 1)
        if opens and end < len(tokens) and tokens[end].kind in ("number", "punct"):
            while end < len(tokens) and (tokens[end].kind == "number" or tokens[end].lower.removesuffix("s") in _MONEY):
                end += 1
            said = any(t.kind == "number" for t in tokens[at:end])
            while tokens[at].is_("from") and end < len(tokens) and tokens[end].is_("on", "up", "upwards", "onwards"):
                end += 1
            return (at, end) if said else None
    return None


def is_approval(tokens: Sequence[Token]) -> bool:
    """Say whether words mean an approval and nothing more: "an approval", "sign-off"."""
    said = [t for t in tokens if t.is_content and t.lemma != "step"]
    approvals = word_set("structure.approvals")
    return len(said) == 1 and (said[0].lemma in approvals or said[0].lower in approvals or said[0].is_("approve"))


def _tells_approval(text: str) -> bool:
    return any(not stems("approve").isdisjoint(stems(word)) for word in content_of(text))


def approve_from(plan: Plan, who: str, condition: str, where: JsonObject | None) -> None:
    """Put an approval that happens only in a case behind the one there is, or make the case that approval's.

    Raises:
        Asked: No place is told, and nothing there approves.
    """
    mine = [
        s for s in plan.workflow.steps if (s.assignee or "").casefold() == who.casefold() and _tells_approval(s.name)
    ]
    if where is None and len(mine) == 1 and (_changed(plan, mine[0], condition) or _limited(plan, mine[0], condition)):
        return
    if where is None:
        where = _behind_review(plan)
    draft = plan.approval_by(who) | {"when": {"text": condition}}
    plan.do({"op": "insert_step", "step": draft, **{key: one for key, one in where.items() if key != "at"}})


def _behind_review(plan: Plan) -> JsonObject:
    """Return the place behind the one step that approves, reviews or checks, and say that nobody named it.

    Raises:
        Asked: There is none, or several.
    """
    steps = [step for step in plan.workflow.steps if step.type not in ("end", "fork", "join")]
    tiers: list[list[Step]] = [
        [step for step in steps if any(root in stems(word) for word in content_of(step.name))]
        for root in ("approve", "review", "check")
    ]
    reviews = next((tier for tier in tiers if tier), list[Step]())
    if len(reviews) != 1:
        raise Asked("Where does that approval go?", plan.going_on(""), "")
    told = f"you did not say where: I would put it after “{reviews[0].name}”, which approves now"
    plan.notes = [*plan.notes, told]
    return {"after": reviews[0].id}


def _changed(plan: Plan, step: Step, condition: str) -> bool:
    """Put the number of a case into the condition under which a step happens already; say whether."""
    new = _number_in(condition)
    ways = [edge for edge in plan.workflow.incoming(step.id) if edge.when and _number_in(edge.when.text)]
    told = ways[0].when.text if len(ways) == 1 and ways[0].when else None
    if new is None or told is None or _is_below(told) != _is_below(condition):
        return False
    edge = ways[0]
    text = NUMBER.sub(lambda found: like_number(found[0], new), told)
    plan.do({"op": "update_transition", "transition": edge.id, "set": {"when": {"text": text}}})
    asking = plan.workflow.step(edge.from_)
    if asking is not None and asking.name.strip("?").casefold() == told.casefold():
        name = NUMBER.sub(lambda found: like_number(found[0], new), asking.name)
        plan.do({"op": "rename_step", "step": asking.id, "name": name})
    return True


def _limited(plan: Plan, step: Step, condition: str) -> bool:
    """Let an approval that happens always happen in a case only, and the rest pass as if approved."""
    passing = _way_if_approved(plan, step)
    if passing is None or len(plan.workflow.incoming(step.id)) > 1:
        return False
    name = f"{condition[:1].upper()}{condition[1:]}?"
    asking: JsonObject = {"id": plan.new_id(condition), "name": name, "type": "decision"}
    plan.do({"op": "insert_step", "step": asking, "before": step.id})
    (into,) = plan.workflow.incoming(step.id)
    case: JsonObject = {"type": "condition", "when": {"text": condition}}
    plan.do(
        {"op": "disconnect", "from": into.from_, "to": step.id},
        {"op": "connect", "from": asking["id"], "to": step.id, **case},
        {"op": "connect", "from": asking["id"], "to": passing.id, "type": "default"},
    )
    told = f"“{step.name}” names no amount now: I would let the rest pass to “{passing.name}”"
    plan.notes = [*plan.notes, told]
    return True


def _way_if_approved(plan: Plan, step: Step) -> Step | None:
    ways = plan.workflow.outgoing(step.id)
    if len(ways) == 1 and (after := plan.workflow.step(ways[0].to)) is not None:
        if after.type != "decision":
            return after
        ways = plan.workflow.outgoing(after.id)
    said = [(edge, (edge.when.text or "").casefold()) for edge in ways if edge.when]
    good = [edge for edge, text in said if _tells_approval(text) and not any(word in text for word in _NEGATIVE)]
    return plan.workflow.step(good[0].to) if len(good) == 1 else None


def _number_in(text: str | None) -> Token | None:
    numbers = [t for t in read_tokens(text or "") if t.kind == "number"]
    return numbers[0] if len(numbers) == 1 else None


def _is_below(text: str) -> bool:
    return any(t.is_(*_UNDER) for t in read_tokens(text))


def happens_if(plan: Plan, step: Step, condition: str, *, is_limit: bool = False) -> None:
    """Let a step happen only in a case.

    Args:
        plan: Gets the edit.
        step: The one that happens.
        condition: When it does. What ways to it are taken on stays as it is, and holds as well.
        is_limit: Whether the condition may be another for the same thing: "only above 500" of "above 200".
    """
    entering = [edge for edge in plan.workflow.incoming(step.id) if edge.when]
    told = entering[0].when.text or "" if len(entering) == 1 and entering[0].when else ""
    if is_limit and told and (text := with_limit(told, read_tokens(condition))) is not None:
        plan.do({"op": "update_transition", "transition": entering[0].id, "set": {"when": {"text": text}}})
        if len(plan.workflow.outgoing(entering[0].from_)) > 1:
            plan.notes = [*plan.notes, "the conditions of the other ways from there stay as they are"]
        return
    plan.do({"op": "update_step", "step": step.id, "set": {"when": {"text": condition}}})


def decider(plan: Plan, condition: str) -> Step:
    """Return the step whose outcome a condition speaks of: the one that has it as a case already."""
    words = set(content_of(condition))
    found = {
        edge.from_
        for edge in plan.workflow.transitions
        if edge.when and edge.when.text and 2 * len(words & set(content_of(edge.when.text))) >= max(len(words), 1)
    }
    step = plan.workflow.step(next(iter(found)) if len(found) == 1 else plan.steps.last or "")
    if step is None:
        raise Asked("From which step?")
    return step


def connections(plan: Plan, from_: Step, to: Step, condition: str | None) -> list[JsonObject]:
    """Return the edits that lead from a step to another in a case; the case it has goes there instead."""
    edge: JsonObject = {"op": "connect", "from": from_.id, "to": to.id}
    if condition is None:
        return [edge]
    if (same := _same_case(plan, from_, condition)) is not None:
        return [{"op": "update_transition", "transition": same.id, "set": {"to": to.id}}]
    return [edge | {"type": "condition", "when": {"text": condition}}]


def _same_case(plan: Plan, from_: Step, condition: str) -> Transition | None:
    words = content_of(condition)
    wanted = [w for w in words if len(words) == 1 or not any(akin(w, n) for n in content_of(from_.name))]
    if not wanted or any(word in f" {condition.lower()} " for word in (" not ", "n't ")):
        return None
    for edge in plan.workflow.outgoing(from_.id):
        has = content_of(edge.when.text) if edge.when and edge.when.text else []
        if has and len(has) == len(wanted) and all(any(akin(word, one) for one in wanted) for word in has):
            return edge
    return None
