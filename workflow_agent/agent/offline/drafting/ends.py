"""Ending every path, and saying what had to be assumed for it."""

from typing import Any, Final

from workflow_agent.agent.offline.drafting.graph import Choice, Graph, Loose
from workflow_agent.agent.offline.drafting.paths import Paths
from workflow_agent.agent.offline.drafting.words import word_set

_REWORKS: Final = word_set(
    "revise correct rework fix resubmit re-submit amend update redo rewrite improve adjust change"
)


def finish(graph: Graph, paths: Paths) -> list[str]:
    """Draw the remaining edges so that every path ends, and return what was assumed."""
    assumptions: list[str] = []
    _return_reworked(graph, paths, assumptions)
    while paths.active:
        choice = paths.active[-1]
        paths.frontier = _reworked(graph, choice, paths.frontier, assumptions)
        paths.close()
    for choice in paths.all:
        _end_open_ways(graph, choice, paths, assumptions)
    paths.end_frontier()
    _end_loose_steps(graph)
    return assumptions


def _return_reworked(graph: Graph, paths: Paths, assumptions: list[str]) -> None:
    """Lead revised work on branches that were left back to whoever judges it."""
    for choice in paths.active:
        choice.tails = _reworked(graph, choice, choice.tails, assumptions)


def _reworked(graph: Graph, choice: Choice, loose_ends: list[Loose], assumptions: list[str]) -> list[Loose]:
    if choice.kind != "verdict":
        return loose_ends
    kept: list[Loose] = []
    for loose in loose_ends:
        step = graph.step(loose.from_id)
        is_rework = not graph.words.get(loose.from_id, frozenset()).isdisjoint(_REWORKS)
        if (
            loose.outcome == "rejected"
            and is_rework
            and loose.from_id != choice.step_id
            and step["type"] == "human"
        ):
            graph.join(loose, choice.step_id)
            judge = graph.step(choice.step_id)["name"]
            assumptions.append(f"After {step['name']!r} I let it go back to {judge!r}.")
        else:
            kept.append(loose)
    return kept


def _end_open_ways(graph: Graph, choice: Choice, paths: Paths, assumptions: list[str]) -> None:
    name = graph.step(choice.step_id)["name"]
    for key, loose in list(choice.free.items()):
        if key == "success":
            continue
        in_line = any(loose is other for other in paths.frontier)
        if key == "changes":
            _end_change_request(graph, choice, loose, assumptions)
        elif key == "rejected" and not in_line:
            graph.end(loose)
            assumptions.append(
                f"You did not say what happens after a rejection at {name!r}; I end the process there."
            )
        elif not in_line:
            graph.end(loose)
        if not in_line:
            choice.free.pop(key)


def _end_change_request(graph: Graph, choice: Choice, loose: Loose, assumptions: list[str]) -> None:
    """Lead a request for changes back to the human step before the one that asks."""
    ids = [step["id"] for step in graph.steps]
    before = [
        step for step in graph.steps[: ids.index(choice.step_id)]
        if step["type"] == "human" and step.get("assignee") != graph.step(choice.step_id).get("assignee")
    ]  # fmt: skip
    if before:
        graph.join(loose, before[-1]["id"])
        assumptions.append(f"When changes are asked for, I let it go back to {before[-1]['name']!r}.")
    else:
        graph.end(loose)
        assumptions.append("You did not say who makes the changes asked for; I end the process there.")


def _end_loose_steps(graph: Graph) -> None:
    """Let every step that nothing leaves run into an end."""
    for step in list(graph.steps):
        is_forward = any(edge["from"] == step["id"] and edge.get("type") != "error" for edge in graph.edges)
        if step["type"] != "end" and not is_forward:
            graph.end(Loose(step["id"]))


def compact(graph: Graph) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the steps, ends last, and the edges."""
    ends = [step for step in graph.steps if step["type"] == "end"]
    return [step for step in graph.steps if step["type"] != "end"] + ends, graph.edges
