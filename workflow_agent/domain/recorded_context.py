"""A context record as it is kept: whatever was written, with the schema of its shape."""

from typing import Annotated, Any

from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from workflow_agent.domain.values import JsonObject


class _ShapeOfRecord:
    def __get_pydantic_json_schema__(self, _: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        # Only whoever asks for a schema needs the models: no start waits for them.
        from workflow_agent.domain.context_shape import ContextRecord  # noqa: PLC0415 - see above

        # With a reference, as within a model, it is one definition however often it is used.
        name = f"{ContextRecord.__module__}.{ContextRecord.__qualname__}:{id(ContextRecord)}"
        shape: Any = {**ContextRecord.__pydantic_core_schema__, "ref": name}
        return handler(core_schema.chain_schema([shape]))


RecordedContext = Annotated[JsonObject, _ShapeOfRecord()]
"""Not validated, so that older records and those from elsewhere stay as they are."""
