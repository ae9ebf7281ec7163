"""Lifecycles as `{specId, name, slug, states, actions, permissions, automations}`."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import Exported, Format, Imported, UnreadableDocument
from workflow_agent.workflows.formats.builder import Draft
from workflow_agent.workflows.formats.fidelity import checked_export, kept_in, kept_of, restored, restored_step
from workflow_agent.workflows.formats.shapes import kind_of, list_in, object_in, problems_in
from workflow_agent.workflows.formats.state_machine.content import (
    ABOUT,
    ACTION,
    ACTION_SAID_BY,
    INITIAL,
    SAID_BY,
    SLUG,
    STATE,
    STATE_SAID_BY,
    action_of,
    problems_of_machine,
    said_action,
    said_state,
    said_top,
    sources_of,
    state_of,
    top_of,
    transition,
    with_ends,
)
from workflow_agent.workflows.formats.text import write_json
from workflow_agent.workflows.model.parser import take_id
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow


class StateMachine(Format):
    """States, and the actions by which people lead from one to the next."""

    name = "state-machine"
    title = "state machine"
    media_type = "application/json"
    extension = "json"

    @override
    def recognises(self, document: Any) -> float:
        machine = object_in(document)
        if kind_of(machine.get("states")) == kind_of(machine.get("actions")) == "a list":
            return 0.95 if "specId" in machine else 0.85
        return 0.0

    @override
    def read(self, document: Any) -> Imported:
        problems = problems_of_machine(document)
        if problems:
            raise UnreadableDocument(self.title, problems)
        return read_machine(object_in(document), Draft(self.name, self.title))

    @override
    def write(self, workflow: Workflow) -> Exported:
        return checked_export(write_json(machine_of(workflow, self.name)), workflow, self.read, self.title)


def read_machine(machine: JsonObject, draft: Draft) -> Imported:
    """Return the workflow of a machine that `problems_of_machine` finds nothing wrong with."""
    left = {one for action in machine["actions"] for one in sources_of(action)}
    initial = [state["slug"] for state in machine["states"] if str(state.get("type")).lower() in INITIAL]
    start = [*initial, machine["states"][0]["slug"]][0]
    ids: dict[str, str] = {}
    for at, state in enumerate(machine["states"]):
        fields = said_state(state, is_left=state["slug"] in left)
        step = Step.model_validate({"id": "x", **fields})
        plain = state_of(step, is_start=state["slug"] == start)
        kept = kept_of(state, {**plain, "slug": draft.free_id(state["slug"])})
        name, kind = fields.pop("name"), fields.pop("type")
        ids[state["slug"]] = draft.add(name, kind, wanted_id=state["slug"], kept=kept, at=("states", at), **fields)
    for action in machine["actions"]:
        fields = said_action(action)
        kept = kept_of(action, action_of(transition(fields)) | {"from": action["from"], "to": action["to"]})
        if list_in(action["from"]):
            kept["from"] = action["from"]
        for source in sources_of(action):
            draft.connect(ids[source], ids[action["to"]], kept=kept, **fields)
    said = said_top(machine, ids)
    about = {key: value for key, value in machine.items() if key not in ("states", "actions")}
    permissions = list(dict.fromkeys(e["permission"] for e in draft.transitions if "permission" in e))
    slugs = {step_id: one for one, step_id in ids.items()}
    named = {**said, "automations": [with_ends(one, slugs) for one in said["automations"]]}
    kept = kept_of(about, top_of(named, permissions))
    return draft.finished(said.pop("name"), start=ids[start], kept=kept, **said)


def machine_of(workflow: Workflow, format_name: str) -> JsonObject:
    """Return the machine of a workflow."""
    slugs: dict[str, str] = {}
    taken: set[str] = set()
    for step in workflow.steps:
        kept = kept_in(step.extensions, format_name).get("slug")
        wanted = step.id if problems_in(kept, SLUG) else str(kept)
        slugs[step.id] = take_id(wanted, taken)
    automations = [one.as_plain() for one in workflow.automations]
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
    left = frozenset(edge.from_ for edge in workflow.transitions)
    states = [
        _written_state(step, slugs[step.id], format_name, is_start=step.id == workflow.start, is_left=step.id in left)
        for step in workflow.steps
    ]
    whole = {**top, "states": states, "actions": _written_actions(workflow, slugs, format_name)}
    order = ("specId", "name", "slug", "description", "states", "actions", "permissions", "automations")
    return {key: whole[key] for key in (*order, *whole) if key in whole}


def _written_state(step: Step, state_slug: str, format_name: str, *, is_start: bool, is_left: bool) -> JsonObject:
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
        edge.as_plain(),
        read=lambda action: transition(said_action(action)).as_plain(),
        said_by=ACTION_SAID_BY,
        shape=ACTION,
    )
    return {"slug": whole["slug"], "from": whole["from"], "to": whole["to"], **whole}
