"""What `argo lint` finds in a document of the right shape, by Argo's documentation of fields and variables."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from workflow_agent.values import reached
from workflow_agent.workflows.formats.argo.shapes import KINDS, REPEATED, calls_in, said_depends, spec_in
from workflow_agent.workflows.formats.argo.templates import COMPOSITE
from workflow_agent.workflows.formats.lint import LintRule, items_in, lint_rule, objects_at, texts_in
from workflow_agent.workflows.formats.plain import list_in, object_in
from workflow_agent.workflows.formats.shapes import Place
from workflow_agent.workflows.model.triggers import cron_problem

RULES: list[LintRule] = []
_NAME = re.compile(r"[A-Za-z0-9][-A-Za-z0-9]{0,127}")
_TASK_NAME = re.compile(r"[A-Za-z0-9_][-A-Za-z0-9_]{0,127}")
_PARAMETER_NAME = re.compile(r"[-A-Za-z0-9_]+|.*\{\{.*", re.DOTALL)
_TAG = re.compile(r"\{\{(?!=)\s*([^{}]+?)\s*\}\}")
_WITH_IMAGE = ("container", "script")
_LOCATIONS = frozenset({
    "artifactory", "azure", "from", "fromExpression", "gcs", "git", "hdfs", "http", "optional", "oss", "plugin",
    "raw", "s3", "artifactLocation",
})  # fmt: skip
_FILLING = frozenset({"value", "default", "valueFrom"})
"""What gives a parameter a value."""
_CALL_SCOPES = ("steps.", "tasks.")


class _Spec:
    """The parts of a document that rules look at."""

    def __init__(self, document: Any, place: Place) -> None:
        self.spec, self.place = spec_in(document, place)
        self.templates = {str(one.get("name")): one for one, _ in items_in(self.spec, self.place, "templates")}
        is_run = document.get("kind") in ("Workflow", "CronWorkflow")
        self.is_whole = is_run and "workflowTemplateRef" not in self.spec
        """Whether nothing is told elsewhere, or when it is submitted."""

    def called(self, call: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the template that a step or task calls; None for one that is told elsewhere."""
        return object_in(call["inline"]) if "inline" in call else self.templates.get(str(call.get("template")))

    def all_templates(self) -> Iterator[tuple[Mapping[str, Any], Place]]:
        """Yield every template with its place, those in line with their calls too."""
        for one, here in items_in(self.spec, self.place, "templates"):
            yield from _with_inline(one, here)


def _with_inline(template: Mapping[str, Any], place: Place) -> Iterator[tuple[Mapping[str, Any], Place]]:
    yield template, place
    for _, call, here in calls_in(template, place):
        if "inline" in call:
            yield from _with_inline(object_in(call["inline"]), here / "inline")


def _names(owner: Any, *path: str) -> set[str]:
    """Return the names of the parameters or artifacts that are told below a path."""
    return {str(one.get("name")) for one, _ in items_in(owner, Place([]), *path)}


def _tags(value: Any, place: Place, without: Sequence[str] = ()) -> Iterator[tuple[str, Place]]:
    """Yield the plain references of all texts of a value, with their places."""
    for text, here in texts_in(value, place, without):
        yield from ((name, here) for name in _TAG.findall(text))


@lint_rule(RULES, "argo-reference", "error", "Argo refuses the workflow.")
def _unknown_references(document: Any, place: Place) -> None:
    """Find references to inputs, parameters and items that are not there."""
    whole = _Spec(document, place)
    for template, here in whole.all_templates():
        known = {
            f"inputs.{kind}.{name}" for kind in ("parameters", "artifacts") for name in _names(template, "inputs", kind)
        }
        for name, at in _tags(template, here, (*COMPOSITE, "metadata", "annotations")):
            _check_input(name, known, whole, at)
        for _, call, inside in calls_in(template, here):
            repeated = any(key in call for key in REPEATED)
            for name, at in _tags(call, inside, ("inline",)):
                _check_input(name, known, whole, at)
                if (name == "item" or name.startswith("item.")) and not repeated:
                    at.refuse(f"`{name[:60]}` is known only with {', '.join(REPEATED)}")


