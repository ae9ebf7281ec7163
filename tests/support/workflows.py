"""Random workflows that are structurally valid, for property tests.

`workflows()` draws them from small pools of ids, names and contents, so that names repeat, steps have
several ways in and out, and cycles, self-loops, parallel transitions, scopes and unreachable steps all
occur. Half of them have a chain of plain transitions through all steps. Drawing from pools rather than
building each value keeps an example at a few milliseconds.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.steps import STEP_TYPES
from workflow_agent.workflows.model.transitions import TRANSITION_TYPES
from workflow_agent.workflows.model.workflow import Workflow

_WORDS = ("draft", "review", "approve", "sign", "pay", "ship", "notify", "archive", "check", "close")
_NAMES = ("Draft", "Legal review", "Approve", "Sign contract", "Pay", "Überprüfung", "notify", "日本", "Close!")
_LABELS = ("employee", "manager", "finance", "Søren", "a b")
_TEXTS = ("x", "approved", "not approved", "two\nlines", "ü \U0001f600", '"quoted" & <marked> | `so`', "'", "{{ x }}")
_OBJECTS: tuple[JsonObject, ...] = (
    {"b": 1, "a": True},
    {"a": 1.0, "b": [1, None, {"c": "x"}]},
    {"key": {"nested": {"Q": []}}},
)
_CONDITIONS = (
    {"text": "approved"},
    {"text": ""},
    {"expression": "$.amount > 100", "language": "jsonata"},
    {"expression": {"Variable": "$.n", "NumericGreaterThan": 1}},
    {"text": "rejected", "expression": 0},
)
_FORMS: tuple[JsonObject, ...] = (
    {},
    {"title": "Form", "fields": [{"key": "amount", "type": "number", "required": True, "default": 0}]},
    {"fields": [{"key": "kind", "type": "choice", "options": ["a", "b"], "default": "a"}, {"key": "note"}]},
)
_TRIGGERS: tuple[JsonObject, ...] = (
    {"type": "manual"},
    {"type": "schedule", "cron": "0 9 * * 1", "timezone": "UTC"},
    {"type": "schedule", "every": "PT5M"},
    {"type": "event", "event": "expense.submitted"},
    {"type": "webhook", "path": "/hook", "with": {"a": 1}},
    {"type": "workflow", "workflow": "Onboarding"},
)

STEP_VALUES: Mapping[str, Sequence[Any]] = {
    "description": _TEXTS,
    "assignee": _LABELS,
    "permission": _LABELS,
    "uses": _TEXTS,
    "with": _OBJECTS,
    "form": _FORMS,
    "retry": ({}, {"max_attempts": 3, "interval": "PT10S"}, {"backoff": "exponential", "factor": 2.0}),
    "timeout": ("PT10S", "P1D"),
    "duration": ("PT2H", "P2W"),
    "escalate_to": _LABELS,
    "event": _LABELS,
    "workflow": _LABELS,
    "loop": ({}, {"over": [1, 2], "parallel": 0}, {"until": {"text": "done"}, "max_iterations": 3}),
    "join": ({}, {"mode": "any"}, {"mode": "count", "count": 2}),
    "outcome": ("ok", "rejected", "failed"),
    "when": _CONDITIONS,
    "idempotent": (True, False),
    "on_error": ("fail", "continue"),
    "reads": (["total"], ["a b", "total"]),
    "writes": (["total"], ["a b"]),
    "extensions": _OBJECTS,
}
"""Values for each optional field of a step that refers to no other part."""
TRANSITION_VALUES: Mapping[str, Sequence[Any]] = {
    "type": TRANSITION_TYPES,
    "when": _CONDITIONS,
    "label": _TEXTS,
    "action": ("approve", "reject"),
    "permission": _LABELS,
    "form": _FORMS,
    "errors": (["Timeout"], ["a", "b"]),
    "extensions": _OBJECTS,
}
"""Values for each optional field of a transition that refers to no other part."""

names = st.sampled_from(_NAMES)
labels = st.sampled_from(_LABELS)
texts = st.sampled_from(("", *_TEXTS))
triggers = st.sampled_from(_TRIGGERS)


def contents(values: Mapping[str, Sequence[Any]]) -> st.SearchStrategy[JsonObject]:
    """Return a strategy for one or two of the fields, each with one of its values."""
    one = st.sampled_from([{field: value} for field, listed in values.items() for value in listed])
    return st.tuples(one, one).map(lambda both: {**both[0], **both[1]})


_STEP_TYPES = st.sampled_from((*STEP_TYPES, "action", "action", "human"))
_STEP_CONTENTS = st.just({}) | contents(STEP_VALUES)
transition_contents = st.just({}) | contents(TRANSITION_VALUES)
step_contents = st.builds(
    lambda name, kind, more: {"name": name, "type": kind, **more}, names, _STEP_TYPES, _STEP_CONTENTS
)
"""Steps without an id and outside any scope."""


def automation_contents(step_ids: Sequence[str]) -> st.SearchStrategy[JsonObject]:
    """Return a strategy for automations without an id, about steps with these ids."""
    ends = st.sampled_from([{}, *({end: step_id} for end in ("from", "to") for step_id in step_ids)])
    effects = st.sampled_from(({"type": "email", "with": {"to": "employee"}}, {"type": "call"}))
    return st.builds(lambda end, effect: {"on": {"event": "entered", **end}, "effect": effect}, ends, effects)


def _sizes(most: int) -> st.SearchStrategy[int]:
    """Return a strategy for numbers of steps, single ones seldom."""
    return st.sampled_from([size for size in (4, 3, 5, 2, 6, 7, 1, 8, 9, 10) if size <= most])


@st.composite
def workflow_documents(draw: st.DrawFn, *, max_steps: int = 7, max_transitions: int = 10) -> JsonObject:
    """Draw the document of a structurally valid workflow."""
    first = draw(st.integers(0, len(_WORDS) - 1))
    ids = (_WORDS * 2)[first : first + min(len(_WORDS), draw(_sizes(max_steps)))]
    steps: list[JsonObject] = []
    for at, step_id in enumerate(ids):
        # Only earlier steps are scopes, so that none is inside itself; most steps are in none.
        scope = draw(st.integers(0, 3 * at))
        parent = {"parent": ids[scope]} if scope < at else {}
        steps.append({"id": step_id, **draw(step_contents), **parent})
    listed = steps if draw(st.booleans()) else steps[::-1]
    transitions = draw(_transitions(ids, max_transitions))
    reactions = draw(st.lists(automation_contents(ids), max_size=2))
    return {
        "id": "wf_random",
        "name": draw(names),
        "version": 3,
        "description": draw(texts),
        "aliases": draw(st.lists(st.sampled_from(("Expenses", "expenses", "Onboarding")), max_size=3)),
        "tags": draw(st.lists(labels, max_size=3)),
        "start": draw(st.sampled_from(ids)),
        "triggers": draw(st.lists(triggers, max_size=3)),
        "steps": listed,
        "transitions": [{"id": f"t{at}", **edge} for at, edge in enumerate(transitions)],
        "automations": [{"id": f"a{at}", **reaction} for at, reaction in enumerate(reactions)],
        "extensions": draw(st.sampled_from(({}, *_OBJECTS))),
        "created_at": "2026-01-02T03:04:05.678Z",
    }


@st.composite
def _transitions(draw: st.DrawFn, ids: Sequence[str], most: int) -> list[JsonObject]:
    chain = [{"from": one, "to": other} for one, other in pairwise(ids)] if draw(st.booleans()) else []
    ends = st.sampled_from([{"from": one, "to": other} for one in ids for other in ids])
    drawn = st.builds(lambda both, more: {**both, **more}, ends, transition_contents)
    return [*chain, *draw(st.lists(drawn, max_size=max(0, most - len(chain))))][:most]


def workflows(*, max_steps: int = 7, max_transitions: int = 10) -> st.SearchStrategy[Workflow]:
    """Return a strategy for structurally valid workflows of at most ten steps, with any kind of content."""
    drawn = workflow_documents(max_steps=max_steps, max_transitions=max_transitions)
    return drawn.map(parse_workflow)
