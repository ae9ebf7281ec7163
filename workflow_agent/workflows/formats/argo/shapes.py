"""What an Argo document may look like: closed where Argo reads it itself, open where Kubernetes does; and its rules."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.flow import waiting_for_ever
from workflow_agent.workflows.formats.lint import items_in
from workflow_agent.workflows.formats.plain import list_in, object_in
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

_NEEDED = re.compile(
    r"([A-Za-z0-9_][A-Za-z0-9_-]*)"
    r"(?:\.(Succeeded|Failed|Errored|Skipped|Daemoned|Omitted|AnySucceeded|AllFailed))?"
)
_OPERATORS = re.compile(r"&&|\|\||[!()\s]")
_FAILURES = frozenset({"Failed", "Errored", "AllFailed"})
_TEXT = text()
_OBJECT = mapped()
_LIST = listed()
_NAME = text(r"\S[\s\S]*", says="a name", most=200)
_AMOUNT = one_kind(number=number(), text=anything)
_WHOLE = number(whole=True)
_OBJECTS = listed(_OBJECT)
_PARAMETER = record(
    {
        "name": _NAME,
        **fields_of(anything, "value default"),
        **fields_of(_TEXT, "description globalName"),
        "enum": _LIST,
        "valueFrom": _OBJECT,
    },
    required=["name"],
)
_ARTIFACT = record({"name": _NAME}, required=["name"], is_open=True)
_VALUES = {"parameters": listed(_PARAMETER), "artifacts": listed(_ARTIFACT)}
_ARGUMENTS = record(_VALUES)
_OUTPUTS = record({**_VALUES, **fields_of(_TEXT, "result exitCode")})
_REFERENCE = record({"name": _NAME, "template": _NAME, "clusterScope": flag}, required=["name", "template"])
_HOOK = record({"template": _NAME, "arguments": _ARGUMENTS, "templateRef": _REFERENCE, "expression": _TEXT})
_SEQUENCE = record({**fields_of(_AMOUNT, "count start end"), "format": _TEXT}, at_most_one=[("count", "end")])


def _inline(value: Any, place: Place) -> None:
    template_shape(value, place)


_CALL: Mapping[str, Shape] = {
    "name": _NAME,
    "template": _NAME,
    "templateRef": _REFERENCE,
    "inline": _inline,
    "arguments": _ARGUMENTS,
    **fields_of(_TEXT, "when withParam onExit"),
    "withItems": _LIST,
    "withSequence": _SEQUENCE,
    "continueOn": record(fields_of(flag, "error failed")),
    "hooks": mapped(_HOOK),
}
CALLED = ("template", "templateRef", "inline")
"""What says which template a task calls."""
REPEATED = ("withItems", "withParam", "withSequence")
"""What says for which items a task is done."""
_STEP = record(_CALL, required=["name"], exactly_one=[CALLED], at_most_one=[REPEATED])
_TASK = record(
    {**_CALL, "dependencies": listed(_NAME), "depends": _TEXT},
    required=["name"],
    exactly_one=[CALLED],
    at_most_one=[REPEATED, ("dependencies", "depends")],
)
call_shape = record(_CALL)
"""A task without what it waits for, whether or not it says yet which template it calls."""
_DAG = record({"tasks": listed(_TASK), "target": _TEXT, "failFast": flag}, required=["tasks"])

_BACKOFF = record(fields_of(_AMOUNT, "duration maxDuration cap factor"))
_RETRY = record(
    {
        "limit": _AMOUNT,
        "retryPolicy": choice("Always", "OnFailure", "OnError", "OnTransientError"),
        "backoff": _BACKOFF,
        "expression": _TEXT,
        "affinity": _OBJECT,
    }
)
_CONTAINER_FIELDS = {
    **fields_of(
        _TEXT, "name image imagePullPolicy workingDir terminationMessagePath terminationMessagePolicy restartPolicy"
    ),
    **fields_of(listed(_TEXT), "command args"),
    **fields_of(_OBJECTS, "env envFrom ports resizePolicy volumeDevices volumeMounts restartPolicyRules"),
    **fields_of(_OBJECT, "lifecycle livenessProbe readinessProbe startupProbe resources securityContext"),
    **fields_of(flag, "stdin stdinOnce tty"),
}
_CONTAINER = record(_CONTAINER_FIELDS)
_SIDECAR = record({**_CONTAINER_FIELDS, "mirrorVolumeMounts": flag})
_SCRIPT = record({**_CONTAINER_FIELDS, "source": _TEXT}, required=["source"])
_SUSPEND = one_kind(object=record({"duration": _AMOUNT}), nothing=anything)
_HTTP = record(
    {
        **fields_of(_TEXT, "url method body successCondition"),
        "headers": _OBJECTS,
        "timeoutSeconds": _WHOLE,
        "insecureSkipVerify": flag,
        "bodyFrom": _OBJECT,
    },
    required=["url"],
)
_RESOURCE = record(
    {
        **fields_of(_TEXT, "action manifest successCondition failureCondition mergeStrategy"),
        "flags": listed(_TEXT),
        "manifestFrom": _OBJECT,
        "setOwnerReference": flag,
    },
    required=["action"],
)
KINDS: Mapping[str, Shape] = {
    "container": _CONTAINER, "script": _SCRIPT, "steps": listed(listed(_STEP)), "dag": _DAG, "suspend": _SUSPEND,
    "http": _HTTP, "resource": _RESOURCE, "data": _OBJECT, "plugin": _OBJECT, "containerSet": _OBJECT,
}  # fmt: skip
"""What a template can be."""
_POD = {
    **fields_of(_OBJECT, "affinity nodeSelector securityContext synchronization executor podResources"),
    **fields_of(_OBJECTS, "tolerations volumes hostAliases resourceClaims"),
    **fields_of(_TEXT, "serviceAccountName schedulerName podSpecPatch"),
    **fields_of(flag, "automountServiceAccountToken"),
    "metrics": _OBJECT,
    "retryStrategy": _RETRY,
    "parallelism": _WHOLE,
}
_TEMPLATE_FIELDS: Mapping[str, Shape] = {
    **KINDS,
    **_POD,
    "name": _NAME,
    "inputs": _ARGUMENTS,
    "outputs": _OUTPUTS,
    **fields_of(_TEXT, "timeout pendingTimeout priorityClassName"),
    "activeDeadlineSeconds": _AMOUNT,
    **fields_of(flag, "daemon failFast"),
    **fields_of(listed(_SIDECAR), "initContainers sidecars"),
    **fields_of(_OBJECT, "metadata memoize archiveLocation annotations"),
    "priority": _WHOLE,
}
template_shape = record(_TEMPLATE_FIELDS, exactly_one=[list(KINDS)])
"""One thing to do, or tasks that do it."""
_TEMPLATE_OF = record({"name": _NAME, "clusterScope": flag}, required=["name"])
_SPEC_FIELDS: Mapping[str, Shape] = {
    **_POD,
    "templates": listed(template_shape),
    "arguments": _ARGUMENTS,
    "hooks": mapped(_HOOK),
    "templateDefaults": record(_TEMPLATE_FIELDS),
    "workflowTemplateRef": _TEMPLATE_OF,
    **fields_of(_WHOLE, "activeDeadlineSeconds priority"),
    **fields_of(flag, "archiveLogs hostNetwork suspend"),
    **fields_of(_TEXT, "entrypoint onExit dnsPolicy podPriorityClassName shutdown"),
    **fields_of(_OBJECTS, "imagePullSecrets volumeClaimTemplates executorPlugins"),
    **fields_of(
        _OBJECT,
        "artifactGC artifactRepositoryRef dnsConfig podDisruptionBudget podGC podMetadata ttlStrategy "
        "volumeClaimGC workflowMetadata",
    ),
}
SPEC = record(_SPEC_FIELDS)
_CRON_FIELDS: Mapping[str, Shape] = {
    **fields_of(_TEXT, "schedule timezone when"),
    "schedules": listed(_TEXT),
    "suspend": flag,
    "concurrencyPolicy": choice("Allow", "Forbid", "Replace", ""),
    **fields_of(_WHOLE, "startingDeadlineSeconds successfulJobsHistoryLimit failedJobsHistoryLimit"),
    **fields_of(_OBJECT, "stopStrategy workflowMetadata workflowMeta"),
}
_CRON = record(
    {**_CRON_FIELDS, "workflowSpec": SPEC}, required=["workflowSpec"], exactly_one=[("schedule", "schedules")]
)
cron_rest_shape = record(_CRON_FIELDS)
BINDING = record(
    {
        "event": record({"selector": _TEXT}, required=["selector"]),
        "submit": record(
            {"workflowTemplateRef": _TEMPLATE_OF, "arguments": _ARGUMENTS, "metadata": _OBJECT},
            required=["workflowTemplateRef"],
        ),
    },
    required=["event"],
)
SPECS: Mapping[str, Shape] = {
    **fields_of(SPEC, "Workflow WorkflowTemplate ClusterWorkflowTemplate"),
    "CronWorkflow": _CRON,
    "WorkflowEventBinding": BINDING,
}
METADATA = record(
    {
        **fields_of(_TEXT, "name generateName namespace uid resourceVersion creationTimestamp"),
        **fields_of(_OBJECT, "labels annotations"),
    },
    is_open=True,
)


def document_shape(value: Any, place: Place) -> None:
    """Check a whole document."""
    kind = object_in(value).get("kind")
    if isinstance(kind, str) and kind not in SPECS:
        (place / "kind").refuse(f"is a {kind[:60]}, not a workflow", list(SPECS))
        return
    fields: Mapping[str, Shape] = {
        "apiVersion": text(r"argoproj\.io/.+", says="argoproj.io/v1alpha1"),
        "kind": choice(*SPECS),
        "metadata": METADATA,
        "spec": SPECS.get(str(kind), anything),
        "status": _OBJECT,
    }
    record(fields, required=["apiVersion", "kind", "metadata", "spec"])(value, place)


def spec_in(document: Mapping[str, Any], place: Place) -> tuple[JsonObject, Place]:
    """Return the part of a document that says what is done, and its place."""
    spec, here = object_in(document.get("spec")), place / "spec"
    return (object_in(spec["workflowSpec"]), here / "workflowSpec") if "workflowSpec" in spec else (spec, here)


def calls_in(template: Mapping[str, Any], place: Place) -> Iterator[tuple[int, JsonObject, Place]]:
    """Yield the steps or tasks of a template with the number of their group, which is 0 for tasks."""
    yield from ((0, task, here) for task, here in items_in(template, place, "dag", "tasks"))
    for at, group in enumerate(list_in(template.get("steps"))):
        yield from ((at, step, here) for step, here in items_in(group, place / "steps" / at))


def said_depends(task: Mapping[str, Any]) -> tuple[dict[str, bool], bool]:
    """Return the tasks that a task waits for, and whether one of them is enough.

    Each comes with whether its failure is what is waited for.
    """
    if "dependencies" in task:
        return dict.fromkeys(task["dependencies"], False), False
    depends = str(task.get("depends", ""))
    results: dict[str, set[str]] = {}
    for name, result in _NEEDED.findall(depends):
        results.setdefault(name, set()).add(result or "Succeeded")
    any_is_enough = "||" in depends and "&&" not in depends and len(results) > 1
    return {name: found <= _FAILURES for name, found in results.items()}, any_is_enough


def check_references(document: JsonObject, place: Place) -> None:
    """Refuse templates and tasks that are not there, are there twice or wait for themselves, and what is missing."""
    spec, where = spec_in(document, place)
    templates = list_in(spec.get("templates"))
    names = [str(one.get("name", "")) for one in templates]
    _used_twice(names, where / "templates")
    known = None if "workflowTemplateRef" in spec else set(names)
    for key in ("entrypoint", "onExit"):
        _check_reference(spec.get(key), known, where / key)
    for at, template in enumerate(templates):
        if "name" not in template:
            (where / "templates" / at).refuse("needs a `name`")
        _template(template, known, where / "templates" / at)
    is_runnable = document["kind"] in ("Workflow", "CronWorkflow")
    if is_runnable and "entrypoint" not in spec and "workflowTemplateRef" not in spec:
        where.refuse("needs `entrypoint` or `workflowTemplateRef`")
    if not templates and "workflowTemplateRef" not in spec and document["kind"] != "WorkflowEventBinding":
        where.refuse("needs `templates` or `workflowTemplateRef`")
    if document["kind"] == "WorkflowEventBinding" and "submit" not in spec:
        where.refuse("needs `submit`, which says what is started")


def _used_twice(names: Iterable[str], place: Place) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            place.refuse(f"the name {name!r} is used {times} times")


def _check_reference(name: Any, known: set[str] | None, place: Place) -> None:
    is_fixed = isinstance(name, str) and name and "{{" not in name
    if is_fixed and known is not None and name not in known:
        place.refuse(f"there is no template {name[:80]!r}", sorted(known))


def _template(template: JsonObject, known: set[str] | None, place: Place) -> None:
    for _, call, here in calls_in(template, place):
        _check_reference(call.get("template"), known, here / "template")
        if "inline" in call:
            _template(call["inline"], known, here / "inline")
    _used_twice((step["name"] for group in list_in(template.get("steps")) for step in group), place / "steps")
    tasks = list_in(object_in(template.get("dag")).get("tasks"))
    _used_twice((task["name"] for task in tasks), place / "dag" / "tasks")
    _waiting(tasks, place / "dag" / "tasks")


def _check_depends(task: JsonObject, unknown: list[str], names: list[str], place: Place) -> None:
    here = place / ("dependencies" if "dependencies" in task else "depends")
    if left := _OPERATORS.sub("", _NEEDED.sub("", str(task.get("depends", "")))):
        here.refuse(f"{left[:20]!r} is no part of a condition on tasks")
    for name in unknown:
        here.refuse(f"there is no task {name[:80]!r}", names)


def _waiting(tasks: list[Any], place: Place) -> None:
    names = [task["name"] for task in tasks]
    known = set(names)
    waiting: dict[str, set[str]] = {}
    for at, task in enumerate(tasks):
        needed = said_depends(task)[0]
        _check_depends(task, [name for name in needed if name not in known], names, place / at)
        waiting[task["name"]] = needed.keys() & known
    stuck = set(waiting_for_ever(waiting))
    for at, task in enumerate(tasks):
        if task["name"] in stuck:
            (place / at).refuse(f"{task['name']!r} waits for itself by way of the tasks it depends on")
