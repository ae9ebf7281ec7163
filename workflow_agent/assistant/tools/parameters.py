"""What the parameters of every tool share."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from typing_extensions import override

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
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> JsonSchemaValue:
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


Limit = Annotated[int, Field(ge=1, le=100)]
Reference = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="id, name, alias, `open`, or the user's words for it",
    ),
]
