"""BPMN 2.0, the diagrams of business processes, in XML."""

from typing import Any

from typing_extensions import override

from workflow_agent.errors import Problem
from workflow_agent.workflows.formats.base import Exported, Format, Imported, UnreadableDocument
from workflow_agent.workflows.formats.bpmn.camunda import into_bpmn, into_camunda, is_for_camunda
from workflow_agent.workflows.formats.bpmn.document import Translation
from workflow_agent.workflows.formats.bpmn.reader import read_document
from workflow_agent.workflows.formats.bpmn.writer import document_of, undrawn, without_diagrams
from workflow_agent.workflows.formats.bpmn.xml import BPMN
from workflow_agent.workflows.formats.fidelity import checked_export
from workflow_agent.workflows.model.workflow import Workflow


class Bpmn(Format):
    """Processes of BPMN 2.0; documents are handed over as text."""

    name = "bpmn"
    title = "BPMN 2.0"
    media_type = "application/xml"
    extension = "bpmn"

    @override
    def recognises(self, document: Any) -> float:
        if not isinstance(document, str) or not document.lstrip("\ufeff \t\r\n").startswith("<"):
            return 0.0
        return 0.95 if BPMN in document else 0.0

    @override
    def read(self, document: Any) -> Imported:
        if not isinstance(document, str):
            raise UnreadableDocument(self.title, [Problem("", "must be the text of an XML document")])
        return read_document(document.lstrip("\ufeff \t\r\n"), self.name, self.title)

    @override
    def write(self, workflow: Workflow) -> Exported:
        if Camunda.name in workflow.extensions and self.name not in workflow.extensions:
            # A document of Camunda is BPMN: all that it said is in it.
            return Camunda().write(workflow)
        return self._exported(workflow, None)

    def _exported(self, workflow: Workflow, translate: Translation | None) -> Exported:
        """Return the document, of which the process is read back: a diagram is written as it is kept, or made."""
        text, report = document_of(workflow, self.name, translate)

        def read(document: Any) -> Imported:
            imported = self.read(document)
            return Imported(undrawn(imported.workflow, self.name), imported.report)

        checked_export(without_diagrams(text), undrawn(workflow, self.name), read, self.title, report)
        return Exported(text, report)


class Camunda(Bpmn):
    """Processes of Camunda 8 (Zeebe) and Camunda 7: BPMN with what their engines read."""

    name = "camunda"
    title = "Camunda BPMN"

    @override
    def recognises(self, document: Any) -> float:
        return 0.97 if super().recognises(document) and is_for_camunda(document) else 0.0

    @override
    def read(self, document: Any) -> Imported:
        if not isinstance(document, str):
            raise UnreadableDocument(self.title, [Problem("", "must be the text of an XML document")])
        return read_document(document.lstrip("\ufeff \t\r\n"), self.name, self.title, translate=into_bpmn)

    @override
    def write(self, workflow: Workflow) -> Exported:
        return self._exported(workflow, into_camunda)
