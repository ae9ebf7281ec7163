"""Flows of Kestra, in YAML."""

from typing import Any

from typing_extensions import override

from workflow_agent.workflows.formats.base import Exported, Format, Imported
from workflow_agent.workflows.formats.fidelity import checked_export
from workflow_agent.workflows.formats.kestra.reader import read_flow
from workflow_agent.workflows.formats.kestra.writer import flow_of
from workflow_agent.workflows.formats.shapes import list_in, object_in, text_in
from workflow_agent.workflows.formats.yaml_text import write_yaml
from workflow_agent.workflows.model.workflow import Workflow


class Kestra(Format):
    """Tasks of plugins, in lists and in tasks that hold others."""

    name = "kestra"
    title = "Kestra flow"
    media_type = "application/yaml"
    extension = "yaml"

    @override
    def recognises(self, document: Any) -> float:
        whole = object_in(document)
        tasks = [object_in(one) for one in list_in(whole.get("tasks"))]
        is_typed = bool(tasks) and all("." in (text_in(one.get("type")) or "") for one in tasks)
        if {"id", "namespace"} <= whole.keys():
            return 0.95 if is_typed else 0.4 * ("tasks" in whole)
        return 0.5 * (is_typed and "id" in whole)

    @override
    def read(self, document: Any) -> Imported:
        return read_flow(document, self.name, self.title)

    @override
    def write(self, workflow: Workflow) -> Exported:
        text = write_yaml(flow_of(workflow, self.name))
        return checked_export(text, workflow, self.read, self.title)
