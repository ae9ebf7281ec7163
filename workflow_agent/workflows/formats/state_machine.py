"""Lifecycles as `{specId, name, slug, states, actions, permissions, automations}`."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from pydantic import ValidationError
from typing_extensions import override

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import Imported
from workflow_agent.workflows.formats.builder import DocumentFormat, Draft, fit
from workflow_agent.workflows.formats.fidelity import kept_in, kept_of, restored, restored_step, step_with
from workflow_agent.workflows.formats.plain import list_in, nonempty, object_in, repeated, text_in, without
from workflow_agent.workflows.formats.shapes import (
    Place,
    anything,
    fields_of,
    flag,
    kind_of,
    listed,
    mapped,
    number,
    one_kind,
    problems_in,
    record,
    text,
)
from workflow_agent.workflows.model.parser import slug, take_id
from workflow_agent.workflows.model.steps import STEP_TYPES, Form, FormField, Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Automation, Workflow

INITIAL = ("initial", "start", "begin")
FINAL = ("final", "terminal", "end", "done", "closed")
SLUG = text(r"\s*\S[\s\S]*", says="a slug", most=200)
_SAID = one_kind(text=anything, nothing=anything)
_NAMED = one_kind(text=anything, object=mapped(), nothing=anything)
STATE = record({"slug": SLUG, **fields_of(_SAID, "name type description")}, required=["slug"], is_open=True)
ACTION = record(
    {
        "slug": SLUG,
        "name": _SAID,
        "from": one_kind(text=SLUG, list=listed(SLUG, least=1)),
        "to": SLUG,
        "requiresForm": one_kind(flag=flag, nothing=anything),
        **fields_of(_NAMED, "permission form"),
    },
    required=["slug", "from", "to"],
    is_open=True,
)
ABOUT = record(
    {
        "specId": one_kind(text=anything, number=number(), nothing=anything),
        **fields_of(_SAID, "name slug description"),
        **fields_of(listed(), "permissions automations"),
    },
    is_open=True,
)
LISTS = record(
    {"states": listed(STATE, least=1), "actions": listed(ACTION)}, required=["states", "actions"], is_open=True
)


def sources_of(action: Mapping[str, Any]) -> list[str]:
    """Return the states that an action leads from."""
    return cast("list[str]", list_in(action["from"])) or [action["from"]]


def machine_shape(value: Any, place: Place) -> None:
    """Check a whole machine."""
    ABOUT(value, place)
    LISTS(value, place)


def check_slugs(machine: JsonObject, place: Place) -> None:
    """Refuse each slug that two states have, and each that an action names and no state has."""
    slugs = [state["slug"] for state in machine["states"]]
    known = set(slugs)
    for at in repeated(slugs):
        (place / "states" / at / "slug").refuse(f"{slugs[at]!r} is the slug of another state, too")
    for at, action in enumerate(machine["actions"]):
        for end, named in (("from", sources_of(action)), ("to", [action["to"]])):
            for one in (one for one in named if one not in known):
                (place / "actions" / at / end).refuse(f"there is no state {one[:80]!r}", slugs)


STATE_SAID_BY = {"name": ("name",), "type": ("type",), "description": ("description",)}
ACTION_SAID_BY = {
    "action": ("slug",),
    "label": ("name",),
    "permission": ("permission",),
    "form": ("form", "requiresForm"),
}
SAID_BY = {"name": ("name", "slug"), "description": ("description",), "automations": ("automations",)}


def said_top(machine: Mapping[str, Any], ids: Mapping[str, str]) -> JsonObject:
    """Return the fields of the workflow that a machine says, with the automations that are like the model's."""
    automations: dict[str, JsonObject] = {}
    for one in list_in(machine.get("automations")):
        try:
            said = Automation.model_validate(with_ends(object_in(one), ids))
        except ValidationError:
            continue
        if {said.on.from_, said.on.to} - {None} <= set(ids.values()):
            automations.setdefault(said.id, said.as_plain())
    name = text_in(machine.get("name"), 200) or fit(str(machine.get("slug") or "")) or "State machine"
    description = text_in(machine.get("description")) or ""
    return {"name": name, "description": description, "automations": list(automations.values())}


def with_ends(automation: JsonObject, names: Mapping[str, str]) -> JsonObject:
    """Return an automation whose states are named otherwise."""
    reacts = object_in(automation.get("on"))
    ends = {
        end: names[reacts[end]] for end in ("from", "to") if isinstance(reacts.get(end), str) and reacts[end] in names
    }
    return {**automation, "on": {**reacts, **ends}} if ends else automation


def top_of(said: Mapping[str, Any], slugs: Mapping[str, str], permissions: Iterable[str]) -> JsonObject:
    """Return what a machine says beside its states and actions; its automations name the states by their slugs."""
    made = slug(said["name"], fallback="workflow")
    about = nonempty({"specId": made, "name": said["name"], "slug": made, "description": said["description"]})
    automations = [with_ends(one, slugs) for one in said["automations"]]
    return {**about, "permissions": list(dict.fromkeys(permissions)), "automations": automations}


