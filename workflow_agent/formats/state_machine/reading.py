"""A machine as a workflow."""

from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Step
from workflow_agent.formats.base import Imported
from workflow_agent.formats.drafting import Draft
from workflow_agent.formats.keeping import kept_of
from workflow_agent.formats.shapes import list_in
from workflow_agent.formats.state_machine.content import (
    action_of,
    said_action,
    said_state,
    said_top,
    state_of,
    top_of,
    transition,
    with_ends,
)
from workflow_agent.formats.state_machine.shapes import INITIAL, sources_of


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
        ids[state["slug"]] = draft.add(
            name, kind, wanted_id=state["slug"], kept=kept, at=("states", at), **fields
        )
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
