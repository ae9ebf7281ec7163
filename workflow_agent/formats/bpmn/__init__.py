"""BPMN 2.0, the diagrams of business processes, in XML."""

from typing import Any

from typing_extensions import override

from workflow_agent.domain.errors import Problem
from workflow_agent.domain.workflow import Workflow
from workflow_agent.formats.base import Exported, Format, Imported, UnreadableDocument
from workflow_agent.formats.bpmn.reading import read_document
from workflow_agent.formats.bpmn.writing import document_of
from workflow_agent.formats.bpmn.xml import BPMN
from workflow_agent.formats.fidelity import checked_export


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
        return checked_export(document_of(workflow, self.name), workflow, self.read, self.title)
