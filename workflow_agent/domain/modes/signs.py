"""The small signs in a message that a fitted weight is attached to."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from workflow_agent.domain.modes.circumstances import last_telling
from workflow_agent.domain.modes.reading import Reading

LENGTH_BANDS: Final = (2, 4, 7, 12, 20, 35)
"""A message's length counts as the number of these word counts that it exceeds."""


def signs_in(
    reading: Reading, previous_tools: Sequence[str], *, workflow_loaded: bool, dependence: float
) -> set[str]:
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
