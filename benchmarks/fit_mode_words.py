"""Fits what single words say about a mode, and writes `workflow_agent/domain/modes/word_weights.py`.

The phrases in `phrases/` are written by hand and stay as they are; words and pairs of neighbours carry
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

from workflow_agent.domain.modes import MODES
from workflow_agent.domain.modes.reading import read
from workflow_agent.domain.modes.scoring import gather, phrase_scores
from workflow_agent.domain.modes.shape import dependence
from workflow_agent.domain.modes.signs import signs_in

DATA: Final = Path(__file__).parent / "data"
TRAINING_FILES: Final = ("mode_inference_train.jsonl", "mode_inference_dev.jsonl")
TARGET: Final = Path(__file__).parents[1] / "workflow_agent" / "domain" / "modes" / "word_weights.py"
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
        evidence = gather(
            reading, row["previous_tools"], row["phase"], workflow_loaded=row["workflow_loaded"]
        )
        scores = phrase_scores(evidence)
        phrases = tuple(scores[mode] for mode in MODES)
        small = signs_in(
            reading,
            row["previous_tools"],
            workflow_loaded=row["workflow_loaded"],
            dependence=dependence(reading),
        )
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
    # A semicolon parts the entries of the table, so it cannot be one.
    return {
        sign: weights[at]
        for sign, at in column.items()
        if ";" not in sign and np.abs(weights[at]).max() >= MINIMUM_WEIGHT
    }


def module_text(weights: Weights) -> str:
    """Return the module that carries the weights, in hundredths."""
    lines = [""]
    for sign, row in sorted(weights.items()):
        entry = " ".join([sign, *(str(5 * round(20 * weight)) for weight in row.tolist())]) + "; "
        if len(lines[-1]) + len(entry) > 110:
            lines.append("")
        lines[-1] += entry
    table = "\n".join(line.rstrip() for line in lines)
    return f'''"""What single words, classes of words and pairs of neighbours say about each mode.

Made by `python -m benchmarks.fit_mode_words`; change the training utterances rather than this file.
"""

from collections.abc import Mapping
from typing import Final

_TABLE: Final = """
{table}
"""

WORD_WEIGHTS: Final[Mapping[str, tuple[int, ...]]] = {{
    sign: tuple(map(int, hundredths))
    for sign, *hundredths in (entry.strip().rsplit(" ", 5) for entry in _TABLE.split(";") if entry.strip())
}}
"""Word, class, or pair -> hundredths for general, creation, search, modification and analysis."""
'''


def main() -> None:
    """Fit and write the module."""
    rows = [
        json.loads(line) for name in TRAINING_FILES for line in (DATA / name).read_text("utf-8").splitlines()
    ]
    training = examples(rows)
    weights = fit(training)
    TARGET.write_text(module_text(weights), "utf-8")
    print(f"{len(training)} utterances, {len(weights)} signs -> {TARGET.name}")


if __name__ == "__main__":
    main()
