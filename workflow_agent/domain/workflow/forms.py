"""What a person fills in."""

from typing import Any, Literal

from workflow_agent.domain.values import Value
from workflow_agent.domain.workflow.terms import Label, Text

FieldType = Literal[
    "string", "text", "number", "integer", "boolean", "date", "datetime", "choice", "file", "email",
    "object", "array",
]  # fmt: skip


class FormField(Value):
    """One input of a form."""

    key: Label
    type: FieldType = "string"
    label: Text | None = None
    required: bool = False
    options: tuple[Label, ...] = ()
    description: Text | None = None
    default: Any = None


class Form(Value):
    """What a person fills in."""

    title: Text | None = None
    fields: tuple[FormField, ...] = ()
