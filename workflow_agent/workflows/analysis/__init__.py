"""Findings about a workflow: one rule, one id, one severity, with evidence and, where possible, a fix."""

from collections import Counter
from collections.abc import Callable, Collection, Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from workflow_agent.errors import InvalidInput, Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.analysis import (
    approvals,
    conditions,
    data,
    performance,
    portfolio,
    reliability,
    security,
    soundness,
    structure,
)
from workflow_agent.workflows.analysis.findings import Check, Observation, Rule
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.analysis.proof import Proof, prove
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
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
from workflow_agent.workflows.model.findings import SEVERITY_RANK, EditDocument, Family, Finding, Severity
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

__all__ = ["RULES", "Analysis", "Family", "Finding", "Rule", "Severity", "analysis_of", "analyze"]
_FAMILIES = (structure, soundness, conditions, reliability, approvals, data, security, performance, portfolio)
_IN_ORDER = (*(rule for family in _FAMILIES for rule in family.RULES), *structure.SMALL_RULES)
RULES: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in _IN_ORDER})
"""Every rule by its id, but those of the tools that workflows come from (`TOOL_RULES`)."""
_MOST_FIXES = 100
_NO_FIX = "it has no fix that is certain to be right; somebody has to decide"


def analyze(workflow: Workflow, *, portfolio: Sequence[Workflow] = ()) -> tuple[Finding, ...]:
    """Return what is worth knowing about a workflow, most severe first.

    The portfolio is the workflows it lives among, for what concerns several; it may be one of them.
    """
    graph = FlowGraph(workflow, portfolio)
    is_from_elsewhere = workflow.source is not None or bool(workflow.extensions)
    rules = (*RULES.values(), *(TOOL_RULES if is_from_elsewhere else ()))
    found = [finding for rule in rules for finding in rule.findings(graph)]
    return tuple(sorted(found, key=lambda finding: SEVERITY_RANK[finding.severity]))


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is worth knowing about a workflow, and what was proved of it."""

    findings: Sequence[Finding]
    proof: Proof

    def as_dict(self) -> JsonObject:
        """Return the analysis as plain JSON data."""
        return {
            "findings": [one.as_dict() for one in self.findings],
            "counts": dict(Counter(one.severity for one in self.findings)),
            "proof": self.proof.as_dict(),
        }


def analysis_of(workflow: Workflow, portfolio: Sequence[Workflow]) -> Analysis:
    """Return the findings about a workflow among others, and the proof that it is sound or is not."""
    return Analysis(analyze(workflow, portfolio=portfolio), prove(workflow))


@dataclass(frozen=True, slots=True)
class Unfixed:
    """A finding that stays, and why."""

    finding: Finding
    why: str


@dataclass(frozen=True, slots=True)
class Fixes:
    """What fixing came to."""

    workflow: Workflow
    """As the edits leave it; the very argument where nothing could be fixed."""
    edits: tuple[EditDocument, ...]
    fixed: tuple[Finding, ...]
    left: tuple[Unfixed, ...]


def fix_findings(workflow: Workflow, *, portfolio: Sequence[Workflow] = (), rules: Collection[str] = ()) -> Fixes:
    """Return all safe fixes of a workflow's findings, one after the other, the most severe first.

    A fix is safe when its edits apply, the finding is gone afterwards, and no other finding came up. Where rules
    are named, only their findings are mended.
    """
    before = found = analyze(workflow, portfolio=portfolio)
    current, edits, refused = workflow, list[EditDocument](), dict[Hashable, str]()
    for _ in range(_MOST_FIXES):
        mendable = (one for one in found if one.fix and one.key not in refused)
        finding = next((one for one in mendable if not rules or one.rule in rules), None)
        if finding is None:
            break
        try:
            mended = apply_edits(current, parse_edits(list(finding.fix))).workflow
        except InvalidInput as error:
            refused[finding.key] = f"its fix does not apply: {error}"
            continue
        after = analyze(mended, portfolio=portfolio)
        if why := _why_unsafe(finding, found, after):
            refused[finding.key] = why
            continue
        current, found = mended, after
        edits += finding.fix
    still = {one.key for one in found}
    fixed = tuple(one for one in before if one.key not in still)
    left = tuple(Unfixed(one, _why_left(one, refused, rules)) for one in found)
    return Fixes(current, tuple(edits), fixed, left)


def _why_unsafe(finding: Finding, before: Sequence[Finding], after: Sequence[Finding]) -> str | None:
    known = {one.key for one in before}
    if any(one.key == finding.key for one in after):
        return "its fix does not remove it"
    brought = sorted({one.rule for one in after if one.key not in known})
    return f"its fix would bring up {', '.join(brought)}" if brought else None


def _why_left(finding: Finding, refused: dict[Hashable, str], rules: Collection[str]) -> str:
    if rules and finding.rule not in rules:
        return "it was not asked for"
    return refused.get(finding.key, _NO_FIX)


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
        for problem in problems:
            steps = _steps_at(problem, graph, linted, document)
            fix = rule.fix
            fixes = [fix(graph.workflow, graph.steps[step], problem, document) for step in steps] if fix else []
            yield Observation(
                f"`{problem.pointer}`: {problem.message}.",
                steps=steps,
                evidence={"pointer": problem.pointer, "valid": list(problem.valid)},
                fix=tuple(chain.from_iterable(fixes)),
            )

    return check


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


TOOL_RULES = tuple(
    Rule(one.id, "format", one.severity, one.finds, one.why, one.fix is not None, _check(linted, one))
    for linted in _FORMATS
    for one in linted.rules
)
"""What the linters of a tool find in a workflow that came from it."""


def format_findings(workflow: Workflow) -> list[Finding]:
    """Return what the rules of the tool that a workflow came from find in it."""
    graph = FlowGraph(workflow, ())
    return [finding for rule in TOOL_RULES for finding in rule.findings(graph)]
