"""The formats workflows come in and go out as, and telling which one a document is."""

from collections.abc import Mapping
from typing import Any

from workflow_agent.domain.errors import InvalidInput, Problem
from workflow_agent.formats.arazzo import Arazzo
from workflow_agent.formats.argo import ArgoWorkflows
from workflow_agent.formats.asl import AmazonStatesLanguage
from workflow_agent.formats.base import Exported, Format, Imported, Note, Report, UnreadableDocument
from workflow_agent.formats.bpmn import Bpmn
from workflow_agent.formats.github_actions import GitHubActions
from workflow_agent.formats.n8n import N8n
from workflow_agent.formats.native import NativeJson, NativeYaml
from workflow_agent.formats.serverless_workflow import ServerlessWorkflow
from workflow_agent.formats.state_machine import StateMachine
from workflow_agent.formats.text import read_text

FORMATS: Mapping[str, Format] = {
    one.name: one
    for one in (
        NativeJson(),
        NativeYaml(),
        AmazonStatesLanguage(),
        ServerlessWorkflow(),
        GitHubActions(),
        ArgoWorkflows(),
        StateMachine(),
        N8n(),
        Bpmn(),
        Arazzo(),
    )
}
"""Every format by its name, in the order in which they are asked whether a document is theirs."""
_CERTAIN_ENOUGH = 0.3


def format_named(name: str) -> Format:
    """Return the format of this name.

    Raises:
        InvalidInput: There is none; names those that there are.
    """
    found = FORMATS.get(name)
    if found is None:
        message = f"there is no format {name[:40]!r}"
        raise InvalidInput(
            f"There is no format {name[:40]!r}; there are {', '.join(FORMATS)}.",
            [Problem("/format", message, tuple(FORMATS))],
        )
    return found


def detect_format(document: Any) -> Format:
    """Return the format a parsed document most certainly is in, by its content.

    Raises:
        UnreadableDocument: It is in none of them.
    """
    ranked = max(FORMATS.values(), key=lambda one: one.recognises(document))
    if ranked.recognises(document) < _CERTAIN_ENOUGH:
        known = ", ".join(one.title for one in FORMATS.values())
        raise UnreadableDocument("workflow", [Problem("", f"is in no format that is known: {known}")])
    return ranked


def import_workflow(text: str, format_name: str | None = None) -> tuple[Format, Imported]:
    """Return the workflow of a text, and the format it was in.

    Args:
        text: JSON, YAML or XML.
        format_name: The format it is in; None tells it by its content.

    Raises:
        InvalidInput: There is no such format.
        UnreadableDocument: The text is no valid document of the format.
    """
    document = read_text(text)
    chosen = format_named(format_name) if format_name else detect_format(document)
    return chosen, chosen.read(document)


__all__ = [
    "FORMATS",
    "Exported",
    "Format",
    "Imported",
    "Note",
    "Report",
    "UnreadableDocument",
    "detect_format",
    "format_named",
    "import_workflow",
]
