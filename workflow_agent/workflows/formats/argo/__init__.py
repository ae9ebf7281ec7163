"""Argo Workflows: workflows, templates and cron workflows, in YAML."""

from typing import Any

from typing_extensions import override

from workflow_agent.workflows.formats.argo.reader import read_document
from workflow_agent.workflows.formats.argo.shapes import SPECS
from workflow_agent.workflows.formats.argo.writer import document_of
from workflow_agent.workflows.formats.base import Exported, Format, Imported
from workflow_agent.workflows.formats.fidelity import checked_export
from workflow_agent.workflows.formats.shapes import object_in
from workflow_agent.workflows.formats.yaml_text import write_yaml
from workflow_agent.workflows.model.workflow import Workflow


class ArgoWorkflows(Format):
    """Templates that call one another, each of them a container, a script or tasks of its own."""

    name = "argo"
    title = "Argo Workflows"
    media_type = "application/yaml"
    extension = "yaml"

    @override
    def recognises(self, document: Any) -> float:
        whole = object_in(document)
        is_argo = str(whole.get("apiVersion", "")).startswith("argoproj.io/")
        if not is_argo:
            return 0.0
        return 0.95 if whole.get("kind") in SPECS else 0.4

    @override
    def read(self, document: Any) -> Imported:
        return read_document(document, self.name, self.title)

    @override
    def write(self, workflow: Workflow) -> Exported:
        text = write_yaml(document_of(workflow, self.name))
        return checked_export(text, workflow, self.read, self.title)
