"""Mermaid flowcharts and state diagrams: what people paste, and what is drawn here."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from workflow_agent.errors import Problem
from workflow_agent.workflows.formats.base import Exported, Format, Imported, UnreadableDocument
from workflow_agent.workflows.formats.builder import Draft
from workflow_agent.workflows.formats.fidelity import checked_export, kept_in
from workflow_agent.workflows.formats.mermaid.chart import TITLE
from workflow_agent.workflows.formats.mermaid.reader import DiagramReader
from workflow_agent.workflows.formats.mermaid.rewriter import Rewriter
from workflow_agent.workflows.formats.mermaid.scanner import read_chart
from workflow_agent.workflows.formats.mermaid.writer import Changes, plain_diagram
from workflow_agent.workflows.formats.plain import without
from workflow_agent.workflows.formats.text import header_line
from workflow_agent.workflows.model.workflow import Workflow


class Mermaid(Format):
    """Flowcharts and state diagrams; of one that was read only the lines change that say something else."""

    name = "mermaid"
    title = TITLE
    media_type = "text/vnd.mermaid"
    extension = "mmd"

    @override
    def recognises(self, document: Any) -> float:
        return 0.95 if isinstance(document, str) and header_line(document) is not None else 0.0

    @override
    def read(self, document: Any) -> Imported:
        if not isinstance(document, str):
            raise UnreadableDocument(self.title, [Problem("", "is no text")])
        imported = DiagramReader(read_chart(document), Draft(self.name, TITLE)).whole({"text": document})
        if plain_diagram(imported.workflow) != document:
            return imported
        imported.report.kept.clear()
        left = without(imported.workflow.extensions, self.name)
        return Imported(imported.workflow.model_copy(update={"extensions": left}), imported.report)

    @override
    def write(self, workflow: Workflow) -> Exported:
        def read(document: Any) -> Imported:
            imported = self.read(document)
            return Imported(_bare(imported.workflow, self.name), imported.report)

        # The text itself is kept beside the model: another one after a change is no loss.
        return checked_export(_text_of(workflow, self.name), _bare(workflow, self.name), read, self.title)


def _bare(workflow: Workflow, format_name: str) -> Workflow:
    """Return a workflow without the text and the node ids that are kept beside it."""

    def left(extensions: Mapping[str, object]) -> dict[str, object]:
        return without(extensions, format_name)

    steps = tuple(
        step.model_copy(update={"extensions": left(step.extensions)}) if step.extensions else step
        for step in workflow.steps
    )
    return workflow.model_copy(update={"steps": steps, "extensions": left(workflow.extensions)})


def _text_of(workflow: Workflow, format_name: str) -> str:
    """Return the diagram of a workflow: the one it was read from, but for what changed; else a plain one."""
    text = kept_in(workflow.extensions, format_name).get("text")
    if not isinstance(text, str):
        return plain_diagram(workflow)
    try:
        return Rewriter(Changes(workflow, read_chart(text), format_name)).whole()
    except UnreadableDocument:
        return plain_diagram(workflow)
