"""Orders that say from which amount somebody approves: "above 10,000 the CFO also approves"."""

from collections.abc import Sequence

from workflow_agent.assistant.offline.clauses import Clause, counts, phrase_at, stripped
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.plan import Asked, Plan
from workflow_agent.assistant.offline.references import content_of, stems
from workflow_agent.assistant.offline.thresholds import with_number
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.workflows.model.steps import Step

_AROUND = word_set("approvals.around")
_MONEY = word_set("clauses.fronted.euro")
_NEGATIVE = ("not", "reject", "refuse", "decline")


def read_approval(plan: Plan, tokens: Sequence[Token], where: JsonObject | None = None) -> bool:
    """Let somebody approve from an amount on, if a sentence says so wholly; say whether.

    Raises:
        Asked: It does not say where, and nothing there approves.
    """
    mood, rest = stripped(tokens)
    span = _amount(rest)
    if span is None or mood in ("weighed", "negated", "unneeded"):
        return False
    others = [t for at, t in enumerate(rest) if not span[0] <= at < span[1] and t.kind != "punct"]
    if not any(_approves(t) for t in others):
        return False
    roles = _roles(plan, others)
    left = [t for t in others if counts(t) and t not in roles and not _approves(t)]
    left = [t for t in left if t.lower not in _AROUND and t.lemma not in _AROUND]
    about = [t for t in left if t.entry.noun and t.start < rest[span[0]].start]
    if not roles or len(about) != len(left) or len(about) > 2:
        return False
    subject = " ".join(t.text for t in about) if about else "the amount is"
    who = plan.role(Clause(tuple(rest), "order"), roles)
    _insert(plan, who, f"{subject} {plan.said(rest[span[0] : span[1]])}", where)
    return True


def _amount(tokens: Tokens) -> tuple[int, int] | None:
    """Return where "over 100 euros" stands, from its mark to its currency."""
    for at in range(len(tokens)):
        end, kinds = phrase_at(tokens, at, "markers.tsv")
        if set(kinds) & {"above", "below"} and end < len(tokens) and tokens[end].kind in ("number", "punct"):
            while end < len(tokens) and (tokens[end].kind == "number" or tokens[end].lower.removesuffix("s") in _MONEY):
                end += 1
            return (at, end) if any(t.kind == "number" for t in tokens[at:end]) else None
    return None


def _roles(plan: Plan, tokens: Sequence[Token]) -> list[Token]:
    """Return the longest run of words that say who."""
    runs: list[list[Token]] = [
        list(tokens[at:end])
        for at in range(len(tokens))
        for end in range(at + 1, min(at + 4, len(tokens)) + 1)
        if plan.is_role(tokens[at:end]) and all(t.is_content for t in tokens[at:end])
    ]
    return max(runs, key=len) if runs else []


def _approves(token: Token) -> bool:
    return token.kind == "word" and not stems("approve").isdisjoint(stems(token.lower))


def _is_approval(text: str) -> bool:
    return any(not stems("approve").isdisjoint(stems(word)) for word in content_of(text))


def _insert(plan: Plan, who: str, condition: str, where: JsonObject | None) -> None:
    """Put an approval that happens only in a case where it is said, else behind the one there is.

    Where the same person approves already, the case becomes that approval's.
    """
    mine = [
        step
        for step in plan.workflow.steps
        if (step.assignee or "").casefold() == who.casefold() and _is_approval(step.name)
    ]
    if where is None and len(mine) == 1 and (_changed(plan, mine[0], condition) or _limited(plan, mine[0], condition)):
        return
    if where is None:
        steps = [step for step in plan.workflow.steps if step.type not in ("end", "fork", "join")]
        tiers: list[list[Step]] = [
            [step for step in steps if any(root in stems(word) for word in content_of(step.name))]
            for root in ("approve", "review", "check")
        ]
        reviews = next((tier for tier in tiers if tier), tiers[0])
        if len(reviews) != 1:
            raise Asked(f"Where does {who} approve that?", plan.text.rstrip(" .!") + " ", "")
        where = {"after": reviews[0].id}
        plan.notes.append(f"you did not say where: I would put it after “{reviews[0].name}”, which approves now")
    draft = plan.draft_named(f"{who[:1].upper()}{who[1:]} approval", who)
    draft |= {"type": "human", "assignee": who, "when": {"text": condition}}
    plan.do({"op": "insert_step", "step": draft, **where})


def _number_in(text: str | None) -> Token | None:
    numbers = [t for t in read_tokens(text or "") if t.kind == "number"]
    return numbers[0] if len(numbers) == 1 else None


def _is_below(text: str) -> bool:
    return any(t.is_("under", "below", "less", "up", "most") for t in read_tokens(text))


def _changed(plan: Plan, step: Step, condition: str) -> bool:
    """Put the number of a case into the condition under which a step happens already; say whether."""
    new = _number_in(condition)
    ways = [edge for edge in plan.workflow.incoming(step.id) if edge.when and _number_in(edge.when.text)]
    told = ways[0].when.text if len(ways) == 1 and ways[0].when else None
    if new is None or told is None or _is_below(told) != _is_below(condition):
        return False
    edge = ways[0]
    plan.do({"op": "update_transition", "transition": edge.id, "set": {"when": {"text": with_number(told, new)}}})
    asking = plan.workflow.step(edge.from_)
    if asking is not None and asking.name.strip("?").casefold() == told.casefold():
        plan.do({"op": "rename_step", "step": asking.id, "name": with_number(asking.name, new)})
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
    plan.notes.append(f"“{step.name}” names no amount now: I would let the rest pass to “{passing.name}”")
    return True


def _way_if_approved(plan: Plan, step: Step) -> Step | None:
    ways = plan.workflow.outgoing(step.id)
    if len(ways) == 1 and (after := plan.workflow.step(ways[0].to)) is not None:
        if after.type != "decision":
            return after
        ways = plan.workflow.outgoing(after.id)
    said = [(edge, (edge.when.text or "").casefold()) for edge in ways if edge.when]
    good = [edge for edge, text in said if _is_approval(text) and not any(word in text for word in _NEGATIVE)]
    return plan.workflow.step(good[0].to) if len(good) == 1 else None
