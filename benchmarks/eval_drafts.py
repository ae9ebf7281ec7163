"""How well workflows are made from descriptions and changed in words, against gold graphs.

    python -m benchmarks.eval_drafts [--set gold|dev|heldout|dev_2|heldout_2] [--show]

Each description and each order goes through the whole chat, as a user's message would; what is judged is the
workflow that is stored afterwards. Where the reply to a description offers to make it, the user says yes.
What gold rows say is at the head of `gold_graphs.py` and `gold.py`; how they came to be, in `data/README.md`.
"""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from pydantic_ai.models import Model

from benchmarks.gold import claims_that_fail
from benchmarks.gold_graphs import Draft, judged
from tests.support.chats import TENANT, ChatUnderTest, chat_with
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.errors import WorkflowAgentError
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.store import Author, Change

DATA, SAMPLES = Path(__file__).parent / "data", Path(__file__).parents[1] / "data" / "samples"
SETS = {
    "gold": "",
    "dev": " (development)",
    "heldout": " (held out)",
    "dev_2": " (second development)",
    "heldout_2": " (second held out)",
}
"""The sets of rows, and what their figures are marked with."""


def rows(name: str) -> list[dict[str, Any]]:
    """Return the gold of a file; nothing when a set has none of its kind."""
    if not (DATA / name).exists():
        return []
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


async def created(row: Mapping[str, str], model: Model) -> Workflow | None:
    """Return the workflow that a chat makes of a description; None when it makes none."""
    chat = chat_with(model)
    before = {one.id for one in await chat.workflows.all(TENANT)}

    async def made() -> Workflow | None:
        return next((one for one in await chat.workflows.all(TENANT) if one.id not in before), None)

    try:
        said = await chat.say(row["text"])
        if await made() is None and row["steps"] and "Shall I" in said.reply.content:
            await chat.say("yes", conversation_id=said.conversation_id)
    except WorkflowAgentError:
        return None
    return await made()


async def edited(row: Mapping[str, Any], model: Model) -> list[str]:
    """Return what of a gold edit does not hold after it was asked for; empty when it is right."""
    chat = chat_with(model)
    document = json.loads((SAMPLES / f"{row['workflow']}.json").read_text("utf-8"))
    own_id = "wf_gold"
    before = parse_workflow(document | {"id": own_id})
    await chat.workflows.create(TENANT, before, Change(Author(), "created"))
    try:
        await _say_all(chat, [row["say"]] if isinstance(row["say"], str) else row["say"], own_id)
    except WorkflowAgentError as error:
        return [error.code]
    return claims_that_fail(before, await chat.workflows.get(TENANT, own_id), row["holds"], row["steps"])


async def _say_all(chat: ChatUnderTest, messages: Sequence[str], workflow_id: str) -> None:
    conversation_id = None
    for message in messages:
        said = await chat.say(message, workflow_id=workflow_id, conversation_id=conversation_id)
        conversation_id = said.conversation_id


@dataclass(frozen=True, slots=True)
class Judged:
    """Everything that was judged."""

    drafts: Sequence[Draft]
    edits: Mapping[str, Sequence[str]]
    """What does not hold, by what was said."""
    mark: str = ""
    """What the figures of this set are marked with."""

    def figures(self) -> dict[str, tuple[float, int]]:
        """Return each figure with the number of cases behind it."""
        count = len(self.drafts)
        right = sum(not failed for failed in self.edits.values())
        editing = {f"editing{self.mark}: exactly what was asked": (right / len(self.edits), len(self.edits))}
        if not count:
            return editing
        return {
            f"creation{self.mark}: {what}": (value, count)
            for what, value in {
                "steps in their roles": mean(one.steps for one in self.drafts),
                "edges, F1": mean(one.edges for one in self.drafts),
                "branches and loops as in the gold graph": sum(one.branches for one in self.drafts) / count,
                "no step too many": sum(one.extra == 0 for one in self.drafts) / count,
                "exactly the gold graph": sum(one.is_exact for one in self.drafts) / count,
            }.items()
        } | editing


async def judge(model: Model, name: str = "gold") -> Judged:
    """Return how a model does on a set of gold graphs and edits."""
    drafts = [judged(row, await created(row, model)) for row in rows(f"creation_{name}.jsonl")]
    edits = {_told(row["say"]): await edited(row, model) for row in rows(f"edits_{name}.jsonl")}
    return Judged(drafts, edits, SETS[name])


def _told(say: str | Sequence[str]) -> str:
    return say if isinstance(say, str) else " / ".join(say)


def main() -> None:
    """Print the figures; `--show` prints what is not right."""
    name = sys.argv[sys.argv.index("--set") + 1] if "--set" in sys.argv else "gold"
    result = asyncio.run(judge(OfflineModel(), name))
    for what, (value, count) in result.figures().items():
        print(f"{what}: {value:.1%} of {count}")
    if "--show" in sys.argv:
        for one in result.drafts:
            if not one.is_exact:
                figures = f"steps {one.steps:.2f} extra {one.extra} edges {one.edges:.2f} {one.branches}"
                print(f"  {figures}{'' if one.also else ' also'}: {one.text}")
        for said, failed in result.edits.items():
            if failed:
                print(f"  {said!r}: {'; '.join(failed)}")


if __name__ == "__main__":
    main()
