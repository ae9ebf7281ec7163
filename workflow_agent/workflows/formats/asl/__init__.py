"""Amazon States Language, in JSON or YAML."""

from typing import Any

from typing_extensions import override

from workflow_agent.workflows.formats.asl.reader import read_machine
from workflow_agent.workflows.formats.asl.writer import machine_of
from workflow_agent.workflows.formats.base import Exported, Format, Imported
from workflow_agent.workflows.formats.fidelity import checked_export
from workflow_agent.workflows.formats.shapes import object_in
from workflow_agent.workflows.formats.text import write_json
from workflow_agent.workflows.model.workflow import Workflow


class AmazonStatesLanguage(Format):
    """State machines of AWS Step Functions."""

    name = "asl"
    title = "Amazon States Language"
    media_type = "application/json"
    extension = "asl.json"

    @override
    def recognises(self, document: Any) -> float:
        machine = object_in(document)
        return 0.95 if {"StartAt", "States"} <= machine.keys() else 0.5 * ("States" in machine)

    @override
    def read(self, document: Any) -> Imported:
        return read_machine(document, self.name, self.title)

    @override
    def write(self, workflow: Workflow) -> Exported:
        return checked_export(write_json(machine_of(workflow, self.name)), workflow, self.read, self.title)
