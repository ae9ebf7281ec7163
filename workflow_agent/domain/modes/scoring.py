"""What all evidence about a message adds up to for each mode."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, cast

from workflow_agent.domain.modes import phrases
from workflow_agent.domain.modes.circumstances import around_message
from workflow_agent.domain.modes.evidence import MODES, Evidence, Mode
from workflow_agent.domain.modes.patterns import PhraseIndex, compile_phrase
from workflow_agent.domain.modes.reading import Reading
from workflow_agent.domain.modes.shape import dependence, shape_signals, topic_strength
from workflow_agent.domain.modes.word_weights import WORD_WEIGHTS

DISCOUNT: Final = 0.6
"""Each further phrase of one mode counts for this part of the one before it."""
PHRASE_SHARE: Final = 0.8
"""What a phrase counts beside the small signs, whose weights are fitted."""
OPEN_WORKFLOW_TOPIC: Final = 0.8
"""An open workflow makes a question that names nothing a question about it."""


def _index(table: Mapping[str, str]) -> PhraseIndex:
    lines = (
        (mode, line.split(None, 1)) for mode, text in table.items() for line in text.strip().splitlines()
    )
    return PhraseIndex(compile_phrase(phrase, mode, float(weight)) for mode, (weight, phrase) in lines)


_ALWAYS: Final = _index(phrases.ALWAYS)
_ON_TOPIC: Final = _index(phrases.ON_TOPIC)
_OFF_TOPIC: Final = _index(phrases.OFF_TOPIC)


def gather(
    reading: Reading, previous_tools: Sequence[str], phase: str, *, workflow_loaded: bool
) -> list[Evidence]:
    """Return what the message's phrases, its build and its circumstances say."""
    leaning = dependence(reading)
    topic = max(topic_strength(reading), OPEN_WORKFLOW_TOPIC if workflow_loaded else 0.0)
    nothing_said = 2.6 - 2.2 * max(topic, 0.7 * leaning if previous_tools else 0.0)
    return [
        *_phrases(_ALWAYS, reading, 1.0),
        *_phrases(_ON_TOPIC, reading, 0.35 + 0.65 * topic),
        *_phrases(_OFF_TOPIC, reading, 1 - topic),
        *shape_signals(reading),
        *around_message(previous_tools, phase, workflow_loaded=workflow_loaded, dependence=leaning),
        Evidence("general", nothing_said, "little about workflows"),
    ]


def _phrases(index: PhraseIndex, reading: Reading, share: float) -> Iterator[Evidence]:
    for phrase, start, end in index.found_in(reading.classes):
        mode = cast("Mode", phrase.meaning)
        yield Evidence(mode, phrase.weight * share, f"phrase {reading.excerpt(start, end)!r}")


def phrase_scores(evidence: Iterable[Evidence]) -> dict[Mode, float]:
    """Return what the evidence adds up to, with diminishing returns; objections count in full."""
    weights: dict[Mode, list[float]] = {mode: [] for mode in MODES}
    for item in evidence:
        weights[item.mode].append(item.weight)
    return {mode: PHRASE_SHARE * _total(weights[mode]) for mode in MODES}


def _total(weights: Iterable[float]) -> float:
    ordered = sorted(weights, reverse=True)
    gains = (weight * DISCOUNT**rank for rank, weight in enumerate(ordered) if weight > 0)
    return sum(gains) + sum(weight for weight in ordered if weight < 0)


def sign_scores(signs: Iterable[str]) -> dict[Mode, float]:
    """Return what the small signs add up to."""
    rows = [WORD_WEIGHTS[sign] for sign in signs if sign in WORD_WEIGHTS]
    totals = map(sum, zip((0,) * len(MODES), *rows, strict=True))
    return {mode: total / 100 for mode, total in zip(MODES, totals, strict=True)}


def sign_evidence(signs: Iterable[str], mode: Mode) -> Iterator[Evidence]:
    """Yield the single words that speak for a mode."""
    column = MODES.index(mode)
    for sign in signs:
        hundredths = WORD_WEIGHTS.get(sign)
        if hundredths and hundredths[column] > 0 and sign.islower() and sign.isalnum():
            yield Evidence(mode, hundredths[column] / 100, f"word {sign!r}")
