"""Whether the tool result a follow-up needs is chosen among those that are no longer in the window.

    python -m benchmarks.eval_artifacts

All sample workflows were read in earlier turns; each follow-up, of a hundred, is about one of them. The plan is made
by rule. Beside it stands how often a model would be asked to plan although the rules' plan has the needed result:
with one more workflow read each turn, a window of 32,000 tokens and a model of the usual price.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from workflow_agent.assistant.providers import ModelConfig
from workflow_agent.assistant.window.plan import planning_need, rule_plan, weighed
from workflow_agent.conversations.artifacts import Artifact, ArtifactType, ProcessingStrategy, artifact_of
from workflow_agent.values.tokens import tokens_of

SAMPLES = Path(__file__).parents[1] / "data" / "samples"
_DATA = Path(__file__).parent / "data"
HALVES: Mapping[str, Path] = {
    "development": _DATA / "follow_ups_dev.jsonl",
    "held out": _DATA / "follow_ups_heldout.jsonl",
}
ROOM_TOKENS = 12_000
_MODEL = "openai:gpt-4o"


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question, which result it needs, and where the plan has that: from 1; 0 where it is left out."""

    question: str
    needs: str
    place: int
    is_model_asked: bool


def artifacts() -> dict[str, Artifact]:
    """Return the results of reading each sample, by its name."""
    at = datetime(2026, 11, 21, 12, tzinfo=UTC)
    return {
        path.stem: artifact_of(
            ArtifactType.TOOL_RESULT,
            {"workflow": json.loads(path.read_text("utf-8"))},
            f"history:msg_{number}:get_workflow",
            at,
            {"historical": True},
        )
        for number, path in enumerate(sorted(SAMPLES.glob("*.json")), 1)
    }


def planned(half: str) -> list[FollowUp]:
    """Return the follow-ups of a half with where the plan puts what they need."""
    known = artifacts()
    asked = [json.loads(line) for line in HALVES[half].read_text("utf-8").splitlines()]
    return [_planned(one["question"], one["needs"], known, at) for at, one in enumerate(asked)]


def _planned(question: str, needs: str, known: Mapping[str, Artifact], at: int) -> FollowUp:
    plan = rule_plan(list(known.values()), question, ROOM_TOKENS)
    ids = [one.artifact_id for one in plan.artifacts if one.strategy is not ProcessingStrategy.EXCLUDE]
    place = ids.index(known[needs].artifact_id) + 1 if known[needs].artifact_id in ids else 0
    # As a conversation grows: the one that is needed, and some others.
    read = [known[needs], *(one for name, one in known.items() if name != needs)][: at % len(known) + 1]
    return FollowUp(question, needs, place, _is_model_asked(read, question))


def _is_model_asked(read: Sequence[Artifact], question: str) -> bool:
    large = weighed(rule_plan(read, question, ROOM_TOKENS), read) or read[:1]
    total = sum(tokens_of(one.text) for one in large)
    return planning_need(large, total, ROOM_TOKENS, ModelConfig.from_request(_MODEL))[0]


def figures(half: str) -> dict[str, tuple[float, int]]:
    """Return the shares of a half's follow-ups whose result comes first, is included, and of planners in vain."""
    found = planned(half)
    count = len(found)
    in_vain = sum(one.is_model_asked and one.place > 0 for one in found)
    return {
        "the needed result comes first": (sum(one.place == 1 for one in found) / count, count),
        "the needed result is included": (sum(one.place > 0 for one in found) / count, count),
        "a model is asked without need": (in_vain / count, count),
    }


def main() -> None:
    """Print the figures, and what of the development half is left out."""
    for half in HALVES:
        for what, (value, count) in figures(half).items():
            print(f"{half}: {what}: {value:.1%} of {count}")
    for one in planned("development"):
        if one.place == 0:
            print(f"  {one.needs} is left out: {one.question!r}")


if __name__ == "__main__":
    main()
