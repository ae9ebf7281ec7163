"""Every way to change a workflow: typed operations that apply wholly or not at all, and their inverses."""

from workflow_agent.domain.edits.applying import Applied, apply_edits
from workflow_agent.domain.edits.fields import StepDraft
from workflow_agent.domain.edits.operations import OPERATIONS, Edit, edit_document, parse_edits

__all__ = ["OPERATIONS", "Applied", "Edit", "StepDraft", "apply_edits", "edit_document", "parse_edits"]