def _check_input(name: str, known: set[str], whole: _Spec, place: Place) -> None:
    parts = name.split(".")
    if parts[0] == "inputs" and len(parts) > 2 and parts[1] in ("parameters", "artifacts"):
        if ".".join(parts[:3]) not in known and name not in known:
            place.refuse(f"the template has no `{name[:80]}`", sorted(known))
    elif parts[:2] == ["workflow", "parameters"] and len(parts) > 2 and whole.is_whole:
        given = _names(whole.spec, "arguments", "parameters")
        outputs = (items_in(template, here, "outputs", "parameters") for template, here in whole.all_templates())
        given |= {str(one.get("globalName")) for listed in outputs for one, _ in listed}
        if ".".join(parts[2:]) not in given:
            place.refuse(f"the workflow has no parameter `{'.'.join(parts[2:])[:60]}`", sorted(given))


@lint_rule(RULES, "argo-result", "error", "Argo refuses the workflow.")
def _unknown_results(document: Any, place: Place) -> None:
    """Find references to steps and tasks that are not done before, or have no such output."""
    whole = _Spec(document, place)
    for template, here in whole.all_templates():
        calls = list(calls_in(template, here))
        named = {str(call.get("name")): call for _, call, _ in calls}
        before = _done_before(template, calls)
        for _, call, inside in calls:
            for name, at in _tags(call, inside, ("inline", "hooks", "onExit")):
                if name.startswith(_CALL_SCOPES):
                    _check_result(name, before(str(call.get("name"))), named, whole, at)
        for name, at in _tags(template.get("outputs"), here / "outputs") if calls else ():
            _check_result(name, set(named), named, whole, at)


def _check_result(
    name: str, done: set[str], named: Mapping[str, Mapping[str, Any]], whole: _Spec, place: Place
) -> None:
    scope, said, what = [*name.split(".", 2), "", ""][:3]
    if f"{scope}." in _CALL_SCOPES and what:
        if said in done:
            _check_output(what, named[said], whole, place)
        else:
            place.refuse(f"nothing called {said[:60]!r} is done before this", sorted(done))


def _done_before(
    template: Mapping[str, Any], calls: Sequence[tuple[int, Mapping[str, Any], Place]]
) -> Callable[[str], set[str]]:
    """Return what tells which of the steps or tasks of a template are done before one of them."""
    if "dag" not in template:
        groups = {str(call.get("name")): group for group, call, _ in calls}
        return lambda name: {other for other, there in groups.items() if there < groups[name]}
    needed = {str(call.get("name")): set(said_depends(call)[0]) for _, call, _ in calls}

    return lambda name: needed.keys() & reached(needed.get(name, ()), lambda one: needed.get(one, ()))


def _check_output(what: str, call: Mapping[str, Any], whole: _Spec, place: Place) -> None:
    parts = what.split(".")
    template = whole.called(call)
    if template is None or parts[0] != "outputs" or len(parts) < 3 or parts[1] not in ("parameters", "artifacts"):
        return
    known = _names(template, "outputs", parts[1])
    if parts[2] not in known:
        place.refuse(f"{str(call.get('name'))[:60]!r} has no output `{parts[2][:60]}`", sorted(known))


@lint_rule(RULES, "argo-argument", "error", "Argo refuses the workflow.")
def _missing_arguments(document: Any, place: Place) -> None:
    """Find calls that do not give a template the inputs it needs."""
    whole = _Spec(document, place)
    for template, here in whole.all_templates():
        for _, call, inside in calls_in(template, here):
            called = whole.called(call)
            if called is not None:
                _check_given(called, object_in(call.get("arguments")), str(call.get("template", "")), inside)
    entry = whole.templates.get(str(whole.spec.get("entrypoint")))
    if entry is not None and whole.is_whole:
        _check_given(entry, object_in(whole.spec.get("arguments")), str(entry.get("name")), whole.place / "entrypoint")


