"""States and actions as the fields of steps and transitions, and back."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import ValidationError

from workflow_agent.errors import Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.shapes import (
    Place,
    anything,
    flag,
    list_in,
    listed,
    mapped,
    number,
    object_in,
    one_kind,
    problems_in,
    record,
    text,
    text_in,
)
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.steps import STEP_TYPES, Form, FormField, Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Automation

INITIAL = ("initial", "start", "begin")
FINAL = ("final", "terminal", "end", "done", "closed")
SLUG = text(r"\s*\S[\s\S]*", says="a slug", most=200)
_SAID = one_kind(text=anything, nothing=anything)
_NAMED = one_kind(text=anything, object=mapped(), nothing=anything)
STATE = record({"slug": SLUG, "name": _SAID, "type": _SAID, "description": _SAID}, required=["slug"], is_open=True)
ACTION = record(
    {
        "slug": SLUG,
        "name": _SAID,
        "from": one_kind(text=SLUG, list=listed(SLUG, least=1)),
        "to": SLUG,
        "requiresForm": one_kind(flag=flag, nothing=anything),
        "permission": _NAMED,
        "form": _NAMED,
    },
    required=["slug", "from", "to"],
    is_open=True,
)
ABOUT = record(
    {
        "specId": one_kind(text=anything, number=number(), nothing=anything),
        "name": _SAID,
        "slug": _SAID,
        "description": _SAID,
        "permissions": listed(),
        "automations": listed(),
    },
    is_open=True,
)
LISTS = record(
    {"states": listed(STATE, least=1), "actions": listed(ACTION)}, required=["states", "actions"], is_open=True
)


def sources_of(action: Mapping[str, Any]) -> list[str]:
    """Return the states that an action leads from."""
    return cast("list[str]", list_in(action["from"])) or [action["from"]]


def problems_of_machine(document: Any) -> list[Problem]:
    """Return everything that makes a document no machine."""
    found = [*problems_in(document, ABOUT), *problems_in(document, LISTS)]
    return found or _broken_references(object_in(document))


def _broken_references(machine: JsonObject) -> list[Problem]:
    place = Place([])
    slugs = [state["slug"] for state in machine["states"]]
    known = set[str]()
    for at, one in enumerate(slugs):
        if one in known:
            (place / "states" / at / "slug").refuse(f"{one!r} is the slug of another state, too")
        known.add(one)
    for at, action in enumerate(machine["actions"]):
        for end, named in (("from", sources_of(action)), ("to", [action["to"]])):
            for one in (one for one in named if one not in known):
                (place / "actions" / at / end).refuse(f"there is no state {one[:80]!r}", slugs)
    return place.problems


STATE_SAID_BY = {"name": ("name",), "type": ("type",), "description": ("description",)}
ACTION_SAID_BY = {
    "action": ("slug",),
    "label": ("name",),
    "permission": ("permission",),
    "form": ("form", "requiresForm"),
}
SAID_BY = {"name": ("name", "slug"), "description": ("description",), "automations": ("automations",)}


def said_top(machine: Mapping[str, Any], ids: Mapping[str, str]) -> JsonObject:
    """Return the fields of the workflow that a machine says, with the automations that are like the model's.

    Args:
        machine: What it says beside its states and actions.
        ids: The step for the slug of each state.
    """
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
    ends = {end: names[reacts[end]] for end in ("from", "to") if _is_key(reacts.get(end), names)}
    return {**automation, "on": {**reacts, **ends}} if ends else automation


def _is_key(value: Any, names: Mapping[str, str]) -> bool:
    return isinstance(value, str) and value in names


def top_of(said: Mapping[str, Any], permissions: list[str]) -> JsonObject:
    """Return what a machine says beside its states and actions."""
    made = slug(said["name"], fallback="workflow")
    about = {"description": said["description"]} if said["description"] else {}
    lists = {"permissions": permissions, "automations": list(said["automations"])}
    return {"specId": made, "name": said["name"], "slug": made, **about, **lists}


def said_state(state: Mapping[str, Any], *, is_left: bool) -> JsonObject:
    """Return the fields of the step that a state is."""
    said = str(state.get("type") or "").lower()
    kind = said if said in STEP_TYPES else "state"
    if said in FINAL:
        kind = "state" if is_left else "end"
    name = text_in(state.get("name"), 200) or str(state["slug"])
    description = text_in(state.get("description"))
    return {"name": name, "type": kind, **({"description": description} if description else {})}


def state_of(step: Step, *, is_start: bool) -> JsonObject:
    """Return the state for a step, with the id as its slug."""
    about = {"description": step.description} if step.description else {}
    kind = {"end": "final", "state": "initial" if is_start else "normal"}.get(step.type, step.type)
    return {"slug": step.id, "name": step.name, "type": kind, **about}


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
    found: JsonObject = {"slug": edge.action or slug(edge.label or edge.id), "requiresForm": edge.form is not None}
    if edge.label:
        found["name"] = edge.label
    if edge.permission:
        found["permission"] = edge.permission
    if edge.form is not None and edge.form != Form():
        found["form"] = edge.form.as_plain()
    return found
