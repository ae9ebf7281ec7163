"""What `argo lint` finds in a document of the right shape, by Argo's documentation of fields and variables."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workflow_agent.workflows.formats.argo.shapes import KINDS, said_depends, spec_of
from workflow_agent.workflows.formats.lint import LintRule, lint_rule, texts_in
from workflow_agent.workflows.formats.shapes import Place, list_in, object_in
from workflow_agent.workflows.model.triggers import cron_problem

RULES: list[LintRule] = []
_NAME = re.compile(r"[A-Za-z0-9][-A-Za-z0-9]{0,127}")
_TASK_NAME = re.compile(r"[A-Za-z0-9_][-A-Za-z0-9_]{0,127}")
_PARAMETER_NAME = re.compile(r"[-A-Za-z0-9_]+|.*\{\{.*", re.DOTALL)
_TAG = re.compile(r"\{\{(?!=)\s*([^{}]+?)\s*\}\}")
_COMPOSITE = ("steps", "dag")
_WITH_IMAGE = ("container", "script")
_REPEATED = ("withItems", "withParam", "withSequence")
_LOCATIONS = frozenset({
    "artifactory", "azure", "from", "fromExpression", "gcs", "git", "hdfs", "http", "optional", "oss", "plugin",
    "raw", "s3", "artifactLocation",
})  # fmt: skip
_CALL_SCOPES = ("steps.", "tasks.")


@dataclass(frozen=True, slots=True)
class _Spec:
    """The parts of a document that rules look at."""

    document: Mapping[str, Any]
    spec: Mapping[str, Any]
    place: Place
    templates: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    @classmethod
    def of(cls, document: Any, place: Place) -> "_Spec":
        spec = spec_of(document)
        where = place / "spec"
        where = where / "workflowSpec" if "workflowSpec" in object_in(document.get("spec")) else where
        named = {str(one.get("name")): one for one in map(object_in, list_in(spec.get("templates")))}
        return cls(document, spec, where, named)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is told elsewhere, or when it is submitted."""
        return "workflowTemplateRef" not in self.spec and self.document.get("kind") in ("Workflow", "CronWorkflow")

    def all_templates(self) -> Iterator[tuple[Mapping[str, Any], Place]]:
        """Yield every template with its place, those in line with their calls too."""
        for at, one in enumerate(list_in(self.spec.get("templates"))):
            yield from _with_inline(object_in(one), self.place / "templates" / at)


def _with_inline(template: Mapping[str, Any], place: Place) -> Iterator[tuple[Mapping[str, Any], Place]]:
    yield template, place
    for _, call, here in _calls(template, place):
        if "inline" in call:
            yield from _with_inline(object_in(call["inline"]), here / "inline")


def _calls(template: Mapping[str, Any], place: Place) -> Iterator[tuple[int, Mapping[str, Any], Place]]:
    """Yield the steps or tasks of a template with the number of their group, which is 0 for tasks."""
    for at, task in enumerate(list_in(object_in(template.get("dag")).get("tasks"))):
        yield 0, object_in(task), place / "dag" / "tasks" / at
    for at, group in enumerate(list_in(template.get("steps"))):
        for beside, step in enumerate(list_in(group)):
            yield at, object_in(step), place / "steps" / at / beside


def _names(owner: Any, *path: str) -> set[str]:
    """Return the names of the parameters or artifacts that are told below a path."""
    here: Any = owner
    for part in path:
        here = object_in(here).get(part)
    return {str(object_in(one).get("name")) for one in list_in(here)}


def _tags(value: Any, place: Place, without: Sequence[str] = ()) -> Iterator[tuple[str, Place]]:
    """Yield the plain references of all texts of a value, with their places."""
    for text, here in texts_in(value, place, without):
        yield from ((name, here) for name in _TAG.findall(text))


