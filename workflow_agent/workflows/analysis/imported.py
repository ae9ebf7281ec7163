"""Format: what the linters of a tool find in a workflow that came from it."""

from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any, NamedTuple

from workflow_agent.errors import Problem
from workflow_agent.workflows.analysis.findings import Check, Observation, Rule
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.formats import arazzo
from workflow_agent.workflows.formats.argo import document_of as argo_document
from workflow_agent.workflows.formats.argo import lint as argo_lint
from workflow_agent.workflows.formats.asl import lint as asl_lint
from workflow_agent.workflows.formats.asl import machine_of
from workflow_agent.workflows.formats.bpmn import lint as bpmn_lint
from workflow_agent.workflows.formats.fidelity import kept_in
from workflow_agent.workflows.formats.github_actions import document_of as github_document
from workflow_agent.workflows.formats.github_actions import lint as github_lint
from workflow_agent.workflows.formats.lint import LintRule
from workflow_agent.workflows.model.findings import EditDocument, Finding
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow


class _Linted(NamedTuple):
    """A format with rules of its own."""

    name: str
    document_of: Callable[[Workflow, str], Any]
    rules: Sequence[LintRule]
    names_at: Callable[[Sequence[str], Any], Iterator[str]] | None = None
    """Gives the names or ids of the steps around a place of the document, the innermost first."""


_FORMATS = (
    _Linted("github-actions", github_document, github_lint.RULES),
    _Linted("asl", machine_of, asl_lint.RULES, asl_lint.steps_at),
    _Linted("argo", argo_document, argo_lint.RULES, argo_lint.steps_at),
    _Linted("arazzo", arazzo.document_of, arazzo.RULES, arazzo.steps_at),
    _Linted("bpmn", bpmn_lint.linted_process, bpmn_lint.RULES, bpmn_lint.steps_at),
)


def _check(linted: _Linted, rule: LintRule) -> Check:
    def check(graph: FlowGraph) -> Iterator[Observation]:
        source = graph.workflow.source
        if linted.name not in graph.workflow.extensions and (source is None or source.format != linted.name):
            return
        if linted.name not in graph.documents:
            graph.documents[linted.name] = linted.document_of(graph.workflow, linted.name)
        document = graph.documents[linted.name]
        spoken: set[str] = graph.documents.setdefault(f"{linted.name}: places spoken of", set[str]())
        problems = [one for one in rule.problems(document) if not (rule.is_spare and _is_in(one.pointer, spoken))]
        spoken |= {one.pointer for one in problems}
        fix = rule.fix or _no_fix
        for problem in problems:
            steps = _steps_at(problem, graph, linted, document)
            yield Observation(
                f"`{problem.pointer}`: {problem.message}.",
                steps=steps,
                evidence={"pointer": problem.pointer, "valid": list(problem.valid)},
                fix=tuple(edit for step in steps for edit in fix(graph.workflow, graph.steps[step], problem, document)),
            )

    return check


def _no_fix(workflow: Workflow, step: Step, problem: Problem, document: Any) -> Sequence[EditDocument]:
    del workflow, step, problem, document
    return ()


def _is_in(pointer: str, places: Container[str]) -> bool:
    """Say whether a place is one of these, or inside of one."""
    parts = pointer.split("/")
    return any("/".join(parts[:end]) in places for end in range(2, len(parts) + 1))


def _steps_at(problem: Problem, graph: FlowGraph, linted: _Linted, document: Any) -> tuple[str, ...]:
    """Return the step that a place in a document is about, such as `/jobs/<name>/steps/<number>`."""
    workflow, format_name = graph.workflow, linted.name
    parts = [part.replace("~1", "/").replace("~0", "~") for part in problem.pointer.split("/")[1:]]
    if linted.names_at is not None:
        key = f"{format_name}: steps by name"
        if key not in graph.documents:
            told = ((name, one.id) for one in reversed(workflow.steps) for name in _names_of(one, format_name))
            graph.documents[key] = dict(told)
        known: dict[str, str] = graph.documents[key]
        return next(((known[name],) for name in linted.names_at(parts, document) if name in known), ())
    outer = next((one for one in workflow.steps if len(parts) > 1 and _is_named(one, parts[1], format_name)), None)
    if outer is None:
        return ()
    inside = [one.id for one in workflow.steps if one.parent == outer.id]
    at = int(parts[3]) if len(parts) > 3 and parts[3].isdigit() else -1
    return (inside[at] if 0 <= at < len(inside) else outer.id,)


def _names_of(step: Step, format_name: str) -> tuple[str, ...]:
    """Return what a step is called in its document: by its name, its template or its id."""
    kept = kept_in(step.extensions, format_name)
    return tuple(str(one) for one in (kept.get("template"), step.name, step.id, kept.get("id")) if isinstance(one, str))


def _is_named(step: Step, name: str, format_name: str) -> bool:
    return name == kept_in(step.extensions, format_name).get("$id", step.id)


RULES = tuple(
    Rule(one.id, "format", one.severity, one.finds, one.why, one.fix is not None, _check(linted, one))
    for linted in _FORMATS
    for one in linted.rules
)


def format_findings(workflow: Workflow) -> list[Finding]:
    """Return what the rules of the tool that a workflow came from find in it."""
    graph = FlowGraph(workflow, ())
    return [finding for rule in RULES for finding in rule.findings(graph)]