def said_state(state: Mapping[str, Any], *, is_left: bool) -> JsonObject:
    """Return the fields of the step that a state is."""
    said = str(state.get("type") or "").lower()
    kind = said if said in STEP_TYPES else "state"
    if said in FINAL:
        kind = "state" if is_left else "end"
    name = text_in(state.get("name"), 200) or str(state["slug"])
    return nonempty({"name": name, "type": kind, "description": text_in(state.get("description"))})


def state_of(step: Step, *, is_start: bool) -> JsonObject:
    """Return the state for a step, with the id as its slug."""
    kind = {"end": "final", "state": "initial" if is_start else "normal"}.get(step.type, step.type)
    return nonempty({"slug": step.id, "name": step.name, "type": kind, "description": step.description})


def said_action(action: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the transition that an action is."""
    permission = action.get("permission")
    return {
        "action": fit(action["slug"]),
        "label": text_in(action.get("name")),
        "permission": text_in(object_in(permission).get("slug", permission), 200),
        "form": _said_form(action),
    }


def _said_form(action: Mapping[str, Any]) -> JsonObject | None:
    named = action.get("form")
    form = object_in(named)
    title = text_in(named if isinstance(named, str) else form.get("title", form.get("name")))
    if not (form or title or action.get("requiresForm")):
        return None
    fields = [one for one in map(_said_field, list_in(form.get("fields"))) if one is not None]
    return Form.model_validate({"title": title, "fields": fields}).as_plain()


def _said_field(field: Any) -> JsonObject | None:
    given = {"key": field} if isinstance(field, str) else object_in(field)
    key = next((given[name] for name in ("key", "slug", "name") if name in given), None)
    known = {name: value for name, value in given.items() if name in FormField.model_fields}
    for fields in ({**known, "key": key}, {"key": key}):
        try:
            return FormField.model_validate(fields).as_plain()
        except ValidationError:
            continue
    return None


def transition(fields: Mapping[str, Any]) -> Transition:
    """Return a transition with these fields between any two steps."""
    return Transition.model_validate({"id": "go", "from": "here", "to": "there", **fields})


def action_of(edge: Transition) -> JsonObject:
    """Return the action for a transition, without its ends."""
    return nonempty(
        {
            "slug": edge.action or slug(edge.label or edge.id),
            "requiresForm": edge.form is not None,
            "name": edge.label,
            "permission": edge.permission,
            "form": edge.form.as_plain() if edge.form is not None and edge.form != Form() else None,
        }
    )


def read_machine(machine: JsonObject, draft: Draft) -> Imported:
    """Return the workflow of a machine."""
    left = {one for action in machine["actions"] for one in sources_of(action)}
    initial = [state["slug"] for state in machine["states"] if str(state.get("type")).lower() in INITIAL]
    start = [*initial, machine["states"][0]["slug"]][0]
    ids: dict[str, str] = {}
    for at, state in enumerate(machine["states"]):
        fields = said_state(state, is_left=state["slug"] in left)
        plain = state_of(step_with(fields), is_start=state["slug"] == start)
        kept = kept_of(state, {**plain, "slug": draft.free_id(state["slug"])})
        ids[state["slug"]] = draft.add(wanted_id=state["slug"], kept=kept, at=("states", at), **fields)
    for action in machine["actions"]:
        fields = said_action(action)
        kept = kept_of(action, action_of(transition(fields)) | {"from": action["from"], "to": action["to"]})
        if list_in(action["from"]):
            kept["from"] = action["from"]
        for source in sources_of(action):
            draft.connect(ids[source], ids[action["to"]], kept=kept, **fields)
    said = said_top(machine, ids)
    about = without(machine, "states", "actions")
    permissions = (e["permission"] for e in draft.transitions if "permission" in e)
    slugs = {step_id: one for one, step_id in ids.items()}
    kept = kept_of(about, top_of(said, slugs, permissions))
    return draft.finished(start=ids[start], kept=kept, **said)


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
    ids = {one: step_id for step_id, one in slugs.items()}
    top = restored(
        top_of(said, slugs, (edge.permission for edge in workflow.transitions if edge.permission)),
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
        without(kept, "from", "to"),
        edge.as_plain(),
        read=lambda action: transition(said_action(action)).as_plain(),
        said_by=ACTION_SAID_BY,
        shape=ACTION,
    )
    return {"slug": whole["slug"], "from": whole["from"], "to": whole["to"], **whole}


class StateMachine(DocumentFormat):
    """States, and the actions by which people lead from one to the next."""

    name = "state-machine"
    title = "state machine"
    media_type = "application/json"
    extension = "json"
    shape = staticmethod(machine_shape)
    rules = staticmethod(check_slugs)
    read_into = staticmethod(read_machine)
    document_of = staticmethod(machine_of)

    @override
    def recognises(self, document: Any) -> float:
        machine = object_in(document)
        if kind_of(machine.get("states")) == kind_of(machine.get("actions")) == "a list":
            return 0.95 if "specId" in machine else 0.85
        return 0.0