@lint_rule(RULES, "argo-reference", "error", "Argo refuses the workflow.")
def _unknown_references(document: Any, place: Place) -> None:
    """Find references to inputs, parameters and items that are not there."""
    whole = _Spec.of(document, place)
    for template, here in whole.all_templates():
        known = {
            f"inputs.{kind}.{name}" for kind in ("parameters", "artifacts") for name in _names(template, "inputs", kind)
        }
        for name, at in _tags(template, here, (*_COMPOSITE, "metadata", "annotations")):
            _check_input(name, known, whole, at)
        for _, call, inside in _calls(template, here):
            repeated = any(key in call for key in _REPEATED)
            for name, at in _tags(call, inside, ("inline",)):
                _check_input(name, known, whole, at)
                if (name == "item" or name.startswith("item.")) and not repeated:
                    at.refuse(f"`{name[:60]}` is known only with {', '.join(_REPEATED)}")


def _check_input(name: str, known: set[str], whole: _Spec, place: Place) -> None:
    parts = name.split(".")
    if parts[0] == "inputs" and len(parts) > 2 and parts[1] in ("parameters", "artifacts"):
        if ".".join(parts[:3]) not in known and name not in known:
            place.refuse(f"the template has no `{name[:80]}`", sorted(known))
    elif parts[:2] == ["workflow", "parameters"] and len(parts) > 2 and whole.is_whole:
        given = _names(whole.spec, "arguments", "parameters") | _global_names(whole)
        if ".".join(parts[2:]) not in given:
            place.refuse(f"the workflow has no parameter `{'.'.join(parts[2:])[:60]}`", sorted(given))


def _global_names(whole: _Spec) -> set[str]:
    outputs = (
        one
        for template, _ in whole.all_templates()
        for one in list_in(object_in(template.get("outputs")).get("parameters"))
    )
    return {str(object_in(one).get("globalName")) for one in outputs}


@lint_rule(RULES, "argo-result", "error", "Argo refuses the workflow.")
def _unknown_results(document: Any, place: Place) -> None:
    """Find references to steps and tasks that are not done before, or have no such output."""
    whole = _Spec.of(document, place)
    for template, here in whole.all_templates():
        calls = list(_calls(template, here))
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
    if f"{scope}." not in _CALL_SCOPES or not what:
        return
    if said not in done:
        place.refuse(f"nothing called {said[:60]!r} is done before this", sorted(done))
    else:
        _check_output(what, named[said], whole, place)


def _done_before(
    template: Mapping[str, Any], calls: Sequence[tuple[int, Mapping[str, Any], Place]]
) -> Callable[[str], set[str]]:
    """Return what tells which of the steps or tasks of a template are done before one of them."""
    if "dag" not in template:
        groups = {str(call.get("name")): group for group, call, _ in calls}
        return lambda name: {other for other, there in groups.items() if there < groups[name]}
    needed = {str(call.get("name")): set(said_depends(call)[0]) for _, call, _ in calls}

    def ancestors(name: str) -> set[str]:
        seen: set[str] = set()
        waiting = [name]
        while waiting:
            news = needed.get(waiting.pop(), set()) - seen
            seen |= news
            waiting += news
        return seen

    return ancestors


def _check_output(what: str, call: Mapping[str, Any], whole: _Spec, place: Place) -> None:
    parts = what.split(".")
    template = object_in(call["inline"]) if "inline" in call else whole.templates.get(str(call.get("template")))
    if template is None or parts[0] != "outputs" or len(parts) < 3 or parts[1] not in ("parameters", "artifacts"):
        return
    known = _names(template, "outputs", parts[1])
    if parts[2] not in known:
        place.refuse(f"{str(call.get('name'))[:60]!r} has no output `{parts[2][:60]}`", sorted(known))


@lint_rule(RULES, "argo-argument", "error", "Argo refuses the workflow.")
def _missing_arguments(document: Any, place: Place) -> None:
    """Find calls that do not give a template the inputs it needs."""
    whole = _Spec.of(document, place)
    for template, here in whole.all_templates():
        for _, call, inside in _calls(template, here):
            called = object_in(call["inline"]) if "inline" in call else whole.templates.get(str(call.get("template")))
            if called is not None:
                _check_given(called, object_in(call.get("arguments")), str(call.get("template", "")), inside)
    entry = whole.templates.get(str(whole.spec.get("entrypoint")))
    if entry is not None and whole.is_whole:
        _check_given(entry, object_in(whole.spec.get("arguments")), str(entry.get("name")), whole.place / "entrypoint")


