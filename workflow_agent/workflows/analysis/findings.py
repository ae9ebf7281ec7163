"""What a rule says about a workflow, and what documents a rule."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.model.findings import EditDocument, Family, Finding, Severity
from workflow_agent.workflows.model.parser import json_pointer
from workflow_agent.workflows.model.steps import Step


@dataclass(frozen=True, slots=True)
class Observation:
    """What a check saw, before its rule's id, severity and reason are added."""

    message: str
    """What is the case, one sentence, steps by name and id."""
    steps: tuple[str, ...] = ()
    transitions: tuple[str, ...] = ()
    evidence: dict[str, Any] = field(default_factory=dict[str, Any])
    fix: tuple[EditDocument, ...] = ()


Check = Callable[[FlowGraph], Iterable[Observation]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One question asked of every workflow."""

    id: str
    family: Family
    severity: Severity
    finds: str
    """What it reports, in words for the table of rules."""
    why: str
    """Why it matters: one short sentence, the last of every message."""
    has_fix: bool
    """Whether some of its findings carry a fix."""
    check: Check

    def findings(self, graph: FlowGraph) -> Iterator[Finding]:
        """Yield what the rule finds, in the order of the document."""
        for seen in self.check(graph):
            message = f"{seen.message} {self.why}"
            yield Finding(self.id, self.severity, message, seen.steps, seen.transitions, seen.evidence, seen.fix)


def rule(
    family: Family, rule_id: str, severity: Severity, why: str, *, has_fix: bool = False
) -> Callable[[Check], Rule]:
    """Return a decorator that makes a rule of a check, whose docstring begins with what it finds: "Find ..."."""

    def documented(check: Check) -> Rule:
        finds = (check.__doc__ or "").partition("\n")[0].removeprefix("Find ").removesuffix(".")
        return Rule(rule_id, family, severity, finds, why, has_fix, check)

    return documented


_MAX_STRINGS = 5_000
_MAX_CHARS = 20_000


def strings_in(value: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the strings of JSON data with their paths, each cut to a length that is quick to read."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    found = 0
    while waiting and found < _MAX_STRINGS:
        path, here = waiting.pop()
        if isinstance(here, str):
            found += 1
            yield path, here[:_MAX_CHARS]
        elif isinstance(here, Mapping):
            inside = list(cast("Mapping[str, Any]", here).items())
            waiting += [((*path, key), item) for key, item in reversed(inside)]
        elif isinstance(here, list | tuple):
            items = cast("list[Any]", here)
            waiting += [((*path, at), item) for at, item in reversed(list(enumerate(items)))]


def texts_of_step(step: Step) -> Iterator[tuple[str, str]]:
    """Yield the free-form texts of a step with pointers relative to it."""
    if step.uses:
        yield "/uses", step.uses
    parts: list[tuple[str, Any]] = [("with", step.with_)] if step.with_ else []
    parts += [("when", step.when.model_dump())] if step.when else []
    parts += [("loop", step.loop.model_dump(by_alias=True))] if step.loop else []
    for name, value in parts:
        for path, text in strings_in(value):
            yield json_pointer((name, *path)), text


def all_texts(graph: FlowGraph) -> Iterator[str]:
    """Yield every free-form text of the workflow in which data may be mentioned."""
    for step in graph.workflow.steps:
        yield from (text for _, text in texts_of_step(step))
    conditions = [edge.when for edge in graph.workflow.transitions if edge.when]
    conditions += [automation.when for automation in graph.workflow.automations if automation.when]
    for when in conditions:
        yield when.text or ""
        if when.expression is not None:
            yield from (text for _, text in strings_in(when.expression))
    for edge in graph.workflow.transitions:
        if edge.label:
            yield edge.label
    for automation in graph.workflow.automations:
        yield from (text for _, text in strings_in(automation.effect.with_))
