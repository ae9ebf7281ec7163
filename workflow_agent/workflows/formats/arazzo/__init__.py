"""Arazzo 1.0, sequences of API calls, in YAML or JSON."""

from typing import Any

from typing_extensions import override

from workflow_agent.workflows.formats.arazzo.reader import read_description
from workflow_agent.workflows.formats.arazzo.writer import document_of
from workflow_agent.workflows.formats.base import Exported, Format, Imported
from workflow_agent.workflows.formats.fidelity import checked_export
from workflow_agent.workflows.formats.shapes import object_in
from workflow_agent.workflows.formats.text import write_yaml
from workflow_agent.workflows.model.workflow import Workflow


class Arazzo(Format):
    """Workflows over the operations of APIs."""

    name = "arazzo"
    title = "Arazzo"
    media_type = "application/yaml"
    extension = "arazzo.yaml"

    @override
    def recognises(self, document: Any) -> float:
        return 0.95 * ("arazzo" in object_in(document))

    @override
    def read(self, document: Any) -> Imported:
        return read_description(document, self.name, self.title)

    @override
    def write(self, workflow: Workflow) -> Exported:
        return checked_export(write_yaml(document_of(workflow, self.name)), workflow, self.read, self.title)