def _check_given(called: Mapping[str, Any], arguments: Mapping[str, Any], name: str, place: Place) -> None:
    inputs = object_in(called.get("inputs"))
    for kind in ("parameters", "artifacts"):
        given = _names(arguments, kind)
        for one in map(object_in, list_in(inputs.get(kind))):
            has_own = (
                {"value", "default", "valueFrom"} & one.keys() if kind == "parameters" else _LOCATIONS & one.keys()
            )
            if str(one.get("name")) not in given and not has_own:
                place.refuse(f"does not give {name[:60]!r} its `inputs.{kind}.{str(one.get('name'))[:60]}`")


@lint_rule(RULES, "argo-value", "warning", "It cannot be submitted without one.")
def _missing_values(document: Any, place: Place) -> None:
    """Find parameters of a workflow without a value."""
    whole = _Spec.of(document, place)
    for at, one in enumerate(list_in(object_in(whole.spec.get("arguments")).get("parameters"))):
        if whole.is_whole and not {"value", "valueFrom", "default"} & object_in(one).keys():
            (whole.place / "arguments" / "parameters" / at).refuse("has no value until somebody gives one")


@lint_rule(RULES, "argo-output", "error", "Argo refuses the workflow.")
def _outputs(document: Any, place: Place) -> None:
    """Find outputs that do not say where they come from."""
    for template, here in _Spec.of(document, place).all_templates():
        outputs = object_in(template.get("outputs"))
        is_composite = any(kind in template for kind in _COMPOSITE)
        for at, one in enumerate(map(object_in, list_in(outputs.get("parameters")))):
            inside = here / "outputs" / "parameters" / at
            if not {"valueFrom", "value"} & one.keys():
                inside.refuse("needs `valueFrom`, which says where its value is")
            elif (
                is_composite
                and not {"parameter", "expression"} & object_in(one.get("valueFrom")).keys()
                and "value" not in one
            ):
                (inside / "valueFrom").refuse("needs `parameter` or `expression` in a template of steps or tasks")
        for at, one in enumerate(map(object_in, list_in(outputs.get("artifacts")))):
            if not is_composite and set(_WITH_IMAGE) & template.keys() and "path" not in one:
                (here / "outputs" / "artifacts" / at).refuse("needs the `path` of its file")


@lint_rule(RULES, "argo-name", "error", "Argo refuses the workflow.")
def _bad_names(document: Any, place: Place) -> None:
    """Find names with characters that Argo refuses."""
    for template, here in _Spec.of(document, place).all_templates():
        _check_name(template.get("name"), _NAME, here / "name")
        for _, call, inside in _calls(template, here):
            _check_name(call.get("name"), _TASK_NAME, inside / "name")
            for at, one in enumerate(list_in(object_in(call.get("arguments")).get("parameters"))):
                _check_name(
                    object_in(one).get("name"), _PARAMETER_NAME, inside / "arguments" / "parameters" / at / "name"
                )
        for side in ("inputs", "outputs"):
            for at, one in enumerate(list_in(object_in(template.get(side)).get("parameters"))):
                _check_name(object_in(one).get("name"), _PARAMETER_NAME, here / side / "parameters" / at / "name")


def _check_name(name: Any, pattern: re.Pattern[str], place: Place) -> None:
    if isinstance(name, str) and not pattern.fullmatch(name):
        place.refuse(f"{name[:80]!r} has characters that a name cannot have")


