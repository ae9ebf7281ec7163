"""Fit how probable it is that the edits of a reading are those that were ordered (`nlu/certainty.py`).

    python -m benchmarks.fit_certainty --writers voice_50.txt [--keep signs.npz] [--beside others.npz]

The messages of writers who were left out of the fit of the encoder that is in the package are read with it, and their
edits held against those of their labels. What the labels leave open, a step that is known by its meaning, is open on
both sides: how probable it is is multiplied in afterwards. For the weights in the package the writers were parted in
two, an encoder fitted to each half (`fit_orders --without`), and the other half read with it, and writers who came
later read by the weights before them; `--keep` writes the signs of some writers, `--beside` adds those of others.
Prints the weights, and what is done, right and otherwise than labelled, for several bars; each tenth of the messages is
judged by weights that were fitted to the others.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.eval_builders import outcome, single_messages
from benchmarks.orders_tagged import tagged
from workflow_agent.assistant.offline.nlu.certainty import Reading, is_clear, signs
from workflow_agent.assistant.offline.nlu.doubts import doubts
from workflow_agent.assistant.offline.nlu.reading import read_order
from workflow_agent.assistant.offline.nlu.tagging import NO_EDIT, SEVERAL
from workflow_agent.assistant.offline.plan import Plan
from workflow_agent.assistant.offline.references import Steps
from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject

_ALIKE = 0.6
"""Share of the words of two names, conditions or descriptions that must be the same for them to say the same."""
_SLIGHT = frozenset({"the", "a", "an", "for", "of", "to", "with", "by", "and", "it"})
_WORDED = ("name", "text", "description")
_RIDGE = 1.0
_ROUNDS = 60
_PARTS = 10
_BARS = (0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    """A message whose edits can be held against those of its labels."""

    signs: tuple[float, ...]
    is_right: bool
    is_clear: bool
    """Whether nothing about it is to be shown first however probable it is."""


def same(edits: Sequence[JsonObject], others: Sequence[JsonObject]) -> bool:
    """Say whether edits do the same, with names and conditions of much the same words."""
    mine, theirs = list(_worded(edits)), list(_worded(others))
    made = {str(edit[key]["id"]) for edit in (*edits, *others) for key in ("step", "with") if _is_step(edit.get(key))}
    bare = [json.dumps(_bare(one, made), sort_keys=True).lower() for one in (edits, others)]
    return bare[0] == bare[1] and len(mine) == len(theirs) and all(map(_alike, mine, theirs))


def _is_step(value: object) -> bool:
    return isinstance(value, dict)


def _worded(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from [one] if key in _WORDED and isinstance(one, str) else _worded(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _worded(one)


def _bare(value: Any, made: set[str]) -> Any:
    """Return edits without their wording, and without the ids of new steps, which are made of names."""
    if isinstance(value, dict):
        return {key: "worded" if key in _WORDED else _bare(one, made) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_bare(one, made) for one in value]
    return "new" if isinstance(value, str) and value in made else value


def _alike(one: str, other: str) -> bool:
    mine, theirs = (set(re.findall(r"\w+", text.lower())) - _SLIGHT for text in (one, other))
    return mine == theirs or len(mine & theirs) >= _ALIKE * max(len(mine), len(theirs))


def judged(writers: Sequence[str]) -> tuple[list[Judged], int]:
    """Return the messages of some writers that can be judged, and how many messages they wrote.

    Of those that order nothing any edit is wrong.
    """
    found: list[Judged] = []
    count = 0
    for workflow, intent, order in single_messages(writers):
        text, _, _ = tagged(order)
        orders = intent not in NO_EDIT
        labelled = outcome(workflow, intent, order)[1].edits if orders else []
        count += orders
        plan, tokens = Plan(text, workflow, Steps(workflow, {}, None)), read_tokens(text)
        reading = read_order(plan, tokens)
        made = reading.plan
        if made is None or reading.intent == SEVERAL or not made.edits or bool(labelled) != orders:
            continue
        made.notes += doubts(made, workflow, tokens)
        found.append(Judged(tuple(signs(reading).values()), same(made.edits, labelled), is_clear(reading, made)))
    return found, count


def fit(rows: Sequence[Judged]) -> _Floats:
    """Return the weights of a logistic regression with a ridge, by Newton's method."""
    x: _Floats = np.array([row.signs for row in rows])
    y: _Floats = np.array([row.is_right for row in rows], float)
    weights: _Floats = np.zeros(x.shape[1])
    for _ in range(_ROUNDS):
        chance = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (chance - y) + _RIDGE * weights
        bend = (x * (chance * (1 - chance))[:, None]).T @ x + _RIDGE * np.eye(len(weights))
        weights = weights - np.linalg.solve(bend, slope)
    return weights


def _chance(weights: _Floats, row: Judged) -> float:
    return float(1 / (1 + np.exp(-(weights @ np.array(row.signs)))))


def _kept(path: Path) -> list[Judged]:
    rows = np.load(path)["rows"]
    return [Judged(tuple(row[2:].tolist()), bool(row[0]), bool(row[1])) for row in rows]


def main() -> None:
    """Print weights, and what comes of several bars."""
    parser = argparse.ArgumentParser(prog="benchmarks.fit_certainty")
    parser.add_argument("--writers", required=True, help="files of the labelled messages, with commas between")
    parser.add_argument("--keep", type=Path, help="where to write what was found of them")
    parser.add_argument("--beside", type=Path, action="append", default=[], help="what was kept of others, to fit to")
    asked = parser.parse_args()
    rows, count = judged(asked.writers.split(","))
    if asked.keep:
        np.savez(asked.keep, rows=np.array([(row.is_right, row.is_clear, *row.signs) for row in rows]))
    others = [row for path in asked.beside for row in _kept(path)]
    names = list(signs(Reading("none", 0)))
    print({name: round(weight, 2) for name, weight in zip(names, fit([*rows, *others]).tolist(), strict=True)})
    of_others = [fit([*others, *(row for at, row in enumerate(rows) if at % _PARTS != part)]) for part in range(_PARTS)]
    chances = [_chance(of_others[at % _PARTS], row) for at, row in enumerate(rows)]
    for bar in _BARS:
        done = [row for row, chance in zip(rows, chances, strict=True) if chance >= bar and row.is_clear]
        right = sum(row.is_right for row in done)
        print(
            f"from {bar} on: {right / count:.1%} done right, {(len(done) - right) / count:.1%} otherwise than labelled"
        )


if __name__ == "__main__":
    main()
