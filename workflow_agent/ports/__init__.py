"""What the application needs from whatever keeps something; one contract suite each in tests/contracts."""

from workflow_agent.ports.caches import CacheBackend
from workflow_agent.ports.conversations import (
    ConversationPage,
    ConversationStore,
    ConversationSummary,
    MessageHit,
    MessageQuery,
)
from workflow_agent.ports.processes import OtherProcesses, Owners, ProcessGone, RunJournal
from workflow_agent.ports.workflow_memory import WorkflowMemory
from workflow_agent.ports.workflow_search import (
    ANY_WORKFLOW,
    SearchAnswer,
    WorkflowFilters,
    WorkflowHit,
    WorkflowSearch,
    listed_workflow,
)
from workflow_agent.ports.workflows import Author, Change, WorkflowCatalog, WorkflowHead, WorkflowVersion

__all__ = [
    "ANY_WORKFLOW",
    "Author",
    "CacheBackend",
    "Change",
    "ConversationPage",
    "ConversationStore",
    "ConversationSummary",
    "MessageHit",
    "MessageQuery",
    "OtherProcesses",
    "Owners",
    "ProcessGone",
    "RunJournal",
    "SearchAnswer",
    "WorkflowCatalog",
    "WorkflowFilters",
    "WorkflowHead",
    "WorkflowHit",
    "WorkflowMemory",
    "WorkflowSearch",
    "WorkflowVersion",
    "listed_workflow",
]
