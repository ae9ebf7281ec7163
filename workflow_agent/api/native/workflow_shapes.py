"""The shapes of replies about workflows, for the OpenAPI document."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from workflow_agent.api.native.conversation_shapes import Page
from workflow_agent.values.described import Described
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.analysis.proof import Property, Verdict
from workflow_agent.workflows.diagrams.graph import DiagramFormat


class ProblemItem(BaseModel):
    """One thing wrong with a request, and where."""

    pointer: str
    """JSON pointer into the body, or `query:name`, `header:name`."""
    message: str
    valid: list[str] = []


class ProblemDetails(Described, extra="allow"):
    """An error (RFC 9457), with whatever helps to mend it."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    """For programs: which reaction it asks for."""
    instance: str = ""
    request_id: str = ""
    problems: list[ProblemItem] = Field(default_factory=list)
    run_id: str = ""
    """The run that is in the way, or that failed."""
    retry_after: float = 0
    """Seconds after which to try again."""


class FoundWords(BaseModel):
    """A text of a workflow, or a part of it, in which words of the query are."""

    field: str
    text: str
    spans: list[tuple[int, int]]
    """Where the words begin and end in the text."""


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
    highlights: list[FoundWords]


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


class FindingItem(BaseModel, extra="allow"):
    """What a rule says about a workflow."""

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


class CounterexampleItem(BaseModel):
    """The shortest run that shows that a property does not hold."""

    property: Property
    path: list[str]
    """The steps in the order in which they run, at most 60."""
    left: list[str]
    """The steps that still wait, or still have to run, at its end."""
    why: str


class ProofItem(BaseModel):
    """Whether a workflow is sound: every path ends, nothing is left when it does, and no step is dead."""

    verdict: Verdict
    in_words: str
    properties: dict[Property, bool | None]
    """`null` where neither was proved; `in_words` says why."""
    counterexamples: list[CounterexampleItem]
    assumptions: list[str]
    states: int


class Analysis(BaseModel):
    """What can go wrong in a workflow, the most severe first, and what was proved of it."""

    workflow: WorkflowName
    findings: list[FindingItem]
    counts: dict[str, int]
    proof: ProofItem


class Simulation(BaseModel, extra="allow"):
    """What happened to the cases that were played."""

    workflow: WorkflowName
    runs: int
    is_complete: bool
    """Whether every case was played to its end within the limits."""
    outcomes: dict[str, int]
    """How many were `completed`, `failed`, `timed out`, wait (`waits`) or need an answer (`asks`)."""
    questions: list[JsonObject]
    """Conditions that cannot be worked out: at which step, and which ways there are."""
    no_time_known: list[str]
    """Steps without a duration; they were counted as taking none."""


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
    findings: list[JsonObject]
    """What the linters of the format find, as in an analysis."""
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