def _check_given(called: Mapping[str, Any], arguments: Mapping[str, Any], name: str, place: Place) -> None:
    for kind, filling in (("parameters", _FILLING), ("artifacts", _LOCATIONS)):
        given = _names(arguments, kind)
        for one, _ in items_in(called, place, "inputs", kind):
            if str(one.get("name")) not in given and not filling & one.keys():
                place.refuse(f"does not give {name[:60]!r} its `inputs.{kind}.{str(one.get('name'))[:60]}`")


@lint_rule(RULES, "argo-value", "warning", "It cannot be submitted without one.")
def _missing_values(document: Any, place: Place) -> None:
    """Find parameters of a workflow without a value."""
    whole = _Spec(document, place)
    for one, here in items_in(whole.spec, whole.place, "arguments", "parameters"):
        if whole.is_whole and not _FILLING & one.keys():
            here.refuse("has no value until somebody gives one")


@lint_rule(RULES, "argo-output", "error", "Argo refuses the workflow.")
def _outputs(document: Any, place: Place) -> None:
    """Find outputs that do not say where they come from."""
    for template, here in _Spec(document, place).all_templates():
        is_composite = any(kind in template for kind in COMPOSITE)
        for one, inside in items_in(template, here, "outputs", "parameters"):
            is_said = "value" in one or {"parameter", "expression"} & object_in(one.get("valueFrom")).keys()
            if not {"valueFrom", "value"} & one.keys():
                inside.refuse("needs `valueFrom`, which says where its value is")
            elif is_composite and not is_said:
                (inside / "valueFrom").refuse("needs `parameter` or `expression` in a template of steps or tasks")
        for one, inside in items_in(template, here, "outputs", "artifacts"):
            if not is_composite and set(_WITH_IMAGE) & template.keys() and "path" not in one:
                inside.refuse("needs the `path` of its file")


@lint_rule(RULES, "argo-name", "error", "Argo refuses the workflow.")
def _bad_names(document: Any, place: Place) -> None:
    """Find names with characters that Argo refuses."""
    for template, here in _Spec(document, place).all_templates():
        _check_name(template, _NAME, here)
        for _, call, inside in calls_in(template, here):
            _check_name(call, _TASK_NAME, inside)
            for one, at in items_in(call, inside, "arguments", "parameters"):
                _check_name(one, _PARAMETER_NAME, at)
        for side in ("inputs", "outputs"):
            for one, at in items_in(template, here, side, "parameters"):
                _check_name(one, _PARAMETER_NAME, at)


def _check_name(named: Mapping[str, Any], pattern: re.Pattern[str], place: Place) -> None:
    name = named.get("name")
    if isinstance(name, str) and not pattern.fullmatch(name):
        (place / "name").refuse(f"{name[:80]!r} has characters that a name cannot have")


@lint_rule(RULES, "argo-depends", "error", "Argo refuses the workflow.")
def _depends(document: Any, place: Place) -> None:
    """Find tasks that mix `depends` with what it has replaced."""
    for template, here in _Spec(document, place).all_templates():
        tasks = [(call, inside) for _, call, inside in calls_in(template, here) if "dag" in template]
        uses_depends = any("depends" in call for call, _ in tasks)
        for call, inside in tasks:
            if "depends" in call and "continueOn" in call:
                (inside / "continueOn").refuse("cannot stand beside `depends`; ask for `<task>.Failed` there instead")
            if uses_depends and str(call.get("name"))[:1].isdigit():
                (inside / "name").refuse("cannot begin with a digit where `depends` is used")


