"""What a document of the Serverless Workflow DSL 1.0 may look like."""

from collections.abc import Mapping
from typing import Any

from workflow_agent.workflows.formats.plain import object_in
from workflow_agent.workflows.formats.shapes import (
    Place,
    Shape,
    anything,
    choice,
    fields_of,
    flag,
    listed,
    mapped,
    number,
    one_kind,
    record,
    text,
)

_SEMVER = r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?"
_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_AMOUNT = r"\d+(?:\.\d+)?"
_ISO = (
    rf"P(?!$)({_AMOUNT}Y)?({_AMOUNT}M)?({_AMOUNT}W)?({_AMOUNT}D)?"
    rf"(T(?=\d)({_AMOUNT}H)?({_AMOUNT}M)?({_AMOUNT}S)?)?"
)
TEXT = text()
OBJECT = mapped()
_WHOLE = number(whole=True)
_NAME = text(_LABEL, says="letters, digits and hyphens, at most 63")
_VERSION = text(_SEMVER, says="a semantic version like 1.0.0")
EXPRESSION = text(r"\s*\$\{[\s\S]+\}\s*", says="a runtime expression like ${ .count }")

DURATION = one_kind(
    object=record(dict.fromkeys(("days", "hours", "minutes", "seconds", "milliseconds"), _WHOLE)),
    text=text(rf"\s*\$\{{[\s\S]+\}}\s*|{_ISO}", says="a duration like PT15M, or a runtime expression"),
)
TIMEOUT = one_kind(object=record({"after": DURATION}, required=["after"]), text=TEXT)

_OAUTH = {
    **fields_of(TEXT, "authority grant username password use"),
    **fields_of(OBJECT, "client request subject actor"),
    **fields_of(listed(TEXT), "issuers scopes audiences"),
}
_USER = record(fields_of(TEXT, "username password use"))
_POLICIES: dict[str, Shape] = {
    "basic": _USER,
    "digest": _USER,
    "bearer": record(fields_of(TEXT, "token use")),
    "oauth2": record({**_OAUTH, "endpoints": OBJECT}),
    "oidc": record(_OAUTH),
}
AUTHENTICATION = record({**_POLICIES, "use": TEXT}, exactly_one=[("use", *_POLICIES)])
ENDPOINT = one_kind(
    text=text(r"\s*\S[\s\S]*", says="a URI"),
    object=record({"uri": TEXT, "authentication": AUTHENTICATION}, required=["uri"]),
)
RESOURCE = record({"name": TEXT, "endpoint": ENDPOINT}, required=["endpoint"])

_SCHEMA = record({"format": TEXT, "document": anything, "resource": RESOURCE}, exactly_one=[("document", "resource")])
_MAPPED = one_kind(text=TEXT, object=OBJECT)
INPUT = record({"schema": _SCHEMA, "from": _MAPPED})
OUTPUT = record({"schema": _SCHEMA, "as": _MAPPED})

_SAID = fields_of(TEXT, "type instance title detail")
ERROR = record({**_SAID, "status": one_kind(number=_WHOLE, text=TEXT)}, required=["type", "status"])
_BACKOFFS = fields_of(OBJECT, "constant exponential linear")
RETRY = record(
    {
        **fields_of(TEXT, "when exceptWhen"),
        "delay": DURATION,
        "backoff": record(_BACKOFFS, exactly_one=[list(_BACKOFFS)]),
        "limit": record({"attempt": record({"count": _WHOLE, "duration": DURATION}), "duration": DURATION}),
        "jitter": record({"from": DURATION, "to": DURATION}, required=["from", "to"]),
    }
)

EVENT = fields_of(TEXT, "id source type time subject datacontenttype dataschema")
_CORRELATION = record({"from": TEXT, "expect": TEXT}, required=["from"], is_open=True)
_FILTER = record({"with": record(EVENT, is_open=True), "correlate": mapped(_CORRELATION)}, required=["with"])


def events_shape(value: Any, place: Place, *, is_inner: bool = False) -> None:
    """Check which events are waited for: `one`, `any` until something, or `all`."""
    consumed = {"all": listed(_FILTER), "any": listed(_FILTER), "one": _FILTER}
    until: dict[str, Shape] = {} if is_inner or "any" not in object_in(value) else {"until": _UNTIL}
    record({**consumed, **until}, exactly_one=[list(consumed)])(value, place)


_UNTIL = one_kind(text=TEXT, object=lambda value, place: events_shape(value, place, is_inner=True))
_READ = choice("data", "envelope", "raw")
LISTENING = record({"to": events_shape, "read": _READ}, required=["to"])
SCHEDULE = record(
    {
        **fields_of(DURATION, "every after"),
        "cron": text(r"\s*\S[\s\S]*", says="cron"),
        "on": events_shape,
        "read": _READ,
    }
)

