"""When something holds."""

import json
from typing import Any

from pydantic import ConfigDict, model_validator

from workflow_agent.values.stored import Value
from workflow_agent.workflows.model.terms import Label, Text, says


class Condition(Value):
    """When a transition is taken or a step runs: in words, or as an expression of some language."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [says("text"), says("expression")]})

    text: Text | None = None
    expression: Any = None
    """A guard in a formal language, verbatim: text, or structured data such as a choice rule."""
    language: Label | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "Condition":
        if self.text is None and self.expression is None:
            raise ValueError("needs `text` or `expression`")
        return self

    @property
    def formula(self) -> str:
        """The expression as text, structured data as JSON; empty where there is none."""
        if self.expression is None or isinstance(self.expression, str):
            return self.expression or ""
        return json.dumps(self.expression, ensure_ascii=False)
