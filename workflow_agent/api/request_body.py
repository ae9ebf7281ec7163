"""What every request body of the native API shares."""

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """A request body: closed, and without conversions between JSON types."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)
