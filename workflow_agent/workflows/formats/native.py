"""Our own form: the document of a workflow as it is stored, in JSON or YAML."""

from typing import Any

from typing_extensions import override

from workflow_agent.errors import InvalidWorkflow
from workflow_agent.workflows.formats.base import Exported, Format, Imported, Report, UnreadableDocument
from workflow_agent.workflows.formats.plain import object_in
from workflow_agent.workflows.formats.text import write_plain
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, workflow_document


class _Native(Format):
    """What both spellings of our own form share."""

    @override
    def recognises(self, document: Any) -> float:
        plain = object_in(document)
        keys = set(plain)
        if not {"steps", "name"} <= keys:
            return 0.0
        if str(plain.get("id", "")).startswith("wf_"):
            return 0.9
        return 0.6 * len(keys & set(Workflow.model_fields)) / len(keys)

    @override
    def read(self, document: Any) -> Imported:
        try:
            return Imported(parse_workflow(document), Report())
        except InvalidWorkflow as error:
            raise UnreadableDocument("workflow", list(error.problems)) from error

    @override
    def write(self, workflow: Workflow) -> Exported:
        return Exported(write_plain(workflow_document(workflow), self.media_type), Report())


class NativeJson(_Native):
    """The stored document as JSON."""

    name = "json"
    title = "workflow_agent JSON"
    media_type = "application/json"
    extension = "json"


class NativeYaml(_Native):
    """The stored document as YAML."""

    name = "yaml"
    title = "workflow_agent YAML"
    media_type = "application/yaml"
    extension = "yaml"
