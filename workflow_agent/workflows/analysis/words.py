"""How messages name steps, roles and lists, the words of a text, and what those of an action say that it does."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workflow_agent.values import shortened
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

_SHOWN = 3
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def named(step: Step) -> str:
    """Return a step by name and id: `'Pay out' (pay)`."""
    return f"'{shortened(step.name)}' ({step.id})"


def listed(parts: Sequence[str], joiner: str = "and") -> str:
    """Return a few parts as a phrase, `a, b and c`, and how many more there are."""
    if len(parts) > _SHOWN + 1:
        return f"{', '.join(parts[:_SHOWN])} {joiner} {len(parts) - _SHOWN} more"
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {joiner} {parts[-1]}"


def named_all(steps: Iterable[Step], joiner: str = "and") -> str:
    """Return several steps as a phrase, by name and id."""
    return listed([named(step) for step in steps], joiner)


def plural(count: int, one: str, many: str) -> str:
    """Return the form of a word that fits a count."""
    return one if count == 1 else many


def words(text: str, max_chars: int = 400) -> list[str]:
    """Return the words of a text in lower case; `camelCase` and `snake_case` are several words."""
    return _WORD.findall(_CAMEL.sub(" ", text[:max_chars]).lower())


def transition_text(edge: Transition) -> str:
    """Return what a transition says about when it is taken, as one text."""
    when = edge.when
    expression = when.expression if when and isinstance(when.expression, str) else None
    parts = [edge.action, edge.label, when and when.text, expression]
    return " ".join(part[:400] for part in parts if part)


def vocabulary(text: str) -> frozenset[str]:
    """Return a set of words written one after the other."""
    return frozenset(text.split())


_CODE_REFERENCE = re.compile(r"[\w./-]+@[\w./-]+|\.{1,2}/.*|docker://.*")
"""A package pinned to a version or a file of the repository: build steps, run by the engine itself."""

_PART = re.compile(r"[./:#]")

_LOCAL = vocabulary(
    """
    assign bash calculate checkout code compute container convert data debug do echo evaluate fail
    filter format function if image item items log map math merge noop note parse pass pwsh python
    render run script set shell sleep sort split sticky succeed switch template transform validate wait
    """
)
_CHANGES = vocabulary(
    """
    activate add append approve archive assign book buy call cancel capture charge close commit copy
    create debit delete deliver deploy disable dispatch drop email enable enrol enroll execute export
    grant import ingest insert invite invoice invoke issue lock mail merge message move notify open
    order pay payout post provision publish push put refund register release remind remove rename
    replace reserve reset restart restore revoke sell send set ship sign start stop store submit
    subscribe suspend sync terminate text transfer trigger unlock unsubscribe update upload upsert
    withdraw write
    """
)
_READS = vocabulary(
    """
    check compare count describe detect fetch find get head inspect list load lookup lookups poll query
    read receive retrieve scan score screen search select validate verify view
    """
)
_MONEY = vocabulary("bill capture charge debit disburse pay payment payments payout refund transfer withdraw")
_DELIVERS = vocabulary("activate book deliver dispatch enrol enroll grant issue order provision reserve ship subscribe")
_UNDONE_BY = vocabulary("cancel compensate refund release reverse revert rollback undo unreserve void")


_WRITING_METHODS = frozenset(("post", "put", "patch", "delete"))


@dataclass(frozen=True, slots=True)
class Call:
    """A dependence on a service that can be down, slow or wrong, and what the call is known to do."""

    reads_only: bool
    """It only looks, so that repeating or reordering it is harmless."""
    changes: bool
    """It leaves a trace outside that stays when the workflow fails."""
    delivers: bool
    """It hands over, books or opens what somebody asked or paid for."""
    moves_money: bool
    """Done twice, it would pay, charge or refund twice."""


def read_call(step: Step) -> Call | None:
    """Return what a step does to the world outside, or None where it calls nobody.

    Commands, code and packages that the engine runs itself call nobody: they fail visibly, with their run.
    """
    uses = (step.uses or "")[:400].strip()
    if step.type != "action" or not uses or _CODE_REFERENCE.fullmatch(uses) or len(uses.split()) > 3:
        return None
    operation = [word for part in reversed(_PART.split(uses)) for word in words(part)]
    if not operation or operation[0] in _LOCAL:
        return None
    said = {*operation, *words(step.name)}
    method = str(step.with_.get("method", "")).lower()
    changes = method in _WRITING_METHODS or (method == "" and not said.isdisjoint(_CHANGES))
    looks = method in ("get", "head") or (method == "" and not said.isdisjoint(_READS))
    return Call(
        reads_only=looks and not changes,
        changes=changes,
        delivers=changes and not said.isdisjoint(_DELIVERS),
        moves_money=changes and not said.isdisjoint(_MONEY),
    )


def undoes(step: Step) -> bool:
    """Say whether a step takes back what an earlier one did."""
    return not _UNDONE_BY.isdisjoint(words(f"{step.name} {step.uses or ''}"))
