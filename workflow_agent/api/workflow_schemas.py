"""The shapes of replies about workflows, for the OpenAPI document."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from workflow_agent.api.conversation_schemas import Page
from workflow_agent.api.service_schemas import ProblemItem
from workflow_agent.domain.diagram import DiagramFormat
from workflow_agent.domain.values import JsonObject


class WorkflowItem(BaseModel):
    """A workflow in a list or a search."""

    id: str
    name: str
    description: str
    version: int
    tags: list[str]
    aliases: list[str]
    step_count: int
    triggers: list[str]
    updated_at: datetime | None
    score: float
    strategies: list[str]
    matched: list[str]


class Suggestion(BaseModel):
    """A workflow that may have been meant."""

    id: str
    name: str


class WorkflowList(Page):
    """Workflows, the best match first."""

    items: list[WorkflowItem]
    suggestions: list[Suggestion]


class WorkflowName(BaseModel):
    """Which version of which workflow this is about."""

    id: str
    name: str
    version: int


class FindingItem(BaseModel):
    """What a rule says about a workflow."""

    model_config = ConfigDict(extra="allow")

    rule: str
    severity: Literal["error", "warning", "info"]
    message: str
    steps: list[str]


class EditReport(BaseModel):
    """What edits did, or would do."""

    workflow: JsonObject
    previous_version: int
    dry_run: bool
    changes: list[str]
    diff: JsonObject
    inverse: list[JsonObject]
    """Edits that take it back."""
    findings: list[FindingItem]
    """What the analysis finds now and did not before."""


class VersionItem(BaseModel):
    """One version of a workflow, without its document."""

    version: int
    at: datetime
    author: JsonObject
    action: str
    summary: list[str]


class VersionList(BaseModel):
    """The versions of a workflow, newest first."""

    workflow_id: str
    items: list[VersionItem]


class Restored(BaseModel):
    """A restored version, which is now the newest."""

    workflow: JsonObject
    previous_version: int
    restored_version: int
    changes: list[str]


class VersionDiff(BaseModel):
    """What changed between two versions."""

    workflow: WorkflowName
    from_version: int
    to_version: int
    changes: list[str]
    diff: JsonObject


class Analysis(BaseModel):
    """What can go wrong in a workflow, the most severe first."""

    workflow: WorkflowName
    findings: list[FindingItem]
    counts: dict[str, int]


class ReportItem(BaseModel):
    """One thing that a conversion could not carry over as what it is."""

    where: str
    what: str


class ConversionReport(BaseModel):
    """What a conversion kept beside the model, and what it lost."""

    kept: list[ReportItem]
    lost: list[ReportItem]


class ImportedDocument(BaseModel):
    """What became of one of several documents."""

    document: int
    """Which one it was, from 1."""
    format: str | None
    workflow: WorkflowName | None
    """None where it is no workflow, or not a valid one."""
    report: ConversionReport | None = None
    problems: list[ProblemItem]


class Import(BaseModel):
    """A workflow that was imported; of several, the first."""

    workflow: JsonObject
    format: str
    report: ConversionReport
    documents: list[ImportedDocument] | None = None
    """What became of each, where the text has several."""


class Export(BaseModel):
    """A workflow in another format."""

    workflow: WorkflowName
    format: str
    media_type: str
    file_name: str
    text: str
    report: ConversionReport


class Diagram(BaseModel):
    """A workflow as a picture in text."""

    workflow: WorkflowName
    format: DiagramFormat
    diagram: str


class Validation(BaseModel):
    """Whether a document is a workflow, and what is wrong with it."""

    valid: bool
    problems: list[ProblemItem]
    findings: list[FindingItem]
