"""The frames of conditions: another number or text in one, and who approves from an amount on."""

import re
from collections.abc import Sequence
from typing import Literal

from workflow_agent.assistant.offline.clauses import counts, phrase_at
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.people import is_somebody, written
from workflow_agent.assistant.offline.plan import Asked, Clause, NotRead, Plan
from workflow_agent.assistant.offline.references import PRONOUNS, akin, content_of, stems
from workflow_agent.assistant.offline.spans import spans_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

NUMBER = re.compile(r"[$€£]?\d[\d,]*(?:\.\d+)?[kKmM]?\b")
_AROUND = word_set("threshold.around")
_LIMITS = word_set("threshold.limits")
_APPROVAL_AROUND = word_set("approvals.around")
_MONEY = word_set("conditions.money")
_NEGATIVE = ("not", "reject", "refuse", "decline")
_UNDER = ("under", "below", "less", "up", "most")
Owned = tuple[Literal["edge", "step"], str, str]
"""Whose a condition is (a transition's or a step's id), and what it says."""


def read_threshold(plan: Plan, clause: Clause) -> Tokens:
    """Put a number into the conditions that a clause means; return the words that are not used.

    Raises:
        NotRead: It is about no amount of a condition.
        Asked: It is, but about which one is not clear.
    """
    tokens = clause.tokens
    spans = spans_of(tokens, frozenset({"old", "from", "hard"}))
    numbers = [span.tokens[0] for span in spans if span.kind == "number" and ":" not in span.tokens[0].text]
    if not numbers or len(numbers) > 2 or any(span.kind in ("length", "times") for span in spans):
        raise NotRead
    if any(t.is_("by") for t in tokens) and any(t.among("conditions.by") for t in tokens):
        # "Lower it by 200" tells no new number.
        raise NotRead
    if any(map(_approves, tokens)) and _amount(tokens) is not None and _role(plan, tokens):
        raise NotRead
    old, new = _old_and_new(tokens, numbers)
    upwards = any(t.is_("from") for t in tokens) and any(t.is_("on", "up", "upwards", "onwards") for t in tokens)
    is_limit = upwards or any(t.lemma in _LIMITS or t.text in _LIMITS for t in tokens)
    about = [
        t
        for t in tokens
        if counts(t)
        and t not in numbers
        and not (old is not None and t.is_("not"))
        and (t.kind == "quoted" or not (t.lemma in _AROUND or t.lower in _AROUND or t.lower in PRONOUNS))
    ]
    found = _narrowed(plan, _with_number(plan, old.value if old else None), about)
    values = {amount_of(one) for _, _, text in found for one in NUMBER.findall(text)} if old is None else {old.value}
    if old is None and len(values) > 1 and len(found) == 1 and any(t.among("threshold.upper") for t in tokens):
        values = {max(value for value in values if value is not None)}
    if not found or (old is None and not is_limit):
        raise NotRead
    if len(values) != 1:
        known = ", ".join(sorted(f"{value:g}" for value in values if value is not None))
        raise Asked(
            f"Which number shall change? The conditions have {known}.", f"{plan.text.rstrip(' .!')} instead of "
        )
    before = values.pop()
    for kind, owner, text in found:
        said = NUMBER.sub(lambda one: like_number(one[0], new) if amount_of(one[0]) == before else one[0], text)
        field, op = ("transition", "update_transition") if kind == "edge" else ("step", "update_step")
        plan.do({"op": op, field: owner, "set": {"when": {"text": said}}})
    return ()


def _old_and_new(tokens: Tokens, numbers: Sequence[Token]) -> tuple[Token | None, Token]:
    if len(numbers) == 1:
        return None, numbers[0]
    between = tokens[tokens.index(numbers[0]) : tokens.index(numbers[1])]
    is_new_first = any(t.is_("not", "instead", "rather") for t in between)
    return (numbers[1], numbers[0]) if is_new_first else (numbers[0], numbers[1])


def _with_number(plan: Plan, value: float | None) -> list[Owned]:
    """Return the conditions that have a number, or this one."""
    edges: list[Owned] = [("edge", e.id, e.when.text) for e in plan.workflow.transitions if e.when and e.when.text]
    steps: list[Owned] = [("step", s.id, s.when.text) for s in plan.workflow.steps if s.when and s.when.text]
    return [
        one
        for one in (*edges, *steps)
        if any(value is None or amount_of(number) == value for number in NUMBER.findall(one[2]))
    ]


def _narrowed(plan: Plan, found: Sequence[Owned], about: Sequence[Token]) -> list[Owned]:
    """Keep the conditions that all words speak of: in what they say, or by a step they lead to or from."""
    words = [word for t in about for word in (content_of(t.text) if t.kind == "quoted" else [t.lower])]
    return [one for one in found if all(any(akin(word, own) for own in _said(plan, one)) for word in words)]


def _said(plan: Plan, one: Owned) -> list[str]:
    kind, owner, text = one
    edge = next((e for e in plan.workflow.transitions if kind == "edge" and e.id == owner), None)
    ids = [owner] if edge is None else [edge.from_, edge.to]
    words = content_of(text) + content_of(plan.workflow.name)
    for step in filter(None, map(plan.workflow.step, ids)):
        words += [*content_of(step.name), *content_of((step.assignee or "").replace("_", " "))]
    return words


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


def amount_told(plan: Plan, tokens: Tokens) -> str | None:
    """Return the condition that "everything over 100 euros" tells; None where it tells more, or no amount."""
    span = _amount(tokens)
    if span is None or any(t.is_content and not t.is_("everything", "anything", "all") for t in tokens[: span[0]]):
        return None
    return f"the amount is {plan.said(tokens[span[0] : span[1]])}"


