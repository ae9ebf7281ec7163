"""How often phrases that refer to earlier workflows are resolved as a person would.

    python -m benchmarks.eval_references [--show]

Prints for each set: the share that is right, how many are wrong with high confidence (none may be), and how
often it asks where a person would. Held-out sets are only measured; `--show` prints what is wrong in the
others. benchmarks/data/README.md says who wrote which when, and what each gave when it was new.
"""

import json
import sys
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from workflow_agent.conversations.document import WorkflowReference
from workflow_agent.conversations.memory.references import HIGH_CONFIDENCE, Resolution
from workflow_agent.conversations.memory.resolver import resolve_reference

DATA = Path(__file__).parent / "data"
SETS = {
    "development 1": DATA / "references_dev.jsonl",
    "held out 1": DATA / "references_heldout.jsonl",
    "development 2": DATA / "references_dev_2.jsonl",
    "was held out 2": DATA / "references_heldout_2.jsonl",
    "was held out 3": DATA / "references_heldout_3.jsonl",
}


@dataclass(frozen=True, slots=True)
class Answered:
    """A labelled phrase and what it was resolved to."""

    text: str
    memory: str
    expected: frozenset[str]
    """Empty where a person would ask."""
    resolution: Resolution

    @property
    def is_right(self) -> bool:
        """Say whether it is what a person would have understood, or asked about."""
        return frozenset(self.resolution.workflow_ids) == self.expected

    @property
    def is_surely_wrong(self) -> bool:
        """Say whether it is wrong and nobody would have been asked."""
        return not self.is_right and self.resolution.confidence >= HIGH_CONFIDENCE


@cache
def memories() -> dict[str, dict[str, Any]]:
    """Return the memories that the phrases are said among."""
    return json.loads((DATA / "reference_memories.json").read_text("utf-8"))


def answered(row: dict[str, Any]) -> Answered:
    """Return a labelled phrase, resolved in its memory."""
    memory = memories()[row["memory"]]
    resolution = resolve_reference(
        row["text"],
        [WorkflowReference.model_validate(one) for one in memory["references"]],
        now=datetime.fromisoformat(memory["now"]),
        open_workflow_id=memory["open"],
        conversation_id=memory["conversation_id"],
    )
    return Answered(row["text"], row["memory"], frozenset(row["expected"]), resolution)


def evaluated(path: Path) -> list[Answered]:
    """Return every phrase of a file, resolved."""
    return [answered(json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def accuracy(answers: list[Answered]) -> float:
    """Return the share that is right."""
    return sum(one.is_right for one in answers) / len(answers)


def main() -> None:
    """Print the figures of each set."""
    for name, path in SETS.items():
        answers = evaluated(path)
        ask = [one for one in answers if not one.expected]
        print(
            f"{name}: {accuracy(answers):.1%} of {len(answers)} right, "
            f"{sum(one.is_surely_wrong for one in answers)} wrong with high confidence, "
            f"asked in {sum(one.is_right for one in ask)} of the {len(ask)} where a person would"
        )
        if not name.startswith("held out") and "--show" in sys.argv:
            for one in (one for one in answers if not one.is_right):
                found = one.resolution
                told = f"{found.outcome} {list(found.workflow_ids)} {found.confidence} ({found.reason})"
                print(f"  {one.memory}: {one.text!r} should be {sorted(one.expected) or 'asked'}, is {told}")


if __name__ == "__main__":
    main()
