"""Where a path that goes back arrives."""

from collections.abc import Sequence
from typing import Final

from workflow_agent.agent.offline.drafting.paths import Paths
from workflow_agent.agent.offline.drafting.statements import GoBack, Statement, Task, Until
from workflow_agent.agent.offline.drafting.verbs import VERBS
from workflow_agent.agent.offline.drafting.words import word_set

_LOOKS: Final = word_set("look read see check review")


def back_target(paths: Paths, back: GoBack) -> str | None:
    """Return the step that "back to the author", "back to step 2" or "try again" means, or None."""
    graph, work = paths.graph, paths.graph.work
    if back.restarts:
        return work[0] if work else None
    if back.item is not None:
        return graph.items.get(back.item)
    if back.retries:
        return _tried(paths, paths.active[-1].step_id) if paths.active else (work[-1] if work else None)
    here = {loose.from_id for loose in paths.frontier}
    earlier = [step_id for step_id in work if step_id not in here] or work
    if back.actor is not None:
        of_actor = [step_id for step_id in earlier if graph.step(step_id).get("assignee") == back.actor]
        return of_actor[-1] if of_actor else None
    return graph.recognise(back.words, earlier)


def _tried(paths: Paths, chosen_at: str) -> str:
    """Return the step that is tried again: what a decision looks at, not the decision."""
    work = paths.graph.work
    if paths.graph.step(chosen_at)["type"] != "decision" or chosen_at not in work:
        return chosen_at
    before = work[: work.index(chosen_at)]
    return before[-1] if before else chosen_at


def rework_target(paths: Paths) -> str | None:
    """Return the step that judges again after a revision."""
    work = paths.graph.work
    verdicts = [choice for choice in paths.active if choice.kind in ("verdict", "generic")]
    if not verdicts:
        return work[-1] if work else None
    judge = paths.graph.step(verdicts[-1].step_id)
    earlier = work[: work.index(judge["id"])]
    asks = judge["type"] == "decision" and bool(earlier)
    return earlier[-1] if asks else judge["id"]


def is_taken_up(back: GoBack, following: Sequence[Statement]) -> bool:
    """Say whether it is said next what somebody who gets work back does: "the student, who rewrites it"."""
    doing = next(iter(following), None)
    return back.actor is not None and isinstance(doing, Task) and doing.assignee == back.actor


def loop_start(until: Until, work: Sequence[str], firsts: Sequence[str]) -> str:
    """Return the step that is repeated first: of the last sentence, or as many steps back as were said."""
    if not until.whole:
        return work[-min(until.steps, len(work))]
    known = [first for first in firsts if first]
    return known[-1] if known else work[-1]


def _is_same_work(wanted: str, words: frozenset[str]) -> bool:
    """Say whether a step does what is done again; "looks at it again" is any judging."""
    looks = wanted in _LOOKS and any((verb := VERBS.get(word)) is not None and verb.judges for word in words)
    return wanted in words or looks


def repeated_step(paths: Paths, task: Task) -> str | None:
    """Return the earlier step that "submits it again" or "resubmits it" means, or None."""
    base = task.lemma.removeprefix("re-").removeprefix("re")
    is_repetition = task.lemma.startswith("re") and base in VERBS
    if not (task.again or is_repetition):
        return None
    wanted = base if is_repetition else task.lemma
    graph = paths.graph
    here = {loose.from_id for loose in paths.frontier}
    return next(
        (
            step["id"] for step in graph.steps
            if step["id"] not in here and step.get("assignee") == task.assignee
            and _is_same_work(wanted, graph.words.get(step["id"], frozenset()))
        ),
        None,
    )  # fmt: skip
