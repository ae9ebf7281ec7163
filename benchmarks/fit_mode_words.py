"""Fits what single words say about a mode, and writes `workflow_agent/assistant/modes/word_weights.tsv`.

The phrases in `phrases.tsv` are written by hand and stay as they are; words and pairs of neighbours carry
what is left. Fitted on `data/mode_inference_train.jsonl` and the development half of the evaluation set,
never on the held-out half:

    python -m benchmarks.fit_mode_words
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from workflow_agent.assistant.modes.inference import gather, phrase_scores, signs_in
from workflow_agent.assistant.modes.reader import read
from workflow_agent.assistant.modes.shape import dependence
from workflow_agent.conversations.agents import MODES

DATA: Final = Path(__file__).parent / "data"
TRAINING_FILES: Final = ("mode_inference_train.jsonl", "mode_inference_dev.jsonl")
TARGET: Final = Path(__file__).parents[1] / "workflow_agent" / "assistant" / "modes" / "word_weights.tsv"
MINIMUM_USES: Final = 6
MINIMUM_WEIGHT: Final = 0.05
PULL_TO_ZERO: Final = 2.4
PASSES: Final = 150
STEP: Final = 0.1

Weights = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Example:
    """One labelled utterance: what the phrases say of it, its words, and the mode that is meant."""

    phrases: tuple[float, ...]
    signs: frozenset[str]
    mode: int


def examples(rows: Iterable[Mapping[str, Any]]) -> list[Example]:
    """Return the rows as the fit needs them."""
    found: list[Example] = []
    for row in rows:
        reading = read(row["text"])
        leaning = dependence(reading)
        evidence = gather(
            reading, row["previous_tools"], row["phase"], workflow_loaded=row["workflow_loaded"], dependence=leaning
        )
        scores = phrase_scores(evidence)
        phrases = tuple(scores[mode] for mode in MODES)
        small = signs_in(reading, row["previous_tools"], workflow_loaded=row["workflow_loaded"], dependence=leaning)
        found.append(Example(phrases, frozenset(small), MODES.index(row["mode"])))
    return found


def fit(training: Sequence[Example]) -> Weights:
    """Return the weights of least regularised log-loss, by full passes with a step for each weight."""
    uses = Counter(sign for example in training for sign in example.signs)
    signs = sorted(sign for sign, count in uses.items() if count >= MINIMUM_USES and ";" not in sign)
    column = {sign: at for at, sign in enumerate(signs)}
    occurs = np.zeros((len(training), len(signs)), dtype=np.float32)
    for row, example in enumerate(training):
        occurs[row, [column[sign] for sign in example.signs if sign in column]] = 1
    phrases = np.array([example.phrases for example in training], dtype=np.float32)
    meant = np.eye(len(MODES), dtype=np.float32)[[example.mode for example in training]]
    weights = np.zeros((len(signs), len(MODES)), dtype=np.float32)
    squares = np.full_like(weights, 1e-6)
    by_sign = np.ascontiguousarray(occurs.T)
    for _ in range(PASSES):
        scores = phrases + occurs @ weights
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        errors = odds / odds.sum(axis=1, keepdims=True) - meant
        slope = by_sign @ errors + PULL_TO_ZERO * weights
        squares += slope**2
        weights -= STEP * slope / np.sqrt(squares)
    return {sign: weights[at] for sign, at in column.items() if np.abs(weights[at]).max() >= MINIMUM_WEIGHT}


def table_text(weights: Weights) -> str:
    """Return the table of the weights, a sign a line, in hundredths."""
    rows = ([sign, *(str(5 * round(20 * one)) for one in row.tolist())] for sign, row in sorted(weights.items()))
    return "".join("\t".join(row) + "\n" for row in rows)


def main() -> None:
    """Fit and write the table."""
    rows = [json.loads(line) for name in TRAINING_FILES for line in (DATA / name).read_text("utf-8").splitlines()]
    training = examples(rows)
    weights = fit(training)
    TARGET.write_text(table_text(weights), "utf-8")
    print(f"{len(training)} utterances, {len(weights)} signs -> {TARGET.name}")


if __name__ == "__main__":
    main()
