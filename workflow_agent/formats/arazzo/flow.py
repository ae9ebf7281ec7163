"""Where a step of Arazzo leads: to the next one, unless its actions say otherwise."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Transition
from workflow_agent.domain.workflow_parsing import unique_id
from workflow_agent.formats.arazzo.steps import FLOW, made_action, merged, plain_edge, said_action
from workflow_agent.formats.keeping import same
from workflow_agent.formats.shapes import list_in, object_in

ENDS = {"id": "go", "from": "here", "to": "there"}
Way = tuple[str, JsonObject]
"""The id of a step, and what the transition to it is."""


def said_flow(step: Mapping[str, Any], known: Sequence[str]) -> list[Way]:
    """Return where a step leads, given the ids of all steps of its workflow in order."""
    at = known.index(step["stepId"])
    found = list(_led_to(step, "onSuccess", known))
    if not any(_is_final(action) for action in _actions(step, "onSuccess")) and at + 1 < len(known):
        found.append((known[at + 1], {"type": "sequence"}))
    return found + list(_led_to(step, "onFailure", known))


def _actions(step: Mapping[str, Any], kind: str) -> list[JsonObject]:
    return [object_in(one) for one in list_in(step.get(kind))]


def _is_final(action: JsonObject) -> bool:
    return action.get("type") in ("goto", "end") and not list_in(action.get("criteria"))


def _led_to(step: Mapping[str, Any], kind: str, known: Sequence[str]) -> Iterator[Way]:
    for action in _actions(step, kind):
        if action.get("type") == "goto" and action.get("stepId") in known:
            fields = merged(said_action(action, kind), action, Transition, ENDS)
            yield action["stepId"], plain_edge(Transition.model_validate(ENDS | fields))
        if _is_final(action) and kind == "onSuccess":
            return


def made_flow(step_id: str, edges: Sequence[tuple[str, Transition]], known: Sequence[str]) -> JsonObject:
    """Return the actions of a step that lead where its transitions do."""
    at = known.index(step_id)
    after = known[at + 1] if at + 1 < len(known) else None
    success = [one for one in edges if one[1].type != "error"]
    falls = bool(success) and success[-1][0] == after and plain_edge(success[-1][1]) == {"type": "sequence"}
    names: set[str] = set()
    actions: dict[str, list[JsonObject]] = {kind: [] for kind in FLOW}
    for target, edge in [one for one in edges if not (falls and one is success[-1])]:
        kind = "onFailure" if edge.type == "error" else "onSuccess"
        if kind == "onSuccess" and any(map(_is_final, actions[kind])):
            # Nothing comes after an action that is always taken: a step of Arazzo has one way on.
            continue
        name = unique_id(f"to-{target}", names)
        names.add(name)
        actions[kind].append(made_action(edge, target, name))
    if after and not falls and not any(map(_is_final, actions["onSuccess"])):
        actions["onSuccess"].append({"name": "end", "type": "end"})
    return {kind: listed for kind, listed in actions.items() if listed}


def flow_of(
    part: JsonObject, edges: Sequence[tuple[str, Transition]], known: Sequence[str], kept: JsonObject
) -> JsonObject:
    """Return the actions of a step: those that were read where they still lead the same ways."""
    wanted = [(target, plain_edge(edge)) for target, edge in edges]
    told = said_flow({**part, **kept}, known)
    if len(told) == len(wanted) and all(
        a[0] == b[0] and same(a[1], b[1]) for a, b in zip(told, wanted, strict=True)
    ):
        return kept
    return made_flow(part["stepId"], edges, known)
