"""Small workflows written as their transitions, and transitions read back in the same notation.

`a>b` is a plain transition, `a>b [approved]` one under a condition, `a>b (error)` one of another type,
`a>b (default)`. A transition's id is made from its ends: `a-b`, and `a-b_2` for another one.
"""

import re
from typing import Any

from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

_EDGE = re.compile(r"(\w+)>(\w+)(?: \[(.+)\])?(?: \((\w+)\))?")


def flow(*edges: str, start: str | None = None, **steps: dict[str, Any]) -> Workflow:
    """Return a workflow with these transitions.

    Its steps are those named in `steps`, with their fields, and then those the transitions name.
    """
    transitions = [_transition(edge) for edge in edges]
    ends = [end for edge in transitions for end in (edge["from"], edge["to"])]
    ids = dict.fromkeys([*steps, *ends])
    document = {
        "id": "wf_flow",
        "name": "Flow",
        "start": start or next(iter(ids)),
        "steps": [{"id": one, "name": one.capitalize(), **steps.get(one, {})} for one in ids],
        "transitions": transitions,
    }
    return parse_workflow(document)


def _transition(edge: str) -> dict[str, Any]:
    match = _EDGE.fullmatch(edge)
    assert match, f"{edge!r} is not a transition"
    from_id, to_id, when, kind = match.groups()
    plain: dict[str, Any] = {"from": from_id, "to": to_id}
    if when:
        plain |= {"type": "condition", "when": {"text": when}}
    return plain | ({"type": kind} if kind else {})


def edges_of(workflow: Workflow) -> list[str]:
    """Return the transitions, in order, as `flow` takes them."""
    return [_edge(edge) for edge in workflow.transitions]


def _edge(edge: Transition) -> str:
    when = f" [{edge.when.text}]" if edge.when else ""
    implied = "condition" if edge.when else "sequence"
    kind = "" if edge.type == implied else f" ({edge.type})"
    return f"{edge.from_}>{edge.to}{when}{kind}"
