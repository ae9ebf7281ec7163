"""Which way between two steps an order means: by its ends, and by the words for its condition."""

from collections.abc import Iterable, Sequence

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.nlu.cases import NUMBER, amount_of, condition_of_way
from workflow_agent.assistant.offline.nlu.slots import Filled
from workflow_agent.assistant.offline.plan import Plan
from workflow_agent.assistant.offline.references import akin, content_of, families
from workflow_agent.assistant.offline.tokens import Token, read_tokens
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

_MARGIN = 0.15
"""By how much the words must fit a way better than any other."""
_FITS = 0.5
"""Share of the words that must be a way's before they may mean it; then it is shown which one was taken."""
_DENIED = 0.6
"""What is taken off where only one of the two denies: "compliant" and "not compliant"."""


def leaving(plan: Plan, step: Step) -> list[Transition]:
    """Return the ways on from a step, and those from the question right behind it: "from the check to the refusal"."""
    ways = plan.workflow.outgoing(step.id)
    asking = {one.id for edge in ways if (one := plan.workflow.step(edge.to)) and one.type == "decision"}
    return [*ways, *(edge for edge in plan.workflow.transitions if len(ways) == 1 and edge.from_ in asking)]


def between(order: Filled, from_: str, to: str) -> list[Transition]:
    """Return the ways from the step of one role to that of another, where these are told."""
    edges = list(order.plan.workflow.transitions)
    target = order.maybe(to)
    if target is not None:
        edges = [edge for edge in edges if edge.to == target.id]
    if (step := order.maybe(from_)) is not None:
        own = [edge for edge in edges if edge.from_ == step.id]
        edges = own or [edge for edge in edges if target is not None and edge in leaving(order.plan, step)]
    return edges


def told_by(
    plan: Plan, edges: Iterable[Transition], said: Sequence[Token], *, is_new: bool = False
) -> Transition | None:
    """Return the way whose condition words tell best; None where none or several are told.

    Where not all words are its own, or they are of a new condition for it (`is_new`), the plan notes what was taken.
    """
    ranked = sorted(((_fit(plan, edge, said), edge) for edge in edges), key=lambda one: -sum(one[0]))
    if not ranked or ranked[0][0][0] < _FITS:
        return None
    fit, best = ranked[0]
    if len(ranked) > 1 and sum(fit) - sum(ranked[1][0]) < _MARGIN:
        return None
    if fit[0] < 1 or is_new:
        taken(plan, best)
    return best


def decided_on(plan: Plan, edges: Iterable[Transition], said: Sequence[Token]) -> Transition | None:
    """Return the way without a condition from the one step that words speak of, or at which it is decided on them.

    A way that is taken otherwise goes before one that is always taken: "if the letter is not signed" is the former of
    the question "Letter signed?". None where several are spoken of, or none is.
    """
    words = [word for token in said if token.is_content for word in content_of(token.text)]
    for kind in ("default", "sequence"):
        found = [
            edge
            for edge in edges
            if edge.type == kind
            and edge.when is None
            and (step := plan.workflow.step(edge.from_)) is not None
            and any(akin(word, own) for own in _decided(plan, step) for word in words)
        ]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _decided(plan: Plan, step: Step) -> list[str]:
    """Return the words of a step and of the cases that are told apart behind it."""
    cases = (condition_of_way(edge) for edge in plan.workflow.outgoing(step.id))
    return [word for text in (step.name, *cases) for word in content_of(text)]


def is_contrary(plan: Plan, edge: Transition, said: Sequence[Token]) -> bool:
    """Say whether words tell the contrary of a way's condition."""
    return _is_denied(edge, said) and _fit(plan, edge, said)[0] + _DENIED > _FITS


def _is_denied(edge: Transition, said: Sequence[Token]) -> bool:
    """Say whether either words or a way's condition denies; of "too long or not signed" nobody can say."""
    own = read_tokens(condition_of_way(edge))
    return _denies(said) != _denies(own) and not any(t.is_("or") for t in (*own, *said))


def taken(plan: Plan, edge: Transition) -> None:
    """Say which way was taken for the one that is meant."""
    step, to = plan.workflow.step(edge.from_), plan.workflow.step(edge.to)
    case = f"on “{condition_of_way(edge)}”" if edge.when else f"to “{to.name if to else ''}”"
    plan.guesses.append(f"I took the way from “{step.name if step else ''}” {case} for it")


def _fit(plan: Plan, edge: Transition, said: Sequence[Token]) -> tuple[float, float]:
    """Return which share of the words a way's condition has, and, up to a half, how alike the two are."""
    text, step = condition_of_way(edge), plan.workflow.step(edge.from_)
    own, asked = content_of(text), content_of(step.name) if step else []
    words = [one for token in said if token.is_content and token.value is None for one in content_of(token.text)]
    numbers = [token.value for token in said if token.value is not None and not token.is_("one", "a")]
    there = {amount_of(one) for one in NUMBER.findall(text)} | {t.value for t in read_tokens(text)}
    shares = [_share(word, own, asked) for word in words]
    # "Five" of a condition that says 5,000.
    shares += [float(number in there or number * 1000 in there) for number in numbers]
    whole = sum(shares) / len(shares) if shares else 0
    if _is_denied(edge, said):
        whole -= _DENIED
    # "Outside the EU" and "inside the EU" differ in no content word.
    literal, plain = {token.lower for token in read_tokens(text)}, {token.lower for token in said}
    return whole, 0.5 * len(literal & plain) / max(len(literal | plain), 1)


def _share(word: str, own: Sequence[str], asked: Sequence[str]) -> float:
    if any(akin(word, one) for one in own):
        return 1
    if any(families(word) & families(one) for one in own):
        return 0.7
    return 0.5 if any(akin(word, one) for one in asked) else 0


def _denies(words: Iterable[Token]) -> bool:
    said = [one for token in words for one in (read_tokens(token.text) if token.kind == "quoted" else (token,))]
    return sum(token.lower in word_set("set.negations") for token in said) % 2 == 1
