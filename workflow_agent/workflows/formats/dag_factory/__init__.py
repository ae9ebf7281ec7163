"""dag-factory: Airflow DAGs in YAML, several in one file."""

from collections.abc import Sequence
from typing import Any

from typing_extensions import override

from workflow_agent.workflows.formats.base import Exported, Format, Imported
from workflow_agent.workflows.formats.dag_factory.reader import read_dag
from workflow_agent.workflows.formats.dag_factory.shapes import dags_in, documents_of_one_dag, tasks_in
from workflow_agent.workflows.formats.dag_factory.writer import document_of
from workflow_agent.workflows.formats.fidelity import checked_export
from workflow_agent.workflows.formats.shapes import object_in
from workflow_agent.workflows.formats.yaml_text import write_yaml
from workflow_agent.workflows.model.workflow import Workflow


class DagFactory(Format):
    """Tasks that wait for one another, in groups, with arguments that a whole file shares."""

    name = "dag-factory"
    title = "Airflow dag-factory"
    media_type = "application/yaml"
    extension = "yml"

    @override
    def recognises(self, document: Any) -> float:
        dags = [object_in(dag) for dag in dags_in(document).values()]
        if not dags or not all(dags):
            return 0.0
        tasks = [task for dag_id in dags_in(document) for _, task in tasks_in(document, dag_id)]
        return 0.95 if any({"operator", "decorator"} & task.keys() for task in tasks) else 0.0

    @override
    def documents(self, document: Any) -> Sequence[Any]:
        return documents_of_one_dag(document)

    @override
    def read(self, document: Any) -> Imported:
        return read_dag(document, self.name, self.title)

    @override
    def write(self, workflow: Workflow) -> Exported:
        text = write_yaml(document_of(workflow, self.name))
        return checked_export(text, workflow, self.read, self.title)
