"""How well workflows are made from descriptions and changed in words, against gold graphs.

    python -m benchmarks.eval_drafts [--show] [--model openai:…]

Each description and each order goes through the whole chat, as a user's message would; what is judged is the
workflow that is stored afterwards. Gold steps are `key:role:word`: the role must be the step's, the word in
its name; `-` stands for no particular role. Gold edges say which step leads to which, past decisions and
joins. The gold graphs were written before the answers were seen, by one author; nothing was tuned to them.
"""

import asyncio
import json
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from pydantic_ai.models import Model

from benchmarks.answering import model_asked_for
from benchmarks.gold import claims_that_fail
from tests.support.chats import TENANT, chat_with
from workflow_agent.domain.errors import WorkflowAgentError
from workflow_agent.domain.workflow import Step, Workflow
from workflow_agent.domain.workflow_parsing import parse_workflow, slug
from workflow_agent.ports import Author, Change

DATA, SAMPLES = Path(__file__).parent / "data", Path(__file__).parents[1] / "data" / "samples"
_PASSED_THROUGH = frozenset({"decision", "fork", "join", "end"})


@dataclass(frozen=True, slots=True)
class Draft:
    """A description, and how the workflow made of it compares with the gold graph."""

    text: str
    steps: float
    """The share of gold steps that are there, each in its role."""
    extra: int
    """Steps that are not in the gold graph."""
    edges: float
    """F1 of the edges between steps."""
    branches: bool
    """Whether it branches and returns where the gold graph does."""

    @property
    def is_exact(self) -> bool:
        """Say whether the graph is the gold one."""
        return (self.steps, self.extra, self.edges, self.branches) == (1.0, 0, 1.0, True)


def rows(name: str) -> list[dict[str, Any]]:
    """Return the gold of a file."""
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


async def created(text: str, model: Model) -> Workflow | None:
    """Return the workflow that a chat makes of a description; None when it makes none."""
    chat = chat_with(model)
    before = {one.id for one in await chat.workflows.all(TENANT)}
    try:
        await chat.say(text)
    except WorkflowAgentError:
        return None
    made = [one for one in await chat.workflows.all(TENANT) if one.id not in before]
    return made[0] if made else None


def judged(row: Mapping[str, str], made: Workflow | None) -> Draft:
    """Return how a workflow compares with the gold graph of its description."""
    if made is None:
        return Draft(row["text"], 0.0, 0, 0.0, branches=False)
    own = [step for step in made.steps if step.type not in _PASSED_THROUGH]
    gold = [one.split(":") for one in row["steps"].split()]
    found: dict[str, str] = {}
    for key, role, word in gold:
        fitting = (one for one in own if one.id not in found.values() and _is(one, role, word))
        if (step := next(fitting, None)) is not None:
            found[key] = step.id
    wanted = {(found.get(a), found.get(b)) for a, b in (edge.split(">") for edge in row["edges"].split())}
    given = edges_between(made, {one.id for one in own})
    right = len(wanted & given)
    return Draft(
        row["text"], len(found) / len(gold), len(own) - len(found),
        2 * right / (len(wanted) + len(given)) if wanted or given else 1.0,
        branches=_shape([tuple(edge.split(">")) for edge in row["edges"].split()]) == _shape(sorted(given)),
    )  # fmt: skip


def _is(step: Step, role: str, word: str) -> bool:
    words = f"{step.name} {step.uses or ''} {step.type}".casefold()
    return word in words and (role == "-" or slug(step.assignee or "") == role)


def edges_between(made: Workflow, ids: Collection[str]) -> set[tuple[str, str]]:
    """Return which of these steps lead to which, through decisions, forks and joins."""
    after: dict[str, set[str]] = {}
    for edge in made.transitions:
        after.setdefault(edge.from_, set()).add(edge.to)

    def reached(start: str, seen: frozenset[str]) -> set[str]:
        found: set[str] = set()
        for to in after.get(start, set()) - seen:
            found |= {to} if to in ids else reached(to, seen | {to})
        return found

    return {(one, to) for one in ids for to in reached(one, frozenset())}


def _shape(edges: Sequence[tuple[str, ...]]) -> tuple[list[int], bool]:
    """Return how often it branches and how wide, and whether it returns."""
    after: dict[str, list[str]] = {}
    for a, b in edges:
        after.setdefault(a, []).append(b)

    def returns(at: str, path: tuple[str, ...]) -> bool:
        return at in path or any(returns(to, (*path, at)) for to in after.get(at, ()))

    return sorted(len(ways) for ways in after.values() if len(ways) > 1), any(
        returns(one, ()) for one in after
    )


async def edited(row: Mapping[str, Any], model: Model) -> list[str]:
    """Return what of a gold edit does not hold after it was asked for; empty when it is right."""
    chat = chat_with(model)
    document = json.loads((SAMPLES / f"{row['workflow']}.json").read_text("utf-8"))
    own_id = "wf_gold"
    before = parse_workflow(document | {"id": own_id})
    await chat.workflows.create(TENANT, before, Change(Author(), "created"))
    try:
        await chat.say(row["say"], workflow_id=own_id)
    except WorkflowAgentError as error:
        return [error.code]
    return claims_that_fail(before, await chat.workflows.get(TENANT, own_id), row["holds"], row["steps"])


@dataclass(frozen=True, slots=True)
class Judged:
    """Everything that was judged."""

    drafts: Sequence[Draft]
    edits: Mapping[str, Sequence[str]]
    """What does not hold, by what was said."""

    def figures(self) -> dict[str, tuple[float, int]]:
        """Return each figure with the number of cases behind it."""
        count = len(self.drafts)
        right = sum(not failed for failed in self.edits.values())
        return {
            "creation: steps in their roles": (mean(one.steps for one in self.drafts), count),
            "creation: edges, F1": (mean(one.edges for one in self.drafts), count),
            "creation: branches and loops as in the gold graph": (
                sum(one.branches for one in self.drafts) / count,
                count,
            ),
            "creation: no step too many": (sum(one.extra == 0 for one in self.drafts) / count, count),
            "creation: exactly the gold graph": (sum(one.is_exact for one in self.drafts) / count, count),
            "editing: exactly what was asked": (right / len(self.edits), len(self.edits)),
        }


async def judge(model: Model) -> Judged:
    """Return how a model does on all gold graphs and edits."""
    drafts = [judged(row, await created(row["text"], model)) for row in rows("creation_gold.jsonl")]
    edits = {row["say"]: await edited(row, model) for row in rows("edits_gold.jsonl")}
    return Judged(drafts, edits)


def main() -> None:
    """Print the figures; `--show` prints what is not right."""
    result = asyncio.run(judge(model_asked_for(sys.argv)))
    for name, (value, count) in result.figures().items():
        print(f"{name}: {value:.1%} of {count}")
    if "--show" in sys.argv:
        for one in result.drafts:
            if not one.is_exact:
                figures = f"steps {one.steps:.2f} extra {one.extra} edges {one.edges:.2f} {one.branches}"
                print(f"  {figures}: {one.text}")
        for said, failed in result.edits.items():
            if failed:
                print(f"  {said!r}: {'; '.join(failed)}")


if __name__ == "__main__":
    main()