@lint_rule(RULES, "argo-depends", "error", "Argo refuses the workflow.")
def _depends(document: Any, place: Place) -> None:
    """Find tasks that mix `depends` with what it has replaced."""
    for template, here in _Spec.of(document, place).all_templates():
        tasks = [(call, inside) for _, call, inside in _calls(template, here) if "dag" in template]
        uses_depends = any("depends" in call for call, _ in tasks)
        for call, inside in tasks:
            if "depends" in call and "continueOn" in call:
                (inside / "continueOn").refuse("cannot stand beside `depends`; ask for `<task>.Failed` there instead")
            if uses_depends and str(call.get("name"))[:1].isdigit():
                (inside / "name").refuse("cannot begin with a digit where `depends` is used")


@lint_rule(RULES, "argo-limit", "error", "Argo refuses the workflow.")
def _limits(document: Any, place: Place) -> None:
    """Find limits on templates that cannot have them."""
    for template, here in _Spec.of(document, place).all_templates():
        kind = next((one for one in KINDS if one in template), "")
        if kind in _COMPOSITE:
            for key in ("timeout", "activeDeadlineSeconds"):
                if key in template:
                    (here / key).refuse(f"has no effect on a template of {kind}")
        elif "parallelism" in template:
            (here / "parallelism").refuse("is only for templates of steps and tasks")


@lint_rule(RULES, "argo-image", "error", "The pod cannot start.")
def _images(document: Any, place: Place) -> None:
    """Find containers and scripts without an image."""
    whole = _Spec.of(document, place)
    if "templateDefaults" in whole.spec or "workflowTemplateRef" in whole.spec:
        return
    for template, here in whole.all_templates():
        for kind in _WITH_IMAGE:
            if kind in template and not object_in(template[kind]).get("image"):
                (here / kind).refuse("needs an `image`")


@lint_rule(RULES, "argo-volume", "error", "The pod cannot start.")
def _volumes(document: Any, place: Place) -> None:
    """Find mounts of volumes that are not there."""
    whole = _Spec.of(document, place)
    if {"workflowTemplateRef", "podSpecPatch", "templateDefaults"} & whole.spec.keys():
        return
    shared = _names(whole.spec, "volumes") | _volume_claims(whole.spec)
    for template, here in whole.all_templates():
        known = shared | _names(template, "volumes")
        parts = [(kind, object_in(template.get(kind))) for kind in _WITH_IMAGE]
        for kind, part in parts if "podSpecPatch" not in template else ():
            for at, mount in enumerate(list_in(part.get("volumeMounts"))):
                name = str(object_in(mount).get("name"))
                if name not in known and "{{" not in name:
                    (here / kind / "volumeMounts" / at).refuse(f"there is no volume {name[:60]!r}", sorted(known))


def _volume_claims(spec: Mapping[str, Any]) -> set[str]:
    claims = map(object_in, list_in(spec.get("volumeClaimTemplates")))
    return {str(object_in(one.get("metadata")).get("name")) for one in claims}


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
    whole = _Spec.of(document, place)
    if not whole.is_whole:
        return
    used = {str(whole.spec.get(key)) for key in ("entrypoint", "onExit")}
    used |= {str(one) for one in _said(whole.spec, ("template", "onExit"))}
    dynamic = any("{{" in one for one in used)
    for at, one in enumerate(list_in(whole.spec.get("templates"))):
        if not dynamic and str(object_in(one).get("name")) not in used:
            (whole.place / "templates" / at).refuse("nothing calls this template")


def _said(value: Any, keys: Iterable[str]) -> Iterator[Any]:
    for key, item in object_in(value).items():
        if key in keys and isinstance(item, str):
            yield item
        yield from _said(item, keys)
    for item in list_in(value):
        yield from _said(item, keys)


def steps_at(parts: Sequence[str], document: Any) -> Iterator[str]:
    """Yield the names of the tasks and templates around a place, the innermost first."""
    here: Any = document
    found: list[str] = []
    for part in parts:
        here = (
            list_in(here)[int(part)] if part.isdigit() and int(part) < len(list_in(here)) else object_in(here).get(part)
        )
        name = object_in(here).get("name")
        if isinstance(name, str):
            found.append(name)
    yield from reversed(found)
