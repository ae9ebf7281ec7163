"""What every tool shares: its parameters, and errors that the model may mend."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue
from pydantic_ai import ModelRetry
from pydantic_core import CoreSchema
from typing_extensions import override

from workflow_agent.errors import InvalidInput, WorkflowAgentError


@contextmanager
def told_to_model(kind: type[WorkflowAgentError] = InvalidInput) -> Generator[None]:
    """Tell the model of errors of a kind as a `ModelRetry` in the same words: it may mend its call."""
    try:
        yield
    except kind as error:
        raise ModelRetry(error.message) from error


NULL_CLEARS = "null clears"
"""Marks a field of which null says something else than leaving it out."""


class Parameters(BaseModel):
    """Tool parameters: nothing beside the fields is accepted.

    The schema goes along with every request, so it says nothing twice: that null is as good as leaving a
    field out is accepted, but not told, and neither are the names of our classes.
    """

    model_config = ConfigDict(extra="forbid")

    @classmethod
    @override
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /) -> JsonSchemaValue:
        made = handler(core_schema)
        schema = handler.resolve_ref_schema(made)
        schema.pop("title", None)
        for name, field in cls.model_fields.items():
            if field.default is None:
                told = schema["properties"][field.alias or name]
                del told["default"]
                if NULL_CLEARS not in field.metadata:
                    _leave_null_out(told)
        return made


def _leave_null_out(schema: dict[str, Any]) -> None:
    kinds = [one for one in schema.pop("anyOf") if one != {"type": "null"}]
    # What stands beside the choices is about this field, and goes first.
    schema.update({"anyOf": kinds} if len(kinds) > 1 else {**kinds[0], **schema})


_NOT_TOLD = frozenset({
    "title", "default", "format", "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum",
    "additionalProperties",
})  # fmt: skip
"""Bounds hardly ever met, which a call is held to all the same, and defaults and values, which descriptions tell."""


def brief_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a tool's parameters in as few words as tell a model how to call it.

    A definition that is used once stands where it is used, and none has a description beside its field's.
    """
    definitions: dict[str, Any] = schema.get("$defs", {})
    return _brief({key: value for key, value in schema.items() if key != "$defs"}, definitions)


def _brief(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    if (ref := schema.get("$ref")) is not None:
        own = definitions[str(ref).rsplit("/", 1)[1]]
        schema = {**{key: value for key, value in own.items() if key != "description"}, **schema}
        del schema["$ref"]
    told: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _NOT_TOLD:
            continue
        if key == "properties":
            told[key] = {name: _brief(one, definitions) for name, one in value.items()}
        elif key == "anyOf":
            told[key] = [_brief(one, definitions) for one in value]
        elif key == "items" and isinstance(value, dict):
            told[key] = _brief(cast("dict[str, Any]", value), definitions)
        else:
            told[key] = value
    return told


LIST_OF_SHAPES = WithJsonSchema({"type": "array", "items": {"type": "object"}})
"""Tells of a list no more than that it is one of objects: the instructions of modes that write have their shapes."""
Limit = Annotated[int, Field(ge=1, le=100)]
REFERENCE = "id, name, `open` or the user's words"
Reference = Annotated[str, Field(min_length=1, max_length=200, description=REFERENCE)]
