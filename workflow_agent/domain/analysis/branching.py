"""Soundness of decisions: guards that leave a case open, or that hold for two ways at once."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from workflow_agent.domain.analysis.approvals import is_approval
from workflow_agent.domain.analysis.findings import Observation, rule
from workflow_agent.domain.analysis.graph import FlowGraph
from workflow_agent.domain.analysis.guards import Guard, gap, read_guard
from workflow_agent.domain.analysis.wording import named, shortened, transition_text
from workflow_agent.domain.workflow import Step, Transition

_GUARDS_COMPARED = 20


def _guarded(graph: FlowGraph, step: Step) -> list[Transition]:
    return [edge for edge in graph.exits(step.id) if edge.when is not None]


@rule(
    "incomplete-guards",
    "soundness",
    "warning",
    finds="conditions that leave a case without a way on, and no default",
    why="Work for which none of them holds gets stuck.",
)
def incomplete_guards(graph: FlowGraph) -> Iterator[Observation]:
    """Yield each choice that provably misses a case; conditions in free words are believed."""
    for step in graph.workflow.steps:
        exits = graph.exits(step.id)
        guarded = _guarded(graph, step)
        if not exits or len(guarded) < len(exits) or step.type in ("loop", "state", "fork"):
            continue
        missing = _only_condition(graph, step, guarded[0]) if len(guarded) == 1 else _uncovered(guarded)
        if missing is not None:
            yield Observation(
                f"{named(step)} has no way on when {missing}.",
                steps=(step.id,),
                transitions=tuple(edge.id for edge in guarded),
                evidence={"uncovered": missing, "conditions": [transition_text(e)[:200] for e in guarded]},
            )


def _only_condition(graph: FlowGraph, step: Step, edge: Transition) -> str | None:
    """Return that the one condition may not hold, where stopping then is not simply the end."""
    is_drawn_here = graph.declares_ends or graph.workflow.source is None
    if not is_drawn_here or is_approval(graph, step):
        return None
    return f"{shortened(transition_text(edge)) or 'its only condition'!r} does not hold"


def _uncovered(guarded: list[Transition]) -> str | None:
    """Return a case no condition covers, in words, or None where there may be none."""
    guards = [read_guard(edge) for edge in guarded]
    subjects = {guard.subject if guard else None for guard in guards}
    known = [guard for guard in guards if guard is not None]
    if len(subjects) > 1 or not known:
        return None
    intervals = [guard.interval for guard in known if guard.interval is not None]
    if intervals and len(intervals) == len(known):
        open_range = gap(intervals)
        return f"{known[0].subject!r} is {open_range}" if open_range else None
    return _unlisted_word(known)


def _unlisted_word(guards: list[Guard]) -> str | None:
    listed = [guard.word for guard in guards if guard.word is not None]
    if len(listed) < len(guards) or set(listed) >= {"true", "false"} or set(listed) >= {"yes", "no"}:
        return None
    return f"{guards[0].subject!r} is none of {', '.join(map(repr, listed[:5]))}"


@rule(
    "overlapping-guards",
    "soundness",
    "info",
    finds="two ways of one decision whose conditions can hold at once",
    why="Which of them is taken then depends on their order.",
)
def overlapping_guards(graph: FlowGraph) -> Iterator[Observation]:
    """Yield each pair of ways that the same case fits."""
    for step in graph.workflow.steps:
        guarded = _guarded(graph, step)
        if len(guarded) < 2 or step.type in ("state", "fork"):
            continue
        for one, other in _overlapping(guarded):
            yield Observation(
                f"At {named(step)} both {shortened(transition_text(one))!r} and "
                f"{shortened(transition_text(other))!r} can hold.",
                steps=(step.id,),
                transitions=(one.id, other.id),
            )


def _overlapping(guarded: list[Transition]) -> Iterator[tuple[Transition, Transition]]:
    by_subject: defaultdict[str, list[tuple[Transition, Guard]]] = defaultdict(list)
    for edge in guarded[:_GUARDS_COMPARED]:
        said = " ".join(transition_text(edge).casefold().split())
        guard = read_guard(edge) or Guard(said, None, said or None)
        by_subject[guard.subject].append((edge, guard))
    for pairs in by_subject.values():
        for (one, first), (other, second) in combinations(pairs, 2):
            if one.to != other.to and _both_hold(first, second):
                yield one, other


def _both_hold(first: Guard, second: Guard) -> bool:
    if first.interval is not None and second.interval is not None:
        return first.interval.overlaps(second.interval)
    return first.word is not None and first.word == second.word


RULES = (incomplete_guards, overlapping_guards)
