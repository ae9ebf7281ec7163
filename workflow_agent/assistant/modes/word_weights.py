"""What single words, classes of words and pairs of neighbours say about each mode, from `word_weights.tsv`.

The file is made by `python -m benchmarks.fit_mode_words`; change the training utterances rather than it.
"""

from collections.abc import Mapping
from importlib.resources import files
from typing import Final


def _weights(table: str) -> dict[str, tuple[int, ...]]:
    rows = (line.split("\t") for line in table.splitlines())
    return {sign: tuple(map(int, hundredths)) for sign, *hundredths in rows}


WORD_WEIGHTS: Final[Mapping[str, tuple[int, ...]]] = _weights(
    files("workflow_agent.assistant.modes").joinpath("word_weights.tsv").read_text("utf-8")
)
"""Word, class, or pair -> hundredths for general, creation, search, modification and analysis."""