def has_amount(tokens: Sequence[Token]) -> bool:
    """Say whether words tell of an amount: "above 10,000"."""
    return _amount(tuple(tokens)) is not None


def read_approval(plan: Plan, clause: Clause, where: JsonObject | None = None) -> Tokens:
    """Let somebody approve from an amount on; return the words that are not used.

    Raises:
        NotRead: It says something else.
        Asked: It does not say where, and nothing there approves.
    """
    tokens = clause.tokens
    span = _amount(tokens)
    if not any(map(_approves, tokens)):
        raise NotRead
    if span is None:
        return () if _approves_first(plan, clause) else _also_approves(plan, clause)
    others = [t for at, t in enumerate(tokens) if not span[0] <= at < span[1] and t.kind != "punct"]
    role = _role(plan, others)
    left = [t for t in others if counts(t) and t not in role and not _approves(t)]
    left = [t for t in left if not (t is tokens[0] and t.is_("if", "when", "where"))]
    left = [t for t in left if t.lower not in _APPROVAL_AROUND and t.lemma not in _APPROVAL_AROUND]
    about = [t for t in left if t.entry.noun and t.start < tokens[span[0]].start]
    if not role or len(about) != len(left) or len(about) > 2:
        raise NotRead
    subject = " ".join(t.text for t in about) if about else "the amount is"
    approve_from(plan, written(plan.workflow, role), f"{subject} {plan.said(tokens[span[0] : span[1]])}", where)
    return ()


def _approves_first(plan: Plan, clause: Clause) -> bool:
    """Let somebody approve in front of a step: "pouring away must be approved by the brewmaster first"; say whether."""
    told = [t for t in clause.tokens if t.kind != "punct"]
    orders = clause.verbs and told[0].entry.form != "ing"
    if len(told) < 2 or not told[-1].is_("first", "beforehand") or orders or any(t.has("neg") for t in told):
        return False
    needs = next((at for at, t in enumerate(told) if at and (t.has("aux") or t.is_("need", "require"))), 0)
    approves = next((at for at in range(needs, len(told)) if _approves(told[at])), 0)
    role = _role(plan, told[needs:])
    step = plan.maybe(told[:needs]) if needs and approves and role else None
    others = [t for t in told[needs:-1] if counts(t) and t not in role and not _approves(t)]
    if step is None or step.type == "end" or any(not t.is_("need", "require", "have") for t in others):
        return False
    plan.do({"op": "insert_step", "step": plan.approval_by(written(plan.workflow, role)), "before": step.id})
    return True


def _also_approves(plan: Plan, clause: Clause) -> Tokens:
    """Let somebody approve behind who does now: "HR should also approve"."""
    told = [t for t in clause.tokens if t.kind != "punct"]
    role = _role(plan, told)
    others = [t for t in told if counts(t) and t not in role and not _approves(t)]
    asks = any(t.has("aux") or t.is_("have", "need") for t in told)
    begins = bool(role) and (told[0] is role[0] or told[0].has("det"))
    if clause.verbs or not begins or others or not asks:
        raise NotRead
    where = _behind_review(plan)
    plan.do({"op": "insert_step", "step": plan.approval_by(written(plan.workflow, role)), **where})
    return ()


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


def _role(plan: Plan, tokens: Sequence[Token]) -> list[Token]:
    """Return the longest run of words that say who."""
    runs: list[list[Token]] = [
        list(tokens[at:end])
        for at in range(len(tokens))
        for end in range(at + 1, min(at + 4, len(tokens)) + 1)
        if is_somebody(plan.workflow, tokens[at:end]) and all(t.is_content for t in tokens[at:end])
    ]
    return max(runs, key=len) if runs else []


def _approves(token: Token) -> bool:
    return token.kind == "word" and (akin(token.lower, "sign") or akin(token.lower, "approve"))


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
        raise Asked("Where does that approval go?", plan.text.rstrip(" .!") + " ", "")
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


def read_condition(plan: Plan, clause: Clause) -> Tokens:
    """Read 'change the condition for going to the copyeditor to "accepted without changes"'.

    Raises:
        NotRead: It changes no condition.
    """
    tokens = clause.tokens
    stands = tokens[0].kind == "quoted" and bool(plan.ways_in_case(tokens[0].text))
    cued = stands or any(t.is_("condition", "case", "rule", "criterion") for t in tokens)
    new = tokens[-1] if tokens[-1].kind == "quoted" else None
    to = any(t.is_("to", "into", "is", "be", "read", "say") or t.text in (":", "->") for t in tokens[:-1])
    if not cued or new is None or not to:
        raise NotRead
    about = [t for t in tokens[:-1] if counts(t) and not t.among("shaping.condition")]
    old = [t for t in about if t.kind == "quoted" and plan.maybe((t,)) is None]
    others = [t for t in about if t not in old]
    found = [
        edge
        for edge in (plan.ways_in_case(old[0].text) if old else plan.workflow.transitions)
        if edge.when and edge.when.text and (old or not about or _is_at(plan, edge, others))
    ]
    if len(found) != 1:
        raise NotRead
    plan.do({"op": "update_transition", "transition": found[0].id, "set": {"when": {"text": new.text}}})
    return ()


def _is_at(plan: Plan, edge: Transition, about: Sequence[Token]) -> bool:
    target, source = plan.workflow.step(edge.to), plan.workflow.step(edge.from_)
    own = content_of(" ".join((target.name, (target.assignee or "").replace("_", " "))) if target else "")
    own += content_of(source.name if source else "")
    return all(
        any(akin(word, one) or one.startswith(word[:6]) for one in own) for t in about for word in content_of(t.text)
    )
