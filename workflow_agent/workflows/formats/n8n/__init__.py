"""Workflows of n8n, in JSON."""

from typing import Any

from typing_extensions import override

from workflow_agent.workflows.formats.base import Exported, Format, Imported
from workflow_agent.workflows.formats.fidelity import checked_export
from workflow_agent.workflows.formats.n8n.reader import read_workflow
from workflow_agent.workflows.formats.n8n.writer import document_of
from workflow_agent.workflows.formats.shapes import list_in, object_in
from workflow_agent.workflows.formats.text import write_json
from workflow_agent.workflows.model.workflow import Workflow


class N8n(Format):
    """Nodes, and the connections between their outputs and inputs."""

    name = "n8n"
    title = "n8n"
    media_type = "application/json"
    extension = "json"

    @override
    def recognises(self, document: Any) -> float:
        nodes = list_in(object_in(document).get("nodes"))
        if not nodes or "connections" not in document:
            return 0.0
        return 0.95 if all({"name", "type"} <= object_in(node).keys() for node in nodes) else 0.5

    @override
    def read(self, document: Any) -> Imported:
        return read_workflow(document, self.name, self.title)

    @override
    def write(self, workflow: Workflow) -> Exported:
        return checked_export(write_json(document_of(workflow, self.name)), workflow, self.read, self.title)
