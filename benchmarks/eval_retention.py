"""How much of what was said outlives compaction: in the window, or one search of the conversation away.

    python -m benchmarks.eval_retention

Facts of six kinds are planted in a conversation of 100 turns, held with the whole chat; its summaries are the
offline summariser's. A fact is kept where the words that matter are in the latest request to the model; by
then every turn they were said in has been compacted. It is recalled where the assistant's own search of the
conversation, asked with words of the fact but not with what is wanted, finds the turn.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.long_talk import FACTS, begun, planted

TURNS = 100


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of one fact."""

    kind: str
    sentence: str
    is_shown: bool
    is_found: bool


async def kept() -> list[Kept]:
    """Return what became of each planted fact."""
    talk = await (await begun()).held(TURNS)
    shown = talk.latest.casefold()
    return [
        Kept(kind, sentence, wanted.casefold() in shown, await talk.recalls(words, wanted))
        for _, kind, sentence, wanted, words in planted()
    ]


def by_kind(facts: list[Kept]) -> Mapping[str, tuple[int, int, int]]:
    """Return for each kind how many facts are shown, how many are found, and how many there are."""
    return {
        kind: (
            sum(one.is_shown for one in facts if one.kind == kind),
            sum(one.is_found for one in facts if one.kind == kind),
            sum(one.kind == kind for one in facts),
        )
        for kind in FACTS
    }


def main() -> None:
    """Print the figures of each kind, and what the window has lost."""
    facts = asyncio.run(kept())
    for kind, (shown, found, count) in by_kind(facts).items():
        print(f"{kind}: {shown} of {count} in the window, {found} of {count} found by one search")
    for one in facts:
        if not one.is_shown:
            print(f"  not in the window: {one.sentence}")


if __name__ == "__main__":
    main()
