"""The JSON Schemas of what is kept: workflows and conversations, made from the models."""

import json
from collections.abc import Mapping

from workflow_agent.conversations.document import Conversation
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.workflow import Workflow

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_COMPLETED = {"Transition": "id", "Workflow": "start"}
"""What may be left out of a document, because reading it adds it."""


def workflow_schema() -> JsonObject:
    """Return the schema of a workflow's document, as it may be sent and as it is stored.

    That ids are unique and transitions join steps that exist is beyond a schema; the parser checks it.
    """
    schema = Workflow.model_json_schema(by_alias=True)
    for name, left_out in _COMPLETED.items():
        part = schema["$defs"].get(name, schema)
        part["required"] = [one for one in part["required"] if one != left_out]
    return {"$schema": _DIALECT, "$id": "workflow.schema.json", **schema}


def conversation_schema() -> JsonObject:
    """Return the schema of a conversation's file."""
    return {"$schema": _DIALECT, "$id": "conversation.schema.json", **Conversation.model_json_schema(by_alias=True)}


def schema_files() -> Mapping[str, str]:
    """Return the text of each schema by the name of its file."""
    schemas = (workflow_schema(), conversation_schema())
    return {str(one["$id"]): json.dumps(one, indent=2, ensure_ascii=False) + "\n" for one in schemas}