@lint_rule(RULES, "argo-limit", "error", "Argo refuses the workflow.")
def _limits(document: Any, place: Place) -> None:
    """Find limits on templates that cannot have them."""
    for template, here in _Spec(document, place).all_templates():
        kind = next((one for one in KINDS if one in template), "")
        if kind in COMPOSITE:
            for key in ("timeout", "activeDeadlineSeconds"):
                if key in template:
                    (here / key).refuse(f"has no effect on a template of {kind}")
        elif "parallelism" in template:
            (here / "parallelism").refuse("is only for templates of steps and tasks")


@lint_rule(RULES, "argo-image", "error", "The pod cannot start.")
def _images(document: Any, place: Place) -> None:
    """Find containers and scripts without an image."""
    whole = _Spec(document, place)
    if "templateDefaults" in whole.spec or "workflowTemplateRef" in whole.spec:
        return
    for template, here in whole.all_templates():
        for kind in _WITH_IMAGE:
            if kind in template and not object_in(template[kind]).get("image"):
                (here / kind).refuse("needs an `image`")


@lint_rule(RULES, "argo-volume", "error", "The pod cannot start.")
def _volumes(document: Any, place: Place) -> None:
    """Find mounts of volumes that are not there."""
    whole = _Spec(document, place)
    if {"workflowTemplateRef", "podSpecPatch", "templateDefaults"} & whole.spec.keys():
        return
    shared = _names(whole.spec, "volumes")
    claims = items_in(whole.spec, whole.place, "volumeClaimTemplates")
    shared |= {str(object_in(one.get("metadata")).get("name")) for one, _ in claims}
    for template, here in whole.all_templates():
        known = shared | _names(template, "volumes")
        for kind in _WITH_IMAGE if "podSpecPatch" not in template else ():
            for mount, inside in items_in(template, here, kind, "volumeMounts"):
                name = str(mount.get("name"))
                if name not in known and "{{" not in name:
                    inside.refuse(f"there is no volume {name[:60]!r}", sorted(known))


@lint_rule(RULES, "argo-schedule", "error", "Argo refuses the schedule.")
def _schedules(document: Any, place: Place) -> None:
    """Find schedules that are no cron expression."""
    if document.get("kind") != "CronWorkflow":
        return
    spec = object_in(document.get("spec"))
    listed = [(spec["schedule"], place / "spec" / "schedule")] if "schedule" in spec else []
    listed += [(one, place / "spec" / "schedules" / at) for at, one in enumerate(list_in(spec.get("schedules")))]
    for cron, here in listed:
        if isinstance(cron, str) and not cron.startswith(("@", "TZ=", "CRON_TZ=")) and (problem := cron_problem(cron)):
            here.refuse(problem)


@lint_rule(RULES, "argo-unused", "info", "It may be left from an earlier version.")
def _unused(document: Any, place: Place) -> None:
    """Find templates that nothing calls."""
    whole = _Spec(document, place)
    if not whole.is_whole:
        return
    used = {str(whole.spec.get(key)) for key in ("entrypoint", "onExit")}
    used |= {str(one) for one in _said(whole.spec, ("template", "onExit"))}
    dynamic = any("{{" in one for one in used)
    for one, here in items_in(whole.spec, whole.place, "templates"):
        if not dynamic and str(one.get("name")) not in used:
            here.refuse("nothing calls this template")


def _said(value: Any, keys: Iterable[str]) -> Iterator[Any]:
    for key, item in object_in(value).items():
        if key in keys and isinstance(item, str):
            yield item
        yield from _said(item, keys)
    for item in list_in(value):
        yield from _said(item, keys)


def steps_at(parts: Sequence[str], document: Any) -> Iterator[str]:
    """Yield the names of the tasks and templates around a place, the innermost first."""
    names = [one.get("name") for one in objects_at(parts, document)]
    yield from (name for name in reversed(names) if isinstance(name, str))
