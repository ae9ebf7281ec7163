"""What the parts of the settings are made of."""

from typing import Annotated

from pydantic import Field

ENV_PREFIX = "WORKFLOW_AGENT_"
Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
