"""Findings about a workflow: one rule, one id, one severity, with evidence and, where possible, a fix."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from workflow_agent.errors import InvalidInput
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.analysis import (
    approvals,
    conditions,
    data,
    imported,
    performance,
    portfolio,
    reliability,
    security,
    soundness,
    structure,
)
from workflow_agent.workflows.analysis.findings import Rule
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.analysis.proof import Proof, prove
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.findings import SEVERITY_RANK, EditDocument, Family, Finding, Severity
from workflow_agent.workflows.model.workflow import Workflow

__all__ = ["RULES", "Analysis", "Family", "Finding", "Rule", "Severity", "analysis_of", "analyze"]
_FAMILIES = (structure, soundness, conditions, reliability, approvals, data, security, performance, portfolio)
_IN_ORDER = (*(rule for family in _FAMILIES for rule in family.RULES), *structure.SMALL_RULES)
RULES: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in _IN_ORDER})
"""Every rule by its id, but those of the tools that workflows come from (`imported.RULES`)."""
_MOST_FIXES = 100
_NO_FIX = "it has no fix that is certain to be right; somebody has to decide"
_Key = tuple[str, tuple[str, ...], tuple[str, ...]]


def analyze(workflow: Workflow, *, portfolio: Sequence[Workflow] = ()) -> tuple[Finding, ...]:
    """Return what is worth knowing about a workflow, most severe first.

    Args:
        workflow: What is looked at.
        portfolio: The workflows it lives among, for what concerns several; it may be one of them.
    """
    graph = FlowGraph(workflow, portfolio)
    found = [finding for rule in (*RULES.values(), *_of_tools(workflow)) for finding in rule.findings(graph)]
    return tuple(sorted(found, key=lambda finding: SEVERITY_RANK[finding.severity]))


def _of_tools(workflow: Workflow) -> Sequence[Rule]:
    """Return the rules of other tools, where the workflow came from one."""
    if workflow.source is None and not workflow.extensions:
        return ()
    return imported.RULES


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

    A fix is safe when its edits apply, the finding is gone afterwards, and no other finding came up.

    Args:
        workflow: What is mended.
        portfolio: The workflows it lives among.
        rules: Only the findings of these rules are mended; of all, where none is named.
    """
    before = found = analyze(workflow, portfolio=portfolio)
    current, edits, refused = workflow, list[EditDocument](), dict[_Key, str]()
    for _ in range(_MOST_FIXES):
        mendable = (one for one in found if one.fix and _key(one) not in refused)
        finding = next((one for one in mendable if not rules or one.rule in rules), None)
        if finding is None:
            break
        try:
            mended = apply_edits(current, parse_edits(list(finding.fix))).workflow
        except InvalidInput as error:
            refused[_key(finding)] = f"its fix does not apply: {error}"
            continue
        after = analyze(mended, portfolio=portfolio)
        if why := _why_unsafe(finding, found, after):
            refused[_key(finding)] = why
            continue
        current, found = mended, after
        edits += finding.fix
    still = {_key(one) for one in found}
    fixed = tuple(one for one in before if _key(one) not in still)
    left = tuple(Unfixed(one, _why_left(one, refused, rules)) for one in found)
    return Fixes(current, tuple(edits), fixed, left)


def _key(finding: Finding) -> _Key:
    return finding.rule, finding.steps, finding.transitions


def _why_unsafe(finding: Finding, before: Sequence[Finding], after: Sequence[Finding]) -> str | None:
    known = {_key(one) for one in before}
    if any(_key(one) == _key(finding) for one in after):
        return "its fix does not remove it"
    brought = sorted({one.rule for one in after if _key(one) not in known})
    return f"its fix would bring up {', '.join(brought)}" if brought else None


def _why_left(finding: Finding, refused: dict[_Key, str], rules: Collection[str]) -> str:
    if rules and finding.rule not in rules:
        return "it was not asked for"
    return refused.get(_key(finding), _NO_FIX)
