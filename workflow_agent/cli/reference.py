"""`settings`, `schemas` and `openapi`: what can be set, the shape of the files, and of the API."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from workflow_agent.cli.backends import in_process
from workflow_agent.cli.context import wiring_of
from workflow_agent.cli.output import print_json
from workflow_agent.conversations.document import Conversation
from workflow_agent.settings import ENV_PREFIX, Settings, load_settings, settings_page, shown_value
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.workflow import Workflow

Markdown = Annotated[bool, typer.Option("--markdown", help="Print the reference page instead.")]
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_COMPLETED = {"Transition": "id", "Workflow": "start"}
"""What may be left out of a document, because reading it adds it."""


def settings(markdown: Markdown = False) -> None:
    """Show every setting with its value, as the environment sets it.

    Secrets are only said to be set.

    Examples:
      workflow-agent settings
      WORKFLOW_AGENT_PORT=9000 workflow-agent settings | grep PORT
    """
    if markdown:
        typer.echo(settings_page(), nl=False)
        return
    current = load_settings()
    for name in Settings.model_fields:
        typer.echo(f"{ENV_PREFIX}{name.upper()}={shown_value(current, name)}")


def openapi(context: typer.Context, markdown: Markdown = False) -> None:
    """Print the description of the HTTP API: its OpenAPI document.

    Examples:
      workflow-agent openapi | jq '.paths | keys'
      workflow-agent openapi --markdown
    """
    with TemporaryDirectory() as folder:
        own = load_settings(data_dir=Path(folder))
        with in_process(wiring_of(context), own) as backend:
            document = backend.root("/openapi.json")
    if markdown:
        typer.echo(api_page(document), nl=False)
    else:
        print_json(document)


def schemas(folder: Annotated[Path, typer.Argument(help="Where to write them; it is made if missing.")]) -> None:
    """Write the JSON Schemas of workflows and conversations into a folder.

    Examples:
      workflow-agent schemas docs/schemas
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in schema_files().items():
        (folder / name).write_text(text, encoding="utf-8")
        typer.echo(folder / name)


Schema = Mapping[str, Any]
_METHODS = ("get", "post", "put", "patch", "delete")
_HEAD = """# The API

Generated from the OpenAPI document by `workflow-agent openapi --markdown`. A running server gives the
document, with examples, patterns and links, at `/openapi.json`. [clients.md](clients.md) describes OpenAI's
API under `/v1` and the endpoints of front ends.

Bodies are JSON. Errors are `application/problem+json` (RFC 9457): `type`, `title`, `status`, `detail`,
`code`, `instance`, and what helps to mend the request. With `WORKFLOW_AGENT_API_KEYS` set, every route but
`/health`, `/ready` and the page's own files wants `Authorization: Bearer …`. Lists have `items` and
`next_cursor`, which goes into `cursor` of the next request. `ETag` of a reply goes into `If-Match` of a
change. A `?` marks what may be left out."""


def api_page(document: Schema) -> str:
    """Return the page of an OpenAPI document: its operations by tag, then every shape."""
    sections: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method in (one for one in _METHODS if one in methods):
            operation = methods[method]
            tag = operation.get("tags", ["service"])[0]
            sections.setdefault(tag, []).append(_operation(method, path, operation))
    shapes = [_shape(name, one) for name, one in sorted(document["components"]["schemas"].items())]
    parts = [_HEAD, *(f"## Routes: {tag}\n\n" + "\n\n".join(one) for tag, one in sections.items())]
    return "\n\n".join([*parts, "## Shapes", *shapes]) + "\n"


def _operation(method: str, path: str, operation: Schema) -> str:
    lines = [f"### {method.upper()} {path}", _line(operation["description"])]
    if parameters := operation.get("parameters"):
        rows = [
            (f"`{one['name']}`" + ("" if one.get("required") else "?"), one["in"], _about(one)) for one in parameters
        ]
        lines.append(_table(("parameter", "in", "meaning"), rows))
    replies = operation["responses"]
    told = [f"body {kind}" for kind in _kinds(operation.get("requestBody", {}))]
    told += [" ".join((status, *_kinds(reply))) for status, reply in replies.items() if status < "400"]
    if refused := ", ".join(status for status in replies if status >= "400"):
        told.append(f"errors {refused}")
    lines.append("; ".join(told) + ".")
    return "\n\n".join(lines)


def _kinds(holder: Schema) -> Iterator[str]:
    for media, content in holder.get("content", {}).items():
        schema = content.get("schema", {})
        if media != "application/json":
            yield f"`{media}`"
        elif schema:
            yield _type(schema)


def _about(parameter: Schema) -> str:
    schema = parameter["schema"]
    said = parameter.get("description") or schema.get("description") or _type(schema)
    values = f"One of {_type(schema)}." if "enum" in str(schema) and "`" not in said else ""
    default = schema.get("default")
    return " ".join(filter(None, (_cell(said), values, "" if default is None else f"Default `{default}`.")))


def _shape(name: str, schema: Schema) -> str:
    lines = [f"### {name}"]
    if said := schema.get("description"):
        lines.append(_line(said))
    required = schema.get("required", ())
    rows = [
        (f"`{field}`" + ("" if field in required else "?"), _type(one), _cell(one.get("description", "")))
        for field, one in schema.get("properties", {}).items()
    ]
    lines.append(_table(("field", "type", "meaning"), rows) if rows else _type(schema) + ".")
    return "\n\n".join(lines)


def _type(schema: Schema) -> str:
    """Return in words what a value of a schema is; a named shape links to its section."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return " or ".join(dict.fromkeys(map(_type, schema[choice])))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type") or "any")


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = (" | ".join(row) for row in (titles, *rows))
    head, *others = (f"| {line} |" for line in lines)
    return "\n".join([head, "|" + "---|" * len(titles), *others])


def _line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")


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
