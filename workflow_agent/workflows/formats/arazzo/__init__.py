"""Arazzo 1.0, sequences of API calls, in YAML or JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from typing_extensions import override

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.arazzo.reader import (
    DOCUMENT,
    STEP,
    WORKFLOW,
    made_flat,
    made_scope,
    made_top,
    read_description,
    said_scope,
    said_top,
    used_twice,
)
from workflow_agent.workflows.formats.arazzo.steps import (
    FLOW,
    SAID_BY,
    flow_of,
    following,
    generated,
    made_id,
    residue_of,
    said,
    with_residue,
)
from workflow_agent.workflows.formats.builder import DocumentFormat
from workflow_agent.workflows.formats.fidelity import kept_in, restored, restored_step
from workflow_agent.workflows.formats.lint import LintRule, lint_rule, schema_check
from workflow_agent.workflows.formats.shapes import Place, list_in, object_in, problems_in, without
from workflow_agent.workflows.model.parser import slug, take_id
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow, step_document, workflow_document

RULES: list[LintRule] = []
_SCHEMA = "arazzo_generator/validator/arazzo_schema/1.0.1/arazzo-schema.yaml"
_ANY_STEP: JsonObject = {"stepId": "x"}
_ANY_WORKFLOW: JsonObject = {"workflowId": "x", "steps": [_ANY_STEP]}
_TOP_SAID_BY = {"name": ("info",), "description": ("info",)}
_TOP = ("aliases", "tags", "triggers", "automations")
_SCOPE_SAID_BY = {"description": ("description", "summary"), "workflow": ("workflowId",), "type": ()}


def document_of(workflow: Workflow, format_name: str) -> JsonObject:
    """Return the Arazzo description for a workflow."""
    return _Writer(workflow, format_name).whole()


class _Writer:
    def __init__(self, workflow: Workflow, format_name: str) -> None:
        self._workflow = workflow
        self._format_name = format_name
        self._kept = kept_in(workflow.extensions, format_name)
        self._children: dict[str | None, list[Step]] = {}
        for step in workflow.steps:
            self._children.setdefault(step.parent, []).append(step)

    def whole(self) -> JsonObject:
        """Return the whole document."""
        workflow = self._workflow
        plain = made_top(workflow.name, workflow.description)
        plain["info"] = self._info(plain["info"])
        kept = without(self._kept, "workflow", "workflows")
        wanted = {"name": workflow.name, "description": workflow.description}

        def shape(value: object, place: Place) -> None:
            DOCUMENT({**object_in(value), "workflows": [_ANY_WORKFLOW]}, place)

        top = restored(plain, kept, wanted, read=said_top, said_by=_TOP_SAID_BY, shape=shape)
        written = workflow_document(workflow)
        fields = wanted | {name: written[name] for name in _TOP if written[name]}
        return {**top, "workflows": self._workflows(), **residue_of(fields, said_top(top))}

    def _info(self, plain: JsonObject) -> JsonObject:
        kept = object_in(self._kept.get("info"))
        whole = {**without(kept, "description"), **plain}
        version = kept.get("version")
        return {**whole, "version": version if isinstance(version, str) else plain["version"]}

    def _workflows(self) -> list[JsonObject]:
        tops = self._children[None]
        if len(tops) > 1 and all(one.type == "subworkflow" and one.id in self._children for one in tops):
            called: set[str] = set()
            parts = [self._scope(one, called) for one in tops]
            names = {one.id: part["workflowId"] for one, part in zip(tops, parts, strict=True)}
            return [self._depending(one, part, names) for one, part in zip(tops, parts, strict=True)]
        plain = made_flat(slug(self._workflow.name, fallback="workflow"))
        kept = object_in(self._kept.get("workflow"))
        whole = {**plain, **without(kept, "steps", "$without")}
        if problems_in({**whole, "steps": [_ANY_STEP]}, WORKFLOW):
            whole = plain
        return [{**whole, "steps": self._steps(self._workflow.steps)}]

    def _scope(self, step: Step, called: set[str]) -> JsonObject:
        kept = kept_in(step.extensions, self._format_name)

        def shape(value: object, place: Place) -> None:
            WORKFLOW({**object_in(value), "steps": [_ANY_STEP]}, place)

        part = restored_step(step, made_scope(step), kept, read=said_scope, said_by=_SCOPE_SAID_BY, shape=shape)
        part["workflowId"] = take_id(part["workflowId"], called)
        told = {"name": part["workflowId"], **said_scope(part)}
        inside = [one for one in self._workflow.steps if self._is_inside(one, step.id)]
        return {**part, "steps": self._steps(inside), **residue_of(step_document(step), told)}

    def _is_inside(self, step: Step, scope: str) -> bool:
        here = step
        while here.parent is not None:
            if here.parent == scope:
                return True
            here = next(one for one in self._workflow.steps if one.id == here.parent)
        return False

    def _depending(self, step: Step, part: JsonObject, names: dict[str, str]) -> JsonObject:
        edges = [e for e in self._workflow.transitions if e.to == step.id and e.from_ in names]
        wanted = list(dict.fromkeys(names[e.from_] for e in edges if e.from_ != step.id))
        kept = list_in(part.get("dependsOn"))
        if [one for one in dict.fromkeys(kept) if one in names.values() and one != part["workflowId"]] == wanted:
            return part
        rest = without(part, "dependsOn")
        return {**rest, "dependsOn": wanted} if wanted else rest

    def _steps(self, steps: Sequence[Step]) -> list[JsonObject]:
        taken: set[str] = set()
        parts: dict[str, JsonObject] = {}
        for step in steps:
            kept = kept_in(step.extensions, self._format_name)
            wanted = generated(step, made_id(step.name, step.id))
            own = without(kept, "flow", *FLOW)
            part = restored_step(step, wanted, own, read=said, said_by=SAID_BY, shape=STEP)
            part["stepId"] = take_id(part["stepId"], taken)
            parts[step.id] = part
        known = following([part["stepId"] for part in parts.values()])
        leaving: dict[str, list[Transition]] = {}
        for edge in self._workflow.transitions:
            if edge.to in parts:
                leaving.setdefault(edge.from_, []).append(edge)
        for step in steps:
            part = parts[step.id]
            edges = leaving.get(step.id, [])
            kept = object_in(kept_in(step.extensions, self._format_name).get("flow"))
            flow = {kind: kept[kind] for kind in FLOW if kind in kept}
            flow = {} if problems_in({**_ANY_STEP, **flow}, STEP) else flow
            part |= flow_of(part, [(parts[e.to]["stepId"], e) for e in edges], known, flow)
            parts[step.id] = with_residue(step, part)
        return list(parts.values())


@lint_rule(RULES, "arazzo-schema", "warning", "Tools that hold to the schema refuse the description.")
def _against_schema(document: Any, place: Place) -> None:
    """Find what the published schema of descriptions does not allow."""
    check = schema_check("arazzo-generator", _SCHEMA)
    if check is not None:
        check(document, place)


def steps_at(parts: Sequence[str], document: Any) -> Iterator[str]:
    """Yield the ids of the step and the workflow around a place, the innermost first."""
    here: Any = document
    found: list[str] = []
    for part in parts:
        here = list_in(here)[int(part)] if part.isdigit() and list_in(here) else object_in(here).get(part)
        found += [object_in(here)[key] for key in ("workflowId", "stepId") if key in object_in(here)]
    yield from reversed(found)


class Arazzo(DocumentFormat):
    """Workflows over the operations of APIs."""

    name = "arazzo"
    title = "Arazzo"
    extension = "arazzo.yaml"
    shape = staticmethod(DOCUMENT)
    broken_rules = staticmethod(used_twice)
    read_into = staticmethod(read_description)
    document_of = staticmethod(document_of)

    @override
    def recognises(self, document: Any) -> float:
        return 0.95 * ("arazzo" in object_in(document))
