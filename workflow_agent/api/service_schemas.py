"""The shapes of problems, and of replies about the service itself, for the OpenAPI document."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from workflow_agent.domain.agents import AgentProfile
from workflow_agent.domain.described import Described
from workflow_agent.domain.modes import Mode


class ProblemItem(BaseModel):
    """One thing wrong with a request, and where."""

    pointer: str
    """JSON pointer into the body, or `query:name`, `header:name`."""
    message: str
    valid: list[str] = []


class ProblemDetails(Described):
    """An error (RFC 9457), with whatever helps to mend it."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    code: str
    """For programs: which reaction it asks for."""
    instance: str = ""
    request_id: str = ""
    problems: list[ProblemItem] = []  # noqa: RUF012 - pydantic copies defaults
    run_id: str = ""
    """The run that is in the way, or that failed."""
    retry_after: float = 0
    """Seconds after which to try again."""


class AgentList(BaseModel):
    """The roster."""

    items: list[AgentProfile]
    default: str


class ModeItem(BaseModel):
    """One of the five prompt modules."""

    name: Mode
    description: str
    read_only: bool
    tools: list[str]
    prompt_chars: int


class ModeList(BaseModel):
    """The modes."""

    items: list[ModeItem]


class CacheReport(BaseModel):
    """Statistics of every cache."""

    caches: dict[str, dict[str, Any]]


class Health(BaseModel):
    """That the server runs, and what."""

    status: Literal["ok", "ready"]
    version: str
    model: str
    worker: int = 1
    """Which worker answered, where the server has several."""
