"""The prompt modules: Markdown files named by mode, read once at start-up, and the shapes told behind them.

The tools that take the shapes of what a model writes stand in every request, in whatever mode, and name only what
they are made of: all shapes in their schemas would cost a request that only reads more than its module and its own
tools (ADR-0090).
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
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
from workflow_agent.conversations.agents import MODES, Mode
from workflow_agent.conversations.document import Phase
from workflow_agent.conversations.transitions import PHASES
from workflow_agent.errors import Misconfigured
from workflow_agent.workflows.model.steps import StepType
from workflow_agent.workflows.model.transitions import TransitionType


def read_prompt(directory: Path, name: str) -> str:
    """Return the text of `<name>.md`, without surrounding white space.

    Raises:
        Misconfigured: The file is missing, empty, unreadable or not UTF-8.
    """
    path = directory / f"{name}.md"
    try:
        text = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError as error:
        raise Misconfigured(
            f"There is no prompt {str(path)!r}. Put {path.name} there, or name another prompt directory."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(
            f"The prompt {str(path)!r} cannot be read as UTF-8 text: {error}. Mend or replace the file."
        ) from error
    if not text:
        raise Misconfigured(f"The prompt {str(path)!r} is empty. Write the instructions of {name!r} into it.")
    return text


def read_phase_prompts(directory: Path) -> Mapping[Phase, str]:
    """Return what each phase adds to the instructions, read-only; plain chat adds nothing.

    Raises:
        Misconfigured: A file is missing, empty or unreadable; the message names it.
    """
    guided: dict[Phase, str] = {phase: read_prompt(directory, phase) for phase in PHASES if phase != "chat"}
    return MappingProxyType(guided)


def read_prompts(directory: Path) -> Mapping[Mode, str]:
    """Return the prompt module of every mode, read-only.

    Raises:
        Misconfigured: A module is missing, empty or unreadable; the message names the file.
    """
    return MappingProxyType({mode: read_prompt(directory, mode) for mode in MODES})


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
    told: list[str] = []
    for name, field in shape.model_fields.items():
        if name not in without:
            values = "|".join(_VALUES.get((shape, name), ()))
            told.append(f"`{field.alias or name}` {', '.join(filter(None, (values, field.description)))}")
    return " · ".join(told)