_PROCESS = {"stdin": TEXT, "arguments": listed(TEXT), "environment": OBJECT}
_LIFETIME = record({"cleanup": choice("always", "never", "eventually"), "after": DURATION}, required=["cleanup"])
_CONTAINER = record(
    {
        **_PROCESS,
        **fields_of(TEXT, "image name command"),
        **fields_of(OBJECT, "ports volumes"),
        "lifetime": _LIFETIME,
        "pullPolicy": choice("ifNotPresent", "always", "never"),
    },
    required=["image"],
)
_SCRIPT = record(
    {**_PROCESS, "language": TEXT, "code": TEXT, "source": RESOURCE},
    required=["language"],
    exactly_one=[("code", "source")],
)
_SHELL = record({**_PROCESS, "command": TEXT}, required=["command"])
_CALLED = fields_of(TEXT, "namespace name version")
_WORKFLOW = record({**_CALLED, "input": OBJECT}, required=list(_CALLED))
RUNS: dict[str, Shape] = {"container": _CONTAINER, "script": _SCRIPT, "shell": _SHELL, "workflow": _WORKFLOW}
RUN = record(
    {**RUNS, "await": flag, "return": choice("stdout", "stderr", "code", "all", "none")}, exactly_one=[list(RUNS)]
)

_PAIRS = one_kind(object=mapped(one_kind(text=TEXT, number=anything, flag=anything)), text=EXPRESSION)
_ANSWER = {"output": choice("raw", "content", "response"), "redirect": flag}
_PARAMETERS = one_kind(object=OBJECT, text=TEXT)
_SERVICE = record(
    {"name": TEXT, "host": TEXT, "port": number(least=0, most=65_535, whole=True), "authentication": AUTHENTICATION},
    required=["name", "host"],
)
_STDIO = record({"command": TEXT, "arguments": listed(TEXT), "environment": OBJECT}, required=["command"], is_open=True)
_TRANSPORT = record(
    {
        "http": record({"endpoint": ENDPOINT, "headers": OBJECT}, required=["endpoint"], is_open=True),
        "stdio": _STDIO,
        "options": OBJECT,
    },
    exactly_one=[("http", "stdio")],
    is_open=True,
)
CALLS: dict[str, Shape] = {
    "http": record(
        {"method": TEXT, "endpoint": ENDPOINT, "body": anything, **fields_of(_PAIRS, "headers query"), **_ANSWER},
        required=["method", "endpoint"],
    ),
    "grpc": record(
        {"proto": RESOURCE, "service": _SERVICE, "method": TEXT, "arguments": OBJECT},
        required=["proto", "service", "method"],
    ),
    "openapi": record(
        {"document": RESOURCE, "operationId": TEXT, "parameters": OBJECT, "authentication": AUTHENTICATION, **_ANSWER},
        required=["document", "operationId"],
    ),
    "asyncapi": record(
        {
            "document": RESOURCE,
            **fields_of(TEXT, "channel operation protocol"),
            **fields_of(OBJECT, "server message subscription"),
            "authentication": AUTHENTICATION,
        },
        required=["document"],
        exactly_one=[("operation", "channel"), ("message", "subscription")],
    ),
    "a2a": record(
        {"agentCard": RESOURCE, "server": ENDPOINT, "method": TEXT, "parameters": _PARAMETERS}, required=["method"]
    ),
    "mcp": record(
        {
            **fields_of(TEXT, "protocolVersion method"),
            "parameters": _PARAMETERS,
            "timeout": DURATION,
            "transport": _TRANSPORT,
            "client": OBJECT,
        },
        required=["method", "transport"],
        is_open=True,
    ),
}
"""The arguments of each protocol that can be called; anything else that is called is a function."""

DOCUMENT = record(
    {
        **fields_of(_VERSION, "dsl version"),
        **fields_of(_NAME, "namespace name"),
        **fields_of(TEXT, "title summary"),
        **fields_of(OBJECT, "tags metadata"),
    },
    required=["dsl", "namespace", "name", "version"],
)
_BASE: Mapping[str, Shape] = {
    **fields_of(TEXT, "if then"),
    "input": INPUT,
    **fields_of(OUTPUT, "output export"),
    "timeout": TIMEOUT,
    "metadata": OBJECT,
}
_DIRECTIVE = text(r"\s*\S[\s\S]*", says="a task, or continue, exit or end")


