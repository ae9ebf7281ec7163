"""GitHub Actions workflows, in YAML."""

from typing import Any

from typing_extensions import override

from workflow_agent.workflows.formats.base import Exported, Format, Imported
from workflow_agent.workflows.formats.fidelity import checked_export
from workflow_agent.workflows.formats.github_actions.reader import read_workflow
from workflow_agent.workflows.formats.github_actions.writer import document_of
from workflow_agent.workflows.formats.shapes import object_in
from workflow_agent.workflows.formats.yaml_text import write_yaml
from workflow_agent.workflows.model.workflow import Workflow


class GitHubActions(Format):
    """Jobs that need one another, each with its steps."""

    name = "github-actions"
    title = "GitHub Actions"
    media_type = "application/yaml"
    extension = "yml"

    @override
    def recognises(self, document: Any) -> float:
        whole = object_in(document)
        jobs = object_in(whole.get("jobs"))
        if not jobs:
            return 0.0
        has_work = any({"steps", "uses", "runs-on"} & object_in(job).keys() for job in jobs.values())
        return 0.95 if "on" in whole and has_work else 0.5 * has_work

    @override
    def read(self, document: Any) -> Imported:
        return read_workflow(document, self.name, self.title)

    @override
    def write(self, workflow: Workflow) -> Exported:
        text = write_yaml(document_of(workflow, self.name))
        return checked_export(text, workflow, self.read, self.title)
