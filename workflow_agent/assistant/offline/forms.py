"""The frame of forms: a field more in what somebody fills in at a step."""

from workflow_agent.assistant.offline.clauses import counts
from workflow_agent.assistant.offline.plan import Asked, Clause, NotRead, Plan, titled
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.steps import Step

_TYPES = {
    "date": "date",
    "amount": "number",
    "number": "number",
    "price": "number",
    "sum": "number",
    "email": "email",
    "e-mail": "email",
    "file": "file",
    "attachment": "file",
    "comment": "text",
    "note": "text",
    "reason": "text",
}
"""By the last word of a field's name; anything else is a line of text."""


def read_form(plan: Plan, clause: Clause) -> Tokens:
    """Add a field to a form: 'add a field "cost centre" to the request'; return the words that are not used.

    Raises:
        NotRead: It adds no field.
        StepUnclear: The step whose form is meant may be several, or none.
        Asked: No step is named.
    """
    tokens = tuple(t for t in clause.tokens if t.kind != "punct")
    at = next((i for i, t in enumerate(tokens) if t.is_("field") and t.kind == "word"), None)
    if at is None or clause.negated or clause.unneeded or not ("add" in clause.verbs or clause.wanted):
        raise NotRead
    where = next((i for i in range(at, len(tokens)) if tokens[i].is_("to", "in", "on")), len(tokens))
    before = [t for t in tokens[:at] if counts(t) and not t.is_("add", "insert", "put", "include", "new", "required")]
    behind = [t for t in tokens[at + 1 : where] if counts(t) and not t.is_("called", "named", "required")]
    name = behind or before
    if not name or (behind and before):
        raise NotRead
    about = [t for t in tokens[where + 1 :] if counts(t) and not t.is_("form", "required", "mandatory")]
    if not about:
        raise Asked("To the form of which step?", plan.text.rstrip(" .!") + " to ", "")
    step = plan.step(about)
    plan.do({"op": "set_form", "step": step.id, "form": with_field(step, name, tokens)})
    plan.steps.last = step.id
    return ()


def with_field(step: Step, name: list[Token], tokens: Tokens) -> JsonObject:
    """Return the form of a step with one field more.

    Raises:
        NotRead: It has the field already.
    """
    form: JsonObject = step.form.model_dump(mode="json", exclude_defaults=True) if step.form else {}
    label = " ".join(t.text for t in name)
    key = slug(label)
    if any(one["key"] == key for one in form.get("fields", ())):
        raise NotRead(f"{step.name!r} has a field {key!r} already")
    field: JsonObject = {"key": key, "label": titled(label)}
    if (kind := _TYPES.get(label.lower().rpartition(" ")[2])) is not None:
        field["type"] = kind
    if any(t.is_("required", "mandatory") for t in tokens):
        field["required"] = True
    return {**form, "fields": [*form.get("fields", ()), field]}
