"""A workflow: steps joined by transitions, with triggers, roles and forms; a process or a lifecycle."""

from workflow_agent.domain.workflow.automations import Automation, AutomationEvent, Effect
from workflow_agent.domain.workflow.conditions import Condition
from workflow_agent.domain.workflow.cron import Cron, cron_problem
from workflow_agent.domain.workflow.documents import step_document, workflow_document
from workflow_agent.domain.workflow.forms import FieldType, Form, FormField
from workflow_agent.domain.workflow.steps import (
    STEP_TYPES,
    Identified,
    Join,
    Loop,
    Retry,
    Step,
    StepContent,
    StepType,
)
from workflow_agent.domain.workflow.terms import (
    DURATION_PATTERN,
    ID_PATTERN,
    WORKFLOW_ID_PATTERN,
    Duration,
    Id,
    Label,
    Name,
    Text,
    WorkflowId,
)
from workflow_agent.domain.workflow.transitions import TRANSITION_TYPES, Transition, TransitionType
from workflow_agent.domain.workflow.triggers import (
    EventTrigger,
    ManualTrigger,
    ScheduleTrigger,
    Trigger,
    WebhookTrigger,
    WorkflowTrigger,
)
from workflow_agent.domain.workflow.whole import MAX_STEPS, MAX_TRANSITIONS, Source, Workflow

__all__ = [
    "DURATION_PATTERN",
    "ID_PATTERN",
    "MAX_STEPS",
    "MAX_TRANSITIONS",
    "STEP_TYPES",
    "TRANSITION_TYPES",
    "WORKFLOW_ID_PATTERN",
    "Automation",
    "AutomationEvent",
    "Condition",
    "Cron",
    "Duration",
    "Effect",
    "EventTrigger",
    "FieldType",
    "Form",
    "FormField",
    "Id",
    "Identified",
    "Join",
    "Label",
    "Loop",
    "ManualTrigger",
    "Name",
    "Retry",
    "ScheduleTrigger",
    "Source",
    "Step",
    "StepContent",
    "StepType",
    "Text",
    "Transition",
    "TransitionType",
    "Trigger",
    "WebhookTrigger",
    "Workflow",
    "WorkflowId",
    "WorkflowTrigger",
    "cron_problem",
    "step_document",
    "workflow_document",
]
