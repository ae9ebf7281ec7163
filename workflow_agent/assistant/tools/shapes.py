"""The shapes of what a model writes, told once behind the prompt modules of the modes that write.

The tools that take them stand in every request, in whatever mode, and name only what they are made of: all
shapes in their schemas would cost a request that only reads more than its module and its own tools (ADR-0090).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import get_args

from workflow_agent.assistant.tools.creation import TRIGGERS, Edge
from workflow_agent.assistant.tools.edit_calls import (
    EXAMPLES,
    FURTHER_EXAMPLES,
    OPERATIONS_HELP,
    WHAT_THEY_DO,
    EditCall,
    StepParts,
)
from workflow_agent.assistant.tools.parameters import NULL_CLEARS, Parameters
from workflow_agent.workflows.model.steps import StepType
from workflow_agent.workflows.model.transitions import TransitionType

_VALUES: Mapping[tuple[type[Parameters], str], Sequence[str]] = {
    (StepParts, "type"): get_args(StepType),
    (Edge, "type"): get_args(TransitionType),
}
"""Of fields that take one of several words."""

CREATED = """\
{"name":"Refund","steps":[{"name":"Ask","type":"human","assignee":"customer"},\
{"name":"Check","type":"human","assignee":"clerk"},{"name":"Pay back","uses":"bank.pay",\
"retry":{"max_attempts":3}},{"name":"Paid","type":"end","outcome":"ok"},{"name":"Refused","type":"end","outcome":"rejected"}],\
"transitions":[{"from":"Ask","to":"Check"},{"from":"Check","to":"Pay back","type":"condition","when":"approved"},\
{"from":"Check","to":"Refused","type":"default"},{"from":"Pay back","to":"Paid"}],"triggers":[{"type":"manual"}]}"""
"""A workflow with a decision, in the fields that most workflows need."""
_LOOP = '{"id":"each","name":"Each item","type":"loop","loop":{"over":"items"}}, {"name":"Pack","parent":"each"}'
_LIFECYCLE = '{"name":"Draft","type":"state"} and {"from":"Draft","to":"Live","action":"publish","permission":"edit"}'


def shapes() -> str:
    """Return every field of a step, a transition, a trigger and an edit, with what it takes."""
    cleared = ", ".join(f"`{name}`" for name, field in EditCall.model_fields.items() if NULL_CLEARS in field.metadata)
    return "\n".join(
        [
            "## Shapes",
            "",
            "Only the fields that are needed.",
            "",
            f"- **Step**: {_told(StepParts)}",
            f"- **Transition**: {_told(Edge)}",
            f"- **Trigger**: {TRIGGERS}",
            f"- **Edit**: an `op` with its fields: {OPERATIONS_HELP}",
            f"- **Fields of edits**: {_told(EditCall, without=('op',))}; null clears {cleared}",
            f"- **What they do**: {WHAT_THEY_DO}",
            f"- `edits` are like {EXAMPLES}, {FURTHER_EXAMPLES}",
            f"- `create_workflow` takes, for example, {CREATED}",
            f"- A loop with its body is like {_LOOP}; a lifecycle like {_LIFECYCLE}",
        ]
    )


def _told(shape: type[Parameters], without: Collection[str] = ()) -> str:
    return " · ".join(_fields(shape, without))


def _fields(shape: type[Parameters], without: Collection[str]) -> Iterator[str]:
    for name, field in shape.model_fields.items():
        if name not in without:
            values = "|".join(_VALUES.get((shape, name), ()))
            yield f"`{field.alias or name}` {', '.join(filter(None, (values, field.description)))}"
