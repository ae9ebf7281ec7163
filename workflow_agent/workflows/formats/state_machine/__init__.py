"""Lifecycles as `{specId, name, slug, states, actions, permissions, automations}`."""

from typing import Any

from typing_extensions import override

from workflow_agent.workflows.formats.base import Exported, Format, Imported, UnreadableDocument
from workflow_agent.workflows.formats.builder import Draft
from workflow_agent.workflows.formats.fidelity import checked_export
from workflow_agent.workflows.formats.shapes import kind_of, object_in
from workflow_agent.workflows.formats.state_machine.content import problems_of_machine
from workflow_agent.workflows.formats.state_machine.machine import machine_of, read_machine
from workflow_agent.workflows.formats.text import write_json
from workflow_agent.workflows.model.workflow import Workflow


class StateMachine(Format):
    """States, and the actions by which people lead from one to the next."""

    name = "state-machine"
    title = "state machine"
    media_type = "application/json"
    extension = "json"

    @override
    def recognises(self, document: Any) -> float:
        machine = object_in(document)
        if kind_of(machine.get("states")) == kind_of(machine.get("actions")) == "a list":
            return 0.95 if "specId" in machine else 0.85
        return 0.0

    @override
    def read(self, document: Any) -> Imported:
        problems = problems_of_machine(document)
        if problems:
            raise UnreadableDocument(self.title, problems)
        return read_machine(object_in(document), Draft(self.name, self.title))

    @override
    def write(self, workflow: Workflow) -> Exported:
        return checked_export(write_json(machine_of(workflow, self.name)), workflow, self.read, self.title)
