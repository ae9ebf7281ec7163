"""Arazzo 1.0, sequences of API calls, in YAML or JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from typing_extensions import override

from workflow_agent.values import grouped, reached
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.arazzo import parts
from workflow_agent.workflows.formats.base import Imported
from workflow_agent.workflows.formats.builder import DocumentFormat, Draft
from workflow_agent.workflows.formats.fidelity import WITHOUT, kept_in, kept_of, restored, restored_step
from workflow_agent.workflows.formats.lint import LintRule, lint_rule, objects_at, schema_check
from workflow_agent.workflows.formats.plain import filled, list_in, nonempty, object_in, repeated, without
from workflow_agent.workflows.formats.shapes import Place, problems_in
from workflow_agent.workflows.model.parser import take_id
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow, step_document, workflow_document

RULES: list[LintRule] = []
_SCHEMA = "arazzo_generator/validator/arazzo_schema/1.0.1/arazzo-schema.yaml"
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
        self._children = grouped((step.parent, step) for step in workflow.steps)

    def whole(self) -> JsonObject:
        workflow = self._workflow
        plain = parts.made_top(workflow.name, workflow.description)
        plain["info"] = self._info(plain["info"])
        kept = without(self._kept, "workflow", "workflows")
        wanted = {"name": workflow.name, "description": workflow.description}
        top = restored(plain, kept, wanted, read=parts.said_top, said_by=_TOP_SAID_BY, shape=parts.DOCUMENT_REST)
        written = workflow_document(workflow)
        fields = wanted | {name: written[name] for name in _TOP if written[name]}
        return {**top, "workflows": self._workflows(), **parts.residue_of(fields, parts.said_top(top))}

    def _info(self, plain: JsonObject) -> JsonObject:
        kept = object_in(self._kept.get("info"))
        whole = {**without(kept, "description"), **plain}
        version = kept.get("version")
        return {**whole, "version": version if isinstance(version, str) else plain["version"]}

    def _workflows(self) -> list[JsonObject]:
        tops = self._children[None]
        if len(tops) > 1 and all(one.type == "subworkflow" and one.id in self._children for one in tops):
            called: set[str] = set()
            scopes = [(one, self._scope(one, called)) for one in tops]
            names = {one.id: part["workflowId"] for one, part in scopes}
            return [self._depending(one, part, names) for one, part in scopes]
        plain = parts.made_flat(self._workflow.name)
        kept = object_in(self._kept.get("workflow"))
        whole = {**plain, **without(kept, "steps", WITHOUT)}
        if problems_in(whole, parts.WORKFLOW_REST):
            whole = plain
        return [{**whole, "steps": self._steps(self._workflow.steps)}]

    def _scope(self, step: Step, called: set[str]) -> JsonObject:
        part = restored_step(
            step,
            parts.made_scope(step),
            kept_in(step.extensions, self._format_name),
            read=parts.said_scope,
            said_by=_SCOPE_SAID_BY,
            shape=parts.WORKFLOW_REST,
        )
        part["workflowId"] = take_id(part["workflowId"], called)
        told = {"name": part["workflowId"], **parts.said_scope(part)}
        within = set(reached([step.id], lambda one: [child.id for child in self._children.get(one, ())]))
        inside = [one for one in self._workflow.steps if one.id in within and one is not step]
        return {**part, "steps": self._steps(inside), **parts.residue_of(step_document(step), told)}

    def _depending(self, step: Step, part: JsonObject, names: dict[str, str]) -> JsonObject:
        edges = [e for e in self._workflow.transitions if e.to == step.id and e.from_ in names]
        wanted = list(dict.fromkeys(names[e.from_] for e in edges if e.from_ != step.id))
        kept = list_in(part.get("dependsOn"))
        if [one for one in dict.fromkeys(kept) if one in names.values() and one != part["workflowId"]] == wanted:
            return part
        return without(part, "dependsOn") | ({"dependsOn": wanted} if wanted else {})

    def _steps(self, steps: Sequence[Step]) -> list[JsonObject]:
        taken: set[str] = set()
        made: dict[str, JsonObject] = {}
        for step in steps:
            kept = kept_in(step.extensions, self._format_name)
            wanted = parts.generated(step, parts.made_id(step.name, step.id))
            own = without(kept, "flow", *parts.FLOW)
            part = restored_step(step, wanted, own, read=parts.said, said_by=parts.SAID_BY, shape=parts.STEP)
            part["stepId"] = take_id(part["stepId"], taken)
            made[step.id] = part
        known = parts.following([part["stepId"] for part in made.values()])
        leaving = grouped((edge.from_, edge) for edge in self._workflow.transitions if edge.to in made)
        for step in steps:
            part = made[step.id]
            edges = leaving.get(step.id, [])
            kept = object_in(kept_in(step.extensions, self._format_name).get("flow"))
            flow = {kind: kept[kind] for kind in parts.FLOW if kind in kept}
            flow = {} if problems_in(flow, parts.FLOW_SHAPE) else flow
            part |= parts.flow_of(part, [(made[e.to]["stepId"], e) for e in edges], known, flow)
            told = {"name": part["stepId"], **parts.said(part)}
            made[step.id] = part | parts.residue_of(step_document(step), filled(told))
        return list(made.values())


def read_description(document: JsonObject, draft: Draft) -> Imported:
    """Return the workflow of an Arazzo description; several in it become scopes of one."""
    return _Reader(document, draft).whole()


class _Reader:
    def __init__(self, document: JsonObject, draft: Draft) -> None:
        self._document = document
        self._draft = draft
        self._scopes: dict[str, str] = {}

    def whole(self) -> Imported:
        workflows = self._document["workflows"]
        told = parts.said_top(self._document)
        top = parts.merged(told, self._document, Workflow, parts.NO_WORKFLOW)
        rest = without(self._document, "workflows", parts.OWN)
        kept = kept_of(rest, parts.made_top(told["name"], told["description"]))
        for at, workflow in enumerate(workflows):
            if len(workflows) > 1:
                self._scope(workflow, at)
            else:
                kept |= nonempty({"workflow": kept_of(without(workflow, "steps"), parts.made_flat(top["name"]))})
                self._steps(workflow, None, at)
        self._dependencies(workflows)
        return self._draft.finished(kept=kept, **top)

    def _scope(self, workflow: JsonObject, at: int) -> None:
        told = {**parts.said_scope(workflow), "name": workflow["workflowId"]}
        fields = parts.merged(told, workflow, Step, parts.NO_STEP)
        step_id = self._draft.add(wanted_id=workflow["workflowId"], **fields)
        own = without(workflow, "steps", parts.OWN, "dependsOn")
        kept = kept_of(own, parts.made_scope(Step.model_validate(self._draft.steps[-1])))
        others = {one["workflowId"] for one in self._document["workflows"] if one is not workflow}
        if not others.issuperset(workflow.get("dependsOn", ())):
            kept["dependsOn"] = workflow["dependsOn"]
        self._draft.keep(kept, ("workflows", at))
        self._scopes[workflow["workflowId"]] = step_id
        self._steps(workflow, step_id, at)

    def _dependencies(self, workflows: list[JsonObject]) -> None:
        for workflow in workflows if self._scopes else ():
            for one in dict.fromkeys(workflow.get("dependsOn", ())):
                if one in self._scopes and one != workflow["workflowId"]:
                    self._draft.connect(self._scopes[one], self._scopes[workflow["workflowId"]])

    def _steps(self, workflow: JsonObject, parent: str | None, at: int) -> None:
        known = parts.following([step["stepId"] for step in workflow["steps"]])
        ids = {step["stepId"]: self._step(step, parent, at) for step in workflow["steps"]}
        drafted = {step["id"]: step for step in self._draft.steps}
        for step in workflow["steps"]:
            ways = parts.said_flow(step, known)
            edges = [(target, Transition.model_validate(parts.ENDS | fields)) for target, fields in ways]
            flow = {kind: step[kind] for kind in parts.FLOW if kind in step}
            if flow != parts.made_flow(step["stepId"], edges, known):
                kept = drafted[ids[step["stepId"]]].setdefault("extensions", {}).setdefault(self._draft.format_name, {})
                kept["flow"] = flow
            for target, fields in ways:
                self._draft.connect(ids[step["stepId"]], ids[target], **fields)

    def _step(self, step: JsonObject, parent: str | None, at: int) -> str:
        called = {"name": step["stepId"]}
        fields = called | parts.merged(parts.said(step) | called, step, Step, parts.NO_STEP)
        step_id = self._draft.add(parent=parent, wanted_id=step["stepId"], **fields)
        plain = Step.model_validate({**self._draft.steps[-1], "parent": None})
        own = without(step, *parts.FLOW, parts.OWN)
        kept = kept_of(own, parts.generated(plain, parts.made_id(fields["name"], step_id)))
        self._draft.keep(kept, ("workflows", at, "steps", step["stepId"]))
        return step_id


def check_ids(document: JsonObject, place: Place) -> None:
    """Refuse each id of a workflow or a step that another one has."""
    here = place / "workflows"
    workflows = [workflow["workflowId"] for workflow in document["workflows"]]
    for at in repeated(workflows):
        (here / at / "workflowId").refuse(f"{workflows[at][:80]!r} is the id of another workflow, too")
    for within, workflow in enumerate(document["workflows"]):
        steps = [step["stepId"] for step in workflow["steps"]]
        for at in repeated(steps):
            (here / within / "steps" / at / "stepId").refuse(f"{steps[at][:80]!r} is the id of another step, too")


@lint_rule(RULES, "arazzo-schema", "warning", "Tools that hold to the schema refuse the description.")
def _against_schema(document: Any, place: Place) -> None:
    """Find what the published schema of descriptions does not allow."""
    check = schema_check("arazzo-generator", _SCHEMA)
    if check is not None:
        check(document, place)


def steps_at(parts: Sequence[str], document: Any) -> Iterator[str]:
    """Yield the ids of the step and the workflow around a place, the innermost first."""
    keys = ("workflowId", "stepId")
    yield from reversed([one[key] for one in objects_at(parts, document) for key in keys if key in one])


class Arazzo(DocumentFormat):
    """Workflows over the operations of APIs."""

    name = "arazzo"
    title = "Arazzo"
    extension = "arazzo.yaml"
    shape = staticmethod(parts.DOCUMENT)
    rules = staticmethod(check_ids)
    read_into = staticmethod(read_description)
    document_of = staticmethod(document_of)

    @override
    def recognises(self, document: Any) -> float:
        return 0.95 * ("arazzo" in object_in(document))
