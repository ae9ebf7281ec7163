"""Conditions: the limits in them, who approves from an amount on, and the ways that are taken in a case."""

import re
from collections.abc import Sequence

from workflow_agent.assistant.offline.clauses import phrase_at
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.nlu.placing import Place
from workflow_agent.assistant.offline.nlu.slots import Filled
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan
from workflow_agent.assistant.offline.references import akin, content_of, stems
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

NUMBER = re.compile(r"[$€£]?\d[\d,]*(?:\.\d+)?[kKmM]?\b")
_UNDER = ("under", "below", "less", "few", "fewer", "up", "most", "maximum", "<", "within")
_OVER = ("over", "above", "more", "from", "least", "beyond", "exceed", "minimum", ">", "upwards", "old", "older")


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


def condition_of_way(edge: Transition) -> str:
    """Return the words of a way's condition, empty where it has none."""
    return (edge.when.text or "") if edge.when else ""


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
    units = word_set("set.money") | word_set("set.units") | word_set("conditions.money")
    return not units.isdisjoint((word, word.removesuffix("s")))


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
    said = next((one for t in new if (one := direction_of(t))), 0)
    had = next((one for t in read_tokens(old) if (one := direction_of(t))), 0)
    return said * had < 0


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
            money = word_set("conditions.money")
            while end < len(tokens) and (tokens[end].kind == "number" or tokens[end].lower.removesuffix("s") in money):
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


def approve_from(plan: Plan, who: str, condition: str, where: Place | None) -> None:
    """Put an approval that happens only in a case behind the one there is, or make the case that approval's.

    Raises:
        Asked: No place is told, and nothing there approves.
    """
    own = (step for step in plan.workflow.steps if (step.assignee or "").casefold() == who.casefold())
    mine = [step for step in own if _tells_approval(step.name)]
    if where is None and len(mine) == 1 and (_changed(plan, mine[0], condition) or _limited(plan, mine[0], condition)):
        return
    fields = _behind_review(plan) if where is None else where.fields
    plan.do({"op": "insert_step", "step": plan.approval_by(who) | {"when": {"text": condition}}, **fields})


def _behind_review(plan: Plan) -> JsonObject:
    """Return the place behind the one step that approves, reviews or checks, and say that nobody named it.

    Raises:
        Asked: There is none, or several.
    """
    steps = [step for step in plan.workflow.steps if step.type not in ("end", "fork", "join")]
    said = [(step, {root for word in content_of(step.name) for root in stems(word)}) for step in steps]
    tiers = ([step for step, roots in said if one in roots] for one in ("approve", "review", "check"))
    reviews = next(filter(None, tiers), list[Step]())
    if len(reviews) != 1:
        raise Asked("Where does that approval go?", plan.going_on(""), "")
    plan.notes.append(f"you did not say where: I would put it after “{reviews[0].name}”, which approves now")
    return {"after": reviews[0].id}


def _changed(plan: Plan, step: Step, condition: str) -> bool:
    """Put the number of a case into the condition under which a step happens already; say whether."""
    new = _number_in(condition)
    ways = [edge for edge in plan.workflow.incoming(step.id) if _number_in(condition_of_way(edge))]
    if new is None or len(ways) != 1 or _is_below(told := condition_of_way(ways[0])) != _is_below(condition):
        return False

    def renewed(text: str) -> str:
        return NUMBER.sub(lambda found: like_number(found[0], new), text)

    plan.do(reworded(ways[0], renewed(told)))
    asking = plan.workflow.step(ways[0].from_)
    if asking is not None and asking.name.strip("?").casefold() == told.casefold():
        plan.do({"op": "rename_step", "step": asking.id, "name": renewed(asking.name)})
    return True


def reworded(edge: Transition, condition: str) -> JsonObject:
    """Return the edit that gives a way another condition."""
    return {"op": "update_transition", "transition": edge.id, "set": {"when": {"text": condition}}}


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
    plan.notes.append(f"“{step.name}” names no amount now: I would let the rest pass to “{passing.name}”")
    return True


def _way_if_approved(plan: Plan, step: Step) -> Step | None:
    ways = plan.workflow.outgoing(step.id)
    if len(ways) == 1 and (after := plan.workflow.step(ways[0].to)) is not None:
        if after.type != "decision":
            return after
        ways = plan.workflow.outgoing(after.id)
    said = [(edge, condition_of_way(edge).casefold()) for edge in ways]
    negative = ("not", "reject", "refuse", "decline")
    good = [edge for edge, text in said if _tells_approval(text) and not any(word in text for word in negative)]
    return plan.workflow.step(good[0].to) if len(good) == 1 else None


def _number_in(text: str) -> Token | None:
    numbers = [t for t in read_tokens(text) if t.kind == "number"]
    return numbers[0] if len(numbers) == 1 else None


def _is_below(text: str) -> bool:
    return any(t.is_(*_UNDER) for t in read_tokens(text))


def happens_if(plan: Plan, step: Step, condition: str, *, is_limit: bool = False) -> None:
    """Let a step happen only in a case, beside those that the ways to it have.

    With `is_limit` it may be another one for the same thing: "only above 500" of "above 200".
    """
    entering = [edge for edge in plan.workflow.incoming(step.id) if edge.when]
    told = condition_of_way(entering[0]) if len(entering) == 1 else ""
    if is_limit and told and (text := with_limit(told, read_tokens(condition))) is not None:
        plan.do(reworded(entering[0], text))
        if len(plan.workflow.outgoing(entering[0].from_)) > 1:
            plan.notes.append("the conditions of the other ways from there stay as they are")
        return
    plan.do({"op": "update_step", "step": step.id, "set": {"when": {"text": condition}}})


def decider(plan: Plan, condition: str) -> Step:
    """Return the step whose outcome a condition speaks of: the one that has it as a case already."""
    words = set(content_of(condition))
    cases = ((edge.from_, words.intersection(content_of(condition_of_way(edge)))) for edge in plan.workflow.transitions)
    found = {one for one, shared in cases if 2 * len(shared) >= max(len(words), 1)}
    step = plan.workflow.step(next(iter(found)) if len(found) == 1 else plan.steps.last or "")
    if step is None:
        raise Asked("From which step?")
    return step


def connections(plan: Plan, from_: Step, to: str, condition: str | None) -> list[JsonObject]:
    """Return the edits that lead from a step to another in a case; the case it has goes there instead."""
    edge: JsonObject = {"op": "connect", "from": from_.id, "to": to}
    if condition is None:
        return [edge]
    if (same := _same_case(plan, from_, condition)) is not None:
        return [{"op": "update_transition", "transition": same.id, "set": {"to": to}}]
    return [edge | {"type": "condition", "when": {"text": condition}}]


def _same_case(plan: Plan, from_: Step, condition: str) -> Transition | None:
    words = content_of(condition)
    wanted = [w for w in words if len(words) == 1 or not any(akin(w, n) for n in content_of(from_.name))]
    if not wanted or any(word in f" {condition.lower()} " for word in (" not ", "n't ")):
        return None
    for edge in plan.workflow.outgoing(from_.id):
        has = content_of(condition_of_way(edge))
        if len(has) == len(wanted) and all(any(akin(word, one) for one in wanted) for word in has):
            return edge
    return None
