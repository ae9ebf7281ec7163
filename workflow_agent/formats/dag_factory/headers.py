"""What a DAG says about itself beside its tasks, as fields of a workflow, and back."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Trigger
from workflow_agent.formats.dag_factory.schedules import said_triggers, schedule_of
from workflow_agent.formats.drafting import fit
from workflow_agent.formats.shapes import list_in, text_in

SAID_BY: Mapping[str, tuple[str, ...]] = {
    "name": ("dag_display_name",),
    "description": ("description",),
    "tags": ("tags",),
    "triggers": ("schedule", "schedule_interval", "timezone"),
}
_TRIGGERS: TypeAdapter[tuple[Trigger, ...]] = TypeAdapter(tuple[Trigger, ...])


def said_dag(dag_id: str, dag: JsonObject) -> JsonObject:
    """Return the fields of the workflow that a whole DAG says."""
    tags = list_in(dag.get("tags"))
    are_labels = all(isinstance(tag, str) and 0 < len(tag) <= 200 for tag in tags)
    return {
        "name": text_in(dag.get("dag_display_name"), 200) or fit(dag_id) or dag_id,
        "description": text_in(dag.get("description")) or "",
        "tags": tags if are_labels else [],
        "triggers": said_triggers(dag),
    }


def header_of(fields: Mapping[str, Any], dag_id: str | None = None) -> JsonObject:
    """Return what a DAG says for these fields; its name only where its id does not."""
    named = {"dag_display_name": fields["name"]} if dag_id not in (None, fields["name"]) else {}
    described = {"description": fields["description"]} if fields["description"] else {}
    tagged = {"tags": list(fields["tags"])} if fields["tags"] else {}
    return {**named, **described, **schedule_of(_TRIGGERS.validate_python(fields["triggers"])), **tagged}
