"""Which of the five modes a message asks for, and why."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final, cast

from workflow_agent.assistant.modes.reader import PhraseIndex, Reading, compile_phrase, read, table
from workflow_agent.assistant.modes.shape import around_message, dependence, last_telling, shape_signals, topic_strength
from workflow_agent.conversations.agents import MODES, WRITING, Evidence, Mode

DISCOUNT: Final = 0.6
"""Each further phrase of one mode counts for this part of the one before it."""
PHRASE_SHARE: Final = 0.8
"""What a phrase counts beside the small signs, whose weights are fitted."""
OPEN_WORKFLOW_TOPIC: Final = 0.8
"""An open workflow makes a question that names nothing a question about it."""


WORD_WEIGHTS: Final[Mapping[str, tuple[int, ...]]] = {
    sign: tuple(map(int, hundredths)) for sign, *hundredths in table("word_weights.tsv")
}
"""Word, class, or pair -> hundredths for general, creation, search, modification and analysis.

The file is made by `python -m benchmarks.fit_mode_words`; change the training utterances rather than it.
"""

_WORDS: Final = {sign: weights for sign, weights in WORD_WEIGHTS.items() if sign.islower() and sign.isalnum()}


_COUNTS: Final = {
    compile_phrase(phrase, mode, float(weight)): counts for mode, counts, weight, phrase in table("phrases.tsv")
}
"""What people say, in the notation of `reader.py` -> when it counts.

A row of the file is a mode, when the phrase counts, its weight and the phrase. `always` counts whatever the
message is about; `on topic` as far as the message, or what is open, is about workflows; `off topic` as far as
it is about nothing in particular. 3 decides by itself, 2 is typical, 1 only tips the balance; a negative weight
speaks against the mode. Phrases of one mode add up with diminishing returns, so synonyms need not exclude each other.
"""
_PHRASES: Final = PhraseIndex(_COUNTS)
"""One index of all, so that each word is looked up once."""


def gather(
    reading: Reading, previous_tools: Sequence[str], phase: str, *, workflow_loaded: bool, dependence: float
) -> list[Evidence]:
    """Return what the message's phrases, its build and its circumstances say."""
    topic = max(topic_strength(reading), OPEN_WORKFLOW_TOPIC if workflow_loaded else 0.0)
    nothing_said = 2.6 - 2.2 * max(topic, 0.7 * dependence if previous_tools else 0.0)
    return [
        *_phrases(reading, topic),
        *shape_signals(reading),
        *around_message(previous_tools, phase, workflow_loaded=workflow_loaded, dependence=dependence),
        Evidence("general", nothing_said, "little about workflows"),
    ]


def _phrases(reading: Reading, topic: float) -> Iterator[Evidence]:
    for phrase, start, end in _PHRASES.found_in(reading.classes):
        counts = _COUNTS[phrase]
        share = 0.35 + 0.65 * topic if counts == "on topic" else 1 - topic if counts == "off topic" else 1.0
        mode = cast("Mode", phrase.meaning)
        yield Evidence(mode, phrase.weight * share, f"phrase {reading.excerpt(start, end)!r}", is_phrase=True)


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
        hundredths = _WORDS.get(sign)
        if hundredths and hundredths[column] > 0:
            yield Evidence(mode, hundredths[column] / 100, f"word {sign!r}")


LENGTH_BANDS: Final = (2, 4, 7, 12, 20, 35)
"""A message's length counts as the number of these word counts that it exceeds."""


def signs_in(reading: Reading, previous_tools: Sequence[str], *, workflow_loaded: bool, dependence: float) -> set[str]:
    """Return every sign: words, classes, neighbours, how the message begins and ends, and its circumstances.

    `could` is a word, `DO_CHANGE` a class, `put DEF` and `DEF step` a word and its neighbour's class,
    `^could you` a beginning, `too$` an end, `length 3` a band, `after edit_workflow` what happened before.
    """
    found = set[str]().union(*reading.classes)
    for (word, here), (next_word, there) in pairwise(zip(reading.words, reading.classes, strict=True)):
        found.update([f"{word} {name}" for name in there if name.isupper()])
        found.update([f"{name} {next_word}" for name in here if name.isupper()])
    spoken = reading.spoken()
    if spoken:
        found |= {f"^{spoken[0]}", f"^{' '.join(spoken[:2])}", f"{spoken[-1]}$"}
    found.add(f"length {sum(len(spoken) > most for most in LENGTH_BANDS)}")
    leaning = ("alone", "leaning", "following")[min(2, int(3 * dependence))]
    if tool := last_telling(previous_tools):
        found |= {f"after {tool}", f"{leaning} after {tool}"}
    if workflow_loaded:
        found |= {"workflow open", f"{leaning} workflow open"}
    return found


TIE: Final = 0.2
"""Writing has to lead by more than this, because a question must never change a workflow."""
CAUTION: Final = 0.9
"""Scales the lead so that a confidence of 0.9 is right nine times out of ten on messages nobody has seen."""
SHOWN_SIGNALS: Final = 6


@dataclass(frozen=True, slots=True)
class ModeDecision:
    """A mode and what led to it."""

    mode: Mode
    confidence: float
    """0..1, how likely the mode is the one that was meant."""
    signals: tuple[str, ...]
    """The reasons for the mode, strongest first, as in "modification: phrase 'put that in before'"."""
    scores: Mapping[Mode, float]
    is_said: bool = True
    """Whether a phrase of the message says so, and not its single words and what is open alone."""


def infer_mode(
    message: str, *, previous_tools: Sequence[str] = (), phase: str = "chat", workflow_loaded: bool = False
) -> ModeDecision:
    """Return the mode a message of any length asks for, with the reasons; the tools of before come oldest first."""
    reading = read(message)
    leaning = dependence(reading)
    evidence = gather(reading, previous_tools, phase, workflow_loaded=workflow_loaded, dependence=leaning)
    signs = signs_in(reading, previous_tools, workflow_loaded=workflow_loaded, dependence=leaning)
    said, hinted = phrase_scores(evidence), sign_scores(signs)
    scores: dict[Mode, float] = {mode: round(said[mode] + hinted[mode], 3) for mode in MODES}
    mode = most_likely(scores)
    reasons = [*(item for item in evidence if item.mode == mode and item.weight > 0), *sign_evidence(signs, mode)]
    is_said = any(item.mode == mode and item.weight > 0 and item.is_phrase for item in evidence)
    return ModeDecision(mode, _confidence(scores, mode), _readable(reasons), scores, is_said)


def most_likely(scores: Mapping[Mode, float]) -> Mode:
    """Return the mode with the highest score; unless writing clearly leads, the best that only reads."""
    # Of those with the same score the first of MODES.
    ranked = sorted(MODES, key=lambda mode: -scores[mode])
    best = ranked[0]
    reader: Mode = next(mode for mode in ranked if mode not in WRITING)
    return best if scores[best] - scores[reader] > TIE else reader


def _confidence(scores: Mapping[Mode, float], mode: Mode) -> float:
    highest = max(scores.values())
    odds = {each: math.exp(CAUTION * (score - highest)) for each, score in scores.items()}
    return round(odds[mode] / sum(odds.values()), 3)


def _readable(reasons: Iterable[Evidence]) -> tuple[str, ...]:
    strongest = sorted(reasons, key=lambda item: (-item.weight, item.reason))
    # The same words may fit two phrases.
    told = dict.fromkeys(f"{item.mode}: {item.reason}" for item in strongest)
    return tuple(islice(told, SHOWN_SIGNALS))
