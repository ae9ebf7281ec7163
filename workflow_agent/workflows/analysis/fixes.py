"""Applying the fixes of findings: those that are safe, in one list of edits, and why the rest is left."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from workflow_agent.errors import InvalidInput
from workflow_agent.workflows.analysis.analyzer import analyze
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.findings import EditDocument, Finding
from workflow_agent.workflows.model.workflow import Workflow

_MOST_FIXES = 100
_NO_FIX = "it has no fix that is certain to be right; somebody has to decide"
_Key = tuple[str, tuple[str, ...], tuple[str, ...]]


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