def _item(value: Any, place: Place) -> None:
    if len(object_in(value)) > 1:
        place.refuse(f"must have one task, got {', '.join(map(repr, object_in(value)))}; give each its own item")
        return
    mapped(task_shape, least=1)(value, place)


task_list = listed(_item)
"""Tasks, each an object with one name and what it is."""


def _call(value: Any, place: Place) -> None:
    called = str(object_in(value).get("call"))
    given = CALLS.get(called, OBJECT)
    required = ["call", "with"] if called in CALLS else ["call"]
    record({**_BASE, "call": text(r"\s*\S[\s\S]*", says="a function"), "with": given}, required=required)(value, place)


def _task(fields: Mapping[str, Shape], *required: str) -> Shape:
    return record({**_BASE, **fields}, required=required)


_CASE = record({"when": TEXT, "then": _DIRECTIVE}, required=["then"])


def _case(value: Any, place: Place) -> None:
    if len(object_in(value)) > 1:
        place.refuse("must have one case; give each its own item")
        return
    mapped(_CASE, least=1)(value, place)


_FOR = record({"each": TEXT, "in": one_kind(text=TEXT, list=listed()), "at": TEXT}, required=["in"])
_FORK = record({"branches": task_list, "compete": flag}, required=["branches"])
_EMIT = record(
    {"event": record({"with": record(EVENT, required=["type"], is_open=True)}, is_open=True)}, required=["event"]
)
_EACH_EVENT = record({"item": TEXT, "at": TEXT, "do": task_list, "output": OUTPUT, "export": OUTPUT})
_RAISE = record({"error": one_kind(object=ERROR, text=TEXT)}, required=["error"])
CATCH = record(
    {
        "errors": record({"with": record({**_SAID, "status": _WHOLE}, is_open=True)}),
        **fields_of(TEXT, "as when exceptWhen"),
        "retry": one_kind(object=RETRY, text=TEXT),
        "do": task_list,
        "then": _DIRECTIVE,
    }
)
KINDS: Mapping[str, Shape] = {
    "call": _call,
    "for": _task({"for": _FOR, "while": TEXT, "do": task_list}, "for", "do"),
    "try": _task({"try": task_list, "catch": CATCH}, "try", "catch"),
    "do": _task({"do": task_list}, "do"),
    "fork": _task({"fork": _FORK}, "fork"),
    "emit": _task({"emit": _EMIT}, "emit"),
    "listen": _task({"listen": LISTENING, "foreach": _EACH_EVENT}, "listen"),
    "raise": _task({"raise": _RAISE}, "raise"),
    "run": _task({"run": RUN}, "run"),
    "set": _task({"set": one_kind(object=mapped(least=1), text=TEXT)}, "set"),
    "switch": _task({"switch": listed(_case, least=1)}, "switch"),
    "wait": _task({"wait": DURATION}, "wait"),
}
"""Each kind of task by the field that makes it one; `for` before `do`, because it has both."""


def kind_of_task(task: Any) -> str | None:
    """Return the field that makes a task what it is."""
    return next((kind for kind in KINDS if kind in object_in(task)), None)


def task_shape(value: Any, place: Place) -> None:
    """Check one task."""
    kind = kind_of_task(value)
    if kind is not None or not isinstance(value, dict):
        KINDS[kind or "do"](value, place)
    else:
        place.refuse(f"must say what to do: one of {', '.join(f'`{one}`' for one in KINDS)}", list(KINDS))


_EXTENDED = ("call", "composite", "emit", "for", "listen", "raise", "run", "set", "switch", "try", "wait", "all")
_EXTENSION = record(
    {"extend": choice(*_EXTENDED), "when": TEXT, "before": task_list, "after": task_list}, required=["extend"]
)
_USE = record(
    {
        "authentications": mapped(record(_POLICIES, exactly_one=[list(_POLICIES)])),
        "errors": mapped(ERROR),
        "extensions": listed(mapped(_EXTENSION, least=1)),
        "functions": mapped(task_shape),
        "retries": mapped(RETRY),
        "secrets": listed(TEXT),
        "timeouts": mapped(record({"after": DURATION}, required=["after"])),
        "catalogs": mapped(record({"endpoint": ENDPOINT}, required=["endpoint"])),
    }
)
REST: Mapping[str, Shape] = {
    "document": DOCUMENT,
    "input": INPUT,
    "use": _USE,
    "timeout": TIMEOUT,
    "output": OUTPUT,
    "schedule": SCHEDULE,
    "evaluate": record({"language": TEXT, "mode": choice("strict", "loose")}),
}
"""What a document has beside its tasks."""
document_shape = record({**REST, "do": task_list}, required=["document", "do"])
