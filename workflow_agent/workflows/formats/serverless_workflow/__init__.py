"""The Serverless Workflow DSL 1.0 of the CNCF, now called Open Workflow, in YAML or JSON."""

from typing import Any

from typing_extensions import override

from workflow_agent.workflows.formats.base import Exported, Format, Imported
from workflow_agent.workflows.formats.fidelity import checked_export
from workflow_agent.workflows.formats.serverless_workflow.reader import read_document
from workflow_agent.workflows.formats.serverless_workflow.writer import document_of
from workflow_agent.workflows.formats.shapes import object_in
from workflow_agent.workflows.formats.yaml_text import write_yaml
from workflow_agent.workflows.model.workflow import Workflow


class ServerlessWorkflow(Format):
    """Tasks in lists, one after the other unless they say otherwise."""

    name = "serverless-workflow"
    title = "Serverless Workflow (Open Workflow)"
    media_type = "application/yaml"
    extension = "yaml"

    @override
    def recognises(self, document: Any) -> float:
        whole = object_in(document)
        about = object_in(whole.get("document"))
        if "do" not in whole or not about:
            return 0.4 * ("dsl" in about)
        return 0.95 if "dsl" in about else 0.6

    @override
    def read(self, document: Any) -> Imported:
        return read_document(document, self.name, self.title)

    @override
    def write(self, workflow: Workflow) -> Exported:
        text = write_yaml(document_of(workflow, self.name))
        return checked_export(text, workflow, self.read, self.title)
