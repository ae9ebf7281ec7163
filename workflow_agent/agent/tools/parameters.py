"""What the parameters of every tool share."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Parameters(BaseModel):
    """Tool parameters: nothing beside the fields is accepted."""

    model_config = ConfigDict(extra="forbid")


Limit = Annotated[int, Field(ge=1, le=100)]
Reference = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="id, name, alias, `open`, or the user's words for it",
    ),
]
