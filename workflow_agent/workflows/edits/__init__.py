"""The fields that edit operations share: references, places, drafts and partial changes."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StringConstraints, with_config
from typing_extensions import TypedDict

from workflow_agent.values.stored import JsonObject, Value
from workflow_agent.workflows.model.steps import Condition, Form, Join, Loop, Retry, StepContent, StepType
from workflow_agent.workflows.model.terms import Duration, Id, Label, Name, Text
from workflow_agent.workflows.model.transitions import TransitionType

Ref = Annotated[str, StringConstraints(min_length=1, max_length=200)]
"""A step: its id, or its name in any case when only one step has that name."""
Position = Annotated[int, Field(ge=0)]
"""A place in a list, counted from 0."""


def _in_words(given: Any) -> Any:
    return {"text": given} if isinstance(given, str) else given


When = Annotated[Condition, BeforeValidator(_in_words)]
"""A condition; plain text is a condition in words."""


class StepDraft(StepContent):
    """A step to be; without an `id` it gets one made from its name."""

    id: Id | None = None


class Placed(Value):
    """Where in the flow a step goes."""

    before: Ref | None = None
    """Whatever led to this step leads to the placed one, which leads to this step."""
    after: Ref | None = None
    """Whatever this step led to is led to by the placed one; of several outcomes, the main one."""
    between: tuple[Ref, Ref] | None = None
    """Every transition from the first to the second goes through the placed step."""

    def places(self) -> list[str]:
        """Return the names of the fields that say where."""
        named = {"before": self.before, "after": self.after, "between": self.between}
        return [name for name, value in named.items() if value is not None]


# `with` and `from` cannot be written as attributes, hence the two bases in the functional form.
_With = TypedDict("_With", {"with": JsonObject}, total=False)
_From = TypedDict("_From", {"from": Ref}, total=False)


@with_config(ConfigDict(extra="forbid"))
class StepChanges(_With, total=False):
    """New values for fields of a step; null puts a field back to its default."""

    name: Name
    type: StepType
    description: Text | None
    parent: Id | None
    assignee: Label | None
    permission: Label | None
    uses: Text | None
    form: Form | None
    retry: Retry | None
    timeout: Duration | None
    duration: Duration | None
    escalate_to: Label | None
    event: Label | None
    workflow: Label | None
    loop: Loop | None
    join: Join | None
    outcome: Label | None
    when: When | None
    idempotent: bool | None
    on_error: Literal["fail", "continue"] | None
    reads: tuple[Label, ...]
    writes: tuple[Label, ...]
    extensions: JsonObject


@with_config(ConfigDict(extra="forbid"))
class TransitionChanges(_From, total=False):
    """New values for fields of a transition; null puts a field back to its default."""

    to: Ref
    type: TransitionType
    when: When | None
    label: Text | None
    action: Label | None
    permission: Label | None
    form: Form | None
    errors: tuple[Label, ...]
    extensions: JsonObject


def _one_of(fields: Mapping[str, Any], required: set[str]) -> AfterValidator:
    valid = [name for name in fields if name not in required]

    def checked(name: str) -> str:
        if name not in valid:
            raise ValueError(f"cannot be unset; what can: {', '.join(valid)}")
        return name

    return AfterValidator(checked)


StepField = Annotated[str, _one_of(StepChanges.__annotations__, {"name"})]
TransitionField = Annotated[str, _one_of(TransitionChanges.__annotations__, {"from", "to"})]


def check_changes(changed: Mapping[str, Any], unset: tuple[str, ...]) -> None:
    """Accept changes that name at least one field, and none both to set and to unset.

    Raises:
        ValueError: Otherwise.
    """
    if not changed and not unset:
        raise ValueError("names nothing to change; give `set` or `unset`")
    if both := sorted(set(changed) & set(unset)):
        raise ValueError(f"both sets and unsets {', '.join(both)}")
