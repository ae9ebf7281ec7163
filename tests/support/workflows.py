"""Random workflows that are structurally valid, for property tests.

`workflows()` draws them from small pools of ids and names, so that names repeat, steps have several
ways in and out, and cycles, self-loops, parallel transitions, scopes and unreachable steps all occur.
Half of them have a chain of plain transitions through all steps.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from workflow_agent.domain.workflow import STEP_TYPES, TRANSITION_TYPES, JsonObject, Workflow
from workflow_agent.domain.workflow_parsing import parse_workflow

_WORDS = ("draft", "review", "approve", "sign", "pay", "ship", "notify", "archive", "check", "close")
_NAMES = (
    "Draft",
    "Legal review",
    "Approve",
    "Sign contract",
    "Pay",
    "Überprüfung",
    "notify",
    "日本",
    "Close!",
)
_DURATIONS = ("PT10S", "PT5M", "PT2H", "P1D", "P2W")

labels = st.sampled_from(("employee", "manager", "finance", "it-ops", "Søren", "a b"))
texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=12)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from((0.5, 1.0)) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    max_leaves=4,
)
json_objects = st.dictionaries(st.sampled_from(("key", "b", "a", "Q")), json_values, max_size=3)
conditions = st.one_of(
    st.builds(dict, text=texts),
    st.builds(dict, expression=json_values.filter(lambda value: value is not None), language=labels),
)
forms = st.builds(
    dict,
    title=texts,
    fields=st.lists(
        st.fixed_dictionaries(
            {"key": labels},
            optional={"type": st.sampled_from(("string", "number", "choice")), "required": st.booleans(),
                      "default": json_values, "options": st.lists(labels, max_size=2)},
        ),
        max_size=2,
    ),
)  # fmt: skip
retries = st.fixed_dictionaries(
    {},
    optional={"max_attempts": st.integers(1, 5), "interval": st.sampled_from(_DURATIONS),
              "backoff": st.sampled_from(("fixed", "exponential")), "factor": st.sampled_from((1, 2.0))},
)  # fmt: skip
triggers = st.one_of(
    st.just({"type": "manual"}),
    st.builds(dict, type=st.just("schedule"), cron=st.sampled_from(("0 9 * * 1", "*/5 * * * *"))),
    st.builds(dict, type=st.just("schedule"), every=st.sampled_from(_DURATIONS)),
    st.builds(dict, type=st.just("event"), event=labels),
    st.fixed_dictionaries({"type": st.just("webhook")}, optional={"path": texts, "with": json_objects}),
    st.builds(dict, type=st.just("workflow"), workflow=labels),
)
step_fields: dict[str, st.SearchStrategy[Any]] = {
    "description": texts,
    "assignee": labels,
    "permission": labels,
    "uses": texts,
    "with": json_objects,
    "form": forms,
    "retry": retries,
    "timeout": st.sampled_from(_DURATIONS),
    "duration": st.sampled_from(_DURATIONS),
    "outcome": st.sampled_from(("ok", "rejected", "failed")),
    "when": conditions,
    "loop": st.fixed_dictionaries({}, optional={"over": json_values, "until": conditions}),
    "join": st.fixed_dictionaries({}, optional={"mode": st.sampled_from(("all", "any"))}),
    "idempotent": st.booleans(),
    "on_error": st.sampled_from(("fail", "continue")),
    "reads": st.lists(labels, max_size=2),
    "writes": st.lists(labels, max_size=2),
    "extensions": json_objects,
}
"""The optional fields of a step that refer to no other part, each with its values."""
transition_fields: dict[str, st.SearchStrategy[Any]] = {
    "when": conditions,
    "label": texts.filter(bool),
    "action": labels,
    "permission": labels,
    "form": forms,
    "errors": st.lists(labels, max_size=2),
    "extensions": json_objects,
}
"""The optional fields of a transition that refer to no other part, each with its values."""


@st.composite
def some_of(draw: st.DrawFn, fields: dict[str, st.SearchStrategy[Any]]) -> JsonObject:
    """Draw values for at most three of the fields."""
    names = draw(st.lists(st.sampled_from(sorted(fields)), max_size=3, unique=True))
    return {name: draw(fields[name]) for name in names}


@st.composite
def step_contents(draw: st.DrawFn) -> JsonObject:
    """Draw a step without an id and outside any scope."""
    kind = draw(st.sampled_from((*STEP_TYPES, "action", "action", "human")))
    return {"name": draw(st.sampled_from(_NAMES)), "type": kind, **draw(some_of(step_fields))}


@st.composite
def transition_contents(draw: st.DrawFn) -> JsonObject:
    """Draw a transition without an id and without ends; half of them are plain."""
    if draw(st.booleans()):
        return {}
    return {"type": draw(st.sampled_from(TRANSITION_TYPES)), **draw(some_of(transition_fields))}


@st.composite
def automations(draw: st.DrawFn, step_ids: Sequence[str]) -> JsonObject:
    """Draw an automation without an id, about steps with these ids."""
    ends = st.fixed_dictionaries({}, optional=dict.fromkeys(("from", "to"), st.sampled_from(step_ids)))
    return {
        "on": {"event": draw(st.sampled_from(("entered", "left", "failed"))), **draw(ends)},
        "effect": {"type": draw(labels), "with": draw(json_objects)},
    }


@st.composite
def workflow_documents(draw: st.DrawFn, *, max_steps: int = 7, max_transitions: int = 10) -> JsonObject:
    """Draw the document of a structurally valid workflow."""
    fewest = min(max_steps, draw(st.sampled_from((3, 3, 4, 1))))
    ids = draw(st.lists(st.sampled_from(_WORDS), min_size=fewest, max_size=max_steps, unique=True))
    steps: list[JsonObject] = []
    for at, step_id in enumerate(ids):
        # Only earlier steps are scopes, so that none is inside itself; most steps are in none.
        parent = {"parent": ids[draw(st.integers(0, at - 1))]} if at and draw(st.integers(0, 3)) == 0 else {}
        steps.append({"id": step_id, **draw(step_contents()), **parent})
    transitions: list[JsonObject] = []
    if draw(st.booleans()):
        transitions += [{"from": one, "to": other} for one, other in pairwise(ids)][:max_transitions]
    ends = st.tuples(st.sampled_from(ids), st.sampled_from(ids))
    for from_id, to_id in draw(st.lists(ends, max_size=max_transitions - len(transitions))):
        transitions.append({"from": from_id, "to": to_id, **draw(transition_contents())})
    reactions = draw(st.lists(automations(ids), max_size=2))
    return {
        "id": f"wf_{draw(st.sampled_from(_WORDS))}",
        "name": draw(st.sampled_from(_NAMES)),
        "version": draw(st.integers(1, 9)),
        "description": draw(texts),
        "aliases": draw(st.lists(st.sampled_from(("Expenses", "expenses", "Onboarding")), max_size=3)),
        "tags": draw(st.lists(labels, max_size=3)),
        "start": draw(st.sampled_from(ids)),
        "triggers": draw(st.lists(triggers, max_size=3)),
        "steps": draw(st.permutations(steps)),
        "transitions": [{"id": f"t{at}", **edge} for at, edge in enumerate(transitions)],
        "automations": [{"id": f"a{at}", **reaction} for at, reaction in enumerate(reactions)],
        "extensions": draw(json_objects),
        "created_at": "2026-01-02T03:04:05.678Z",
    }


def workflows(*, max_steps: int = 7, max_transitions: int = 10) -> st.SearchStrategy[Workflow]:
    """Return a strategy for structurally valid workflows with any kind of content."""
    drawn = workflow_documents(max_steps=max_steps, max_transitions=max_transitions)
    return drawn.map(parse_workflow)
