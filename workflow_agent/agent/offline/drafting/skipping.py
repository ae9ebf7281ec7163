"""Drawing "for returning patients the history is skipped": a way past a step that was already drawn."""

from workflow_agent.agent.offline.drafting.graph import Loose
from workflow_agent.agent.offline.drafting.paths import Paths
from workflow_agent.agent.offline.drafting.statements import Proceed


def skips(paths: Paths, said: Proceed) -> bool:
    """Put the decision just drawn before the step that is skipped; say whether that could be done."""
    choice = paths.active[-1] if paths.active else None
    if choice is None or choice.kind != "generic" or "else" not in choice.free or not said.skipped:
        return False
    graph, decision = paths.graph, choice.step_id
    into = [edge for edge in graph.edges if edge["to"] == decision]
    if len(into) != 1 or graph.step(decision)["type"] != "decision":
        return False
    step_id = into[0]["from"]
    is_meant = bool(said.skipped & graph.words.get(step_id, frozenset()))
    if not is_meant or any(edge["from"] == decision for edge in graph.edges):
        return False
    graph.edges.remove(into[0])
    for edge in graph.edges:
        edge["to"] = decision if edge["to"] == step_id else edge["to"]
    graph.move_before(decision, step_id)
    otherwise = choice.free["else"]
    paths.take(otherwise)
    graph.join(otherwise, step_id)
    choice.tails.append(Loose(step_id))
    return True
