"""Random edits of a given workflow, as plain data, for property tests.

Most fit the workflow they are drawn for; some name what is not there, or what cannot be done.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from tests.support.workflows import (
    STEP_VALUES,
    TRANSITION_VALUES,
    automation_contents,
    contents,
    labels,
    step_contents,
    texts,
    transition_contents,
    triggers,
)
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.edits.operations import OPERATIONS
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

_Draw = Callable[[st.SearchStrategy[Any]], Any]
_WORDS = ("expenses", "Onboarding", "manager")


def _ref(draw: _Draw, workflow: Workflow) -> str:
    step = draw(st.sampled_from(workflow.steps))
    return draw(st.sampled_from((*[step.id] * 6, step.name, "nowhere")))


def _transition(draw: _Draw, workflow: Workflow) -> str:
    return draw(st.sampled_from([edge.id for edge in workflow.transitions] or ["t99"]))


def _place(draw: _Draw, workflow: Workflow) -> JsonObject:
    kind = draw(st.sampled_from(("before", "after", "between")))
    if kind != "between":
        return {kind: _ref(draw, workflow)}
    edges = [[edge.from_, edge.to] for edge in workflow.transitions]
    return {"between": draw(st.sampled_from(edges)) if edges else [_ref(draw, workflow)] * 2}


def _changes(draw: _Draw, values: Mapping[str, Sequence[Any]]) -> JsonObject:
    unset = draw(st.lists(st.sampled_from(sorted(values)), max_size=1))
    changed = {name: value for name, value in draw(contents(values)).items() if name not in unset}
    return {"set": changed, "unset": unset}


def _value(draw: _Draw, field: str) -> Any:
    return draw(st.sampled_from((None, *STEP_VALUES[field])))


def _named_parts(draw: _Draw, workflow: Workflow) -> dict[str, Callable[[], JsonObject]]:
    def ref() -> str:
        return _ref(draw, workflow)

    return {
        "add_step": lambda: {"step": draw(step_contents), "after_in_list": ref()},
        "insert_step": lambda: {"step": draw(step_contents), **_place(draw, workflow)},
        "remove_step": lambda: {"step": ref(), "mode": draw(st.sampled_from(("reconnect", "cut")))},
        "rename_step": lambda: {"step": ref(), "name": "Überprüfung 2"},
        "update_step": lambda: {"step": ref(), **_changes(draw, STEP_VALUES)},
        "move_step": lambda: {"step": ref(), **draw(st.just(_place(draw, workflow)) | st.just({"position": 1}))},
        "replace_step": lambda: {"step": ref(), "with": draw(step_contents)},
        "wrap_in_approval": lambda: {"step": ref(), "assignee": draw(labels)},
        "parallelize": lambda: {"steps": _chain(draw, workflow)},
        "add_error_path": lambda: {"step": ref()},
        "set_start": lambda: {"step": ref()},
        "set_form": lambda: {"step": ref(), "form": _value(draw, "form")},
        "set_permission": lambda: {"step": ref(), "permission": _value(draw, "permission")},
        "set_assignee": lambda: {"step": ref(), "assignee": _value(draw, "assignee")},
        "set_retry": lambda: {"step": ref(), "retry": _value(draw, "retry")},
        "set_timeout": lambda: {"step": ref(), "timeout": _value(draw, "timeout")},
    }


def _graph_parts(draw: _Draw, workflow: Workflow) -> dict[str, Callable[[], JsonObject]]:
    def ref() -> str:
        return _ref(draw, workflow)

    def automation() -> JsonObject:
        automation_id = draw(st.sampled_from(("a0", "a1", "a9")))
        reacts = draw(automation_contents([step.id for step in workflow.steps]))
        return draw(
            st.sampled_from(
                ({"automation": {"id": automation_id, **reacts}}, {"automation": None, "id": automation_id})
            )
        )

    return {
        "connect": lambda: {"from": ref(), "to": ref(), **draw(transition_contents)},
        "disconnect": lambda: {"transition": _transition(draw, workflow)},
        "update_transition": lambda: {"transition": _transition(draw, workflow), **_changes(draw, TRANSITION_VALUES)},
        "set_automation": automation,
    }


def _header_parts(draw: _Draw, workflow: Workflow) -> dict[str, Callable[[], JsonObject]]:
    return {
        "add_trigger": lambda: {"trigger": draw(triggers), "position": 0},
        "remove_trigger": lambda: {"index": draw(st.integers(0, 2))},
        "rename_workflow": lambda: {"name": "Another name"},
        "set_description": lambda: {"description": draw(texts)},
        "add_alias": lambda: {"alias": draw(st.sampled_from((*_WORDS, *workflow.aliases)))},
        "remove_alias": lambda: {"alias": draw(st.sampled_from((*workflow.aliases, *_WORDS)))},
        "tag": lambda: {"tag": draw(st.sampled_from((*_WORDS, *workflow.tags)))},
        "untag": lambda: {"tag": draw(st.sampled_from((*workflow.tags, *_WORDS)))},
    }


def _chain(draw: _Draw, workflow: Workflow) -> list[str]:
    """Return two steps, which can be made parallel if any two can."""
    plain = [edge for edge in workflow.transitions if edge == _plain(edge) and edge.from_ != edge.to]
    alone = [
        [edge.from_, edge.to]
        for edge in plain
        if len(workflow.outgoing(edge.from_)) == 1 and len(workflow.incoming(edge.to)) == 1
    ]
    return draw(st.sampled_from(alone)) if alone else [_ref(draw, workflow), _ref(draw, workflow)]


def _plain(edge: Transition) -> Transition:
    return Transition.model_validate({"id": edge.id, "from": edge.from_, "to": edge.to})


@st.composite
def edit_documents(draw: st.DrawFn, workflow: Workflow, ops: Sequence[str] = OPERATIONS) -> JsonObject:
    """Draw one edit of the workflow, with one of the operations."""
    makers = {**_named_parts(draw, workflow), **_graph_parts(draw, workflow), **_header_parts(draw, workflow)}
    op = draw(st.sampled_from(ops))
    return {"op": op, **makers[op]()}
