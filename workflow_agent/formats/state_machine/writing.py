"""A workflow as a machine."""

from collections.abc import Mapping

from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Step, Transition, Workflow
from workflow_agent.domain.workflow_parsing import unique_id
from workflow_agent.formats.keeping import kept_in, restored, restored_step
from workflow_agent.formats.shapes import (
    list_in,
    problems_in,
)
from workflow_agent.formats.state_machine.content import (
    ACTION_SAID_BY,
    SAID_BY,
    STATE_SAID_BY,
    action_of,
    plain,
    said_action,
    said_state,
    said_top,
    state_of,
    top_of,
    transition,
    with_ends,
)
from workflow_agent.formats.state_machine.shapes import ABOUT, ACTION, INITIAL, SLUG, STATE


def machine_of(workflow: Workflow, format_name: str) -> JsonObject:
    """Return the machine of a workflow."""
    slugs: dict[str, str] = {}
    for step in workflow.steps:
        kept = kept_in(step.extensions, format_name).get("slug")
        wanted = step.id if problems_in(kept, SLUG) else str(kept)
        slugs[step.id] = unique_id(wanted, slugs.values())
    automations = [plain(one) for one in workflow.automations]
    said = {"name": workflow.name, "description": workflow.description, "automations": automations}
    permissions = list(dict.fromkeys(edge.permission for edge in workflow.transitions if edge.permission))
    ids = {one: step_id for step_id, one in slugs.items()}
    named = {**said, "automations": [with_ends(one, slugs) for one in automations]}
    top = restored(
        top_of(named, permissions),
        kept_in(workflow.extensions, format_name),
        said,
        read=lambda about: said_top(about, ids),
        said_by=SAID_BY,
        shape=ABOUT,
    )
    states = [_written_state(workflow, step, slugs[step.id], format_name) for step in workflow.steps]
    whole = {**top, "states": states, "actions": _written_actions(workflow, slugs, format_name)}
    order = ("specId", "name", "slug", "description", "states", "actions", "permissions", "automations")
    return {key: whole[key] for key in (*order, *whole) if key in whole}


def _written_state(workflow: Workflow, step: Step, state_slug: str, format_name: str) -> JsonObject:
    is_start = step.id == workflow.start
    is_left = any(edge.from_ == step.id for edge in workflow.transitions)
    kept = {**kept_in(step.extensions, format_name), "slug": state_slug}
    if str(kept.get("type")).lower() in INITIAL and not is_start:
        del kept["type"]
    return restored_step(
        step,
        {**state_of(step, is_start=is_start), "slug": state_slug},
        kept,
        read=lambda state: said_state(state, is_left=is_left),
        said_by=STATE_SAID_BY,
        shape=STATE,
    )


def _written_actions(workflow: Workflow, slugs: Mapping[str, str], format_name: str) -> list[JsonObject]:
    """Return the actions; those that were one, leading from several states, are one again."""
    actions = [_written_action(edge, slugs, format_name) for edge in workflow.transitions]
    found: list[JsonObject] = []
    at = 0
    while at < len(actions):
        wide = list_in(kept_in(workflow.transitions[at].extensions, format_name).get("from"))
        together = actions[at : at + len(wide)]
        is_one = bool(wide) and [one["from"] for one in together] == wide
        if is_one and all({**one, "from": wide} == {**together[0], "from": wide} for one in together):
            found.append({**together[0], "from": wide})
            at += len(wide)
        else:
            found.append(actions[at])
            at += 1
    return found


def _written_action(edge: Transition, slugs: Mapping[str, str], format_name: str) -> JsonObject:
    kept = kept_in(edge.extensions, format_name)
    whole = restored(
        action_of(edge) | {"from": slugs[edge.from_], "to": slugs[edge.to]},
        {key: value for key, value in kept.items() if key not in ("from", "to")},
        plain(edge),
        read=lambda action: plain(transition(said_action(action))),
        said_by=ACTION_SAID_BY,
        shape=ACTION,
    )
    return {"slug": whole["slug"], "from": whole["from"], "to": whole["to"], **whole}
