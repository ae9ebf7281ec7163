"""What every request body of the native API shares."""

from pydantic import ConfigDict

from workflow_agent.workflows.model.described import Described


class Body(Described):
    """A request body: closed, and without conversions between JSON types."""

    model_config = ConfigDict(extra="forbid", strict=True)
